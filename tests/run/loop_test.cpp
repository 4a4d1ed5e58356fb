// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Loops that end when their data say so: every rank runs the same number of turns, and the timing
// log tells how many.
#include <gtest/gtest.h>

#include "plan/arena.hpp"
#include "plan/builder.hpp"
#include "run/executor.hpp"
#include "support/rank_test.hpp"

namespace tessera::run {
namespace {

/// A plan that is emitted by hand instead of by an operation.
class Loop : public ::testing::Test {
 protected:
  Loop() {
    plan_.options.ranks = test::world().size();
    plan_.options.rank = test::world().rank();
    value_ = builder_.scratch("value", sizeof(std::int64_t));
    flag_ = builder_.scratch("flag", sizeof(std::int64_t));
  }

  static std::int64_t& number(ops::RunContext& context, BufferId buffer) {
    return *reinterpret_cast<std::int64_t*>(context.data(buffer));
  }

  /// value = start; flag = value >= end.
  void begin(std::int64_t start, std::int64_t end) {
    builder_.launch({"begin", {}, {value_, flag_}, 8, 0, [=, this](ops::RunContext& context) {
                       number(context, value_) = start;
                       number(context, flag_) = start >= end ? 1 : 0;
                     }});
  }

  /// Every rank adds one; the ranks' values together decide, so that all raise the flag in one
  /// turn.
  void count_up_together(std::int64_t end) {
    builder_.collective(
        {"count", {value_}, {value_, flag_}, 8, 1, [=, this](ops::RunContext& context) {
           const std::int64_t sum =
               context.communicator().all_reduce(number(context, value_) + 1, comm::ReduceOp::sum);
           number(context, value_) = sum / context.communicator().size();
           number(context, flag_) = number(context, value_) >= end ? 1 : 0;
         }});
  }

  void keep_result() {
    builder_.launch({"result", {value_}, {}, 8, 0, [this](ops::RunContext& context) {
                       result_ = number(context, value_);
                     }});
  }

  void run() {
    plan::find_lifetimes({&plan_.prologue, &plan_.actions, &plan_.epilogue}, plan_.buffers);
    plan_.arena_bytes = plan::place_buffers(plan_.buffers);
    plan::verify_placement(plan_.buffers, plan_.arena_bytes);
    Executor(graph_, plan_, test::world(), device::Stream{}, recorder_, {}).run();
  }

  /// Of the loop with this label, in the order in which it ran.
  [[nodiscard]] std::vector<std::int64_t> turns_of(const std::string& label) const {
    std::vector<std::int64_t> turns;
    for (const record::Span& span : recorder_.spans()) {
      if (span.label == label && span.turns >= 0) turns.push_back(span.turns);
    }
    return turns;
  }

  /// Counts from `start` towards `end` in at most ten turns.
  void count(std::int64_t start, std::int64_t end) {
    begin(start, end);
    builder_.begin_loop_until({"until", flag_, 10, 4});
    count_up_together(end);
    builder_.end_loop();
    keep_result();
    run();
  }

  graph::Graph graph_;
  plan::Plan plan_;
  plan::Builder builder_{plan_, test::world().size(), test::world().rank()};
  record::Recorder recorder_;
  BufferId value_;
  BufferId flag_;
  std::int64_t result_ = -1;
};

TEST_F(Loop, RunsNoTurnWhenTheFlagIsUpBefore) {
  count(5, 5);
  EXPECT_EQ(result_, 5);
  EXPECT_EQ(turns_of("until"), std::vector<std::int64_t>{0});
}

TEST_F(Loop, StopsWhenTheFlagGoesUp) {
  count(0, 3);
  EXPECT_EQ(result_, 3);
  EXPECT_EQ(turns_of("until"), std::vector<std::int64_t>{3});
}

TEST_F(Loop, StopsAtTheMaximum) {
  count(0, 1000);
  EXPECT_EQ(result_, 10);
  EXPECT_EQ(turns_of("until"), std::vector<std::int64_t>{10});
}

TEST_F(Loop, IsLeftOutWhenItMayNotRun) {
  begin(0, 5);
  builder_.begin_loop_until({"until", flag_, 0, 4});
  count_up_together(5);
  builder_.end_loop();
  keep_result();
  run();
  EXPECT_EQ(result_, 0);
  EXPECT_EQ(plan_.actions.size(), 2U);
}

TEST_F(Loop, MayStandInALoop) {
  begin(0, 4);
  const BufferId outer = builder_.scratch("outer flag", sizeof(std::int64_t));
  const BufferId rounds = builder_.scratch("rounds", sizeof(std::int64_t));
  builder_.launch({"clear", {}, {outer, rounds}, 8, 0, [=](ops::RunContext& context) {
                     number(context, outer) = 0;
                     number(context, rounds) = 0;
                   }});
  builder_.begin_loop_until({"outer", outer, 100, 2});
  builder_.begin_loop_until({"inner", flag_, 100, 4});
  count_up_together(4);
  builder_.end_loop();
  builder_.launch({"again",
                   {value_},
                   {value_, flag_, outer, rounds},
                   8,
                   0,
                   [=, this](ops::RunContext& context) {
                     number(context, value_) = 1;
                     number(context, flag_) = 0;
                     number(context, outer) = ++number(context, rounds) == 3 ? 1 : 0;
                   }});
  builder_.end_loop();
  keep_result();
  run();
  EXPECT_EQ(turns_of("inner"), (std::vector<std::int64_t>{4, 3, 3}));
  EXPECT_EQ(turns_of("outer"), std::vector<std::int64_t>{3});
}

TEST_F(Loop, IsPricedByTheTurnsExpected) {
  const auto seconds_of = [&](double expected) {
    builder_.begin_loop_until({"until", flag_, 10, expected});
    builder_.launch({"work", {flag_}, {}, 1e9, 0, [](ops::RunContext& /*context*/) {}});
    builder_.end_loop();
    return plan_.actions.back().seconds;
  };
  const double one = seconds_of(1);
  EXPECT_GT(one, 0);
  EXPECT_DOUBLE_EQ(seconds_of(4), 4 * one);
  EXPECT_DOUBLE_EQ(seconds_of(1000), 10 * one) << "never more than the maximum";
}

TEST_F(Loop, KeepsItsBuffersForAllTurns) {
  begin(0, 3);
  builder_.begin_loop_until({"until", flag_, 10, 4});
  const BufferId inside = builder_.scratch("inside", 64);
  builder_.launch({"use", {}, {inside}, 64, 0, [](ops::RunContext& /*context*/) {}});
  count_up_together(3);
  builder_.end_loop();
  keep_result();
  run();
  const auto& buffers = plan_.buffers;
  const auto& flag = buffers[static_cast<std::size_t>(flag_.value)];
  const auto& other = buffers[static_cast<std::size_t>(inside.value)];
  EXPECT_EQ(flag.last, 1) << "the loop itself reads its flag";
  EXPECT_EQ(other.first, 1);
  EXPECT_EQ(other.last, 1);
  EXPECT_EQ(result_, 3);
}

}  // namespace
}  // namespace tessera::run
