// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/halo.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace tessera::ops {
namespace {

using kernels::Boundary;
using kernels::Interval;
using layout::AxisSplit;
using layout::Layout;

constexpr Boundary all_boundaries[] = {Boundary::fixed,  Boundary::periodic, Boundary::reflect,
                                       Boundary::mirror, Boundary::nearest,  Boundary::constant};

std::vector<std::int64_t> list(const Index& index) { return {index.begin(), index.end()}; }

template <class F>
void each_index(const Box& box, F&& f) {
  Index index = box.origin;
  const std::int64_t n = box.elements();
  for (std::int64_t i = 0; i < n; ++i) {
    f(index);
    for (int axis = box.axes() - 1; axis >= 0; --axis) {
      if (++index[axis] < box.end(axis)) break;
      index[axis] = box.origin[axis];
    }
  }
}

bool contains(const Box& outer, const Box& inner) { return intersect(outer, inner) == inner; }

/// The cells that the rank may read and doesn't own, by the definition.
std::set<std::vector<std::int64_t>> wanted_cells(const Layout& layout, const HaloSpec& spec,
                                                 Rank rank) {
  const Box own = layout.box(rank);
  std::set<std::vector<std::int64_t>> cells;
  if (own.empty()) return cells;
  Box wide = own;
  for (std::size_t s = 0; s < spec.axes.size(); ++s) {
    const int axis = spec.axes[s];
    if (layout.splits()[axis].parts == 1) continue;
    const Interval interval =
        kernels::widened(spec.boundary[s], {own.origin[axis], own.end(axis)},
                         spec.depth[static_cast<int>(s)], layout.shape()[axis]);
    wide.origin[axis] = interval.begin;
    wide.extent[axis] = interval.end - interval.begin;
  }
  each_index(wide, [&](const Index& at) {
    int beyond = 0;
    for (int axis = 0; axis < at.size(); ++axis) {
      beyond += at[axis] < own.origin[axis] || at[axis] >= own.end(axis) ? 1 : 0;
    }
    if (beyond == 1 || (beyond > 1 && spec.corners)) cells.insert(list(at));
  });
  return cells;
}

void check(const Layout& layout, const HaloSpec& spec) {
  std::vector<Halo> halos;
  for (Rank rank = 0; rank < layout.ranks(); ++rank) halos.push_back(plan_halo(layout, spec, rank));
  for (Rank rank = 0; rank < layout.ranks(); ++rank) {
    const Halo& halo = halos[static_cast<std::size_t>(rank)];
    EXPECT_EQ(halo.own, layout.box(rank));
    // Every ghost cell is wanted, lies in exactly one message, and comes from who holds it.
    std::set<std::vector<std::int64_t>> filled;
    for (const HaloMessage& message : halo.receives) {
      ASSERT_EQ(message.cells.extent, message.source.extent);
      ASSERT_TRUE(contains(halo.ghosts[static_cast<std::size_t>(message.ghost)], message.cells));
      ASSERT_TRUE(contains(layout.box(message.peer), message.source));
      each_index(message.cells, [&](const Index& at) {
        EXPECT_TRUE(filled.insert(list(at)).second) << "twice: " << to_string(at);
        for (int axis = 0; axis < at.size(); ++axis) {
          const std::int64_t source =
              message.source.origin[axis] + at[axis] - message.cells.origin[axis];
          const std::int64_t n = layout.shape()[axis];
          EXPECT_EQ(source, (at[axis] % n + n) % n);
        }
      });
    }
    EXPECT_EQ(filled, wanted_cells(layout, spec, rank)) << "rank " << rank;
    std::int64_t ghost_cells = 0;
    for (const Box& ghost : halo.ghosts) ghost_cells += ghost.elements();
    EXPECT_EQ(ghost_cells, static_cast<std::int64_t>(filled.size()));
    // What this rank sends each peer is what the peer receives from it, in the same order.
    for (Rank peer = 0; peer < layout.ranks(); ++peer) {
      std::vector<HaloMessage> sends, receives;
      for (const HaloMessage& message : halo.sends) {
        if (message.peer == peer) sends.push_back(message);
      }
      for (const HaloMessage& message : halos[static_cast<std::size_t>(peer)].receives) {
        if (message.peer == rank) receives.push_back(message);
      }
      ASSERT_EQ(sends.size(), receives.size());
      for (std::size_t i = 0; i < sends.size(); ++i) {
        EXPECT_EQ(sends[i].source, receives[i].source);
        EXPECT_EQ(sends[i].cells, receives[i].cells);
      }
    }
  }
}

TEST(Halo, RowsOnAnyNumberOfRanks) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (const std::int64_t n : {0, 1, 2, 5, 9, 23}) {
      for (const std::int64_t depth : {0, 1, 2, 7}) {
        for (const Boundary boundary : all_boundaries) {
          SCOPED_TRACE(testing::Message() << ranks << " ranks, " << n << " rows, depth " << depth
                                          << ", boundary " << static_cast<int>(boundary));
          check(Layout::rows({n, 3}, ranks), {{0, 1}, {depth, 1}, {boundary, boundary}, true});
          check(Layout::rows({n}, ranks), {{0}, {depth}, {boundary}, true});
        }
      }
    }
  }
}

TEST(Halo, GridsWithAndWithoutCorners) {
  const std::vector<std::vector<std::int64_t>> grids = {{2, 2}, {3, 2}, {1, 4}, {3, 3}, {2, 4}};
  for (const auto& grid : grids) {
    for (const Shape& shape : {Shape{5, 7}, Shape{1, 3}, Shape{8, 8}}) {
      for (const Boundary boundary : all_boundaries) {
        for (const bool corners : {false, true}) {
          const Layout layout(shape, {{grid[0]}, {grid[1]}}, 9);
          check(layout, {{0, 1}, {1, 2}, {boundary, Boundary::periodic}, corners});
        }
      }
    }
  }
}

TEST(Halo, BlocksOfAGivenSizeAndBatchAxes) {
  const Layout blocks({10, 4}, {{4, 3}, {1, 0}}, 4);  // 3, 3, 3, 1
  check(blocks, {{0}, {2}, {Boundary::periodic}, true});
  check(blocks, {{0}, {4}, {Boundary::reflect}, true});
  const HaloSpec spec{{1, 2}, {1, 1}, {Boundary::periodic, Boundary::fixed}, true};
  EXPECT_FALSE(needs_halo(Layout::rows({6, 4, 4}, 3), spec));
  check(Layout::rows({6, 4, 4}, 3), spec);
  check(Layout::along({3, 7, 4}, 1, 5), spec);
}

TEST(Halo, NoNeighbours) {
  const HaloSpec spec{{0}, {2}, {Boundary::periodic}, true};
  EXPECT_FALSE(needs_halo(Layout::rows({9}, 1), spec));
  EXPECT_FALSE(needs_halo(Layout::replicated({9}, 3), spec));
  EXPECT_FALSE(needs_halo(Layout::rows({9}, 3), {{0}, {0}, {Boundary::periodic}, true}));
  EXPECT_TRUE(plan_halo(Layout::rows({2}, 4), spec, 3).ghosts.empty());
}

}  // namespace
}  // namespace tessera::ops
