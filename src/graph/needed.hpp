// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/graph.hpp"

namespace tessera::graph {

/// By TensorId: whether an output is made from the tensor, or is the tensor. A step none of whose
/// tensors is needed is left out of a plan, and an input that isn't is not read.
[[nodiscard]] std::vector<bool> needed_tensors(const Graph& graph);

/// Whether an output is made from any of the step's results.
[[nodiscard]] bool is_needed(const Node& node, const std::vector<bool>& needed);

}  // namespace tessera::graph
