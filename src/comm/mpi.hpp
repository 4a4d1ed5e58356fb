// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "comm/chunks.hpp"
#include "comm/communicator.hpp"

namespace tessera::comm {

/// All processes of the job, over MPI; MPI must have been started (see Session). Collective.
/// Messages are cut into pieces of `chunk_bytes`, the same on all ranks; tests lower it.
std::unique_ptr<Communicator> make_mpi(std::int64_t chunk_bytes = default_chunk_bytes);

}  // namespace tessera::comm
