// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>

namespace tessera::apps {

/// Each adds one subcommand, which sets `exit_code` when it has run. Errors are thrown.
void add_run_command(CLI::App& app, int& exit_code);
void add_plan_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_ops_command(CLI::App& app, int& exit_code);
void add_schema_command(CLI::App& app, int& exit_code);
void add_probe_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_verify_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);

/// "tessera 0.1.0 (Kokkos 3.4.1: host (OpenMP); HDF5 1.10.8)".
std::string version_text();

}  // namespace tessera::apps
