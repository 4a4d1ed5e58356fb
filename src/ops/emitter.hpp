// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/machine.hpp"
#include "ops/action.hpp"

namespace tessera::ops {

/// A kernel launch, or any work on this rank's buffers that sends nothing.
struct Launch {
  std::string label;
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  double bytes = 0;  ///< memory read and written by this rank
  double flops = 0;  ///< of this rank
  std::function<void(RunContext&)> run;
  bool on_host = false;  ///< the process' own code, rather than a kernel
};

/// A collective of the communicator on this rank's buffers.
struct Collective {
  std::string label;
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  double bytes = 0;     ///< sent by this rank
  double messages = 1;  ///< one after another, for the prediction
  std::function<void(RunContext&)> run;
};

/// A loop whose end depends on data. The flag is one int64, looked at before every turn, the first
/// one included. Ranks whose bodies exchange anything must raise it in the same turn: it is
/// computed from the same bits on every rank, or agreed by a collective.
struct LoopUntil {
  std::string label;
  BufferId flag;
  std::int64_t most = 0;      ///< turns
  double expected_turns = 0;  ///< for the prediction
};

/// What an operation writes its actions into. The planner implements it: once to plan (ranks and
/// rank are then numbers, no communicator exists). An emitted function runs later, possibly many
/// times (loops, items), so it captures by value and keeps no state of its own: state lives in
/// buffers.
class Emitter {
 public:
  virtual ~Emitter() = default;
  [[nodiscard]] virtual int ranks() const = 0;
  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual Recipe recipe() const = 0;
  [[nodiscard]] virtual const Machine& machine() const = 0;
  /// Where the kernels of this rank will run.
  [[nodiscard]] virtual device::Backend backend() const = 0;
  /// Host threads of this rank, for per-thread scratch sizes.
  [[nodiscard]] virtual int threads() const = 0;

  /// A buffer of this many bytes on this rank (may be 0), alive from the first to the last action
  /// of this step that declares it.
  virtual BufferId scratch(std::string label, std::int64_t bytes) = 0;
  /// A tensor of its own, cut by the layout.
  virtual Placed scratch(std::string label, DType dtype, const layout::Layout& layout) = 0;

  virtual void launch(Launch launch) = 0;
  virtual void collective(Collective collective) = 0;
  /// Posts messages; the buffers stay in use until `finish`. Matching as in Communicator::exchange.
  virtual ExchangeId start(std::string label, std::vector<Piece> sends,
                           std::vector<Piece> receives) = 0;
  virtual void finish(ExchangeId exchange) = 0;
  /// Pack, exchange, unpack: afterwards `to` holds the tensor of `from` in its own layout.
  virtual void redistribute(const Placed& from, const Placed& to, const std::string& label) = 0;
  /// Everything emitted between the two runs `count` times. May be nested.
  virtual void begin_loop(std::string label, std::int64_t count) = 0;
  /// Everything emitted from here to `end_loop` runs again and again until `flag` isn't 0.
  virtual void begin_loop_until(LoopUntil loop) = 0;
  virtual void end_loop() = 0;
};

}  // namespace tessera::ops
