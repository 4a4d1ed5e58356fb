// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "commands.hpp"
#include "data/verify.hpp"

namespace tessera::apps {
namespace {

/// 0: every file is as it was written; 5: at least one isn't. One line for each problem, on stderr.
int verify(const std::vector<std::string>& files) {
  bool damaged = false;
  for (const std::string& file : files) {
    const data::Verification found = data::verify(file);
    for (const std::string& problem : found.problems) {
      fmt::print(stderr, "tessera: {}\n", problem);
    }
    if (found.problems.empty()) {
      fmt::print("{}: {} datasets are as they were written\n", file, found.datasets.size());
    }
    damaged = damaged || !found.problems.empty();
  }
  return damaged ? exit_code(ErrorKind::io) : 0;
}

}  // namespace

void add_verify_command(CLI::App& app, int& exit_code) {
  const auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand(
      "verify", "Check that output files are as they were written, by their checksums");
  command->add_option("FILE", *files, "Files that tessera wrote")->required();
  command->footer("Exit code 0: all is well; 5: a file is damaged, incomplete or not tessera's.");
  command->callback([files, &exit_code] { exit_code = verify(*files); });
}

}  // namespace tessera::apps
