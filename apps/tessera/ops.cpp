// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/operation.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "graph/names.hpp"

namespace tessera::apps {
namespace {

using graph::ParamSpec;
using ops::Operation;

/// Families in the order in which their first operation is documented.
std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const Operation& op : ops::all_operations()) {
    if (std::find(names.begin(), names.end(), op.family) == names.end()) names.push_back(op.family);
  }
  return names;
}

std::string inputs_text(const graph::InputsSpec& spec) {
  if (spec.names.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < spec.names.size(); ++i) {
    text += (text.empty() ? "" : ", ") + spec.names[i];
    if (i >= spec.needed()) text += " (may be left out)";
  }
  if (spec.variadic) text += ", ...";
  if (spec.named && spec.variadic) text += R"( (or an object {"name": tensor}))";
  if (spec.named && !spec.variadic) text += "; in this order, or as an object with these names";
  return text;
}

std::string outputs_text(const graph::Signature& signature) {
  std::string text = "STEP";
  for (std::size_t i = 1; i < signature.outputs.size(); ++i)
    text += ", STEP." + signature.outputs[i];
  return text;
}

std::string default_text(const ParamSpec& spec) {
  if (spec.fallback) return graph::to_string(*spec.fallback);
  return spec.optional ? "may be left out" : "must be given";
}

/// What the contract says besides parameters: heading and text; empty ones are left out.
std::vector<std::pair<std::string, std::string>> facts(const Operation& op) {
  return {{"Inputs", inputs_text(op.signature.inputs)},
          {"Outputs", outputs_text(op.signature)},
          {"Shape", op.shape_rule},
          {"Types", op.types},
          {"Error bound", op.error_bound},
          {"Rounding (bitexact)", op.rounding},
          {"On several ranks", op.distributed},
          {"Source", op.source}};
}

void print_table() {
  std::size_t widest = 0;
  for (const Operation& op : ops::all_operations())
    widest = std::max(widest, op.signature.name.size());
  for (const std::string& family : families()) {
    fmt::print("{}\n", family);
    for (const Operation& op : ops::all_operations()) {
      if (op.family == family) fmt::print("  {:<{}}  {}\n", op.signature.name, widest, op.summary);
    }
  }
  fmt::print("\n\"tessera ops NAME\" prints everything about one of them.\n");
}

/// Lines of at most 100 characters, each after the first indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t width = 100;
  std::string result;
  std::size_t column = indent;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (column > indent && column + 1 + (end - begin) > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += text.substr(begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return result;
}

void print_contract(const Operation& op) {
  fmt::print("{}: {}\n\n", op.signature.name, wrapped(op.summary, 0));
  constexpr std::size_t indent = 22;
  for (const auto& [heading, text] : facts(op)) {
    if (!text.empty()) fmt::print("  {:<20}{}\n", heading, wrapped(text, indent));
  }
  if (!op.signature.params.empty()) fmt::print("\nParameters\n");
  for (const ParamSpec& spec : op.signature.params) {
    fmt::print("  {:<20}{}\n", spec.name, wrapped(spec.doc, indent));
    fmt::print("  {:<20}{}\n", "",
               wrapped(graph::expected_text(spec) + "; " + (spec.fallback ? "default " : "") +
                           default_text(spec),
                       indent));
  }
  fmt::print("\nExample\n  {}\n", op.example);
}

/// For a cell of a Markdown table.
std::string cell(std::string text) {
  for (auto bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2))
    text.insert(bar, 1, '\\');
  return text;
}

void print_markdown_of(const Operation& op) {
  fmt::print("### {}\n\n{}\n\n", op.signature.name, op.summary);
  for (const auto& [heading, text] : facts(op)) {
    if (!text.empty()) fmt::print("- **{}:** {}\n", heading, text);
  }
  if (!op.signature.params.empty()) {
    fmt::print("\n| parameter | value | default | meaning |\n|---|---|---|---|\n");
    for (const ParamSpec& spec : op.signature.params) {
      fmt::print("| `{}` | {} | {} | {} |\n", spec.name, cell(graph::expected_text(spec)),
                 cell(spec.fallback ? "`" + default_text(spec) + "`" : default_text(spec)),
                 cell(spec.doc));
    }
  }
  fmt::print("\n```json\n{}\n```\n\n", op.example);
}

void print_markdown() {
  fmt::print(
      "# Operations\n\nMade by `tessera ops --markdown`; each entry is what the program knows of "
      "itself.\n\n");
  for (const std::string& family : families()) {
    fmt::print("## {}\n\n", family);
    for (const Operation& op : ops::all_operations()) {
      if (op.family == family) print_markdown_of(op);
    }
  }
}

const Operation& find(const std::string& name) {
  if (const Operation* op = ops::find_operation(name)) return *op;
  Error error(ErrorKind::usage, "there is no operation " + graph::in_quotes(name));
  const std::string near = graph::nearest(name, ops::catalogue().names);
  throw error.advice(near.empty() ? "\"tessera ops\" lists them"
                                  : "did you mean " + graph::in_quotes(near) + "?");
}

struct OpsOptions {
  std::vector<std::string> names;
  bool markdown = false;
};

int print_ops(const OpsOptions& options) {
  if (options.names.empty()) {
    options.markdown ? print_markdown() : print_table();
    return 0;
  }
  for (std::size_t i = 0; i < options.names.size(); ++i) {
    const Operation& op = find(options.names[i]);
    if (i > 0) fmt::print("\n");
    options.markdown ? print_markdown_of(op) : print_contract(op);
  }
  return 0;
}

}  // namespace

void add_ops_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<OpsOptions>();
  CLI::App* command =
      app.add_subcommand("ops", "List the operations, or print everything about some of them");
  command->add_option("NAME", options->names, "Operations to describe (default: a table of all)");
  command->add_flag("--markdown", options->markdown,
                    "As Markdown: without NAME, the whole reference page");
  command->callback([options, &exit_code] { exit_code = print_ops(*options); });
}

}  // namespace tessera::apps
