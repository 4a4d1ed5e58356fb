// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "comm/chunks.hpp"
#include "comm/communicator.hpp"

namespace tessera::comm {

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

/// True if an MPI launcher (mpirun, mpiexec, srun) has started this process as part of a job.
[[nodiscard]] bool started_by_launcher(const Environment& environment);

/// Starts MPI if a launcher has started this process, otherwise works alone without MPI; owns the
/// world communicator. One per process, on the main thread, the last to go. Before anything else
/// the caller should check with `require_same` that the ranks fit together.
class Session {
 public:
  /// Throws Error(communicator) if MPI can't be used.
  explicit Session(std::int64_t chunk_bytes = default_chunk_bytes);
  /// Releases memory only: without `finish` the launcher sees a process that has failed.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] Communicator& world() { return *world_; }
  [[nodiscard]] bool uses_mpi() const { return uses_mpi_; }
  /// Collective: waits for all ranks and ends MPI. Nothing can be sent afterwards.
  void finish();

 private:
  bool uses_mpi_;
  std::unique_ptr<Communicator> world_;
};

}  // namespace tessera::comm
