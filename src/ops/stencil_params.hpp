// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/params.hpp"
#include "stencil.hpp"

namespace tessera::ops {

/// The words of the parameter `boundary`: those of kernels::Boundary in its order, and "zero".
[[nodiscard]] const std::vector<std::string>& stencil_boundary_names();

/// The sweep that the parameters of a step `stencil` describe, for a tensor of so many axes: scaled
/// weights, taps in the order of rounding. Throws Error(graph) at the parameter that is wrong.
[[nodiscard]] kernels::Stencil read_stencil(const graph::Params& params, int tensor_axes);

}  // namespace tessera::ops
