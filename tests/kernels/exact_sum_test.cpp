// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tessera::kernels::exact {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Values whose sum cancels: magnitudes of `spread` binary orders, each nearly undone by another.
std::vector<double> cancelling(std::mt19937_64& random, std::int64_t n, int spread) {
  std::vector<double> values;
  std::uniform_int_distribution<int> exponent(-spread, spread);
  std::uniform_real_distribution<double> mantissa(1.0, 2.0);
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = std::ldexp(mantissa(random), exponent(random));
    values.push_back(x);
    values.push_back(-std::nextafter(x, 0.0));
  }
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

/// An independent reference: Shewchuk's growing expansion, then the correction of Python's fsum for
/// the last half. Doesn't overflow for the values used here.
double reference_sum(const std::vector<double>& values) {
  std::vector<double> parts;
  for (double x : values) {
    std::size_t used = 0;
    for (double y : parts) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y;
      const double low = y - (high - x);
      if (low != 0.0) parts[used++] = low;
      x = high;
    }
    parts.resize(used);
    parts.push_back(x);
  }
  double high = 0.0;
  double low = 0.0;
  while (!parts.empty()) {
    const double x = high;
    const double y = parts.back();
    parts.pop_back();
    high = x + y;
    low = y - (high - x);
    if (low != 0.0) break;
  }
  if (!parts.empty() && ((low < 0 && parts.back() < 0) || (low > 0 && parts.back() > 0))) {
    const double twice = low * 2;
    const double moved = high + twice;
    if (twice == moved - high) high = moved;
  }
  return high;
}

template <class T>
double sum_of(const std::vector<T>& x, int parts = 1, std::int64_t divisor = 1,
              DType to = DType::float64) {
  std::vector<std::int64_t> total(words(Term::value));
  const auto n = static_cast<std::int64_t>(x.size());
  for (int part = 0; part < parts; ++part) {
    std::vector<std::int64_t> state(words(Term::value));
    const std::int64_t begin = n * part / parts;
    deposit(x.data() + begin, n * (part + 1) / parts - begin, state.data());
    merge(Term::value, state.data(), total.data());
  }
  return finish(Term::value, total.data(), n, divisor, to);
}

template <class T>
std::vector<std::int64_t> products(const std::vector<T>& x, const std::vector<T>& y,
                                   int parts = 1) {
  std::vector<std::int64_t> total(words(Term::product));
  const auto n = static_cast<std::int64_t>(x.size());
  for (int part = 0; part < parts; ++part) {
    std::vector<std::int64_t> state(words(Term::product));
    const std::int64_t begin = n * part / parts;
    deposit_products(x.data() + begin, y.data() + begin, n * (part + 1) / parts - begin,
                     state.data());
    merge(Term::product, state.data(), total.data());
  }
  return total;
}

double norm_of(const std::vector<double>& x) {
  auto state = products(x, x);
  return finish_norm(state.data());
}

TEST(ExactSum, AgreesWithShewchuk) {
  std::mt19937_64 random(7);
  for (const int spread : {0, 3, 20, 60, 200, 900}) {
    for (const std::int64_t n : {1, 2, 7, 100, 4095, 4097, 9001}) {
      auto values = cancelling(random, n, spread);
      values.resize(values.size() - n % 3);
      EXPECT_EQ(sum_of(values), reference_sum(values)) << "spread " << spread << ", n " << n;
    }
  }
}

TEST(ExactSum, DoesNotDependOnOrderOrCut) {
  std::mt19937_64 random(11);
  for (const int spread : {2, 40, 950}) {
    auto values = cancelling(random, 5003, spread);
    const double once = sum_of(values);
    for (int parts = 1; parts <= 7; ++parts) {
      std::shuffle(values.begin(), values.end(), random);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(once),
                std::bit_cast<std::uint64_t>(sum_of(values, parts)));
    }
  }
}

TEST(ExactSum, LargestNumbersCancel) {
  EXPECT_EQ(sum_of<double>({1e308, 1e308, 3.0, -1e308, -1e308}), 3.0);
  EXPECT_EQ(sum_of<double>({1.7e308, 1.7e308}), inf);
  EXPECT_EQ(sum_of<double>({-1.7e308, -1.7e308}), -inf);
  std::vector<double> many(100000, 1.7e308);
  many.resize(200000, -1.7e308);
  many.push_back(0x1p-1074);
  EXPECT_EQ(sum_of(many), 0x1p-1074);
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(sum_of<double>({largest, 0x1p969}), largest);
  EXPECT_EQ(sum_of<double>({largest, 0x1p970}), inf);
}

TEST(ExactSum, Subnormals) {
  EXPECT_EQ(sum_of(std::vector<double>(4, 0x1p-1074)), 2e-323);
  EXPECT_EQ(sum_of(std::vector<float>(8, 0x1p-149f), 1, 1, DType::float32), 1.1210387714598537e-44);
  EXPECT_EQ(sum_of<double>({0x1p-1022, -0x1p-1074}), 0x1p-1022 - 0x1p-1074);
}

TEST(ExactSum, TiesGoToEven) {
  EXPECT_EQ(sum_of<double>({1.0, 0x1p-53}), 1.0);
  EXPECT_EQ(sum_of<double>({1.0, 0x1p-53, 0x1p-1000}), std::nextafter(1.0, 2.0));
  EXPECT_EQ(sum_of<double>({1.0, 0x1p-52, 0x1p-53}), 1.0 + 0x1p-51);
  EXPECT_EQ(sum_of<float>({1.0f, 0x1p-24f}, 1, 1, DType::float32), 1.0);
  EXPECT_EQ(sum_of<float>({1.0f, 0x1p-24f, 0x1p-140f}, 1, 1, DType::float32), 1.0 + 0x1p-23);
}

TEST(ExactSum, SpecialValues) {
  for (const std::size_t place : {0u, 1u, 5000u, 9999u}) {
    std::vector<double> values(10000, 1.0);
    values[place] = nan_value;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(sum_of(values, 3)), 0x7FF8000000000000u);
    values[place] = -inf;
    EXPECT_EQ(sum_of(values, 3), -inf);
    values[9998] = inf;
    EXPECT_TRUE(std::isnan(sum_of(values, 3)));
  }
  EXPECT_TRUE(std::signbit(sum_of(std::vector<double>(5000, -0.0), 3)));
  EXPECT_FALSE(std::signbit(sum_of(std::vector<double>{})));
  EXPECT_FALSE(std::signbit(sum_of<double>({-0.0, 0.0})));
  EXPECT_FALSE(std::signbit(sum_of<double>({-1.0, 1.0})));
}

TEST(ExactSum, MeansAreRoundedOnce) {
  EXPECT_EQ(sum_of<double>({1.0, 1.0, 0.0}, 1, 3), 2.0 / 3.0);
  EXPECT_EQ(sum_of(std::vector<double>(4, 1.7e308), 2, 4), 1.7e308);
  EXPECT_EQ(sum_of<double>({0x1p-1074, 0x1p-1073}, 1, 2), 0x1p-1073);  // 1.5 units: tie to even
  std::mt19937_64 random(3);
  std::uniform_int_distribution<std::int64_t> integer(-(1LL << 50), 1LL << 50);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::int64_t a = integer(random);
    const std::int64_t b = integer(random);
    const std::int64_t n = 1 + (integer(random) & 0xFFFFF);
    const double expected =  // the quotient of two float64 is rounded once
        static_cast<double>(a + b) / static_cast<double>(n);
    EXPECT_EQ(sum_of<double>({static_cast<double>(a), static_cast<double>(b)}, 1, n), expected);
  }
}

TEST(ExactProducts, AgreeWithQuadPrecision) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const int n : {1, 5, 100, 4099}) {
    std::vector<double> x(n), y(n);
    __float128 sum = 0;
    for (int i = 0; i < n; ++i) {  // 20-bit factors: quad precision holds the sum exactly
      x[i] = std::round(normal(random) * 0x1p18);
      y[i] = std::round(normal(random) * 0x1p18) * 0x1p-40;
      sum += static_cast<__float128>(x[i]) * y[i];
    }
    auto state = products(x, y, 3);
    EXPECT_EQ(finish(Term::product, state.data(), n, 1, DType::float64), static_cast<double>(sum));
  }
}

TEST(ExactProducts, CancelToTheLastBit) {
  std::mt19937_64 random(13);
  for (const int spread : {1, 30, 500, 1000}) {
    std::uniform_int_distribution<int> exponent(-spread, spread);
    std::uniform_real_distribution<double> mantissa(1.0, 2.0);
    std::vector<double> x, y;
    for (int i = 0; i < 6000; ++i) {
      x.push_back(std::ldexp(mantissa(random), exponent(random)));
      y.push_back(std::ldexp(mantissa(random), exponent(random)));
    }
    for (int i = 0; i < 6000; ++i) {
      x.push_back(-y[i]);
      y.push_back(x[i]);
    }
    x.push_back(0x1p-1074);
    y.push_back(0x1p10);
    auto state = products(x, y, 5);
    EXPECT_EQ(finish(Term::product, state.data(), 1, 1, DType::float64), 0x1p-1064) << spread;
  }
}

TEST(ExactProducts, UnderflowKeepsItsBits) {
  const double tiny =
      0x1.8p-1074 * 0x1p30;  // 2^30 of them squared are still far below the smallest number
  std::vector<double> x(5000, tiny);
  EXPECT_EQ(norm_of(x), std::sqrt(5000.0) * tiny);
  auto state = products<double>({0x1p-600, 0x1p-600}, {0x1p-474, 0x1p-475});
  EXPECT_EQ(finish(Term::product, state.data(), 2, 1, DType::float64),
            0x1p-1073);  // 1.5 units, even
}

TEST(ExactNorm, NeverLeavesTheRange) {
  EXPECT_EQ(norm_of(std::vector<double>(4, 1e200)), 2e200);
  EXPECT_EQ(norm_of(std::vector<double>(4, 1e-200)), 2e-200);
  EXPECT_EQ(norm_of({3.0, 4.0}), 5.0);
  EXPECT_EQ(norm_of({0x1p-1074}), 0x1p-1074);
  EXPECT_EQ(norm_of({}), 0.0);
  EXPECT_EQ(norm_of({inf, 1.0}), inf);
  EXPECT_TRUE(std::isnan(norm_of({inf, nan_value})));
  std::mt19937_64 random(17);
  std::uniform_int_distribution<std::uint64_t> any(0, 0x7FEFFFFFFFFFFFFFull);
  for (int trial = 0; trial < 3000; ++trial) {  // a single number is its own norm
    const double x = std::bit_cast<double>(any(random));
    EXPECT_EQ(norm_of({-x}), x);
  }
}

}  // namespace
}  // namespace tessera::kernels::exact
