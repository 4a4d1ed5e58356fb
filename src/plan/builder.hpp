// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tessera::plan {

/// What operations emit into: it appends actions and buffers to a plan.
class Builder : public ops::Emitter {
 public:
  /// `ranks` and `rank` are those of the tensors' layouts: 1 and 0 in a batched graph.
  Builder(Plan& plan, int ranks, Rank rank);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] Recipe recipe() const override { return plan_.recipe; }
  [[nodiscard]] const Machine& machine() const override { return plan_.choosing; }
  [[nodiscard]] device::Backend backend() const override { return plan_.options.backend; }
  [[nodiscard]] int threads() const override { return plan_.options.threads; }

  BufferId scratch(std::string label, std::int64_t bytes) override;
  ops::Placed scratch(std::string label, DType dtype, const layout::Layout& layout) override;
  void launch(ops::Launch launch) override;
  void collective(ops::Collective collective) override;
  ExchangeId start(std::string label, std::vector<ops::Piece> sends,
                   std::vector<ops::Piece> receives) override;
  void finish(ExchangeId exchange) override;
  void redistribute(const ops::Placed& from, const ops::Placed& to,
                    const std::string& label) override;
  void begin_loop(std::string label, std::int64_t count) override;
  void begin_loop_until(ops::LoopUntil loop) override;
  void end_loop() override;

  /// Actions from here on belong to this step; invalid: to none.
  void set_step(StepId step, std::string algorithm, DType dtype);
  /// Appends an action of the planner's own.
  void add(ops::Action action);
  /// Counts an exchange in which this rank has no part, so that later exchanges keep the channels
  /// that the other ranks give them.
  void skip_exchange();
  /// Appends to this list from now on.
  void append_to(std::vector<ops::Action>& actions);

 private:
  ops::Action action(ops::ActionKind kind, std::string label) const;

  Plan& plan_;
  int ranks_;
  Rank rank_;
  StepId step_;
  std::string algorithm_;
  DType dtype_ = DType::float64;
  std::vector<ops::Action>* target_;
  std::vector<ops::Action> open_loops_;  ///< the body of the innermost is being filled
  struct UnderWay {
    std::vector<BufferId> reads;
    std::vector<BufferId> writes;
    std::vector<ops::Piece> receives;
    double bytes = 0;
    std::string label;
  };
  std::vector<UnderWay> exchanges_;
};

}  // namespace tessera::plan
