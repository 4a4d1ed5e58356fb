// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/units.hpp"
#include "comm/fingerprint.hpp"
#include "data/filesystem.hpp"
#include "progress.hpp"
#include "run/executor.hpp"
#include "run/machine.hpp"

namespace tessera::apps {

namespace {

int threads_per_rank(const RunOptions& options, int ranks_on_node) {
  if (options.threads > 0) return options.threads;
  if (const char* text = std::getenv("OMP_NUM_THREADS"); text != nullptr && std::atoi(text) > 0) {
    return std::atoi(text);
  }
  // A launcher that binds gives each rank its own CPUs; one that doesn't gives all ranks the same.
  const int cpus = run::allowed_cpus();
  const auto online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return cpus < online ? cpus : std::max(cpus / std::max(ranks_on_node, 1), 1);
}

plan::IoMode choose_io(const std::string& wanted, const graph::Graph& graph) {
  if (wanted == "parallel") return plan::IoMode::parallel;
  if (wanted == "funnel") return plan::IoMode::funnel;
  // On network file systems other machines may see writes late, so one rank writes.
  const std::filesystem::path target = std::filesystem::absolute(graph.output_file);
  bool network = data::network_file_system(target.parent_path().string());
  for (const graph::Input& input : graph.inputs) {
    network = network || data::network_file_system(input.sources.front().file);
  }
  return network ? plan::IoMode::funnel : plan::IoMode::parallel;
}

/// NAME.log beside the output NAME.h5; with an output for each item GRAPH.log beside all of them.
std::filesystem::path default_log(const graph::Graph& graph) {
  std::filesystem::path log = graph.output_file;
  if (graph::one_file_per_item(graph)) {
    while (log.native().find('{') != std::string::npos) log = log.parent_path();
    log /= std::filesystem::path(graph.file).filename();
  }
  return log.replace_extension(".log");
}

/// Runs a stage on every rank, then lets all of them learn of a failure.
template <class Work>
void on_all_ranks(Job& job, Work work) {
  std::optional<Error> failure;
  try {
    work();
  } catch (const Error& error) {
    failure = error;
  }
  job.world().agree(failure);
}

}  // namespace

void start_ranks(Job& job) {
  job.session = std::make_unique<comm::Session>();
  const int threads = threads_per_rank(job.options, job.world().node_size());
  job.runtime = std::make_unique<device::Runtime>(threads);
  job.planning.backend = device::backend_named(job.options.backend);
  job.planning.fuse = job.options.fuse;
  job.planning.apart = run::memory_apart(job.planning.backend);
  job.stream = job.runtime->stream(job.planning.backend);
  job.planning.ranks = job.world().size();
  job.planning.rank = job.world().rank();
  job.planning.ranks_per_node = job.world().node_size();
  job.planning.threads = job.runtime->threads();
  job.recorder.stage(record::Phase::startup, "start ranks and threads");
}

void read_graph(Job& job) {
  on_all_ranks(job, [&] {
    job.graph = load_graph(job.options.load);
    job.planning.io = choose_io(job.options.io, job.graph);
  });
  if (job.world().rank() == 0 && !job.options.quiet) print_warnings(job.graph);
  comm::require_same(job.world(), comm::Fingerprint::of_process(
                                      TESSERA_VERSION, std::string(name_of(job.graph.recipe))));
  // Nodes with different numbers of ranks: one reader then serves them all.
  const int smallest = job.world().all_reduce(job.planning.ranks_per_node, comm::ReduceOp::min);
  const int largest = job.world().all_reduce(job.planning.ranks_per_node, comm::ReduceOp::max);
  job.planning.ranks_per_node = smallest == largest ? largest : job.world().size();
  if (job.options.log.empty()) {
    job.options.log = default_log(job.graph).string();
  }
  job.recorder.stage(record::Phase::startup, "read and check graph");
}

void measure_rates(Job& job) {
  Machine kept;
  const int on_node = job.planning.ranks_per_node;
  const bool known = run::load_machine(kept, job.planning.backend, on_node, job.planning.threads);
  // All ranks must plan with the same figures: one without kept rates makes all measure.
  const std::int32_t all_know =
      job.world().all_reduce(std::int32_t{known ? 1 : 0}, comm::ReduceOp::min);
  if (all_know == 0) {
    const std::filesystem::path folder =
        std::filesystem::absolute(job.graph.output_file).parent_path();
    kept = run::measure_machine(job.world(), job.stream, folder.string());
    if (job.world().node_rank() == 0) {
      run::save_machine(kept, job.planning.backend, on_node, job.planning.threads);
    }
  }
  job.world().broadcast(static_cast<MachineRates*>(&kept), sizeof(MachineRates), 0);
  job.planning.machine = kept;
  job.limits.copy_bytes_per_second = run::measure_copy_speed(job.world(), job.stream);
  run::forget_peak_resident();
  job.recorder.stage(record::Phase::startup, "measure machine");
}

void admit_plan(Job& job) {
  on_all_ranks(job, [&] {
    const int on_node = job.world().node_size();
    const RunOptions& options = job.options;
    plan::Budget budget;
    budget.host =
        options.memory.empty() ? run::allowed_bytes(on_node) : parse_bytes(options.memory);
    budget.device = options.device_memory.empty()
                        ? run::allowed_device_bytes(job.planning.backend, on_node)
                        : parse_bytes(options.device_memory);
    plan::admit(job.graph, job.planning, budget);
  });
  job.recorder.stage(record::Phase::startup, "admit plan");
}

plan::Plan plan_rank(Job& job) {
  plan::Plan plan = plan::make_plan(job.graph, job.planning);
  job.recorder.stage(record::Phase::startup, "plan");
  return plan;
}

void execute(Job& job, const plan::Plan& plan) {
  run::ExecutorOptions options;
  options.output = {job.options.overwrite, job.planning.io, TESSERA_VERSION};
  if (job.world().rank() == 0 && !job.options.quiet) options.progress = make_progress();
  run::Executor executor(job.graph, plan, job.world(), job.stream, job.recorder,
                         std::move(options));
  executor.run();
  if (job.world().rank() == 0 && !job.options.quiet) end_progress();
}

}  // namespace tessera::apps
