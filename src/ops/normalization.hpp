// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "ops/compose.hpp"

namespace tessera::ops {

/// The axis of a step's parameter `axis`, as what its reductions reduce.
[[nodiscard]] AxisFlags normalized_axis(const graph::Node& node);

/// An operation that normalises real numbers along the parameter `axis` by reductions along it:
/// types, shape and choices are shared. The result lies as the input; the inputs beyond the first,
/// of one extent each, lie beside it. The caller fills in what its page says.
[[nodiscard]] Operation normalization_operation(std::string name,
                                                std::function<void(const Step&, Emitter&)> emit);

}  // namespace tessera::ops
