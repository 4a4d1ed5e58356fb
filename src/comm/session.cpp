// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "comm/session.hpp"

#include <cstdlib>

#include "comm/mpi.hpp"
#include "comm/mpi_call.hpp"

namespace tessera::comm {

namespace {

/// Tasks of this Slurm step; the batch script itself is no step of several tasks, although
/// SLURM_NTASKS and SLURM_PROCID are set in it too.
int slurm_step_tasks(const Environment& environment) {
  const char* tasks = environment("SLURM_STEP_NUM_TASKS");
  return tasks != nullptr && environment("SLURM_PROCID") != nullptr ? std::atoi(tasks) : 0;
}

}  // namespace

bool started_by_launcher(const Environment& environment) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "MPIRUN_RANK"}) {
    if (environment(name) != nullptr) return true;
  }
  return slurm_step_tasks(environment) > 1;
}

Session::Session(std::int64_t chunk_bytes) {
  const Environment environment = [](const char* name) { return std::getenv(name); };
  uses_mpi_ = started_by_launcher(environment);
  if (!uses_mpi_) {
    world_ = make_self();
    return;
  }
  mpi::initialize();
  world_ = make_mpi(chunk_bytes);
  const int tasks = slurm_step_tasks(environment);
  if (tasks > 1 && world_->size() == 1 && environment("OMPI_COMM_WORLD_SIZE") == nullptr) {
    throw Error(ErrorKind::communicator,
                "Slurm started several tasks, but MPI doesn't connect them")
        .expected(std::to_string(tasks) + " ranks")
        .found("1")
        .advice("use srun --mpi=pmix, --mpi=pmi2, or mpirun inside the job");
  }
}

Session::~Session() = default;

void Session::finish() {
  world_->barrier();
  world_.reset();
  if (uses_mpi_) mpi::finalize();
}

}  // namespace tessera::comm
