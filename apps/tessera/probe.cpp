// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>

#include "base/units.hpp"
#include "comm/session.hpp"
#include "commands.hpp"
#include "data/filesystem.hpp"
#include "device/device.hpp"
#include "load.hpp"
#include "run/machine.hpp"

namespace tessera::apps {

namespace {

struct ProbeCommand {
  int threads = 0;
  std::string folder = ".";
  std::string backend = "host";
};

int probe(const ProbeCommand& command) {
  comm::Session session;
  comm::Communicator& world = session.world();
  const int threads =
      command.threads > 0 ? command.threads : std::max(run::allowed_cpus() / world.node_size(), 1);
  {
    const device::Runtime runtime(threads);
    const device::Backend backend = device::backend_named(command.backend);
    const Machine machine = run::measure_machine(world, runtime.stream(backend), command.folder);
    if (world.node_rank() == 0) {
      run::save_machine(machine, backend, world.node_size(), runtime.threads());
    }
    if (world.rank() == 0) {
      const data::FileSystem files = data::file_system_of(command.folder);
      fmt::print("{}\n", version_text());
      fmt::print("host            {}\n", machine.name);
      fmt::print("communicator    {}, {} rank(s), {} on this node\n", world.describe(),
                 world.size(), world.node_size());
      fmt::print("backend         {}\n", device::describe(backend));
      fmt::print("CPUs allowed    {}\n", run::allowed_cpus());
      fmt::print("page size       {}\n", format_bytes(static_cast<double>(sysconf(_SC_PAGESIZE))));
      fmt::print("memory per rank {}\n",
                 format_bytes(static_cast<double>(run::allowed_bytes(world.node_size()))));
      fmt::print("copy            {} per rank, all ranks at once\n",
                 format_rate(machine.copy_bytes_per_second, "B"));
      fmt::print("arithmetic      {} float64\n",
                 format_rate(machine.flops_float64_per_second, "FLOP"));
      if (world.size() > 1) {
        fmt::print("messages        {}, {} each\n",
                   format_rate(machine.message_bytes_per_second, "B"),
                   format_seconds(machine.message_seconds));
      }
      fmt::print("files in {}  {} ({}), read {}, write {}, {} free\n", command.folder, files.type,
                 files.network ? "network: funnel" : "local: parallel",
                 format_rate(machine.file_read_bytes_per_second, "B"),
                 format_rate(machine.file_write_bytes_per_second, "B"),
                 format_bytes(static_cast<double>(files.free_bytes)));
    }
  }
  session.finish();
  return 0;
}

}  // namespace

void add_probe_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ProbeCommand>();
  CLI::App* command =
      app.add_subcommand("probe", "Measure this machine; plans and summaries use the figures");
  add_backend_option(*command, options->backend);
  command->add_option("--threads", options->threads, "Threads per rank");
  command->add_option("--folder", options->folder, "Where files would be read and written")
      ->check(CLI::ExistingDirectory);
  command->callback([options, &exit_code] { exit_code = probe(*options); });
}

}  // namespace tessera::apps
