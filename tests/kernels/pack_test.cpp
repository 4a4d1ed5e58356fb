// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "pack.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace tessera::kernels {
namespace {

const device::Stream host;

device::Runtime& runtime() {
  static device::Runtime instance(2);
  return instance;
}

/// Bytes that all differ from their neighbours.
std::vector<std::uint8_t> pattern(std::int64_t bytes) {
  std::vector<std::uint8_t> result(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<std::uint8_t>(i * 131 + i / 251 + 7);
  }
  return result;
}

std::int64_t offset(const Tile& tile, const Index& global) {
  std::int64_t at = 0;
  for (int axis = 0; axis < global.size(); ++axis) {
    at += (global[axis] - tile.box.origin[axis]) * tile.strides[axis];
  }
  return at * size_of(tile.dtype);
}

/// Calls `f` with every index of the box.
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

/// Copies the box and compares every byte of the target, inside the box and outside.
void check(Tile from, std::int64_t from_bytes, Tile to, std::int64_t to_bytes, const Box& box) {
  runtime();
  auto source = pattern(from_bytes);
  std::vector<std::uint8_t> target(static_cast<std::size_t>(to_bytes), 0xEE);
  auto expected = target;
  from.data = source.data();
  to.data = target.data();
  each_index(box, [&](const Index& index) {
    std::memcpy(expected.data() + offset(to, index), source.data() + offset(from, index),
                static_cast<std::size_t>(size_of(from.dtype)));
  });
  copy_box(host, from, to, box);
  EXPECT_TRUE(target == expected) << name_of(from.dtype) << " box at " << to_string(box.origin)
                                  << " of " << to_string(box.extent);
}

void check_dense(DType dtype, const Box& from, const Box& to, const Box& box, const Shape& global) {
  check(dense_tile(nullptr, dtype, from, global), from.elements() * size_of(dtype),
        dense_tile(nullptr, dtype, to, global), to.elements() * size_of(dtype), box);
}

TEST(Pack, CopiesBoxesOfEveryTypeBetweenDenseTiles) {
  const Shape global{20, 30, 40};
  for (const DType dtype : all_dtypes) {
    check_dense(dtype, {{2, 3, 4}, {9, 11, 13}}, {{1, 5, 6}, {12, 8, 20}}, {{3, 5, 7}, {5, 6, 9}},
                global);
    check_dense(dtype, {{2, 3, 4}, {9, 11, 13}}, {{3, 5, 7}, {5, 6, 1}}, {{3, 5, 7}, {5, 6, 1}},
                global);
    check_dense(dtype, {{0, 0, 0}, {20, 30, 40}}, {{0, 0, 0}, {20, 30, 40}},
                {{0, 0, 0}, {20, 30, 40}}, global);
  }
}

TEST(Pack, CopiesAnyNumberOfAxes) {
  for (int axes = 0; axes <= max_axes; ++axes) {
    const Shape global = Extents::filled(axes, 4);
    const Box whole = Box::whole(global);
    const Box part{Extents::filled(axes, 1), Extents::filled(axes, 2)};
    check_dense(DType::float64, whole, whole, whole, global);
    check_dense(DType::int32, whole, part, part, global);
    check_dense(DType::complex128, part, whole, part, global);
  }
}

TEST(Pack, CopiesLongRowsInPieces) {
  const Shape global{3, 50000};
  check_dense(DType::float64, {{0, 0}, {3, 50000}}, {{0, 1}, {3, 49999}}, {{0, 1}, {3, 49999}},
              global);
  check_dense(DType::uint8, {{0, 0}, {1, 50000}}, {{0, 0}, {2, 50000}}, {{0, 17}, {1, 49000}},
              global);
}

TEST(Pack, CopiesLongLinesOfShortRows) {
  const Shape global{40001, 6};
  for (std::int64_t width = 1; width <= 6; ++width) {
    check_dense(DType::float32, {{0, 0}, {40001, 6}}, {{1, 0}, {40000, width}},
                {{1, 0}, {40000, width}}, global);
  }
}

TEST(Pack, CopiesBetweenPermutedStrides) {
  const Box box{{0, 0, 0}, {5, 6, 7}};
  Tile from = dense_tile(nullptr, DType::float64, box, box.extent);
  from.strides = {1, 5, 30};
  const Tile to = dense_tile(nullptr, DType::float64, box, box.extent);
  check(from, 210 * 8, to, 210 * 8, box);
  check(to, 210 * 8, from, 210 * 8, {{1, 2, 3}, {3, 4, 2}});
}

TEST(Pack, CopiesNothingOfAnEmptyBox) {
  const Shape global{4, 5};
  check_dense(DType::float64, {{0, 0}, {4, 5}}, {{1, 1}, {0, 3}}, {{1, 1}, {0, 3}}, global);
  check_dense(DType::float64, {{0, 0}, {4, 5}}, {{0, 0}, {4, 5}}, {{2, 2}, {2, 0}}, global);
}

TEST(Pack, RefusesTwoElementTypes) {
  const Box box{{0}, {2}};
  std::vector<double> a(2), b(2);
  EXPECT_THROW(copy_box(host, dense_tile(a.data(), DType::float64, box, {2}),
                        dense_tile(b.data(), DType::int64, box, {2}), box),
               Error);
}

TEST(Pack, FillsBytes) {
  runtime();
  std::vector<std::uint8_t> bytes(1001, 3);
  fill_bytes(host, bytes.data() + 1, 999, 0xFF);
  EXPECT_EQ(bytes.front(), 3);
  EXPECT_EQ(bytes.back(), 3);
  EXPECT_EQ(std::accumulate(bytes.begin() + 1, bytes.end() - 1, 0), 999 * 255);
  fill_bytes(host, nullptr, 0, 1);
}

}  // namespace
}  // namespace tessera::kernels
