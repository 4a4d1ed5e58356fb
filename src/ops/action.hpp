// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
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
  [[nodiscard]] virtual comm::Communicator& communicator() = 0;
  [[nodiscard]] virtual device::Stream stream() const = 0;
  [[nodiscard]] virtual Recipe recipe() const = 0;
  /// The item of a batched graph that runs now; 0 otherwise.
  [[nodiscard]] virtual std::int64_t item() const = 0;

  /// This rank's part of a tensor as a dense tile (block layouts).
  [[nodiscard]] Tile tile(const Placed& placed) {
    return dense_tile(data(placed.buffer), placed.dtype, placed.layout.box(communicator().rank()),
                      placed.layout.shape());
  }
};

enum class ActionKind { read, upload, launch, exchange, wait, download, write, agree, loop };

[[nodiscard]] constexpr const char* name_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::read: return "read";
    case ActionKind::upload: return "upload";
    case ActionKind::launch: return "launch";
    case ActionKind::exchange: return "exchange";
    case ActionKind::wait: return "wait";
    case ActionKind::download: return "download";
    case ActionKind::write: return "write";
    case ActionKind::agree: return "agree";
    case ActionKind::loop: return "loop";
  }
  return "?";
}

/// One thing that a rank does. It declares everything that it touches; the executor only runs and times it.
struct Action {
  ActionKind kind = ActionKind::launch;
  StepId step;                     ///< invalid: belongs to no step (reads, writes, agreements)
  std::string label;               ///< what the plan and the timing log print
  std::string algorithm;           ///< of the step's choice
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  double bytes = 0;                ///< launch: memory read + written; exchange: sent; read, write: in the file
  double flops = 0;
  double seconds = 0;              ///< predicted
  std::function<void(RunContext&)> run;
  std::int64_t repeat = 1;         ///< loop: how often the body runs
  std::vector<Action> body{};      ///< loop only
};

}  // namespace tessera::ops
