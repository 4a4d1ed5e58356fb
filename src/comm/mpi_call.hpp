// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only files that call MPI functions are this one's .cpp; every call's result is checked there.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace tessera::comm::mpi {

/// Starts MPI in this process (all threads may call, or at least the main thread); ends it.
void initialize();
void finalize();

/// "Open MPI 4.1.4".
[[nodiscard]] std::string library_version();

/// Point-to-point operations under way.
class Requests {
 public:
  Requests() = default;
  Requests(Requests&&) = default;
  Requests& operator=(Requests&&) = default;

  void wait_all();
  [[nodiscard]] bool test_all();
  [[nodiscard]] bool empty() const { return requests_.empty(); }
  /// Forgets them without waiting; their buffers may still be read until the process ends.
  void give_up() noexcept;

 private:
  friend class Comm;
  void check_statuses(int result, const char* call);
  void check_sizes() const;

  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<int> expected_;  ///< bytes to receive; -1 for a send
};

/// An MPI communicator that returns errors. Made by `borrow_world` it doesn't own; made by any
/// other function it owns and frees. Counts are below 2^31: callers cut into chunks.
class Comm {
 public:
  static Comm borrow_world();
  [[nodiscard]] Comm duplicate() const;
  /// The ranks that share this rank's memory.
  [[nodiscard]] Comm split_by_node() const;
  /// Only the members call it.
  [[nodiscard]] Comm create_group(std::span<const Rank> members) const;

  ~Comm();
  Comm(Comm&& other) noexcept;
  Comm& operator=(Comm&&) = delete;

  [[nodiscard]] Rank rank() const;
  [[nodiscard]] int size() const;
  [[nodiscard]] int largest_tag() const;

  void barrier() const;
  void broadcast(void* data, int bytes, Rank root) const;
  /// Integers only.
  void all_reduce(void* data, int count, DType dtype, ReduceOp op) const;
  /// This rank's part already lies in its place.
  void all_gather(void* into, std::span<const int> bytes, std::span<const int> offsets) const;
  void send(const void* data, int bytes, Rank to, int tag) const;
  void receive(void* data, int bytes, Rank from, int tag) const;
  void start_send(const void* data, int bytes, Rank to, int tag, Requests& requests) const;
  void start_receive(void* data, int bytes, Rank from, int tag, Requests& requests) const;
  void abort(int exit_code) const noexcept;

 private:
  enum class Ownership { owner, borrower };
  Comm(MPI_Comm comm, Ownership ownership);

  MPI_Comm comm_;
  Ownership ownership_;
};

}  // namespace tessera::comm::mpi
