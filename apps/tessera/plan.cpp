// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <limits>

#include "base/units.hpp"
#include "commands.hpp"
#include "load.hpp"
#include "plan/plan.hpp"
#include "run/machine.hpp"

namespace tessera::apps {

namespace {

struct PlanCommand {
  LoadOptions load;
  plan::PlanOptions planning;
  std::string io = "parallel";
  std::string backend = "host";
  std::string memory;
  std::string device_memory;
  int ranks_per_node = 0;
  bool json = false;
};

int print_plan(PlanCommand command) {
  const graph::Graph graph = load_graph(command.load);
  plan::PlanOptions& planning = command.planning;
  if (planning.rank >= planning.ranks) {
    throw Error(ErrorKind::usage, "there is no such rank")
        .expected("--rank from 0 to " + std::to_string(planning.ranks - 1))
        .found(std::to_string(planning.rank));
  }
  planning.ranks_per_node = command.ranks_per_node > 0 ? command.ranks_per_node : planning.ranks;
  planning.backend = device::backend_named(command.backend);
  planning.apart = run::memory_apart(planning.backend);
  planning.io = command.io == "funnel" ? plan::IoMode::funnel : plan::IoMode::parallel;
  Machine kept;
  if (run::load_machine(kept, planning.backend, planning.ranks_per_node, planning.threads)) {
    planning.machine = kept;
  }
  const plan::Plan plan = plan::make_plan(graph, planning);
  const plan::Needs needs = plan::job_needs(graph, planning);
  fmt::print("{}", command.json ? plan::describe_json(graph, plan, needs) + "\n"
                                : plan::describe(graph, plan, needs));
  std::fflush(stdout);
  print_warnings(graph);
  if (command.memory.empty() && command.device_memory.empty()) return 0;
  plan::Budget budget{std::numeric_limits<std::int64_t>::max()};
  if (!command.memory.empty()) budget.host = parse_bytes(command.memory);
  if (!command.device_memory.empty()) budget.device = parse_bytes(command.device_memory);
  plan::admit(graph, planning, budget);
  return 0;
}

}  // namespace

void add_plan_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanCommand>();
  CLI::App* command = app.add_subcommand(
      "plan", "Print what a run would do, need and take, without running it and without MPI");
  add_load_options(*command, options->load);
  command->add_option("-n,--ranks", options->planning.ranks, "Ranks of the job")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--rank", options->planning.rank, "The rank whose actions are printed")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--threads", options->planning.threads, "Threads per rank")
      ->check(CLI::Range(1, 4096));
  command->add_option("--ranks-per-node", options->ranks_per_node,
                      "Ranks on each node (default: all)");
  command->add_option("--io", options->io, "How files would be read and written")
      ->check(CLI::IsMember({"parallel", "funnel"}));
  add_backend_option(*command, options->backend);
  command->add_option("--memory", options->memory,
                      "Memory per rank; exit 4 where the plan needs more");
  command->add_option("--device-memory", options->device_memory,
                      "GPU memory per rank; exit 4 where the plan needs more");
  add_fusion_option(*command, options->planning.fuse);
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &exit_code] { exit_code = print_plan(*options); });
}

}  // namespace tessera::apps
