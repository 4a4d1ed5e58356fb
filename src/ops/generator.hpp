// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operation.hpp"

namespace tessera::ops {

/// The parameter `shape` of an operation without inputs.
graph::ParamSpec shape_spec();
/// Throws Error(graph) at the parameter for a negative extent or too many axes.
Shape shape_param(const graph::Params& params);

/// One choice: every rank fills its rows.
std::vector<Choice> generator_choices(const graph::Node& node, const ChoiceContext& context,
                                      double flops_per_element);

}  // namespace tessera::ops
