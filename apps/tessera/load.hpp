// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"

namespace CLI {
class App;
}

namespace tessera::apps {

/// Options that check, plan and run share: which graph, with which changes.
struct LoadOptions {
  std::string graph;             ///< path of the graph file; "-" reads standard input
  std::vector<std::string> set;  ///< "name=value"
  std::string recipe;            ///< empty: the graph's
  std::string output;  ///< empty: the graph's, or GRAPH.results.h5 in the working directory
};

/// Declares GRAPH, --set, --recipe and --output.
void add_load_options(CLI::App& command, LoadOptions& options);

/// Declares --backend, which device::backend_named understands.
void add_backend_option(CLI::App& command, std::string& backend);

/// Declares --fusion and --no-fusion.
void add_fusion_option(CLI::App& command, bool& fuse);

/// Text -> Document -> Graph, looking at the HDF5 inputs' types and shapes. Throws what
/// graph::parse and graph::resolve throw.
[[nodiscard]] graph::Graph load_graph(const LoadOptions& options);

/// The graph's warnings to stderr, one line each.
void print_warnings(const graph::Graph& graph);

}  // namespace tessera::apps
