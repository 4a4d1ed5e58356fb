// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "load.hpp"

namespace tessera::apps {
namespace {

std::string text_of(const graph::TensorInfo& info) {
  return fmt::format("{} {}", name_of(info.dtype), to_string(info.shape));
}

std::string source_text(const graph::Input& input) {
  std::string text = input.sources.front().file + ":" + input.sources.front().dataset;
  if (input.sources.size() > 1)
    text += fmt::format(" and {} more {}", input.sources.size() - 1,
                        input.sources.size() == 2 ? "file" : "files");
  if (!input.selection.everything()) text += " " + input.selection.text();
  if (input.each_axis) text += fmt::format(", each index of axis {}", *input.each_axis);
  return text;
}

std::string step_text(const graph::Graph& graph, const graph::Node& node) {
  std::string text = node.op;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    text += (i == 0 ? " of " : ", ") +
            graph.tensors[static_cast<std::size_t>(node.inputs[i].value)].name;
  }
  std::string separator = "; ";
  for (const auto& [name, value] : node.params.all()) {
    text += separator + name + " " + graph::to_string(value);
    separator = ", ";
  }
  return text;
}

/// Characters, not bytes, of UTF-8 text.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0U) != 0x80U; }));
}

/// One line for each tensor, in aligned columns.
class Table {
 public:
  explicit Table(const graph::Graph& graph) {
    for (const graph::Tensor& tensor : graph.tensors) widen(tensor.name, tensor.info);
    for (const graph::Output& output : graph.outputs) widen(output.dataset, output.info);
  }
  void row(const std::string& name, const graph::TensorInfo& info, const std::string& what) const {
    fmt::print("  {:<{}}  {:<{}}  {}\n", name, names_, text_of(info), types_, what);
  }

 private:
  void widen(const std::string& name, const graph::TensorInfo& info) {
    constexpr std::size_t widest = 40;  // longer names move their own line only
    names_ = std::max(names_, std::min(width_of(name), widest));
    types_ = std::max(types_, std::min(text_of(info).size(), widest));
  }
  std::size_t names_ = 0;
  std::size_t types_ = 0;
};

void print_head(const graph::Graph& graph) {
  fmt::print("{}: recipe {}\n", graph.title, name_of(graph.recipe));
  if (graph.batched)
    fmt::print("runs {} times, once per item; types and shapes are one item's\n", graph.items);
  if (!graph.params.empty()) {
    fmt::print("parameters\n");
    for (const auto& [name, value] : graph.params)
      fmt::print("  {} = {}\n", name, graph::number_text(value));
  }
}

int check(const LoadOptions& options) {
  const graph::Graph graph = load_graph(options);
  const Table table(graph);
  print_head(graph);
  if (!graph.inputs.empty()) fmt::print("inputs\n");
  for (const graph::Input& input : graph.inputs)
    table.row(input.name, input.info, source_text(input));
  if (!graph.nodes.empty()) fmt::print("steps\n");
  for (const graph::Node& node : graph.nodes) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const graph::Tensor& tensor = graph.tensors[static_cast<std::size_t>(node.outputs[i].value)];
      table.row(tensor.name, tensor.info, i == 0 ? step_text(graph, node) : "");
    }
  }
  fmt::print("outputs{}\n", graph.output_file.empty() ? "" : " to " + graph.output_file);
  for (const graph::Output& output : graph.outputs)
    table.row(output.dataset, output.info, output.step);
  std::fflush(stdout);
  print_warnings(graph);
  return 0;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<LoadOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Check a graph and print every tensor's type and shape");
  add_load_options(*command, *options);
  command->footer(
      "Reads the graph and looks at its inputs' types and shapes; computes nothing.\n"
      "Exit code 0: the graph can run; 3: it is refused, and one line says why and where.");
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace tessera::apps
