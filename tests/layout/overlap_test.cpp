// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "layout/examples.hpp"

namespace tessera::layout {

namespace {

/// What all ranks plan together for a tensor that goes from one layout to another.
class Mover {
 public:
  Mover(const Layout& from, const Layout& to) : from_(from), to_(to) {
    for (Rank rank = 0; rank < from.ranks(); ++rank) plans_.push_back(overlap(from, to, rank));
  }

  /// The boxes that `a` sends to `b` must be those that `b` receives from `a`, in the same order.
  void check_pairs() const {
    for (Rank a = 0; a < from_.ranks(); ++a) {
      for (Rank b = 0; b < from_.ranks(); ++b) {
        std::vector<Box> sent;
        std::vector<Box> received;
        for (const Transfer& t : plans_[a].sends) {
          if (t.peer == b) sent.push_back(t.box);
        }
        for (const Transfer& t : plans_[b].receives) {
          if (t.peer == a) received.push_back(t.box);
        }
        ASSERT_EQ(sent, received) << "from " << a << " to " << b;
        if (a == b) {
          ASSERT_TRUE(sent.empty()) << "a message to oneself is a copy";
        }
      }
    }
  }

  /// Each element that a rank is to hold arrives exactly once, from a rank that holds it.
  void check_arrivals() const {
    for (Rank rank = 0; rank < to_.ranks(); ++rank) {
      std::vector<int> arrived(static_cast<std::size_t>(to_.local_elements(rank)), 0);
      const Shape local = to_.local_extent(rank);
      const auto arrive = [&](const Box& box, Rank source) {
        ASSERT_FALSE(box.empty()) << "an empty message";
        each_index(box, [&](const Index& global) {
          if (!from_.is_replicated()) {
            ASSERT_EQ(from_.owner(global), source);
          }
          ++arrived[static_cast<std::size_t>(number_of(to_.local_index(global), local))];
        });
      };
      for (const Box& box : plans_[rank].copies) arrive(box, rank);
      for (const Transfer& t : plans_[rank].receives) arrive(t.box, t.peer);
      ASSERT_EQ(std::count(arrived.begin(), arrived.end(), 1),
                static_cast<std::int64_t>(arrived.size()))
          << "rank " << rank;
    }
  }

  void check_order_and_totals() const {
    std::int64_t sent = 0;
    std::int64_t received = 0;
    for (const Overlap& plan : plans_) {
      const auto by_peer = [](const Transfer& a, const Transfer& b) { return a.peer < b.peer; };
      ASSERT_TRUE(std::is_sorted(plan.sends.begin(), plan.sends.end(), by_peer));
      ASSERT_TRUE(std::is_sorted(plan.receives.begin(), plan.receives.end(), by_peer));
      sent += plan.sent_elements();
      received += plan.received_elements();
    }
    ASSERT_EQ(sent, received);
    if (from_.is_replicated() || from_ == to_) {
      ASSERT_EQ(sent, 0);
    }
  }

 private:
  const Layout& from_;
  const Layout& to_;
  std::vector<Overlap> plans_;
};

void check(const Layout& from, const Layout& to) {
  SCOPED_TRACE(name_of(from) + " -> " + name_of(to));
  const Mover mover(from, to);
  mover.check_pairs();
  mover.check_arrivals();
  mover.check_order_and_totals();
}

TEST(Overlap, EveryElementArrivesOnceBetweenAnyTwoLayouts) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 13}) {
    for (const Shape& shape : odd_shapes()) {
      const std::vector<Layout> all = layouts_of(shape, ranks);
      for (const Layout& from : all) {
        for (const Layout& to : all) {
          check(from, to);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(Overlap, FromRowsToColumnsIsATransposeOfBlocks) {
  const Overlap plan = overlap(Layout::rows({4, 6}, 2), Layout::along({4, 6}, 1, 2), 0);
  ASSERT_EQ(plan.sends.size(), 1U);
  EXPECT_EQ(plan.sends[0].peer, 1);
  EXPECT_EQ(plan.sends[0].box, (Box{{0, 3}, {2, 3}}));
  ASSERT_EQ(plan.receives.size(), 1U);
  EXPECT_EQ(plan.receives[0].box, (Box{{2, 0}, {2, 3}}));
  EXPECT_EQ(plan.copies, (std::vector<Box>{{{0, 0}, {2, 3}}}));
  EXPECT_EQ(plan.sent_elements(), 6);
  EXPECT_EQ(plan.received_elements(), 6);
}

TEST(Overlap, OfHugeTensorsIsPureArithmetic) {
  const Shape shape{std::int64_t{1} << 40, 3};
  std::int64_t received = 0;
  for (Rank rank = 0; rank < 3; ++rank) {
    received +=
        overlap(Layout::rows(shape, 3), Layout::along(shape, 1, 3), rank).received_elements();
  }
  EXPECT_EQ(received, std::int64_t{2} << 40);
}

TEST(Overlap, DifferentTensorsAreOurMistake) {
  EXPECT_THROW((void)overlap(Layout::rows({4}, 2), Layout::rows({5}, 2), 0), Error);
  EXPECT_THROW((void)overlap(Layout::rows({4}, 2), Layout::rows({4}, 3), 0), Error);
}

}  // namespace

}  // namespace tessera::layout
