// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "load.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "data/dataset.hpp"
#include "graph/document.hpp"
#include "graph/resolve.hpp"
#include "ops/operation.hpp"

namespace tessera::apps {

namespace {

std::string read_text(const std::string& path) {
  if (path == "-")
    return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path)) {
    const char* reason = errno != 0 ? std::strerror(errno) : "it can't be read";
    throw Error(ErrorKind::graph, std::string("can't open the graph: ") + reason).at({path});
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> split_settings(
    const std::vector<std::string>& settings) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::usage, "can't read --set")
          .expected("name=value")
          .found("\"" + setting + "\"");
    }
    result.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return result;
}

graph::StoredTensor probe(const std::string& file, const std::string& dataset) {
  const data::DatasetInfo info = data::probe(file, dataset);
  return {info.dtype, info.shape};
}

}  // namespace

void add_load_options(CLI::App& command, LoadOptions& options) {
  command.add_option("GRAPH", options.graph, "Graph file (JSON); \"-\" reads standard input")
      ->required();
  command.add_option("--set", options.set, "Set a parameter of the graph: name=value")->take_all();
  command
      .add_option("--recipe", options.recipe, "What bits results have (default: as the graph says)")
      ->check(CLI::IsMember({"fast", "ordered", "bitexact"}));
  command.add_option("-o,--output", options.output,
                     "Output file; {name} or {index} in it makes one file per item");
}

graph::Graph load_graph(const LoadOptions& options) {
  const graph::Document document = graph::parse(read_text(options.graph), options.graph);
  graph::ResolveOptions resolve;
  resolve.folder = std::filesystem::path(options.graph).parent_path().string();
  resolve.probe = probe;
  resolve.set = split_settings(options.set);
  if (!options.recipe.empty()) resolve.recipe = recipe_named(options.recipe);
  if (!options.output.empty()) resolve.output = options.output;
  graph::Graph graph = graph::resolve(document, ops::catalogue(), resolve);
  if (graph.output_file.empty()) {
    const std::string stem =
        options.graph == "-" ? "tessera" : std::filesystem::path(options.graph).stem().string();
    graph.output_file = stem + ".results.h5";
  }
  return graph;
}

}  // namespace tessera::apps
