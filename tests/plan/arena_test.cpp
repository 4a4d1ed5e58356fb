// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "plan/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tessera::plan {
namespace {

Buffer buffer(std::int64_t bytes, int first, int last) { return {"b", bytes, first, last, 0}; }

ops::Action action(std::vector<int> reads, std::vector<int> writes) {
  ops::Action result;
  for (const int id : reads) result.reads.push_back(BufferId{id});
  for (const int id : writes) result.writes.push_back(BufferId{id});
  return result;
}

/// The least arena over all orders of first-fit placement.
std::int64_t best_of_all_orders(std::vector<Buffer> buffers) {
  std::vector<std::size_t> order(buffers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::int64_t best = -1;
  do {
    std::int64_t size = 0;
    std::vector<Buffer> placed;
    for (const std::size_t i : order) {
      Buffer wanted = buffers[i];
      wanted.offset = 0;
      bool moved = true;
      while (moved) {
        moved = false;
        for (const Buffer& other : placed) {
          const bool together = other.first <= wanted.last && wanted.first <= other.last;
          const bool overlap = wanted.offset < other.offset + other.bytes &&
                               other.offset < wanted.offset + wanted.bytes;
          if (together && overlap) {
            wanted.offset = other.offset + other.bytes;
            moved = true;
          }
        }
      }
      placed.push_back(wanted);
      size = std::max(size, wanted.offset + wanted.bytes);
    }
    if (best < 0 || size < best) best = size;
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Lifetimes, RunFromFirstToLastUse) {
  const std::vector<ops::Action> actions = {action({}, {0}), action({0}, {1}), action({}, {2}),
                                            action({1}, {2})};
  std::vector<Buffer> buffers(4);
  find_lifetimes({&actions}, buffers);
  EXPECT_EQ(buffers[0].first, 0);
  EXPECT_EQ(buffers[0].last, 1);
  EXPECT_EQ(buffers[1].first, 1);
  EXPECT_EQ(buffers[1].last, 3);
  EXPECT_EQ(buffers[3].first, -1) << "an unused buffer has no lifetime";
}

TEST(Lifetimes, OfALoopsBuffersIncludeTheWholeLoop) {
  ops::Action loop;
  loop.kind = ops::ActionKind::loop;
  loop.repeat = 3;
  loop.body = {action({0}, {1}), action({1}, {0})};
  const std::vector<ops::Action> actions = {action({}, {0}), loop, action({}, {2})};
  std::vector<Buffer> buffers(3);
  find_lifetimes({&actions}, buffers);
  EXPECT_EQ(buffers[1].first, 1);
  EXPECT_EQ(buffers[1].last, 1);
  EXPECT_EQ(buffers[0].last, 1);
  EXPECT_EQ(buffers[2].first, 2);
}

TEST(Placement, ReusesMemoryOfDeadBuffers) {
  std::vector<Buffer> buffers = {buffer(1024, 0, 1), buffer(1024, 1, 2), buffer(1024, 2, 3)};
  EXPECT_EQ(place_buffers(buffers), 2048);
  verify_placement(buffers, 2048);
}

TEST(Placement, OfNothingIsEmpty) {
  std::vector<Buffer> none;
  EXPECT_EQ(place_buffers(none), 0);
  std::vector<Buffer> empty = {buffer(0, 0, 5), buffer(100, -1, -1)};
  EXPECT_EQ(place_buffers(empty), 0);
}

TEST(Placement, VerifierCatchesOverlapsAndOverruns) {
  std::vector<Buffer> buffers = {buffer(1024, 0, 2), buffer(1024, 1, 3), buffer(512, 2, 2)};
  const std::int64_t size = place_buffers(buffers);
  verify_placement(buffers, size);
  EXPECT_THROW(verify_placement(buffers, size - 1), Error);
  std::vector<Buffer> moved = buffers;
  moved[1].offset = moved[0].offset + 1023;
  EXPECT_THROW(verify_placement(moved, size * 4), Error);
  std::vector<Buffer> longer = {buffer(1024, 0, 1), buffer(1024, 2, 3)};
  EXPECT_EQ(place_buffers(longer), 1024);
  longer[0].last = 2;  // a lifetime that is one action too short
  EXPECT_THROW(verify_placement(longer, 1024), Error);
}

TEST(Placement, RandomLivesNeverOverlapAndStayNearTheBound) {
  std::mt19937 random(7);
  double worst = 1;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Buffer> buffers;
    const int count = 1 + static_cast<int>(random() % 60);
    for (int i = 0; i < count; ++i) {
      const int first = static_cast<int>(random() % 50);
      buffers.push_back(buffer(1 + static_cast<std::int64_t>(random() % 100000), first,
                               first + static_cast<int>(random() % 20)));
    }
    const std::int64_t size = place_buffers(buffers);
    verify_placement(buffers, size);
    ASSERT_GE(size, live_bytes_bound(buffers));
    worst =
        std::max(worst, static_cast<double>(size) / static_cast<double>(live_bytes_bound(buffers)));
  }
  EXPECT_LT(worst, 1.5);
}

TEST(Placement, SmallCasesComeNearTheBestOrder) {
  std::mt19937 random(11);
  double ratios = 0;
  constexpr int trials = 60;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 6; ++i) {
      const int first = static_cast<int>(random() % 6);
      buffers.push_back(buffer(256 * (1 + static_cast<std::int64_t>(random() % 8)), first,
                               first + static_cast<int>(random() % 4)));
    }
    std::vector<Buffer> placed = buffers;
    const std::int64_t size = place_buffers(placed);
    const std::int64_t best = best_of_all_orders(buffers);
    ASSERT_GE(size, best);
    ratios += static_cast<double>(size) / static_cast<double>(best);
  }
  EXPECT_LT(ratios / trials, 1.05);
}

TEST(Placement, TenThousandBuffersOfAChainTakeTheirBound) {
  std::vector<Buffer> buffers;
  for (int i = 0; i < 10000; ++i) buffers.push_back(buffer(4096, i, i + 1));
  EXPECT_EQ(place_buffers(buffers), 2 * 4096);
  verify_placement(buffers, 2 * 4096);
}

}  // namespace
}  // namespace tessera::plan
