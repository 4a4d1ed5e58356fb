// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.hpp"

namespace tessera::graph {

/// XXH3's 128 bits of some content: equal content, equal hash, on every machine.
struct ContentHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const ContentHash&, const ContentHash&) = default;
};

/// 32 hexadecimal digits.
[[nodiscard]] std::string to_string(const ContentHash& hash);
[[nodiscard]] ContentHash content_hash(std::string_view bytes);

/// What one step computes: its operation, parameters, the recipe, and the hashes of what it takes.
/// Names of steps, places in the file and what was left to defaults don't matter.
[[nodiscard]] ContentHash hash_of(const Node& node, Recipe recipe,
                                  const std::vector<ContentHash>& inputs);

/// A hash for every tensor of the graph, from those of the inputs' contents (in the order of
/// Graph::inputs).
[[nodiscard]] std::vector<ContentHash> tensor_hashes(const Graph& graph,
                                                     const std::vector<ContentHash>& inputs);

}  // namespace tessera::graph
