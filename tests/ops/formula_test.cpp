// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/formula.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tessera::ops {
namespace {

using Complex = std::complex<double>;
using testing::HasSubstr;

device::Runtime& runtime() {
  static device::Runtime instance(2);
  return instance;
}

/// The formula's value for scalar inputs.
template <class Result, class... Values>
Result value(const std::string& text, const std::vector<std::string>& names, Values... values) {
  runtime();
  const kernels::Program program =
      compile_formula(parse_formula(text, names), {dtype_of<Values>...});
  EXPECT_EQ(program.output(), dtype_of<Result>) << text;
  Result result{};
  const std::vector<Tile> tiles = {dense_tile(&values, dtype_of<Values>, Box{}, {})...};
  std::int64_t nan = 0;
  kernels::evaluate({}, Recipe::bitexact, program, tiles,
                    dense_tile(&result, dtype_of<Result>, Box{}, {}), &nan);
  return result;
}

double of(const std::string& text, double x) { return value<double>(text, {"x"}, x); }

TEST(Formula, FollowsPythonsPrecedence) {
  EXPECT_EQ(of("1 + 2 * x", 3), 7);
  EXPECT_EQ(of("(1 + 2) * x", 3), 9);
  EXPECT_EQ(of("-x^2", 3), -9);
  EXPECT_EQ(of("2^-x", 1), 0.5);
  EXPECT_EQ(of("2^x^2", 3), 512);
  EXPECT_EQ(of("10 - x - 3", 2), 5);
  EXPECT_EQ(of("24 / x / 2", 3), 4);
  EXPECT_EQ(of("--x", 3), 3);
  EXPECT_EQ(of("x - -1", 3), 4);
  EXPECT_EQ(of("+x", 3), 3);
}

TEST(Formula, ComparesAndChooses) {
  EXPECT_EQ(value<std::uint8_t>("x > 0 && x < 2 || x == 7", {"x"}, 7.0), 1);
  EXPECT_EQ(value<std::uint8_t>("!(x >= 1)", {"x"}, 1.0), 0);
  EXPECT_EQ(value<std::uint8_t>("!x + 1 == 1", {"x"}, 5.0), 1);
  EXPECT_EQ(value<std::uint8_t>("x != x", {"x"}, std::nan("")), 1);
  EXPECT_EQ(of("where(x > 0, x, -1)", -5), -1);
  EXPECT_EQ(of("where(x, 1.5, 2)", 0), 2);
  EXPECT_EQ(of("min(x, 3, 1)", 2), 1);
  EXPECT_EQ(of("max(x, 0)", -2), 0);
  EXPECT_TRUE(std::isnan(of("max(x, 0)", std::nan(""))));
}

TEST(Formula, ReadsNumbers) {
  EXPECT_EQ(of("x * 5e-324", 1), 5e-324);
  EXPECT_EQ(of(".5 + x", 1), 1.5);
  EXPECT_EQ(of("1. + x", 1), 2);
  EXPECT_EQ(of("1e3 + x", 1), 1001);
  EXPECT_EQ(of("1E+3*x", 1), 1000);
  EXPECT_EQ(of("2 * pi * x", 1), 2 * M_PI);
  EXPECT_EQ(of("x + inf", 1), HUGE_VAL);
  EXPECT_EQ(of("x / 9223372036854775808", 0x1p63), 1);
}

TEST(Formula, NamesInputs) {
  EXPECT_EQ(value<double>("(a - mean) / std", {"a", "mean", "std"}, 5.0, 1.0, 2.0), 2);
  EXPECT_EQ(value<double>("x + U", {"U"}, 5.0), 10);
  EXPECT_EQ(value<double>("lu.pivots + 1", {"lu.pivots"}, 5.0), 6);
  EXPECT_EQ(value<double>("größe * 2", {"größe"}, 5.0), 10);
  EXPECT_EQ(value<double>("e + pi", {"e", "pi"}, 1.0, 2.0), 3);  // a name hides a constant
}

TEST(Formula, PromotesAsNumpy) {
  EXPECT_EQ(value<std::int32_t>("x * 3 - 1", {"x"}, std::int32_t{5}), 14);
  EXPECT_EQ(value<double>("x / 2", {"x"}, std::int32_t{5}), 2.5);
  EXPECT_EQ(value<double>("x * 0.5", {"x"}, std::int64_t{5}), 2.5);
  EXPECT_EQ(value<float>("x * 0.1", {"x"}, 1.0F), 0.1F);
  EXPECT_EQ(value<float>("x + 1", {"x"}, 1.0F), 2.0F);
  EXPECT_EQ(value<double>("a + b", {"a", "b"}, 1.0F, std::int32_t{2}), 3);
  EXPECT_EQ(value<float>("a + b", {"a", "b"}, 1.0F, std::uint8_t{2}), 3);
  EXPECT_EQ(value<std::uint8_t>("x + 1", {"x"}, std::uint8_t{255}), 0);  // wraps
  EXPECT_EQ(value<std::int32_t>("x + 256", {"x"}, std::uint8_t{255}), 511);
  EXPECT_EQ(value<std::int32_t>("x - (-1)", {"x"}, std::uint8_t{255}), 256);
  EXPECT_EQ(value<std::int64_t>("x * 3000000000", {"x"}, std::int32_t{2}), 6000000000);
  EXPECT_EQ(value<double>("x * 1e300", {"x"}, 1.0F), 1e300);
  EXPECT_EQ(value<std::int32_t>("x^3", {"x"}, std::int32_t{-5}), -125);
  EXPECT_EQ(value<double>("x^2.0", {"x"}, std::int32_t{-5}), 25);
  EXPECT_EQ(value<std::int64_t>("where(x > 0, 1, 0)", {"x"}, 5.0), 1);
}

TEST(Formula, ComputesWithComplexNumbers) {
  const Complex z(3, -4);
  EXPECT_EQ(value<double>("abs(x)", {"x"}, z), 5);
  EXPECT_EQ(value<double>("abs(U)^2", {"U"}, z), 25);
  EXPECT_EQ(value<double>("real(x) - imag(x)", {"x"}, z), 7);
  EXPECT_EQ(value<Complex>("conj(x) * 2", {"x"}, z), Complex(6, 8));
  EXPECT_EQ(value<Complex>("a + i * b", {"a", "b"}, 1.0, 2.0), Complex(1, 2));
  EXPECT_EQ(value<std::complex<float>>("a + i * b", {"a", "b"}, 1.0F, 2.0F),
            std::complex<float>(1, 2));
  EXPECT_EQ(value<Complex>("x^2", {"x"}, z), Complex(-7, -24));
  EXPECT_EQ(value<Complex>("x / 2", {"x"}, z), Complex(1.5, -2));
  EXPECT_EQ(value<std::uint8_t>("x == 3 - 4 * i", {"x"}, z), 1);
  EXPECT_EQ(value<double>("imag(x)", {"x"}, 3.0), 0);
}

TEST(Formula, CallsFunctions) {
  EXPECT_EQ(of("exp(x)", 0), 1);
  EXPECT_EQ(of("log(x)", 1), 0);
  EXPECT_EQ(of("sin(x) + cos(x) + tanh(x)", 0), 1);
  EXPECT_EQ(of("sqrt(x)", 9), 3);
  EXPECT_EQ(of("x^0.5", 9), 3);
  EXPECT_EQ(of("x^1.5", 9), 27);
  EXPECT_EQ(of("x^-2", 4), 0.0625);
  EXPECT_EQ(of("x^-1", 4), 0.25);
  EXPECT_EQ(of("x^10", 2), 1024);
  EXPECT_EQ(of("x^0", std::nan("")), 1);
  EXPECT_EQ(of("floor(x) + ceil(x) + round(x)", 2.5), 7);
  EXPECT_EQ(of("sign(x)", -3), -1);
  EXPECT_EQ(of("fma(x, 2, 1)", 3), 7);
  EXPECT_EQ(value<double>("sqrt(x)", {"x"}, std::int32_t{16}), 4);
  EXPECT_EQ(value<float>("exp(x)", {"x"}, 0.0F), 1);
  EXPECT_EQ(value<std::uint8_t>("isnan(x) || !isfinite(x)", {"x"}, HUGE_VAL), 1);
  EXPECT_EQ(value<std::int32_t>("int32(x)", {"x"}, -2.7), -2);
  EXPECT_EQ(value<std::uint8_t>("uint8(x)", {"x"}, 300.0), 255);
}

TEST(Formula, FoldsNumbers) {
  const kernels::Program program =
      compile_formula(parse_formula("x * (2 * pi / 3 + 1)", {"x"}), {DType::float32});
  EXPECT_EQ(program.code.size(), 1U);
  EXPECT_EQ(program.constants.size(), 1U);
  EXPECT_EQ(program.constants[0].type, DType::float32);
}

TEST(Formula, UsesEveryRegisterButNoMore) {
  std::string text = "x";
  for (int k = 0; k < 15; ++k) text = "((x + 1) * " + text + ")";
  EXPECT_EQ(of(text, 1), 32768);
}

std::string error_of(const std::string& text, const std::vector<std::string>& names = {"x"},
                     const std::vector<DType>& types = {DType::float64}) {
  try {
    compile_formula(parse_formula(text, names), types);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::graph) << text;
    return error.text();
  }
  return "no error";
}

TEST(Formula, SaysWhereItIsWrong) {
  EXPECT_THAT(error_of("1 + "), HasSubstr("character 5"));
  EXPECT_THAT(error_of("1 + "), HasSubstr("a number, a name"));
  EXPECT_THAT(error_of("x x"), HasSubstr("character 3"));
  EXPECT_THAT(error_of("(x"), HasSubstr("\")\""));
  EXPECT_THAT(error_of("x)"), HasSubstr("character 2"));
  EXPECT_THAT(error_of("x + y"), HasSubstr("unknown name"));
  EXPECT_THAT(error_of("é + y", {"é"}), HasSubstr("character 5"));
  EXPECT_THAT(error_of("sine(x)"), HasSubstr("unknown function"));
  EXPECT_THAT(error_of("x + abs"), HasSubstr("without its arguments"));
  EXPECT_THAT(error_of("where(x, 1)"), HasSubstr("expected 3, found 2"));
  EXPECT_THAT(error_of("x ** 2"), HasSubstr("write ^"));
  EXPECT_THAT(error_of("x & 2"), HasSubstr("write &&"));
  EXPECT_THAT(error_of("x = 2"), HasSubstr("write =="));
  EXPECT_THAT(error_of("0 < x < 2"), HasSubstr("chained"));
  EXPECT_THAT(error_of("x * 1e400"), HasSubstr("can't hold"));
  EXPECT_THAT(error_of("2x"), HasSubstr("character 2"));
  EXPECT_THAT(error_of(""), HasSubstr("the end"));
  EXPECT_THAT(error_of("$x"), HasSubstr("unknown operator"));
  EXPECT_THAT(error_of("a", {"a", "b"}, {DType::float64, DType::float64}),
              HasSubstr("doesn't use the input \"b\""));
}

TEST(Formula, RefusesTypes) {
  EXPECT_THAT(error_of("x < 1", {"x"}, {DType::complex64}), HasSubstr("complex64"));
  EXPECT_THAT(error_of("max(x, 1)", {"x"}, {DType::complex64}), HasSubstr("character 1"));
  EXPECT_THAT(error_of("float32(x)", {"x"}, {DType::complex64}), HasSubstr("use real()"));
  EXPECT_THAT(error_of("x^-1", {"x"}, {DType::int32}), HasSubstr("write 1 / x^n"));
  EXPECT_THAT(error_of("x^0.5", {"x"}, {DType::complex64}), HasSubstr("integer exponent"));
}

TEST(Formula, HasLimits) {
  EXPECT_THAT(error_of(std::string(100, '(') + "x" + std::string(100, ')')),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(std::string(100, '-') + "x"), HasSubstr("nested too deeply"));
  std::string powers = "x";
  for (int k = 0; k < 100; ++k) powers += "^x";
  EXPECT_THAT(error_of(powers), HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(std::string(5000, ' ') + "x"), HasSubstr("too long"));
  std::string sum = "x";
  for (int k = 0; k < 1000; ++k) sum += "+x";
  EXPECT_THAT(error_of(sum), HasSubstr("too many operations"));
  std::string numbers = "x";
  for (int k = 0; k < 100; ++k) numbers += "*x+" + std::to_string(k) + ".5";
  EXPECT_THAT(error_of(numbers), HasSubstr("too many"));
}

}  // namespace
}  // namespace tessera::ops
