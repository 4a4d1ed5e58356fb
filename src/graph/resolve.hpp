// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/document.hpp"
#include "graph/graph.hpp"

namespace tessera::graph {

/// What is known of a dataset before it is read.
struct StoredTensor {
  DType dtype = DType::float64;
  Shape shape;
};

/// Looks into a file. Throws Error(graph) or Error(io) where the dataset can't be an input.
using Probe = std::function<StoredTensor(const std::string& file, const std::string& dataset)>;

/// What the command line adds to a graph file.
struct ResolveOptions {
  std::string folder;  ///< paths in the graph are relative to it; empty: the working directory
  Probe probe;
  std::vector<std::pair<std::string, std::string>> set{};  ///< --set name=value
  std::optional<Recipe> recipe{};                          ///< --recipe
  std::optional<std::string> output{};  ///< --output, relative to the working directory
};

/// Document -> checked graph: every name found, every parameter of the right type and range, every
/// tensor's type and shape known, steps in an order in which they can run. Throws one
/// Error(graph) for the first thing that is wrong, with step, expected, found, line and column;
/// Error(usage) for a `set` that names no parameter or isn't a number.
[[nodiscard]] Graph resolve(const Document& document, const Catalogue& catalogue,
                            const ResolveOptions& options);

}  // namespace tessera::graph
