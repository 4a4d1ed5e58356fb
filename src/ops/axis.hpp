// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/params.hpp"

namespace tessera::ops {

/// The parameter `name` as an axis of a tensor with `axes` axes; a negative one counts from the
/// end. Throws Error(graph) at the parameter for an axis that there isn't.
int axis_param(const graph::Params& params, const std::string& name, int axes);

}  // namespace tessera::ops
