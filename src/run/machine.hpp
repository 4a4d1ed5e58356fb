// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/machine.hpp"
#include "comm/communicator.hpp"
#include "device/device.hpp"

namespace tessera::run {

/// Measures this machine's rates as one of `world`'s ranks sees them, all ranks at once: copies,
/// arithmetic, messages (with two or more ranks) and a file in `folder` (skipped when empty). A
/// second or less. All ranks get the slowest rank's figures. Collective.
[[nodiscard]] Machine measure_machine(comm::Communicator& world, const device::Stream& stream,
                                      const std::string& folder);

/// Copy speed of one rank with all ranks copying at once: the limit that achieved rates are judged
/// by. The slowest rank's; a few hundredths of a second. Collective.
[[nodiscard]] double measure_copy_speed(comm::Communicator& world, const device::Stream& stream);

/// The rates kept from an earlier measurement on this host with so many ranks on the node and
/// threads each, computing on this backend; false when there are none (or none that can be read).
[[nodiscard]] bool load_machine(Machine& machine, device::Backend backend, int ranks_per_node,
                                int threads);
/// Keeps them in the user's cache folder; failures don't matter.
void save_machine(const Machine& machine, device::Backend backend, int ranks_per_node, int threads);

/// Memory that one of `ranks_on_node` ranks may use: its share of what Slurm, the control group and
/// the system allow, whichever is least.
[[nodiscard]] std::int64_t allowed_bytes(int ranks_on_node);
/// Whether the backend's kernels work in a memory of their own. The environment's
/// TESSERA_TEST_APART=1 keeps the host backend's data apart too, so that the copies can be tested.
[[nodiscard]] bool memory_apart(device::Backend backend);
/// GPU memory that one rank may use: its share of what is free; no limit where it isn't apart.
[[nodiscard]] std::int64_t allowed_device_bytes(device::Backend backend, int ranks_on_node);
/// Peak resident memory of this process so far, or since `forget_peak_resident`.
[[nodiscard]] std::int64_t peak_resident_bytes();
void forget_peak_resident();
/// CPUs that this process may run on.
[[nodiscard]] int allowed_cpus();
[[nodiscard]] std::string host_name();

}  // namespace tessera::run
