// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "transpose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tessera::kernels {
namespace {

const device::Stream host;

device::Runtime& runtime() {
  static device::Runtime instance(2);
  return instance;
}

/// Transposes a tensor of bytes that differ from their neighbours and compares every element.
void check(DType dtype, const Shape& shape, const Extents& axes) {
  runtime();
  const auto size = static_cast<std::size_t>(size_of(dtype));
  const std::int64_t n = element_count(shape);
  std::vector<std::uint8_t> in(static_cast<std::size_t>(n) * size);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 131 + i / 251);
  std::vector<std::uint8_t> out(in.size(), 0xEE);
  Shape permuted;
  for (const std::int64_t axis : axes) permuted.push_back(shape[static_cast<int>(axis)]);
  const Tile to = dense_tile(out.data(), dtype, Box::whole(permuted), permuted);
  transpose(host, dense_tile(in.data(), dtype, Box::whole(shape), shape), to, axes);

  const Strides strides = row_major_strides(shape);
  Index index = Extents::filled(axes.size(), 0);  // in the output
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t from = 0;
    for (int axis = 0; axis < axes.size(); ++axis) {
      from += index[axis] * strides[static_cast<int>(axes[axis])];
    }
    wrong += std::memcmp(&out[static_cast<std::size_t>(i) * size],
                         &in[static_cast<std::size_t>(from) * size], size) != 0;
    for (int axis = axes.size() - 1; axis >= 0; --axis) {
      if (++index[axis] < permuted[axis]) break;
      index[axis] = 0;
    }
  }
  EXPECT_EQ(wrong, 0) << name_of(dtype) << " " << to_string(shape) << " by " << to_string(axes);
}

TEST(Transpose, TurnsMatricesOfEveryTypeAndSize) {
  for (const DType dtype : all_dtypes) {
    for (const std::int64_t m : {1, 2, 7, 8, 16, 17, 63, 64, 65, 130, 257}) {
      for (const std::int64_t n : {1, 3, 8, 15, 16, 64, 100, 129}) check(dtype, {m, n}, {1, 0});
    }
  }
}

TEST(Transpose, PermutesAxesInEveryOrder) {
  for (const DType dtype : {DType::uint8, DType::float32, DType::float64, DType::complex128}) {
    int axes[] = {0, 1, 2, 3};
    do {
      check(dtype, {5, 6, 9, 10}, {axes[0], axes[1], axes[2], axes[3]});
      check(dtype, {1, 6, 1, 17}, {axes[0], axes[1], axes[2], axes[3]});
    } while (std::next_permutation(axes, axes + 4));
  }
}

TEST(Transpose, TakesScalarsLinesEmptyTensorsAndEightAxes) {
  check(DType::float64, {}, {});
  check(DType::float64, {9}, {0});
  check(DType::float64, {4, 0, 3}, {2, 1, 0});
  check(DType::float32, {2, 3, 1, 2, 4, 1, 3, 2}, {7, 0, 6, 1, 5, 2, 4, 3});
}

TEST(Transpose, WritesIntoStridedTiles) {
  runtime();
  std::vector<double> in(6 * 5), out(5 * 8, -1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i);
  Tile to = dense_tile(out.data(), DType::float64, Box::whole({5, 6}), {5, 6});
  to.strides = {8, 1};
  transpose(host, dense_tile(in.data(), DType::float64, Box::whole({6, 5}), {6, 5}), to, {1, 0});
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 8; ++j) {
      EXPECT_EQ(out[static_cast<std::size_t>(i * 8 + j)], j < 6 ? j * 5 + i : -1);
    }
  }
}

}  // namespace
}  // namespace tessera::kernels
