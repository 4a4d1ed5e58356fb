// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"

namespace tessera::comm {

/// Of floating-point numbers: any NaN wins in `min` and `max`, and -0 < +0; a NaN that arithmetic
/// makes is the positive quiet NaN. `bit_or` is for integers; complex numbers have a sum only.
enum class ReduceOp { sum, min, max, bit_or };

/// A failure that all ranks of a communicator have learnt of: every rank throws it with the same
/// kind and text. Only rank `rank()` of that communicator is to print it (see `fail` in
/// comm/watchdog.hpp).
class AgreedError : public Error {
 public:
  AgreedError(ErrorKind kind, std::string text, Rank rank, int ranks)
      : Error(kind, std::move(text)), rank_(rank), ranks_(ranks) {}
  [[nodiscard]] Rank rank() const { return rank_; }
  /// How many ranks know: the size of the communicator that agreed.
  [[nodiscard]] int ranks() const { return ranks_; }

 private:
  Rank rank_;
  int ranks_;
};

/// A contiguous piece of memory that goes to, or comes from, another rank. Counts are 64-bit: the
/// implementation cuts what its library can't carry in one piece. A message to oneself is a copy.
struct Message {
  Rank peer = 0;
  void* data = nullptr;  ///< only read for sends
  std::int64_t bytes = 0;
};

/// Messages under way. Destroying it while unfinished waits for them (and says so on stderr); when
/// an exception unwinds the stack it gives them up instead, because the other side may never
/// answer.
class Request {
 public:
  virtual ~Request() = default;
  virtual void wait() = 0;
  /// True when everything has arrived and left; drives progress.
  virtual bool test() = 0;
};

/// A group of ranks that exchange data. Every function is collective over the group unless it says
/// otherwise, must be called in the same order by all, and throws Error(communicator) on failure.
/// Results of reductions are the same bits on every rank. Host memory; a GPU implementation takes
/// device memory.
class Communicator {
 public:
  virtual ~Communicator() = default;

  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Number of ranks on this rank's node, and this rank's number among them.
  [[nodiscard]] virtual int node_size() const = 0;
  [[nodiscard]] virtual int node_rank() const = 0;
  /// "self", "MPI (Open MPI 4.1.4)", "NCCL 2.28".
  [[nodiscard]] virtual std::string describe() const = 0;

  virtual void barrier() = 0;
  virtual void broadcast(void* data, std::int64_t bytes, Rank root) = 0;
  /// In place, element by element. Integers are exact. Floating-point sums are folded in rank order
  /// from gathered parts, never by the library's own order, so that equal set-ups give equal bits.
  virtual void all_reduce(void* data, std::int64_t count, DType dtype, ReduceOp op) = 0;
  /// Concatenates every rank's `bytes[rank]` bytes into `into`, in rank order.
  virtual void all_gather(const void* mine, std::span<const std::int64_t> bytes, void* into) = 0;
  /// Element-wise sum (or other op) over ranks of `counts[0] + ... + counts[size-1]` elements; rank
  /// r gets the r-th piece into `mine`, which may be that piece of `data` itself. Same order of
  /// rounding as all_reduce.
  virtual void reduce_scatter(const void* data, std::span<const std::int64_t> counts, DType dtype,
                              ReduceOp op, void* mine) = 0;
  /// `send_bytes[r]` bytes at `send_offsets[r]` go to rank r.
  virtual void all_to_all(const void* send, std::span<const std::int64_t> send_bytes,
                          std::span<const std::int64_t> send_offsets, void* receive,
                          std::span<const std::int64_t> receive_bytes,
                          std::span<const std::int64_t> receive_offsets) = 0;
  virtual void send(const void* data, std::int64_t bytes, Rank to, int tag) = 0;
  virtual void receive(void* data, std::int64_t bytes, Rank from, int tag) = 0;

  /// Starts sends and receives without waiting. Messages between a pair of ranks are matched in the
  /// order in which the lists name them. Only the ranks that are named take part. Zero-byte
  /// messages are skipped on both sides. Several exchanges may be under way: `channel` (0..1023,
  /// the same on both sides; 1024 is the watchdog's) keeps them apart.
  virtual std::unique_ptr<Request> exchange(std::span<const Message> sends,
                                            std::span<const Message> receives, int channel) = 0;

  /// The communicator of these ranks (ascending, containing this one); made on first use, cached,
  /// owned by this communicator. Only the named ranks call it.
  virtual Communicator& group(std::span<const Rank> members) = 0;

  /// All ranks learn whether any rank has failed: if so, every rank throws the AgreedError of the
  /// lowest failed rank (its kind and text, the rank's number added). Where failures meet: a rank
  /// may only bring its failure here if no other rank waits for it before this point; else see
  /// `fail`.
  virtual void agree(const std::optional<Error>& mine) = 0;

  /// Ends every process of the job with this exit code, within seconds; doesn't return.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  template <class T>
  T all_reduce(T value, ReduceOp op) {
    all_reduce(&value, 1, dtype_of<T>, op);
    return value;
  }
};

/// One process, no MPI.
std::unique_ptr<Communicator> make_self();

}  // namespace tessera::comm
