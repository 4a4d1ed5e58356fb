// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "run/machine.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "device/measure.hpp"

namespace tessera::run {

namespace {

/// Two of these are well over the last-level cache and still less than a rank takes anyway.
constexpr std::int64_t copy_bytes = std::int64_t{32} << 20;
constexpr std::int64_t message_bytes = std::int64_t{8} << 20;
constexpr std::int64_t file_bytes = std::int64_t{32} << 20;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Messages between neighbours, as an exchange of halos sends them.
void measure_messages(comm::Communicator& world, Machine& machine) {
  std::vector<char> out(message_bytes);
  std::vector<char> in(message_bytes);
  const Rank next = (world.rank() + 1) % world.size();
  const Rank previous = (world.rank() + world.size() - 1) % world.size();
  const auto exchange = [&](std::int64_t bytes) {
    const auto begin = std::chrono::steady_clock::now();
    const comm::Message send{next, out.data(), bytes};
    const comm::Message receive{previous, in.data(), bytes};
    world.exchange({&send, 1}, {&receive, 1}, 0)->wait();
    return seconds_since(begin);
  };
  double small = 1e30;
  double large = 1e30;
  for (int i = 0; i < 8; ++i) small = std::min(small, exchange(8));
  for (int i = 0; i < 4; ++i) large = std::min(large, exchange(message_bytes));
  machine.message_seconds = small;
  machine.message_bytes_per_second =
      static_cast<double>(message_bytes) / std::max(large - small, 1e-9);
}

void measure_file(const std::string& folder, Machine& machine) {
  std::string path = folder + "/.tessera-probe-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return;
  unlink(path.c_str());
  std::vector<char> data(file_bytes, 1);
  const auto begin = std::chrono::steady_clock::now();
  const bool written =
      pwrite(file, data.data(), data.size(), 0) == static_cast<ssize_t>(data.size()) &&
      fdatasync(file) == 0;
  if (written)
    machine.file_write_bytes_per_second = static_cast<double>(file_bytes) / seconds_since(begin);
  const auto again = std::chrono::steady_clock::now();
  if (written && pread(file, data.data(), data.size(), 0) == static_cast<ssize_t>(data.size())) {
    machine.file_read_bytes_per_second = static_cast<double>(file_bytes) / seconds_since(again);
  }
  close(file);
}

std::filesystem::path cache_file(device::Backend backend, int ranks_per_node, int threads) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache == nullptr && home == nullptr) return {};
  const std::filesystem::path base =
      cache != nullptr ? std::filesystem::path(cache) : std::filesystem::path(home) / ".cache";
  return base / "tessera" /
         ("machine-" + host_name() + "-" + std::to_string(ranks_per_node) + "x" +
          std::to_string(threads) + (backend == device::Backend::cuda ? "-cuda" : "") + ".json");
}

/// The value in kilobytes of a line "NAME: 123 kB" of a file in /proc; 0 if there is none.
std::int64_t proc_kilobytes(const char* file, const std::string& name) {
  std::ifstream lines(file);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.rfind(name + ":", 0) == 0) return std::atoll(line.c_str() + name.size() + 1);
  }
  return 0;
}

/// A number in a control group's file; 0 where there is no limit.
std::int64_t group_bytes(const char* file) {
  std::ifstream stream(file);
  std::int64_t bytes = 0;
  if (!(stream >> bytes) || bytes > (std::int64_t{1} << 60)) return 0;
  return bytes;
}

std::int64_t environment_megabytes(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atoll(text) << 20;
}

}  // namespace

Machine measure_machine(comm::Communicator& world, const device::Stream& stream,
                        const std::string& folder) {
  Machine machine;
  machine.name = host_name();
  world.barrier();
  machine.copy_bytes_per_second = device::measure_copy(stream, copy_bytes);
  machine.flops_float64_per_second = device::measure_flops(stream);
  machine.flops_float32_per_second = 2 * machine.flops_float64_per_second;
  machine.upload_bytes_per_second = device::measure_upload(stream, copy_bytes);
  if (world.size() > 1) measure_messages(world, machine);
  if (!folder.empty()) measure_file(folder, machine);
  // Every rank plans with the same figures, or the plans would differ.
  double rates[] = {machine.copy_bytes_per_second,       machine.flops_float64_per_second,
                    machine.flops_float32_per_second,    machine.message_bytes_per_second,
                    1 / machine.message_seconds,         machine.file_read_bytes_per_second,
                    machine.file_write_bytes_per_second, machine.upload_bytes_per_second};
  world.all_reduce(rates, std::size(rates), DType::float64, comm::ReduceOp::min);
  machine.copy_bytes_per_second = rates[0];
  machine.flops_float64_per_second = rates[1];
  machine.flops_float32_per_second = rates[2];
  machine.message_bytes_per_second = rates[3];
  machine.message_seconds = 1 / rates[4];
  machine.file_read_bytes_per_second = rates[5];
  machine.file_write_bytes_per_second = rates[6];
  machine.upload_bytes_per_second = rates[7];
  return machine;
}

double measure_copy_speed(comm::Communicator& world, const device::Stream& stream) {
  world.barrier();
  return world.all_reduce(device::measure_copy(stream, copy_bytes), comm::ReduceOp::min);
}

void forget_peak_resident() {
  // Documented in proc(5): resets VmHWM. Where it isn't allowed the peak includes the measurement.
  std::ofstream("/proc/self/clear_refs") << "5\n";
}

bool load_machine(Machine& machine, device::Backend backend, int ranks_per_node, int threads) {
  std::ifstream file(cache_file(backend, ranks_per_node, threads));
  const nlohmann::json kept = nlohmann::json::parse(file, nullptr, false);
  if (kept.is_discarded() || !kept.is_object()) return false;
  Machine read;
  read.name = kept.value("name", "");
  const std::pair<const char*, double*> rates[] = {
      {"copy_bytes_per_second", &read.copy_bytes_per_second},
      {"flops_float64_per_second", &read.flops_float64_per_second},
      {"flops_float32_per_second", &read.flops_float32_per_second},
      {"message_bytes_per_second", &read.message_bytes_per_second},
      {"message_seconds", &read.message_seconds},
      {"file_read_bytes_per_second", &read.file_read_bytes_per_second},
      {"file_write_bytes_per_second", &read.file_write_bytes_per_second},
      {"upload_bytes_per_second", &read.upload_bytes_per_second}};
  for (const auto& [name, value] : rates) {
    if (!kept.contains(name) || !kept[name].is_number()) return false;
    *value = kept[name].get<double>();
    if (!(*value > 0)) return false;
  }
  machine = read;
  return true;
}

void save_machine(const Machine& machine, device::Backend backend, int ranks_per_node,
                  int threads) {
  const std::filesystem::path path = cache_file(backend, ranks_per_node, threads);
  std::error_code ignored;
  if (path.empty() || (std::filesystem::create_directories(path.parent_path(), ignored), ignored))
    return;
  const nlohmann::json kept = {{"name", machine.name},
                               {"copy_bytes_per_second", machine.copy_bytes_per_second},
                               {"flops_float64_per_second", machine.flops_float64_per_second},
                               {"flops_float32_per_second", machine.flops_float32_per_second},
                               {"message_bytes_per_second", machine.message_bytes_per_second},
                               {"message_seconds", machine.message_seconds},
                               {"file_read_bytes_per_second", machine.file_read_bytes_per_second},
                               {"file_write_bytes_per_second", machine.file_write_bytes_per_second},
                               {"upload_bytes_per_second", machine.upload_bytes_per_second}};
  const std::filesystem::path draft = path.string() + "." + std::to_string(getpid());
  std::ofstream(draft) << kept.dump(2) << "\n";
  std::filesystem::rename(draft, path, ignored);
}

std::int64_t allowed_bytes(int ranks_on_node) {
  std::int64_t node = proc_kilobytes("/proc/meminfo", "MemAvailable") * 1024;
  const std::int64_t per_cpu = environment_megabytes("SLURM_MEM_PER_CPU");
  const char* cpus = std::getenv("SLURM_CPUS_ON_NODE");
  const std::int64_t limits[] = {environment_megabytes("SLURM_MEM_PER_NODE"),
                                 per_cpu * (cpus == nullptr ? 1 : std::atoll(cpus)),
                                 group_bytes("/sys/fs/cgroup/memory.max"),
                                 group_bytes("/sys/fs/cgroup/memory/memory.limit_in_bytes")};
  for (const std::int64_t limit : limits) {
    if (limit > 0) node = std::min(node, limit);
  }
  return node / std::max(ranks_on_node, 1);
}

bool memory_apart(device::Backend backend) {
  const char* test = std::getenv("TESSERA_TEST_APART");
  return device::arena_space(backend) == device::Space::device ||
         (test != nullptr && std::string(test) == "1");
}

std::int64_t allowed_device_bytes(device::Backend backend, int ranks_on_node) {
  if (device::arena_space(backend) != device::Space::device) {
    return std::numeric_limits<std::int64_t>::max();
  }
  // The launcher gives GPUs to ranks in turn. Kernels allocate a little for themselves.
  constexpr std::int64_t kernels_own = std::int64_t{256} << 20;
  const int devices = std::max(device::device_count(backend), 1);
  const int sharing = (ranks_on_node + devices - 1) / devices;
  return std::max<std::int64_t>(device::free_device_bytes(backend) / sharing - kernels_own, 0);
}

std::int64_t peak_resident_bytes() { return proc_kilobytes("/proc/self/status", "VmHWM") * 1024; }

int allowed_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(CPU_COUNT(&set), 1);
}

std::string host_name() {
  char name[256] = "unknown";
  (void)gethostname(name, sizeof(name) - 1);
  return name;
}

}  // namespace tessera::run
