// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/units.hpp"
#include "commands.hpp"
#include "job.hpp"
#include "record/logs.hpp"
#include "run/machine.hpp"

namespace tessera::apps {

namespace {

/// Every rank's log on rank 0, as JSON lines.
std::string gather_lines(comm::Communicator& world, const std::string& mine) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(world.size()));
  const auto size = static_cast<std::int64_t>(mine.size());
  const std::vector<std::int64_t> words(sizes.size(), sizeof(std::int64_t));
  world.all_gather(&size, words, sizes.data());
  constexpr int tag = 7;
  if (world.rank() != 0) {
    world.send(mine.data(), size, 0, tag);
    return {};
  }
  std::string all = mine;
  for (Rank peer = 1; peer < world.size(); ++peer) {
    std::string lines(static_cast<std::size_t>(sizes[static_cast<std::size_t>(peer)]), '\0');
    world.receive(lines.data(), static_cast<std::int64_t>(lines.size()), peer, tag);
    all += lines;
  }
  return all;
}

record::Facts facts_of(Job& job, const plan::Plan& plan) {
  const Machine& machine = job.planning.machine;
  const int cpus = run::allowed_cpus();
  record::Facts facts = {
      {"program", version_text()},
      {"outcome", "done"},
      {"graph", job.graph.file},
      {"output", job.graph.output_file},
      {"recipe", std::string(name_of(job.graph.recipe))},
      {"communicator", job.world().describe()},
      {"rank_count", std::to_string(job.world().size())},
      {"threads_per_rank", std::to_string(job.planning.threads)},
      {"cpus_allowed_rank_0", std::to_string(cpus)},
      {"backend", device::describe(job.planning.backend)},
      {"io", job.planning.io == plan::IoMode::funnel ? "funnel" : "parallel"},
      {"machine",
       fmt::format(
           R"({{"name": "{}", "copy_bytes_per_second": {:.6g}, "flops_float64_per_second": )"
           R"({:.6g}, "message_bytes_per_second": {:.6g}, "message_seconds": {:.3g}, )"
           R"("file_read_bytes_per_second": {:.6g}, "file_write_bytes_per_second": {:.6g}}})",
           machine.name, machine.copy_bytes_per_second, machine.flops_float64_per_second,
           machine.message_bytes_per_second, machine.message_seconds,
           machine.file_read_bytes_per_second, machine.file_write_bytes_per_second)},
      {"predicted_seconds", fmt::format("{:.6g}", plan.seconds)}};
  if (const char* id = std::getenv("SLURM_JOB_ID"); id != nullptr)
    facts.emplace_back("slurm_job_id", id);
  if (const char* count = std::getenv("SLURM_RESTART_COUNT"); count != nullptr) {
    facts.emplace_back("slurm_restart_count", count);
  }
  return facts;
}

void warn_of_oversubscription(Job& job) {
  const int cpus = run::allowed_cpus();
  if (job.planning.threads > cpus) {
    fmt::print(
        stderr,
        "tessera: warning: {} threads on {} allowed CPU(s); see mpirun --bind-to and --threads\n",
        job.planning.threads, cpus);
  }
}

int report_folder(const std::string& folder) {
  std::string path = folder;
  if (std::filesystem::is_directory(path)) path += "/timing.jsonl";
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::io, "can't open the timing log").at({path});
  std::stringstream text;
  text << file.rdbuf();
  record::Limits limits;
  const auto ranks = record::from_json_lines(text.str(), &limits);
  fmt::print("{}", record::summary(ranks, limits));
  return 0;
}

}  // namespace

void report(Job& job, const plan::Plan& plan) {
  record::RankLog log;
  log.rank = job.world().rank();
  log.origin = job.recorder.origin();
  log.planned_bytes = plan.peak_bytes();
  log.measured_bytes = run::peak_resident_bytes();
  job.world().barrier();
  job.recorder.stage(record::Phase::wait, "last rank");
  log.spans = job.recorder.spans();
  log.wall = job.recorder.now();
  const std::string lines = gather_lines(job.world(), record::to_json_lines(log, job.limits));
  if (job.world().rank() != 0) return;
  record::write_logs(job.options.log, record::from_json_lines(lines), job.limits,
                     facts_of(job, plan));
  if (job.options.quiet) return;
  warn_of_oversubscription(job);
  fmt::print("wrote {} in {} (predicted {}); logs in {}\n", job.graph.output_file,
             format_seconds(log.wall), format_seconds(plan.seconds), job.options.log);
}

void add_report_command(CLI::App& app, int& exit_code) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("report", "Print the summary of a run from its logs");
  command->add_option("LOG", *folder, "Folder of logs, or a timing.jsonl")->required();
  command->callback([folder, &exit_code] { exit_code = report_folder(*folder); });
}

}  // namespace tessera::apps
