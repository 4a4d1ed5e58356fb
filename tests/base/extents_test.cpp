// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "base/extents.hpp"

#include <gtest/gtest.h>

#include "base/tile.hpp"

namespace tessera {

namespace {

TEST(Extents, HoldUpToEightAxes) {
  Extents e{1, 2, 3};
  e.push_back(4);
  e.insert(0, 9);
  e.erase(2);
  EXPECT_EQ(e, (Extents{9, 1, 3, 4}));
  EXPECT_EQ(e.back(), 4);
  EXPECT_EQ(to_string(e), "[9, 1, 3, 4]");
  EXPECT_EQ(to_string(Extents{}), "[]");
  EXPECT_NO_THROW((Extents{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_THROW((Extents{1, 2, 3, 4, 5, 6, 7, 8, 9}), Error);
  EXPECT_THROW((void)Extents::filled(9, 0), Error);
  Extents full = Extents::filled(8, 1);
  EXPECT_THROW(full.push_back(1), Error);
  EXPECT_THROW(full.insert(0, 1), Error);
}

TEST(Extents, AreEqualByUsedEntriesOnly) {
  Extents shrunk{4, 5};
  shrunk.erase(1);
  EXPECT_EQ(shrunk, Extents{4});
  EXPECT_NE(shrunk, (Extents{4, 5}));
  EXPECT_NE(Extents{}, Extents{0});
}

TEST(ElementCount, OfScalarsEmptyAndHugeShapes) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 0, 5}), 0);
  EXPECT_EQ(element_count({3, 4, 5}), 60);
  const std::int64_t big = std::int64_t{1} << 31;
  EXPECT_EQ(element_count({big, big}), std::int64_t{1} << 62);
  EXPECT_THROW((void)element_count({big, big, 2}), Error);
  // Empty whichever axis is: the others may be as long as they like.
  EXPECT_EQ(element_count({big, big, big, 0}), 0);
}

TEST(RowMajorStrides, LastAxisIsFastest) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(row_major_strides({5}), (Strides{1}));
  EXPECT_EQ(row_major_strides({}), Strides{});
  EXPECT_EQ(row_major_strides({2, 0, 4}), (Strides{4, 4, 1}));
}

TEST(Box, Intersects) {
  const Box a{{0, 2}, {4, 4}};
  const Box b{{2, 0}, {5, 3}};
  EXPECT_EQ(intersect(a, b), (Box{{2, 2}, {2, 1}}));
  EXPECT_EQ(intersect(a, a), a);
  EXPECT_TRUE(intersect(a, {{4, 2}, {1, 1}}).empty());
  EXPECT_EQ(intersect(Box::whole({}), Box::whole({})).elements(), 1);
  EXPECT_EQ(Box::whole({3, 4}).end(1), 4);
}

TEST(Tile, SubPointsAtItsFirstElement) {
  std::vector<double> data(12);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<double>(i);
  const Tile tile = dense_tile(data.data(), DType::float64, {{10, 20}, {3, 4}}, {100, 100});
  EXPECT_TRUE(tile.contiguous());
  const Tile part = tile.sub({{11, 22}, {2, 2}});
  EXPECT_EQ(*part.as<double>(), 6.0);
  EXPECT_EQ(part.as<double>()[part.strides[0] + part.strides[1]], 11.0);
  EXPECT_FALSE(part.contiguous());
  EXPECT_EQ(part.elements(), 4);
  EXPECT_EQ(part.global, (Shape{100, 100}));
}

}  // namespace

}  // namespace tessera
