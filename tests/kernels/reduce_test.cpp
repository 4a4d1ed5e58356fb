// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "reduce.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace tessera::kernels {
namespace {

const device::Stream stream{};
const double nan_value = std::numeric_limits<double>::quiet_NaN();

device::Runtime& runtime() {
  static device::Runtime instance(2);
  return instance;
}

/// Splits a tensor's leading axis over `ranks` imagined ranks, merges their states as the
/// communicator would, and returns the results of all.
template <class Out, class T>
std::vector<Out> reduce(ReduceTask task, const std::vector<T>& x, const Shape& shape,
                        const std::vector<bool>& axes, int ranks = 1,
                        const std::type_identity_t<std::vector<T>>* y = nullptr, int threads = 2) {
  runtime();
  bool reduced[max_axes] = {};
  std::int64_t per_row = 1;
  std::int64_t elements = 1;
  for (int axis = 0; axis < shape.size(); ++axis) {
    reduced[axis] = axes[axis];
    if (axis > 0) per_row *= shape[axis];
    if (axes[axis]) elements *= shape[axis];
  }
  task.dtype = dtype_of<T>;
  std::vector<std::int64_t> total;
  std::int64_t results = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int64_t begin = shape[0] * rank / ranks;
    Shape part = shape;
    part[0] = shape[0] * (rank + 1) / ranks - begin;
    task.shape = ReduceShape::of(part, reduced);
    results = task.shape.results();
    std::vector<std::int64_t> states(results * reduce_words(task), -7);
    std::vector<std::int64_t> scratch(reduce_scratch_bytes(task, device::Backend::host, threads) /
                                      8);
    reduce_parts(stream, task, x.data() + begin * per_row,
                 y == nullptr ? nullptr : y->data() + begin * per_row, 0, results, states.data(),
                 {scratch.data(), static_cast<std::int64_t>(scratch.size()) * 8, threads});
    if (rank == 0) {
      total = states;
      continue;
    }
    for (std::size_t w = 0; w < states.size(); ++w) {
      if (reduce_merge(task) == Merge::add_int64) total[w] += states[w];
      if (reduce_merge(task) == Merge::max_int64) total[w] = std::max(total[w], states[w]);
      if (reduce_merge(task) == Merge::add_float64) {
        total[w] = std::bit_cast<std::int64_t>(std::bit_cast<double>(total[w]) +
                                               std::bit_cast<double>(states[w]));
      }
    }
  }
  std::vector<Out> out(results);
  std::int64_t fault = -1;
  reduce_finish(stream, task, results, total.data(), {elements, nullptr}, out.data(), &fault);
  EXPECT_EQ(fault, 0);
  return out;
}

std::vector<double> random_values(std::int64_t n, unsigned seed, int spread = 2) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> exponent(-spread, spread);
  std::vector<double> values(n);
  for (double& value : values) value = std::ldexp(normal(random), exponent(random));
  return values;
}

TEST(ReduceShape, MergesNeighbours) {
  const bool reduced[] = {false, false, true, true, false, true};
  const ReduceShape shape = ReduceShape::of({2, 3, 4, 5, 1, 7}, reduced);
  EXPECT_EQ(shape.kept_extent, (Extents{6}));
  EXPECT_EQ(shape.kept_stride, (Extents{140}));
  EXPECT_EQ(shape.reduced_extent, (Extents{140}));
  EXPECT_EQ(shape.reduced_stride, (Extents{1}));
}

TEST(Reduce, EveryAxesSubsetAgreesWithPlainLoops) {
  const Shape shape{3, 4, 1, 5, 2, 6};
  const auto x = random_values(element_count(shape), 1);
  for (int subset = 0; subset < 64; ++subset) {
    std::vector<bool> axes;
    for (int axis = 0; axis < 6; ++axis) axes.push_back((subset >> axis & 1) != 0);
    std::vector<double> expected;
    Shape result;
    for (int axis = 0; axis < 6; ++axis) {
      if (!axes[axis]) result.push_back(shape[axis]);
    }
    expected.assign(element_count(result), 0.0);
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      std::int64_t rest = i;
      std::int64_t place = 0;
      std::int64_t stride = 1;
      for (int axis = 5; axis >= 0; --axis) {
        if (!axes[axis]) {
          place += rest % shape[axis] * stride;
          stride *= shape[axis];
        }
        rest /= shape[axis];
      }
      expected[place] += x[i];
    }
    for (const bool exact : {false, true}) {
      const auto got = reduce<double>({.what = Reduction::sum, .exact = exact}, x, shape, axes);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t k = 0; k < got.size(); ++k) {
        EXPECT_NEAR(got[k], expected[k], 1e-12) << "subset " << subset << ", exact " << exact;
      }
    }
  }
}

TEST(Reduce, ExactResultsDontDependOnRanks) {
  for (const Shape& shape : {Shape{5003}, Shape{301, 40}, Shape{1001, 3}, Shape{37, 3, 50}}) {
    for (const int spread : {2, 60, 400}) {
      const auto x = random_values(element_count(shape), 2, spread);
      std::vector<float> narrow(x.begin(), x.end());
      for (const Reduction what : {Reduction::sum, Reduction::mean, Reduction::norm2}) {
        std::vector<bool> axes(shape.size(), true);
        if (shape.size() > 1) axes.back() = false;
        const ReduceTask task{.what = what, .exact = true};
        const auto once = reduce<double>(task, x, shape, axes);
        const auto narrow_once = reduce<float>(task, narrow, shape, axes);
        for (int ranks = 2; ranks <= 7; ++ranks) {
          EXPECT_EQ(once, reduce<double>(task, x, shape, axes, ranks));
          const auto again = reduce<float>(task, narrow, shape, axes, ranks);
          EXPECT_EQ(0, std::memcmp(narrow_once.data(), again.data(), 4 * again.size()));
        }
      }
    }
  }
}

TEST(Reduce, WholeExactResultsHaveTheBitsOfStates) {
  runtime();
  for (const Shape& shape : {Shape{64, 300}, Shape{600, 70}, Shape{16, 5, 130}}) {
    for (const int spread : {1, 30, 300}) {
      const auto x = random_values(element_count(shape), 3, spread);
      for (int reduced_axis = 0; reduced_axis < shape.size(); ++reduced_axis) {
        for (const Reduction what : {Reduction::sum, Reduction::mean, Reduction::norm2}) {
          std::vector<bool> axes(shape.size(), false);
          axes[reduced_axis] = true;
          bool flags[max_axes] = {};
          flags[reduced_axis] = true;
          ReduceTask task{.what = what, .exact = true, .shape = ReduceShape::of(shape, flags)};
          std::vector<double> whole(task.shape.results());
          ASSERT_TRUE(reduce_exact_whole(stream, task, x.data(), {shape[reduced_axis], nullptr},
                                         whole.data(), 2));
          EXPECT_EQ(whole, reduce<double>(task, x, shape, axes));
          std::vector<float> narrow(x.begin(), x.end());
          std::vector<float> narrow_whole(whole.size());
          task.dtype = DType::float32;
          ASSERT_TRUE(reduce_exact_whole(stream, task, narrow.data(),
                                         {shape[reduced_axis], nullptr}, narrow_whole.data(), 2));
          const auto by_states = reduce<float>(task, narrow, shape, axes);
          EXPECT_EQ(0, std::memcmp(narrow_whole.data(), by_states.data(), 4 * by_states.size()));
        }
      }
    }
  }
}

/// The scratch bounds the number of tasks as fewer threads would: the tree must not notice.
TEST(Reduce, OrderedResultsDontDependOnTheCutIntoTasks) {
  for (const Shape& shape :
       {Shape{1000003}, Shape{200001, 5}, Shape{20001, 40}, Shape{40, 20011}}) {
    const auto x = random_values(element_count(shape), 4);
    for (const bool leading : {true, false}) {
      std::vector<bool> axes(shape.size(), true);
      if (shape.size() > 1) axes[leading ? 1 : 0] = false;
      for (const Reduction what : {Reduction::sum, Reduction::norm2, Reduction::prod}) {
        const ReduceTask task{.what = what};
        const auto many = reduce<double>(task, x, shape, axes, 1, nullptr, 64);
        EXPECT_EQ(many, reduce<double>(task, x, shape, axes, 1, nullptr, 1));
        EXPECT_EQ(many, reduce<double>(task, x, shape, axes, 1, nullptr, 0));
      }
    }
  }
}

TEST(Reduce, IntegersAreExactInside) {
  const std::int64_t big = std::int64_t{1} << 62;
  const std::vector<std::int64_t> x{big, big, big, -big, -big, 5};
  EXPECT_EQ(reduce<std::int64_t>({.what = Reduction::sum}, x, {6}, {true}, 3).front(), big + 5);
  const std::vector<std::int64_t> y{4, -4, 2, 2, 0, 1};
  EXPECT_EQ(reduce<std::int64_t>({.what = Reduction::dot}, x, {6}, {true}, 3, &y).front(), 5);
  const std::vector<std::int32_t> z(100001, 1 << 30);
  EXPECT_EQ(reduce<std::int64_t>({.what = Reduction::sum}, z, {100001}, {true}, 4).front(),
            100001LL << 30);
  EXPECT_EQ(reduce<double>({.what = Reduction::mean}, z, {100001}, {true}, 4).front(), 0x1p30);
}

TEST(Reduce, OverflowIsReported) {
  runtime();
  std::vector<std::int64_t> x{INT64_MAX, 1};
  const bool reduced[] = {true};
  for (const Reduction what : {Reduction::sum, Reduction::prod}) {
    ReduceTask task{.what = what, .dtype = DType::int64, .shape = ReduceShape::of({2}, reduced)};
    x[1] = what == Reduction::sum ? 1 : 2;
    std::vector<std::int64_t> states(reduce_words(task));
    std::int64_t fault = 0;
    std::int64_t out = 0;
    reduce_parts(stream, task, x.data(), nullptr, 0, 1, states.data(), {});
    reduce_finish(stream, task, 1, states.data(), {2, nullptr}, &out, &fault);
    EXPECT_EQ(static_cast<ReduceFault>(fault), ReduceFault::overflow);
  }
}

TEST(Reduce, ExtremesKnowNanAndZeroSigns) {
  const ReduceTask smallest{.what = Reduction::min};
  const ReduceTask largest{.what = Reduction::max};
  std::vector<double> x{0.0, -0.0, 0.0};
  EXPECT_TRUE(std::signbit(reduce<double>(smallest, x, {3}, {true}, 2).front()));
  x = {-0.0, 0.0, -0.0};
  EXPECT_FALSE(std::signbit(reduce<double>(largest, x, {3}, {true}, 2).front()));
  x = random_values(9001, 5);
  for (const std::size_t place : {0u, 4500u, 9000u}) {
    auto holed = x;
    holed[place] = -nan_value;
    std::vector<float> narrow(holed.begin(), holed.end());
    for (const ReduceTask& task : {smallest, largest}) {
      EXPECT_EQ(
          std::bit_cast<std::uint64_t>(reduce<double>(task, holed, {9001}, {true}, 3).front()),
          0x7FF8000000000000u);
      EXPECT_EQ(
          std::bit_cast<std::uint32_t>(reduce<float>(task, narrow, {9001}, {true}, 3).front()),
          0x7FC00000u);
    }
    ReduceTask index{.what = Reduction::argmax};
    EXPECT_EQ(reduce<std::int64_t>(index, holed, {9001}, {true}).front(),
              static_cast<std::int64_t>(place));
    index.ignore_nan = true;
    const auto found = reduce<std::int64_t>(index, holed, {9001}, {true}).front();
    holed[place] = -100;
    EXPECT_EQ(found, std::max_element(holed.begin(), holed.end()) - holed.begin());
  }
}

TEST(Reduce, ArgumentsTakeTheLowestIndex) {
  std::vector<float> x(20000, 1.0f);
  for (const std::size_t place : {5u, 4096u, 8000u, 19999u}) x[place] = 7.0f;
  EXPECT_EQ(reduce<std::int64_t>({.what = Reduction::argmax}, x, {20000}, {true}).front(), 5);
  EXPECT_EQ(reduce<std::int64_t>({.what = Reduction::argmin}, x, {20000}, {true}).front(), 0);
  const auto rows = reduce<std::int64_t>({.what = Reduction::argmax}, x, {20, 1000}, {false, true});
  EXPECT_EQ(rows[0], 5);
  EXPECT_EQ(rows[4], 96);
  EXPECT_EQ(rows[1], 0);
  const auto columns =
      reduce<std::int64_t>({.what = Reduction::argmax}, x, {20, 1000}, {true, false});
  EXPECT_EQ(columns[96], 4);
  EXPECT_EQ(columns[0], 8);  // 8000 = row 8, column 0
}

TEST(Reduce, NormsStayInRange) {
  for (const double size : {1e200, 1e-200, 1e-320, 3.0}) {
    for (const int n : {4, 400, 40000}) {
      const std::vector<double> x(n, size);
      const double expected = size * std::sqrt(static_cast<double>(n));
      for (const bool exact : {false, true}) {
        const ReduceTask task{.what = Reduction::norm2, .exact = exact};
        EXPECT_NEAR(reduce<double>(task, x, {n}, {true}, 2).front() / expected, 1.0,
                    size < 1e-300 ? 1e-3 : 1e-14);
        EXPECT_NEAR(
            reduce<double>(task, x, {n / 2, 2}, {true, false}).front() * std::sqrt(2.0) / expected,
            1.0, size < 1e-300 ? 1e-3 : 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::kernels
