// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "commands.hpp"

namespace tessera::apps {
namespace {

struct Options {
  std::string a;
  std::string b;
  bool all = false;
  data::CompareOptions rules;
};

int compare(const Options& options) {
  const data::Comparison found = data::compare(options.a, options.b, options.rules);
  for (const data::DatasetComparison& dataset : found) {
    if (options.all || !dataset.same()) fmt::print("{}\n", data::to_string(dataset));
  }
  const auto same =
      std::count_if(found.begin(), found.end(), [](const auto& dataset) { return dataset.same(); });
  fmt::print("{} of {} datasets are the same\n", same, found.size());
  return data::same(found) ? 0 : 1;
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compare", "Compare the datasets of two HDF5 files");
  command->add_option("A", options->a, "First file")->required();
  command->add_option("B", options->b, "Second file, the reference of --rtol")->required();
  command->add_option("--dataset", options->rules.datasets, "Only this dataset (repeatable)");
  CLI::Option* bits = command->add_flag("--bits", options->rules.bits, "Compare bit patterns");
  command->add_option("--rtol", options->rules.rtol, "Accept |a - b| <= atol + rtol |b|")
      ->check(CLI::NonNegativeNumber)
      ->excludes(bits);
  command->add_option("--atol", options->rules.atol, "As --rtol, absolute")
      ->check(CLI::NonNegativeNumber)
      ->excludes(bits);
  command->add_flag("--nan-equal", options->rules.nan_equal, "Two NaN are the same");
  command->add_flag("--all", options->all, "List datasets that are the same, too");
  command->footer(
      "By default values must be equal (0.0 and -0.0 are); NaN equals nothing.\n"
      "Exit code 0: all the same; 1: something differs, is missing or can't be compared;\n"
      "5: a file can't be read.");
  command->callback([options, &exit_code] { exit_code = compare(*options); });
}

}  // namespace tessera::apps
