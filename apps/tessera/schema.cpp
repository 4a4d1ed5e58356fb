// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/schema.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "ops/operation.hpp"

namespace tessera::apps {

void add_schema_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("schema", "Print the JSON Schema of graph files, for editors");
  command->footer(
      "Save it as tessera.schema.json and name it in a graph: \"$schema\": "
      "\"tessera.schema.json\".");
  command->callback([&exit_code] {
    fmt::print("{}", graph::json_schema(ops::catalogue(), [](const std::string& name) {
                 return ops::find_operation(name)->summary;
               }));
    exit_code = 0;
  });
}

}  // namespace tessera::apps
