// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/document.hpp"
#include "graph/graph.hpp"
#include "graph/resolve.hpp"

namespace tessera::graph {

/// All inputs, in the order of the file, with their types and shapes; `tensor` is the input's
/// number.
[[nodiscard]] std::vector<Input> resolve_inputs(const Document& document,
                                                const ResolveOptions& options);

/// How often a graph with these inputs runs.
struct Items {
  bool batched = false;
  std::int64_t count = 1;
  std::vector<std::string> names;  ///< file stems where items are files, numbers otherwise
};

/// Items of several inputs go together, first with first; their numbers must agree.
[[nodiscard]] Items resolve_items(const Document& document, const std::vector<Input>& inputs);

}  // namespace tessera::graph
