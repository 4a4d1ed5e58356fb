// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/needed.hpp"

#include <algorithm>

namespace tessera::graph {

bool is_needed(const Node& node, const std::vector<bool>& needed) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](TensorId tensor) {
    return needed[static_cast<std::size_t>(tensor.value)];
  });
}

std::vector<bool> needed_tensors(const Graph& graph) {
  std::vector<bool> needed(graph.tensors.size(), false);
  for (const Output& output : graph.outputs) {
    needed[static_cast<std::size_t>(output.tensor.value)] = true;
  }
  // A step comes after those whose results it uses, so that one walk backwards sees all its users.
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (!is_needed(*node, needed)) continue;
    for (const TensorId input : node->inputs) needed[static_cast<std::size_t>(input.value)] = true;
  }
  return needed;
}

}  // namespace tessera::graph
