// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "layout/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "layout/examples.hpp"

namespace tessera::layout {

namespace {

constexpr int most_ranks = 13;

TEST(Balanced, CutsAsEvenlyAsPossible) {
  // 10 in 4: 3 3 2 2; 3 in 5: 1 1 1 0 0.
  const std::vector<std::int64_t> ten = {0, 3, 6, 8, 10};
  for (int part = 0; part <= 4; ++part) EXPECT_EQ(balanced_begin(10, 4, part), ten[part]);
  const std::vector<std::int64_t> three = {0, 1, 2, 3, 3, 3};
  for (int part = 0; part <= 5; ++part) EXPECT_EQ(balanced_begin(3, 5, part), three[part]);
}

TEST(Balanced, OwnerAndBeginFitTogether) {
  for (std::int64_t extent = 0; extent <= 40; ++extent) {
    for (std::int64_t parts = 1; parts <= most_ranks; ++parts) {
      EXPECT_EQ(balanced_begin(extent, parts, 0), 0);
      EXPECT_EQ(balanced_begin(extent, parts, parts), extent);
      for (std::int64_t i = 0; i < extent; ++i) {
        const std::int64_t part = balanced_owner(extent, parts, i);
        EXPECT_LE(balanced_begin(extent, parts, part), i);
        EXPECT_GT(balanced_begin(extent, parts, part + 1), i);
      }
    }
  }
}

TEST(Balanced, OfMoreThanThirtyTwoBits) {
  const std::int64_t extent = (std::int64_t{1} << 40) + 3;
  EXPECT_EQ(balanced_begin(extent, 7, 7), extent);
  EXPECT_EQ(balanced_owner(extent, 7, extent - 1), 6);
  EXPECT_EQ(balanced_owner(extent, 7, balanced_begin(extent, 7, 4)), 4);
  EXPECT_EQ(balanced_owner(extent, 7, balanced_begin(extent, 7, 4) - 1), 3);
}

/// Checks one layout: each element is held once (replicated: once by every rank), at the place in
/// its owner's storage that local_index gives, in the order in which the boxes list the elements
/// per axis.
void check_ownership(const Layout& layout) {
  const Shape& shape = layout.shape();
  const auto elements = static_cast<std::size_t>(element_count(shape));
  std::vector<int> holders(elements, 0);
  std::int64_t most = 0;
  for (Rank rank = 0; rank < layout.ranks(); ++rank) {
    const Shape local = layout.local_extent(rank);
    const std::int64_t held = layout.local_elements(rank);
    most = std::max(most, held);
    std::vector<int> filled(static_cast<std::size_t>(held), 0);
    std::int64_t in_boxes = 0;
    for (const Box& box : layout.boxes(rank)) {
      in_boxes += box.elements();
      each_index(box, [&](const Index& global) {
        ++holders[static_cast<std::size_t>(number_of(global, shape))];
        if (!layout.is_replicated()) {
          ASSERT_EQ(layout.owner(global), rank);
        }
        const Index place = layout.local_index(global);
        for (int axis = 0; axis < shape.size(); ++axis) ASSERT_LT(place[axis], local[axis]);
        ++filled[static_cast<std::size_t>(number_of(place, local))];
      });
    }
    EXPECT_EQ(in_boxes, held);
    EXPECT_EQ(std::count(filled.begin(), filled.end(), 1), held) << "local_index isn't one to one";
  }
  EXPECT_EQ(layout.max_local_elements(), most);
  const int expected = layout.is_replicated() ? layout.ranks() : 1;
  EXPECT_EQ(std::count(holders.begin(), holders.end(), expected),
            static_cast<std::int64_t>(elements));
}

TEST(Layout, EveryElementIsHeldExactlyOnce) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    for (const Shape& shape : odd_shapes()) {
      for (const Layout& layout : layouts_of(shape, ranks)) {
        SCOPED_TRACE(name_of(layout));
        check_ownership(layout);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(Layout, LocalOrderIsGlobalOrderAlongEachAxis) {
  for (const Layout& layout : layouts_of({13, 7}, 6)) {
    for (Rank rank = 0; rank < 6; ++rank) {
      std::vector<Index> held;
      for (const Box& box : layout.boxes(rank)) {
        each_index(box, [&](const Index& global) { held.push_back(global); });
      }
      for (const Index& a : held) {
        for (const Index& b : held) {
          for (int axis = 0; axis < 2; ++axis) {
            if (a[axis] >= b[axis]) continue;
            EXPECT_LT(layout.local_index(a)[axis], layout.local_index(b)[axis]) << name_of(layout);
          }
        }
      }
    }
  }
}

TEST(Layout, BlockLayoutsHaveOneBoxPerRank) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    for (const Shape& shape : odd_shapes()) {
      for (const Layout& layout : layouts_of(shape, ranks)) {
        if (!layout.is_block()) continue;
        for (Rank rank = 0; rank < ranks; ++rank) {
          EXPECT_EQ(layout.box(rank).elements(), layout.local_elements(rank)) << name_of(layout);
          EXPECT_EQ(layout.box(rank).axes(), shape.size()) << name_of(layout);
        }
      }
    }
  }
}

TEST(Layout, BlockCyclicAsInTheTextbook) {
  // 10 columns in blocks of 2 over 3 ranks: 0 1 6 7 | 2 3 8 9 | 4 5.
  const Layout layout({1, 10}, {{1, 0}, {3, 2}}, 3);
  EXPECT_FALSE(layout.is_block());
  EXPECT_EQ(layout.local_extent(0), (Shape{1, 4}));
  EXPECT_EQ(layout.local_extent(2), (Shape{1, 2}));
  EXPECT_EQ(layout.owner({0, 7}), 0);
  EXPECT_EQ(layout.local_index({0, 7}), (Index{0, 3}));
  EXPECT_EQ(layout.owner({0, 9}), 1);
  EXPECT_EQ(layout.boxes(1), (std::vector<Box>{{{0, 2}, {1, 2}}, {{0, 8}, {1, 2}}}));
  EXPECT_EQ(layout.describe(), "axis 1/3 cyclic 2");
}

TEST(Layout, OfOnePartIsWholeWhateverTheBlock) {
  const Layout layout({10, 4}, {{1, 3}, {1, 0}}, 2);
  EXPECT_TRUE(layout.is_block());
  EXPECT_EQ(layout.box(0), Box::whole({10, 4}));
  EXPECT_TRUE(layout.box(1).empty());
}

TEST(Layout, AScalarIsOnEveryRank) {
  for (const Layout& layout : {Layout::rows({}, 4), Layout::single({}, 4), Layout({}, {}, 4)}) {
    EXPECT_TRUE(layout.is_replicated());
    for (Rank rank = 0; rank < 4; ++rank) EXPECT_EQ(layout.local_elements(rank), 1);
    EXPECT_EQ(layout.owner({}), 0);
  }
}

TEST(Layout, RanksBeyondTheGridHoldNothing) {
  const Layout layout({6, 6}, {{2, 0}, {2, 0}}, 5);
  EXPECT_EQ(layout.coordinates(3), (Index{1, 1}));
  EXPECT_TRUE(layout.coordinates(4).empty());
  EXPECT_TRUE(layout.boxes(4).empty());
  EXPECT_TRUE(layout.box(4).empty());
  EXPECT_EQ(layout.local_extent(4), (Shape{0, 0}));
  EXPECT_EQ(layout.split_axis(), -2);
  EXPECT_EQ(layout.describe(), "grid 2x2");
}

TEST(Layout, DescribesItself) {
  EXPECT_EQ(Layout::rows({8}, 4).describe(), "rows/4");
  EXPECT_EQ(Layout::along({8, 8}, 1, 4).describe(), "axis 1/4");
  EXPECT_EQ(Layout::replicated({8}, 4).describe(), "replicated");
  EXPECT_EQ(Layout::single({8}, 4).describe(), "rank 0");
  EXPECT_EQ(Layout::rows({8}, 1).describe(), "whole");
}

TEST(Layout, ImpossibleGridsAreRefused) {
  EXPECT_THROW(Layout({4, 4}, {{2, 0}, {3, 0}}, 5), Error);
  EXPECT_THROW(Layout({4, 4}, {{2, 0}}, 5), Error);
  EXPECT_THROW(Layout({4}, {{0, 0}}, 5), Error);
  EXPECT_THROW(Layout({4}, {{2, -1}}, 5), Error);
}

}  // namespace

}  // namespace tessera::layout
