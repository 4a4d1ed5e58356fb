// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <optional>

#include "comm/watchdog.hpp"
#include "commands.hpp"
#include "job.hpp"

namespace tessera::apps {

namespace {

int run(const RunOptions& options) {
  Job job;
  job.options = options;
  start_ranks(job);  // 1. ranks and threads
  try {
    read_graph(job);                         // 2. text -> checked graph
    measure_rates(job);                      // 3. what this machine can do
    admit_plan(job);                         // 4. does it fit?
    const plan::Plan plan = plan_rank(job);  // 5. what this rank will do
    execute(job, plan);                      // 6. do it
    report(job, plan);                       // 7. account for every second
  } catch (const Error& error) {
    const int code = comm::fail(job.world(), error);
    job.session->finish();
    return code;
  } catch (const std::exception& error) {
    const int code = comm::fail(job.world(), Error(ErrorKind::internal, error.what()));
    job.session->finish();
    return code;
  }
  job.session->finish();
  return 0;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Run a graph: read, compute, write the results and the logs");
  add_load_options(*command, options->load);
  command->add_option("--log", options->log,
                      "Folder for the logs (default: NAME.log beside the output)");
  command->add_option("--io", options->io, "How files are read and written")
      ->check(CLI::IsMember({"auto", "parallel", "funnel"}))
      ->capture_default_str();
  add_backend_option(*command, options->backend);
  command->add_option(
      "--memory", options->memory,
      "Memory that each rank may use, e.g. 512MiB (default: its share of what is free)");
  command->add_option("--device-memory", options->device_memory,
                      "GPU memory that each rank may use (default: its share of what is free)");
  command
      ->add_option("--threads", options->threads,
                   "Threads per rank (default: the CPUs that the rank may use)")
      ->check(CLI::Range(0, 4096));
  add_fusion_option(*command, options->fuse);
  command->add_flag("--overwrite", options->overwrite,
                    "Replace an output file that is there already");
  command->add_flag("--quiet", options->quiet, "Print nothing but errors");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace tessera::apps
