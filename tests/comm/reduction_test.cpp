// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Reductions: all types and operations, the order of rounding, NaN and signed zero.
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "comm/each_communicator.hpp"

namespace tessera::test {

namespace {

using comm::ReduceOp;

using ReductionTest = EachCommunicator;
INSTANTIATE_TEST_SUITE_P(Kinds, ReductionTest, every_kind(), kind_name);

constexpr std::int64_t counts[] = {0, 1, 2, 3, 1000, 4096, 8191, 20011};  // gathered and scattered

template <class T>
T value_of(Rank rank, std::int64_t i) {
  const auto integer =
      static_cast<std::int64_t>((rank * 7919 + i * 31) % 61) - (std::is_unsigned_v<T> ? 0 : 30);
  if constexpr (dtype_of<T> >= DType::complex64) {
    using Real = typename T::value_type;
    return {static_cast<Real>(integer) / 3, static_cast<Real>(rank - i % 5) / 7};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(integer) / 3;
  } else {
    return static_cast<T>(integer);
  }
}

template <class T>
T folded(int ranks, std::int64_t i, ReduceOp op) {
  T result = value_of<T>(0, i);
  for (Rank r = 1; r < ranks; ++r) {
    const T next = value_of<T>(r, i);
    if (op == ReduceOp::sum) result = static_cast<T>(result + next);
    if constexpr (dtype_of<T> < DType::complex64) {
      if (op == ReduceOp::min) result = std::min(result, next);
      if (op == ReduceOp::max) result = std::max(result, next);
    }
    if constexpr (std::is_integral_v<T>) {
      if (op == ReduceOp::bit_or) result = static_cast<T>(result | next);
    }
  }
  return result;
}

std::vector<ReduceOp> ops_of(DType dtype) {
  if (is_complex(dtype)) return {ReduceOp::sum};
  if (!is_integer(dtype)) return {ReduceOp::sum, ReduceOp::min, ReduceOp::max};
  return {ReduceOp::sum, ReduceOp::min, ReduceOp::max, ReduceOp::bit_or};
}

template <class T>
std::vector<T> values(Rank rank, std::int64_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    result[static_cast<std::size_t>(i)] = value_of<T>(rank, i);
  return result;
}

TEST_P(ReductionTest, AllReduceFoldsInRankOrder) {
  for (const DType dtype : all_dtypes) {
    visit(dtype, [&]<class T>(std::type_identity<T>) {
      for (const ReduceOp op : ops_of(dtype)) {
        for (const std::int64_t count : counts) {
          // Thousands of messages of 7 bytes are slow, and gathered and scattered sums both lie
          // below.
          if (GetParam() == "chunks_7" && count > (dtype == DType::float64 ? 8191 : 1000)) continue;
          std::vector<T> data = values<T>(rank(), count);
          world().all_reduce(data.data(), count, dtype, op);
          std::int64_t wrong = 0;
          for (std::int64_t i = 0; i < count; ++i) {
            if (data[static_cast<std::size_t>(i)] != folded<T>(size(), i, op)) ++wrong;
          }
          EXPECT_EQ(wrong, 0) << name_of(dtype) << " op " << static_cast<int>(op) << " count "
                              << count;
        }
      }
    });
  }
  reached();
}

TEST_P(ReductionTest, ReduceScatterGivesEachRankItsPiece) {
  for (const DType dtype : all_dtypes) {
    visit(dtype, [&]<class T>(std::type_identity<T>) {
      for (const std::int64_t unit : {0, 1, 700}) {
        std::vector<std::int64_t> pieces;
        for (Rank r = 0; r < size(); ++r) pieces.push_back(r == 1 ? 0 : unit * (r + 1));
        const std::int64_t count = std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0});
        const std::int64_t begin =
            std::accumulate(pieces.begin(), pieces.begin() + rank(), std::int64_t{0});
        std::vector<T> data = values<T>(rank(), count);
        std::vector<T> expected;
        for (std::int64_t i = 0; i < pieces[rank()]; ++i) {
          expected.push_back(folded<T>(size(), begin + i, ReduceOp::sum));
        }
        std::vector<T> mine(expected.size());
        world().reduce_scatter(data.data(), pieces, dtype, ReduceOp::sum, mine.data());
        EXPECT_EQ(mine, expected) << name_of(dtype) << " unit " << unit;
        // Into its own place.
        world().reduce_scatter(data.data(), pieces, dtype, ReduceOp::sum, data.data() + begin);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data.begin() + begin));
      }
    });
  }
}

TEST_P(ReductionTest, FloatSumsAreRoundedInRankOrder) {
  // One of 1e8, 1, -1e8, 1 on each rank: from the left, in float32, the first 1 is lost.
  const float parts[] = {1e8F, 1.0F, -1e8F, 1.0F};
  const float expected[] = {1e8F, 1e8F, 0.0F, 1.0F};
  EXPECT_EQ(world().all_reduce<float>(parts[rank() % 4], ReduceOp::sum),
            expected[(size() - 1) % 4]);
  // At any length, in the gathered and in the scattered form: the same bits for the same parts.
  for (const std::int64_t count : counts) {
    std::vector<float> data(static_cast<std::size_t>(count), parts[rank() % 4]);
    world().all_reduce(data.data(), count, DType::float32, ReduceOp::sum);
    EXPECT_EQ(std::count(data.begin(), data.end(), expected[(size() - 1) % 4]), count);
  }
}

TEST_P(ReductionTest, IntegerSumsAreExactAtTheirWidth) {
  const std::int64_t big = (std::int64_t{1} << 61) + 1;
  EXPECT_EQ(world().all_reduce<std::int64_t>(rank() < 3 ? big : 5, ReduceOp::sum),
            std::min(size(), 3) * big + std::max(size() - 3, 0) * 5);
  EXPECT_EQ(world().all_reduce<std::uint8_t>(200, ReduceOp::sum),
            static_cast<std::uint8_t>(200 * size()));
}

template <class T>
void check_order(comm::Communicator& world, std::int64_t count) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T inf = std::numeric_limits<T>::infinity();
  const auto reduce = [&](T mine, ReduceOp op) {
    std::vector<T> data(static_cast<std::size_t>(count), mine);
    world.all_reduce(data.data(), count, dtype_of<T>, op);
    for (const T& value : data) EXPECT_EQ(std::memcmp(&value, data.data(), sizeof(T)), 0);
    return data.front();
  };
  const bool one_rank = world.size() == 1;
  for (Rank special = 0; special < world.size(); ++special) {
    const bool me = world.rank() == special;
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max}) {
      const T result = reduce(me ? -nan : T{1}, op);
      EXPECT_TRUE(std::isnan(result)) << "NaN of rank " << special;
      if (!one_rank) {
        EXPECT_EQ(std::memcmp(&result, &nan, sizeof(T)), 0) << "not the positive quiet NaN";
      }
    }
    EXPECT_EQ(std::signbit(reduce(me ? T{-0.0} : T{0}, ReduceOp::min)), true);
    EXPECT_EQ(std::signbit(reduce(me ? T{0} : T{-0.0}, ReduceOp::max)), false);
    EXPECT_EQ(reduce(me ? -inf : T{1}, ReduceOp::min), -inf);
    EXPECT_EQ(reduce(me ? inf : T{1}, ReduceOp::max), inf);
  }
  if (!one_rank) {
    EXPECT_TRUE(std::isnan(reduce(world.rank() == 0 ? inf : -inf, ReduceOp::sum)));
  }
}

TEST_P(ReductionTest, AnyNanWinsAndMinusZeroIsLess) {
  for (const std::int64_t count : {1, 5, 9000}) {
    if (GetParam() == "chunks_7" && count > 5) continue;  // slow
    check_order<float>(world(), count);
    check_order<double>(world(), count);
  }
}

TEST_P(ReductionTest, WhatHasNoMeaningIsRefused) {
  std::complex<float> z{1, 2};
  EXPECT_THROW(world().all_reduce(&z, 1, DType::complex64, ReduceOp::max), Error);
  double x = 1;
  EXPECT_THROW(world().all_reduce(&x, 1, DType::float64, ReduceOp::bit_or), Error);
}

}  // namespace

}  // namespace tessera::test
