// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/blocks.hpp"

#include <gtest/gtest.h>

#include "data/row_writer.hpp"

namespace tessera::data {
namespace {

TEST(Blocks, CoverEveryShapeInOrder) {
  const Shape shapes[] = {{}, {1}, {7}, {3, 5}, {1, 1, 1}, {2, 3, 4, 5}, {5, 1, 7}, {4, 1000}};
  for (const Shape& shape : shapes) {
    const Strides strides = row_major_strides(shape);
    for (const std::int64_t limit : {1, 2, 3, 7, 20, 100, 100000}) {
      std::int64_t next = 0;
      for_each_block(shape, limit, [&](const Box& box) {
        std::int64_t first = 0;
        for (int axis = 0; axis < box.axes(); ++axis) {
          first += box.origin[axis] * strides[axis];
          EXPECT_LE(box.end(axis), shape[axis]);
        }
        EXPECT_EQ(first, next) << to_string(shape) << " limit " << limit;
        EXPECT_LE(box.elements(), limit);
        next += box.elements();
      });
      EXPECT_EQ(next, element_count(shape)) << to_string(shape) << " limit " << limit;
    }
  }
  for_each_block(Shape{3, 0}, 10, [](const Box&) { FAIL(); });
}

TEST(Blocks, DefaultChunksAreAboutOneMiB) {
  EXPECT_EQ(default_chunk({10, 10}, DType::float64), (Shape{10, 10}));
  EXPECT_EQ(default_chunk({4000, 1000}, DType::float64), (Shape{131, 1000}));
  EXPECT_EQ(default_chunk({3, 1000000}, DType::float64), (Shape{1, 131072}));
  EXPECT_EQ(default_chunk({3, 500, 1 << 20}, DType::uint8), (Shape{1, 1, 1 << 20}));
}

}  // namespace
}  // namespace tessera::data
