// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/error.hpp"
#include "commands.hpp"

int main(int argc, char** argv) {
  using namespace tessera;
  CLI::App app("Numerical work on HDF5 datasets, from a graph of operations in one JSON file");
  app.set_version_flag("--version", apps::version_text());
  app.require_subcommand(1);
  app.fallthrough(false);
  int code = 0;
  apps::add_run_command(app, code);
  apps::add_plan_command(app, code);
  apps::add_check_command(app, code);
  apps::add_ops_command(app, code);
  apps::add_schema_command(app, code);
  apps::add_probe_command(app, code);
  apps::add_compare_command(app, code);
  apps::add_verify_command(app, code);
  apps::add_report_command(app, code);
  try {
    app.parse(argc, argv);
    return code;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_code(ErrorKind::usage);
  } catch (const Error& error) {
    std::fprintf(stderr, "tessera: %s\n", error.what());
    return exit_code(error.kind());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera: internal error: %s\n", error.what());
    return exit_code(ErrorKind::internal);
  }
}
