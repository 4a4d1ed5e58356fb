// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "plan/copies.hpp"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

using ops::Action;
using ops::ActionKind;

Action action(ActionKind kind, std::vector<int> reads, std::vector<int> writes) {
  Action result;
  result.kind = kind;
  for (const int id : reads) result.reads.push_back(BufferId{id});
  for (const int id : writes) result.writes.push_back(BufferId{id});
  return result;
}

Action loop(std::vector<Action> body) {
  Action result;
  result.kind = ActionKind::loop;
  result.repeat = 3;
  result.body = std::move(body);
  return result;
}

Action exchange(std::vector<ops::Piece> sends, std::vector<ops::Piece> receives) {
  Action result;
  result.kind = ActionKind::exchange;
  result.sends = std::move(sends);
  result.receives = std::move(receives);
  return result;
}

Action wait(std::vector<ops::Piece> receives) {
  Action result;
  result.kind = ActionKind::wait;
  result.receives = std::move(receives);
  return result;
}

/// "read upload0 launch": the kinds, with the buffers of copies.
std::string kinds(const std::vector<Action>& actions) {
  std::string text;
  for (const Action& one : actions) {
    text += std::string(text.empty() ? "" : " ") + name_of(one.kind);
    for (const ops::Piece& piece : one.copies) text += std::to_string(piece.buffer.value);
    if (one.kind == ActionKind::loop) text += "(" + kinds(one.body) + ")";
  }
  return text;
}

Plan plan_of(std::vector<Action> actions) {
  Plan plan;
  plan.options.apart = true;
  plan.buffers.assign(4, Buffer{"b", 100});
  plan.actions = std::move(actions);
  return plan;
}

std::string inserted(std::vector<Action> actions) {
  Plan plan = plan_of(std::move(actions));
  insert_copies(plan);
  return kinds(plan.actions);
}

TEST(Copies, BringDataToTheSideThatReadsThem) {
  EXPECT_EQ(inserted({action(ActionKind::read, {}, {0}), action(ActionKind::launch, {0}, {1}),
                      action(ActionKind::launch, {0, 1}, {2}), action(ActionKind::write, {2}, {})}),
            "read upload0 launch launch download2 write");
}

TEST(Copies, AreNotRepeatedForWhatBothSidesHold) {
  EXPECT_EQ(inserted({action(ActionKind::read, {}, {0}), action(ActionKind::launch, {0}, {1}),
                      action(ActionKind::write, {0}, {}), action(ActionKind::launch, {0}, {1})}),
            "read upload0 launch write launch");
}

TEST(Copies, KeepTheRestOfABufferThatIsWrittenInPart) {
  EXPECT_EQ(inserted({action(ActionKind::launch, {}, {0}), action(ActionKind::read, {}, {0}),
                      action(ActionKind::launch, {0}, {1})}),
            "launch download0 read upload0 launch");
}

TEST(Copies, OfMessagesTakeTheirPiecesOnly) {
  const std::vector<ops::Piece> sends = {{1, BufferId{0}, 8, 16}, {2, BufferId{0}, 8, 16}};
  const std::vector<ops::Piece> receives = {{1, BufferId{1}, 32, 8}};
  Plan plan = plan_of({action(ActionKind::launch, {}, {0, 1}), exchange(sends, receives),
                       action(ActionKind::launch, {0}, {2}), wait(receives),
                       action(ActionKind::launch, {1}, {2})});
  insert_copies(plan);
  EXPECT_EQ(kinds(plan.actions), "launch download0 exchange launch wait upload1 launch");
  EXPECT_EQ(plan.actions[1].copies.size(), 1U) << "what goes to two ranks is fetched once";
  EXPECT_EQ(plan.actions[1].bytes, 16);
  EXPECT_EQ(plan.actions[5].copies[0].offset, 32);
  EXPECT_EQ(plan.actions[5].copies[0].bytes, 8);
}

TEST(Copies, OfMessagesIntoWhatOnlyTheHostHoldsWaitForItsReader) {
  const std::vector<ops::Piece> receives = {{1, BufferId{0}, 32, 8}};
  EXPECT_EQ(inserted({action(ActionKind::read, {}, {0}), exchange({}, receives), wait(receives),
                      action(ActionKind::launch, {0}, {1})}),
            "read exchange wait upload0 launch");
}

TEST(Copies, ThatEveryTurnWouldRepeatAreMadeBeforeTheLoop) {
  EXPECT_EQ(
      inserted({action(ActionKind::read, {}, {0}), loop({action(ActionKind::launch, {0}, {1})}),
                action(ActionKind::write, {1}, {})}),
      "read upload0 loop(launch) download1 write");
}

TEST(Copies, BringALoopsFlagToTheHostBeforeEveryTurn) {
  Action until = loop({action(ActionKind::launch, {0}, {0, 1})});
  until.until = BufferId{1};
  until.reads = {until.until};
  EXPECT_EQ(inserted({action(ActionKind::launch, {}, {0, 1}), until}),
            "launch download1 loop(launch download1)");
}

TEST(Copies, MakeTheFirstTurnFindWhatLaterTurnsFind) {
  // The body reads buffer 0 on the host and leaves it on the device.
  EXPECT_EQ(
      inserted({action(ActionKind::read, {}, {0}),
                loop({action(ActionKind::agree, {0}, {}), action(ActionKind::launch, {0}, {0})})}),
      "read upload0 loop(download0 agree launch)");
}

TEST(Copies, OfNestedLoopsMoveOutOfBoth) {
  EXPECT_EQ(inserted({action(ActionKind::read, {}, {0}),
                      loop({loop({action(ActionKind::launch, {0}, {1})})})}),
            "read upload0 loop(loop(launch))");
}

TEST(Copies, OfWhatAllItemsShareAreMadeOnce) {
  Plan plan = plan_of({action(ActionKind::read, {}, {1}), action(ActionKind::launch, {0, 1}, {2}),
                       action(ActionKind::write, {2}, {})});
  plan.prologue = {action(ActionKind::read, {}, {0})};
  plan.batched = true;
  plan.items = 5;
  insert_copies(plan);
  EXPECT_EQ(kinds(plan.prologue), "read upload0");
  EXPECT_EQ(kinds(plan.actions), "read upload1 launch download2 write");
}

TEST(Copies, OfBuffersWithoutBytesAreLeftOut) {
  Plan plan = plan_of({action(ActionKind::read, {}, {0}), action(ActionKind::launch, {0}, {1})});
  plan.buffers[0].bytes = 0;
  insert_copies(plan);
  EXPECT_EQ(kinds(plan.actions), "read launch");
}

}  // namespace
}  // namespace tessera::plan
