// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "load.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "data/dataset.hpp"
#include "graph/resolve.hpp"
#include "ops/operation.hpp"

namespace tessera::apps {
namespace {

std::string read_text(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorKind::graph, "the graph is a folder")
        .expected("a JSON file")
        .at({path, 0, 0, {}, {}});
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    const int code = errno;
    throw Error(code == ENOENT ? ErrorKind::graph : ErrorKind::io,
                "the graph can't be read: " + std::generic_category().message(code))
        .at({path, 0, 0, {}, {}});
  }
  return text;
}

std::pair<std::string, std::string> split_setting(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ErrorKind::usage, "--set").expected("NAME=VALUE").found("\"" + setting + "\"");
  }
  return {setting.substr(0, equals), setting.substr(equals + 1)};
}

/// Looks at datasets; keeps the last file open, for graphs often take many datasets of one file.
class Prober {
 public:
  graph::StoredTensor operator()(const std::string& file, const std::string& dataset) {
    if (!open_ || open_->path() != file) {
      open_.reset();
      open_ = std::make_shared<data::InputFile>(file);
    }
    const data::DatasetInfo info = open_->probe(dataset);
    return {info.dtype, info.shape};
  }

 private:
  std::shared_ptr<data::InputFile> open_;
};

}  // namespace

void add_load_options(CLI::App& command, LoadOptions& options) {
  command.add_option("GRAPH", options.graph, "The graph, a JSON file; - reads standard input")
      ->required();
  command
      .add_option("--set", options.set,
                  "Change a parameter of the graph, e.g. --set alpha=0.2 (repeatable)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--recipe", options.recipe,
                  "What bits the results have (default: as the graph says)")
      ->check(CLI::IsMember({"fast", "ordered", "bitexact"}));
  command
      .add_option("-o,--output", options.output,
                  "The file to write; with {name} or {index} one for each item (default: as the "
                  "graph says, or GRAPH.results.h5 here)")
      ->type_name("FILE");
}

void add_backend_option(CLI::App& command, std::string& backend) {
  command
      .add_option("--backend", backend, "Where to compute; cuda needs a build with CUDA and a GPU")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->envname("TESSERA_BACKEND")
      ->capture_default_str();
}

void add_fusion_option(CLI::App& command, bool& fuse) {
  command
      .add_flag("--fusion,!--no-fusion", fuse,
                "Run chains of element-wise steps as one; without, each can be timed")
      ->envname("TESSERA_FUSION")
      ->capture_default_str();
}

graph::Graph load_graph(const LoadOptions& options) {
  const bool standard_input = options.graph == "-";
  const std::filesystem::path path = standard_input ? "standard input" : options.graph;
  const graph::Document document = graph::parse(read_text(options.graph), path.string());
  graph::ResolveOptions resolve;
  for (const std::string& setting : options.set) resolve.set.push_back(split_setting(setting));
  if (!options.recipe.empty()) resolve.recipe = recipe_named(options.recipe);
  if (!options.output.empty()) {
    resolve.output = options.output;
  } else if (document.root.find("output") == nullptr) {
    resolve.output = (standard_input ? "tessera" : path.stem().string()) + ".results.h5";
  }
  if (!standard_input) resolve.folder = path.parent_path().string();
  resolve.probe = Prober{};
  return graph::resolve(document, ops::catalogue(), resolve);
}

void print_warnings(const graph::Graph& graph) {
  for (const std::string& warning : graph.warnings)
    fmt::print(stderr, "tessera: warning: {}\n", warning);
}

}  // namespace tessera::apps
