// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "elementwise_program.hpp"

// Accuracy gates of the functions of kernels/math, through the loops that use them. The reference
// is the C library's long double, which has at least 11 bits more.
namespace tessera::kernels {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

device::Runtime& runtime() {
  static device::Runtime instance(2);
  return instance;
}

/// op(x), or op(x, y) for power.
template <class T>
std::vector<T> evaluate_all(ElementOp op, std::vector<T> x, std::vector<T> y = {}) {
  runtime();
  const DType dtype = dtype_of<T>;
  const auto n = static_cast<std::int64_t>(x.size());
  Program program;
  program.registers = 1;
  program.inputs = {dtype};
  Instruction instruction{op, dtype, dtype, 0, {Operand::Kind::input, 0}, {}, {}, 0};
  const Box box = Box::whole({n});
  std::vector<Tile> tiles = {dense_tile(x.data(), dtype, box, {n})};
  if (op == ElementOp::power) {
    program.inputs.push_back(dtype);
    instruction.b = {Operand::Kind::input, 1};
    tiles.push_back(dense_tile(y.data(), dtype, box, {n}));
  }
  program.code = {instruction};
  std::vector<T> out(x.size());
  evaluate({}, Recipe::bitexact, program, tiles, dense_tile(out.data(), dtype, box, {n}), nullptr);
  return out;
}

double at(ElementOp op, double x, double y = 0) { return evaluate_all<double>(op, {x}, {y})[0]; }

/// |value - reference| in units of the last place of the reference.
double ulps(double value, long double reference) {
  const auto rounded = static_cast<double>(reference);
  if (value == rounded) {
    if (std::isinf(rounded)) return 0;
  } else if (!std::isfinite(value) || !std::isfinite(rounded)) {
    return infinity;
  }
  int exponent = 0;
  std::frexp(rounded == 0 ? 0x1p-1074 : rounded, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 53, -1074));
  return static_cast<double>(std::fabs(static_cast<long double>(value) - reference) / unit);
}

struct Interval {
  double begin;
  double end;
};

/// Of either sign where `both`; spread evenly over magnitudes.
std::vector<double> magnitudes(Interval interval, bool both) {
  const char* wanted = std::getenv("TESSERA_TEST_POINTS");
  const int points = wanted != nullptr ? std::atoi(wanted) : 20000;
  std::mt19937_64 random(20260101);
  std::uniform_real_distribution<double> exponent(std::log2(interval.begin),
                                                  std::log2(interval.end));
  std::vector<double> x;
  for (int i = 0; i < points; ++i) {
    const double value = std::exp2(exponent(random));
    x.push_back(both && (random() & 1) != 0 ? -value : value);
  }
  return x;
}

using Reference = long double (*)(long double);

void gate(ElementOp op, Reference reference, const std::vector<double>& x, double limit) {
  const std::vector<double> y = evaluate_all(op, x);
  double worst = 0;
  double worst_x = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], reference(x[i]));
    if (!(error <= worst)) {
      worst = error;
      worst_x = x[i];
    }
  }
  EXPECT_LE(worst, limit) << "at " << std::hexfloat << worst_x;
}

const std::vector<Interval> decades = [] {
  std::vector<Interval> result;
  for (int k = -6; k < 3; ++k) result.push_back({std::pow(10.0, k), std::pow(10.0, k + 1)});
  return result;
}();

TEST(Math, ExpIsWithinAnUlp) {
  for (const Interval& decade : decades) {
    gate(ElementOp::exp, std::exp, magnitudes(decade, true), 0.62);
  }
  std::vector<double> edge;
  for (double x = -745.2; x < -707; x += 0.0037) edge.push_back(x);
  for (double x = 709; x < 710; x += 0.00037) edge.push_back(x);
  gate(ElementOp::exp, std::exp, edge, 1);
}

TEST(Math, LogIsWithinAnUlp) {
  for (const Interval& decade : decades) {
    gate(ElementOp::log, std::log, magnitudes(decade, false), 0.9);
  }
  gate(ElementOp::log, std::log, magnitudes({0x1p-1074, 0x1p1023}, false), 0.9);
  gate(ElementOp::log, std::log, magnitudes({0.5, 2}, false), 0.9);
  gate(ElementOp::log, std::log, magnitudes({0.999, 1.001}, false), 0.9);
}

TEST(Math, SineAndCosineAreWithinAnUlpForEveryAngle) {
  for (const auto& [op, reference] :
       {std::pair<ElementOp, Reference>{ElementOp::sin, std::sin}, {ElementOp::cos, std::cos}}) {
    for (const Interval& decade : decades) gate(op, reference, magnitudes(decade, true), 0.8);
    gate(op, reference, magnitudes({1e3, 0x1p32}, true), 0.8);
    gate(op, reference, magnitudes({0x1p32, 0x1p60}, true), 0.8);
    gate(op, reference, magnitudes({0x1p60, 0x1p1023}, true), 0.8);
    std::vector<double> near;  // multiples of pi/2, where all leading bits cancel
    for (int k = 1; k < 20000; ++k) {
      near.push_back(k * std::numbers::pi / 2);
      near.push_back(std::nextafter(near.back(), 0));
      near.push_back(std::ldexp(near[near.size() - 2], k % 900));
    }
    gate(op, reference, near, 0.8);
  }
}

TEST(Math, KnowsTheHardestAngle) {
  // Of all float64 the nearest to a multiple of pi/2 (J.-M. Muller, Elementary Functions, 11.2).
  const double hardest = 6381956970095103.0 * 0x1p797;
  EXPECT_NEAR(at(ElementOp::cos, hardest) / -4.687165924254624e-19, 1, 1e-15);
}

TEST(Math, TanhIsWithinAnUlp) {
  for (const Interval& decade : decades) {
    gate(ElementOp::tanh, std::tanh, magnitudes(decade, true), 0.8);
  }
  gate(ElementOp::tanh, std::tanh, magnitudes({0x1p-1074, 1e-6}, true), 0.8);
  gate(ElementOp::tanh, std::tanh, magnitudes({0.1, 3}, true), 0.8);
}

TEST(Math, PowerIsWithinAnUlp) {
  const std::vector<double> x = magnitudes({1e-3, 1e3}, false);
  for (const double exponent : {0.3333, 0.50001, 1.5, -1.5, 7.7, -33.3, 101.5}) {
    const std::vector<double> y =
        evaluate_all(ElementOp::power, x, std::vector<double>(x.size(), exponent));
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double reference =
          std::pow(static_cast<long double>(x[i]), static_cast<long double>(exponent));
      worst = std::max(worst, ulps(y[i], reference));
    }
    EXPECT_LE(worst, 1) << exponent;
  }
}

TEST(Math, SquareRootsAreExact) {
  const std::vector<double> x = magnitudes({0x1p-1074, 0x1p1023}, false);
  const std::vector<double> y = evaluate_all(ElementOp::sqrt, x);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], std::sqrt(x[i]));
}

/// Equal, both NaN, and zeros of the same sign.
void expect_same(double value, double expected, const std::string& what) {
  EXPECT_EQ(std::isnan(value), std::isnan(expected)) << what;
  if (std::isnan(expected)) return;
  EXPECT_EQ(value, expected) << what;
  EXPECT_EQ(std::signbit(value), std::signbit(expected)) << what;
}

TEST(Math, SpecialValuesAreThoseOfC) {
  const std::vector<double> special = {0.0,       -0.0, 1.0,       -1.0,       infinity,
                                       -infinity, nan,  0x1p-1074, -0x1p-1074, 1e-310};
  const std::vector<std::pair<ElementOp, double (*)(double)>> functions = {
      {ElementOp::exp, std::exp},
      {ElementOp::sin, std::sin},
      {ElementOp::cos, std::cos},
      {ElementOp::tanh, std::tanh},
      {ElementOp::sqrt, std::sqrt}};
  for (const auto& [op, reference] : functions) {
    for (const double x : special) {
      const double expected = reference(x);
      const double value = at(op, x);
      if (std::fabs(x) == 1 && !std::isnan(expected)) {
        EXPECT_LE(ulps(value, expected), 1) << x;
      } else {
        expect_same(value, expected, std::to_string(x));
      }
    }
  }
  expect_same(at(ElementOp::log, 0), -infinity, "log 0");
  expect_same(at(ElementOp::log, -0.0), -infinity, "log -0");
  expect_same(at(ElementOp::log, 1), 0, "log 1");
  expect_same(at(ElementOp::log, -1), nan, "log -1");
  expect_same(at(ElementOp::log, infinity), infinity, "log inf");
  expect_same(at(ElementOp::log, nan), nan, "log nan");
  expect_same(at(ElementOp::exp, 1e300), infinity, "exp of a large number");
  expect_same(at(ElementOp::exp, -1e300), 0, "exp of a large negative number");
  expect_same(at(ElementOp::tanh, 1e300), 1, "tanh of a large number");
}

TEST(Math, PowersOfSpecialValuesAreThoseOfC) {
  const std::vector<double> values = {
      0.0,      -0.0, 1.0,   -1.0,   0.5,    -0.5,    2.0,      -2.0,      3.0, -3.0,
      2.5,      -2.5, 1e300, -1e300, 0x1p53, -0x1p53, infinity, -infinity, nan, 9007199254740991.0,
      0x1p-1074};
  for (const double x : values) {
    for (const double y : values) {
      const double expected = std::pow(x, y);
      const double value = at(ElementOp::power, x, y);
      const std::string what = std::to_string(x) + " ^ " + std::to_string(y);
      if (std::isnan(expected) || std::isinf(expected) || expected == 0) {
        expect_same(value, expected, what);
      } else {
        EXPECT_LE(ulps(value, expected), 1) << what;
      }
    }
  }
}

/// Rounded to float32 from more bits; TESSERA_TEST_ALL_FLOATS=1 takes all 2^32.
void expect_correct_rounding(ElementOp op, Reference reference) {
  const bool all = std::getenv("TESSERA_TEST_ALL_FLOATS") != nullptr;
  const std::uint64_t step = all ? 1 : 40503;
  constexpr std::uint64_t end = std::uint64_t{1} << 32;
  constexpr std::size_t block = 1 << 16;
  std::vector<float> x;
  std::int64_t wrong = 0;
  for (std::uint64_t bits = 0; bits < end; bits += step) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (x.size() < block && bits + step < end) continue;
    const std::vector<float> y = evaluate_all(op, x);
    const std::vector<double> wide =
        evaluate_all(op, std::vector<double>(x.begin(), x.end()));  // within an ULP of float64
    for (std::size_t i = 0; i < x.size(); ++i) {
      // Only where the float64 values around lie beside a boundary can the rounding be in doubt.
      const auto below = static_cast<float>(wide[i] - std::fabs(wide[i]) * 0x1p-51);
      const auto above = static_cast<float>(wide[i] + std::fabs(wide[i]) * 0x1p-51);
      float expected = below;
      if (std::isnan(wide[i])) {
        expected = y[i];
        EXPECT_TRUE(std::isnan(y[i]));
        continue;
      }
      if (below != above) expected = static_cast<float>(reference(x[i]));
      if (y[i] != expected) ++wrong;
    }
    x.clear();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Math, Float32FunctionsAreCorrectlyRounded) {
  expect_correct_rounding(ElementOp::exp, std::exp);
  expect_correct_rounding(ElementOp::log, std::log);
  expect_correct_rounding(ElementOp::sin, std::sin);
  expect_correct_rounding(ElementOp::cos, std::cos);
  expect_correct_rounding(ElementOp::tanh, std::tanh);
}

}  // namespace
}  // namespace tessera::kernels
