// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/recipe.hpp"
#include "base/tile.hpp"
#include "comm/communicator.hpp"
#include "device/device.hpp"
#include "layout/layout.hpp"

namespace tessera::ops {

/// Where a tensor lies: a buffer on every rank, cut by a layout, dense and row-major.
struct Placed {
  BufferId buffer;
  DType dtype = DType::float64;
  layout::Layout layout;
};

/// What an action may touch while it runs.
class RunContext {
 public:
  virtual ~RunContext() = default;
  /// The first byte of this rank's buffer. Only buffers that the action declares.
  [[nodiscard]] virtual std::byte* data(BufferId buffer) = 0;
  /// The ranks that share the tensors: all of the job, or this one alone in a batched graph.
  [[nodiscard]] virtual comm::Communicator& communicator() = 0;
  /// All ranks of the job.
  [[nodiscard]] virtual comm::Communicator& world() = 0;
  [[nodiscard]] virtual device::Stream stream() const = 0;
  [[nodiscard]] virtual Recipe recipe() const = 0;
  /// The item of a batched graph that runs now; 0 otherwise.
  [[nodiscard]] virtual std::int64_t item() const = 0;

  /// Messages under way, from the action that starts them to the one that waits for them.
  virtual void hold(ExchangeId exchange, std::unique_ptr<comm::Request> request) = 0;
  [[nodiscard]] virtual std::unique_ptr<comm::Request> take(ExchangeId exchange) = 0;

  /// The graph's files. `input` and `output` index Graph::inputs and Graph::outputs; boxes and
  /// elements are those of one item's tensor.
  virtual void read_input(int input, const Box& box, std::byte* into) = 0;
  /// Adds bytes, in file order, to the content checksum of an input as this rank sees it.
  virtual void note_input(int input, const std::byte* data, std::int64_t bytes) = 0;
  virtual void write_output(int output, std::int64_t first_element, const std::byte* data,
                            std::int64_t bytes) = 0;
  /// As write_output, for a whole item of a stacked output, which may be another rank's.
  virtual void write_item(int output, std::int64_t item, const std::byte* data,
                          std::int64_t bytes) = 0;
  /// Adds bytes, in file order, to the checksum of this rank's part of an output.
  virtual void note_output(int output, std::int64_t first_element, const std::byte* data,
                           std::int64_t bytes) = 0;
  /// The stages of publication, in this order; each is collective over the ranks that share the
  /// files.
  virtual void create_outputs() = 0;
  virtual void sync_outputs() = 0;
  virtual void verify_outputs() = 0;
  virtual void publish_outputs() = 0;

  /// This rank's part of a tensor as a dense tile (block layouts).
  [[nodiscard]] Tile tile(const Placed& placed) {
    return dense_tile(data(placed.buffer), placed.dtype, placed.layout.box(communicator().rank()),
                      placed.layout.shape());
  }
};

enum class ActionKind { read, upload, launch, exchange, wait, download, write, agree, loop };

[[nodiscard]] constexpr const char* name_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::read:
      return "read";
    case ActionKind::upload:
      return "upload";
    case ActionKind::launch:
      return "launch";
    case ActionKind::exchange:
      return "exchange";
    case ActionKind::wait:
      return "wait";
    case ActionKind::download:
      return "download";
    case ActionKind::write:
      return "write";
    case ActionKind::agree:
      return "agree";
    case ActionKind::loop:
      return "loop";
  }
  return "?";
}

/// A contiguous piece of a buffer that goes to, or comes from, another rank.
struct Piece {
  Rank peer = 0;
  BufferId buffer;
  std::int64_t offset = 0;  ///< bytes
  std::int64_t bytes = 0;
};

/// One thing that a rank does. It declares everything that it touches; the executor only runs and
/// times it.
struct Action {
  ActionKind kind = ActionKind::launch;
  StepId step;            ///< invalid: belongs to no step (reads, writes, agreements)
  std::string label;      ///< what the plan and the timing log print
  std::string algorithm;  ///< of the step's choice
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  double bytes = 0;  ///< launch: memory read + written; exchange: sent; read, write: in the file
  double flops = 0;
  double seconds = 0;             ///< predicted
  std::vector<Piece> sends{};     ///< exchange: what goes out, in the order in which it is matched
  std::vector<Piece> receives{};  ///< exchange and its wait: what comes in
  std::vector<Piece> copies{};    ///< upload, download: what is copied
  bool on_host = false;           ///< launch: of the process' own code rather than a kernel
  std::function<void(RunContext&)> run;
  std::int64_t repeat = 1;     ///< loop: how often the body runs, at most where `until` is valid
  BufferId until{};            ///< loop: it ends before a turn once this int64 isn't 0
  double expected_turns = 1;   ///< loop: what the prediction reckons with
  std::vector<Action> body{};  ///< loop only
};

/// Whose copies of its buffers an action works on, where kernels have a memory of their own.
enum class Side { host, device, both };
[[nodiscard]] inline Side side_of(const Action& action) {
  switch (action.kind) {
    case ActionKind::launch:
      return action.on_host ? Side::host : Side::device;
    case ActionKind::upload:
    case ActionKind::download:
      return Side::both;
    default:
      return Side::host;
  }
}

}  // namespace tessera::ops
