// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "elementwise_device.hpp"
#include "ops/formula.hpp"

// The evaluation of programs: blocks, broadcasts, memory in place, recipes, and the agreement of
// the vector loops with the element by element evaluation that GPUs use.
namespace tessera::kernels {
namespace {

device::Runtime& runtime() {
  static device::Runtime instance(2);
  return instance;
}

constexpr double special[] = {0.0,     -0.0,   1.0,      -1.0,      2.5,   -2.5,  1e308, -1e308,
                              5e-324,  1e-310, 1e20,     -1e20,     255.5, -0.5,  3.0,   0x1p31,
                              -0x1p31, 0x1p63, HUGE_VAL, -HUGE_VAL, 1e160, 1e-160};

/// A tensor with its own memory, of values that meet every special case.
struct Tensor {
  DType dtype;
  Shape shape;
  std::vector<std::byte> bytes;

  Tensor(DType type, Shape extents, unsigned seed = 1) : dtype(type), shape(extents) {
    bytes.resize(static_cast<std::size_t>(element_count(shape) * size_of(dtype)));
    std::mt19937_64 random(seed);
    visit(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      auto* x = reinterpret_cast<T*>(bytes.data());
      const std::int64_t n = element_count(shape);
      for (std::int64_t i = 0; i < n; ++i) {
        if constexpr (std::is_integral_v<T>) {
          x[i] = static_cast<T>(random() >> (random() % 64));
        } else if constexpr (std::is_floating_point_v<T>) {
          x[i] = static_cast<T>(real(random));
        } else {
          using Part = typename T::value_type;
          x[i] = T(static_cast<Part>(real(random)), static_cast<Part>(real(random)));
        }
      }
    });
  }

  static double real(std::mt19937_64& random) {
    const std::uint64_t choice = random();
    if (choice % 3 == 0) return special[random() % std::size(special)];
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    return choice % 3 == 1 ? unit * 40 : std::ldexp(unit, static_cast<int>(random() % 600) - 300);
  }

  Tile tile() { return dense_tile(bytes.data(), dtype, Box::whole(shape), shape); }
  template <class T>
  T* data() {
    return reinterpret_cast<T*>(bytes.data());
  }
};

struct Evaluation {
  Program program;
  std::vector<Tile> inputs;
  Tensor output;
  std::int64_t first_nan = 0;
};

Evaluation prepare(const std::string& formula, std::vector<Tensor>& inputs, const Shape& shape) {
  runtime();
  std::vector<std::string> names;
  std::vector<DType> types;
  std::vector<Tile> tiles;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    names.push_back(std::string(1, static_cast<char>('a' + k)));
    types.push_back(inputs[k].dtype);
    tiles.push_back(inputs[k].tile());
  }
  Program program = ops::compile_formula(ops::parse_formula(formula, names), types);
  Tensor output(program.output(), shape);
  std::fill(output.bytes.begin(), output.bytes.end(), std::byte{0xcd});
  return {std::move(program), std::move(tiles), std::move(output)};
}

Tensor evaluated(const std::string& formula, std::vector<Tensor> inputs, const Shape& shape,
                 Recipe recipe = Recipe::ordered) {
  Evaluation run = prepare(formula, inputs, shape);
  evaluate({}, recipe, run.program, run.inputs, run.output.tile(), &run.first_nan);
  return run.output;
}

Tensor evaluated_by_element(const std::string& formula, std::vector<Tensor> inputs,
                            const Shape& shape, Recipe recipe = Recipe::ordered) {
  Evaluation run = prepare(formula, inputs, shape);
  std::vector<InputView> views;
  for (const Tile& input : run.inputs) views.push_back(make_view(input, shape));
  evaluate_by_element({}, recipe, run.program, views, run.output.tile(), &run.first_nan);
  return run.output;
}

const std::vector<std::string> real_formulas = {"a + b",
                                                "a - b",
                                                "a * b",
                                                "a / b",
                                                "-a",
                                                "fma(a, b, a)",
                                                "a^2",
                                                "a^7",
                                                "a^b",
                                                "abs(a)",
                                                "a == b",
                                                "a != b",
                                                "a < b",
                                                "a <= b",
                                                "a > b || !(b >= a)",
                                                "a && b",
                                                "isnan(a)",
                                                "isfinite(a)",
                                                "where(a, a, b)",
                                                "min(a, b)",
                                                "max(a, b)",
                                                "sign(a)",
                                                "floor(a)",
                                                "ceil(a)",
                                                "round(a)",
                                                "exp(a)",
                                                "log(a)",
                                                "sqrt(a)",
                                                "sin(a)",
                                                "cos(a)",
                                                "tanh(a)",
                                                "float32(a)",
                                                "float64(a)",
                                                "complex64(a)",
                                                "complex128(a) * i",
                                                "uint8(a)",
                                                "int32(a)",
                                                "int64(a)"};
const std::vector<std::string> complex_formulas = {
    "a + b",          "a - b",    "a * b",        "a / b",          "-a",
    "fma(2.5, a, b)", "a^2",      "a^7",          "abs(a)",         "abs(a)^2",
    "real(a)",        "imag(a)",  "conj(a)",      "a == b",         "a * 2.5",
    "a / 2.5",        "isnan(a)", "complex64(a)", "where(a, a, b)", "complex128(a)"};

const std::vector<std::string>& formulas_for(DType dtype) {
  return is_complex(dtype) ? complex_formulas : real_formulas;
}

bool uses_b(const std::string& formula) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (std::size_t i = 0; i < formula.size(); ++i) {
    if (formula[i] != 'b') continue;
    const bool before = i > 0 && is_letter(formula[i - 1]);
    const bool after = i + 1 < formula.size() && is_letter(formula[i + 1]);
    if (!before && !after) return true;
  }
  return false;
}

TEST(Elementwise, VectorLoopsAndElementsGiveTheSameBits) {
  constexpr std::int64_t n = 4099;
  for (const DType dtype : all_dtypes) {
    for (const std::string& formula : formulas_for(dtype)) {
      std::vector<Tensor> inputs = {Tensor(dtype, {n}, 1)};
      if (uses_b(formula)) inputs.emplace_back(dtype, Shape{n}, 2);
      const Tensor loops = evaluated(formula, inputs, {n}, Recipe::bitexact);
      const Tensor elements = evaluated_by_element(formula, inputs, {n}, Recipe::bitexact);
      EXPECT_EQ(loops.dtype, elements.dtype);
      EXPECT_TRUE(loops.bytes == elements.bytes) << formula << " of " << name_of(dtype);
    }
  }
}

TEST(Elementwise, LengthDoesNotMatter) {
  for (const std::int64_t n : {0, 1, 2, 63, 64, 65, 1023, 1025, 8191, 8193, 70001}) {
    std::vector<Tensor> inputs = {Tensor(DType::float64, {n}, 1), Tensor(DType::float32, {n}, 2)};
    Tensor out = evaluated("a * b + 1", inputs, {n});
    for (std::int64_t i = 0; i < n; ++i) {
      const double expected =
          inputs[0].data<double>()[i] * static_cast<double>(inputs[1].data<float>()[i]) + 1;
      const double value = out.data<double>()[i];
      ASSERT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected)))
          << n << " " << i;
    }
  }
}

/// The flat index of an element of a tensor that is broadcast to `output`.
std::int64_t broadcast_index(std::int64_t flat, const Shape& output, const Shape& shape) {
  std::int64_t index = 0;
  std::int64_t stride = 1;
  for (int axis = output.size() - 1; axis >= 0; --axis) {
    const std::int64_t position = flat % output[axis];
    flat /= output[axis];
    const int own = axis - (output.size() - shape.size());
    if (own < 0) continue;
    if (shape[own] != 1) index += position * stride;
    stride *= shape[own];
  }
  return index;
}

void check_broadcast(const Shape& a, const Shape& b, const Shape& output) {
  std::vector<Tensor> inputs = {Tensor(DType::int64, a, 1), Tensor(DType::uint8, b, 2)};
  Tensor out = evaluated("a - b", inputs, output);
  const Tensor elements = evaluated_by_element("a - b", inputs, output);
  EXPECT_TRUE(out.bytes == elements.bytes);
  for (std::int64_t i = 0; i < element_count(output); ++i) {
    const std::int64_t expected = inputs[0].data<std::int64_t>()[broadcast_index(i, output, a)] -
                                  inputs[1].data<std::uint8_t>()[broadcast_index(i, output, b)];
    ASSERT_EQ(out.data<std::int64_t>()[i], expected) << to_string(a) << to_string(b) << i;
  }
}

TEST(Elementwise, BroadcastsAsNumpy) {
  check_broadcast({}, {}, {});
  check_broadcast({7}, {}, {7});
  check_broadcast({}, {7}, {7});
  check_broadcast({1}, {7}, {7});
  check_broadcast({100, 33}, {33}, {100, 33});
  check_broadcast({100, 33}, {100, 1}, {100, 33});
  check_broadcast({100, 1}, {33}, {100, 33});
  check_broadcast({5, 7, 11}, {7, 1}, {5, 7, 11});
  check_broadcast({5, 7, 11}, {5, 1, 11}, {5, 7, 11});
  check_broadcast({5, 1, 11}, {1, 7, 1}, {5, 7, 11});
  check_broadcast({3, 5, 7, 11}, {5, 1, 11}, {3, 5, 7, 11});
  check_broadcast({3, 1, 7, 1}, {1, 5, 1, 11}, {3, 5, 7, 11});
  check_broadcast({1, 1, 1, 1}, {3, 5, 7, 300}, {3, 5, 7, 300});
  check_broadcast({0, 5}, {5}, {0, 5});
  check_broadcast({0, 1}, {1, 5}, {0, 5});
}

TEST(Elementwise, ReadsStridedTiles) {
  Tensor matrix(DType::float64, {50, 40});
  Tile part = matrix.tile().sub({{5, 7}, {30, 20}});
  runtime();
  const Program program = ops::compile_formula(ops::parse_formula("x + 0", {"x"}), {part.dtype});
  Tensor out(DType::float64, {30, 20});
  evaluate({}, Recipe::ordered, program, {part}, out.tile(), nullptr);
  for (int i = 0; i < 30; ++i) {
    for (int j = 0; j < 20; ++j) {
      EXPECT_EQ(out.data<double>()[i * 20 + j], matrix.data<double>()[(i + 5) * 40 + j + 7]);
    }
  }
}

TEST(Elementwise, WritesInPlace) {
  constexpr std::int64_t n = 20001;
  for (const Recipe recipe : {Recipe::ordered, Recipe::bitexact}) {
    for (const std::string formula :
         {"a + b", "a / b", "sin(a) * b", "a^7 + b", "min(a, b) / (a + 1)"}) {
      for (const DType dtype : {DType::float32, DType::float64}) {
        std::vector<Tensor> inputs = {Tensor(dtype, {n}, 1), Tensor(dtype, {n}, 2)};
        const Tensor apart = evaluated(formula, inputs, {n}, recipe);
        Evaluation run = prepare(formula, inputs, {n});
        evaluate({}, recipe, run.program, run.inputs, run.inputs[0], nullptr);
        EXPECT_TRUE(inputs[0].bytes == apart.bytes) << formula << " " << name_of(dtype);
      }
    }
  }
}

TEST(Elementwise, DividesComplexNumbersInPlace) {
  constexpr std::int64_t n = 1001;
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    std::vector<Tensor> inputs = {Tensor(dtype, {n}, 1), Tensor(dtype, {n}, 2)};
    const Tensor apart = evaluated("a / b", inputs, {n}, Recipe::bitexact);
    Evaluation run = prepare("a / b", inputs, {n});
    evaluate({}, Recipe::bitexact, run.program, run.inputs, run.inputs[1], nullptr);
    EXPECT_TRUE(inputs[1].bytes == apart.bytes);
  }
}

TEST(Elementwise, LargeOutputsAreTheSame) {
  // Larger than any cache: the stores go past them, from a start that isn't aligned too.
  constexpr std::int64_t n = (std::int64_t{10} << 20) + 3;
  std::vector<Tensor> inputs = {Tensor(DType::float64, {n + 1})};
  Tensor out(DType::float64, {n + 1});
  runtime();
  const Program program =
      ops::compile_formula(ops::parse_formula("2 * x", {"x"}), {DType::float64});
  for (const std::int64_t shift : {0, 1}) {
    const Box box{{shift}, {n}};
    evaluate({}, Recipe::bitexact, program, {inputs[0].tile().sub(box)}, out.tile().sub(box),
             nullptr);
    std::int64_t wrong = 0;
    for (std::int64_t i = shift; i < n + shift; ++i) {
      wrong += out.data<double>()[i] == 2 * inputs[0].data<double>()[i] ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Elementwise, NansAreCanonicalWhereBitsAreExact) {
  Tensor x(DType::float64, {3});
  x.data<double>()[0] = std::bit_cast<double>(0xfff8000000000123);
  x.data<double>()[1] = -HUGE_VAL;
  x.data<double>()[2] = std::bit_cast<double>(0x7ff0000000000001);  // signalling
  const Tensor doubles = evaluated("a - a", {x}, {3}, Recipe::bitexact);
  for (int i = 0; i < 3; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, doubles.bytes.data() + 8 * i, 8);
    EXPECT_EQ(bits, 0x7ff8000000000000);
  }
  const Tensor floats = evaluated("float32(a) * 0", {x}, {3}, Recipe::bitexact);
  std::uint32_t bits = 0;
  std::memcpy(&bits, floats.bytes.data(), 4);
  EXPECT_EQ(bits, 0x7fc00000U);
}

TEST(Elementwise, MinAndMaxOrderZerosAndPassNans) {
  Tensor a(DType::float64, {4});
  Tensor b(DType::float64, {4});
  const double nan = std::nan("");
  std::copy_n(std::vector<double>{0.0, -0.0, nan, 1}.data(), 4, a.data<double>());
  std::copy_n(std::vector<double>{-0.0, 0.0, 1, nan}.data(), 4, b.data<double>());
  Tensor least = evaluated("min(a, b)", {a, b}, {4});
  Tensor most = evaluated("max(a, b)", {a, b}, {4});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(std::signbit(least.data<double>()[i]));
    EXPECT_FALSE(std::signbit(most.data<double>()[i]));
  }
  for (int i = 2; i < 4; ++i) {
    EXPECT_TRUE(std::isnan(least.data<double>()[i]));
    EXPECT_TRUE(std::isnan(most.data<double>()[i]));
  }
}

TEST(Elementwise, SaturatesAndReportsTheFirstNan) {
  constexpr std::int64_t n = 30000;
  std::vector<Tensor> inputs = {Tensor(DType::float64, {n})};
  for (std::int64_t i = 0; i < n; ++i) inputs[0].data<double>()[i] = static_cast<double>(i) * 1e6;
  Evaluation clean = prepare("int32(a)", inputs, {n});
  evaluate({}, Recipe::ordered, clean.program, clean.inputs, clean.output.tile(), &clean.first_nan);
  EXPECT_EQ(clean.first_nan, no_nan);
  EXPECT_EQ(clean.output.data<std::int32_t>()[2147], 2147000000);
  EXPECT_EQ(clean.output.data<std::int32_t>()[2148], std::numeric_limits<std::int32_t>::max());
  for (const std::int64_t i : {29999, 12345, 20000}) inputs[0].data<double>()[i] = std::nan("");
  Evaluation broken = prepare("int32(a)", inputs, {n});
  evaluate({}, Recipe::ordered, broken.program, broken.inputs, broken.output.tile(),
           &broken.first_nan);
  EXPECT_EQ(broken.first_nan, 12345);
}

std::complex<double> quotient(std::complex<double> a, std::complex<double> b) {
  Tensor x(DType::complex128, {});
  Tensor y(DType::complex128, {});
  *x.data<std::complex<double>>() = a;
  *y.data<std::complex<double>>() = b;
  return *evaluated("a / b", {x, y}, {}).data<std::complex<double>>();
}

TEST(Elementwise, ComplexDivisionNeitherOverflowsNorUnderflows) {
  using C = std::complex<double>;
  EXPECT_EQ(quotient({1, 2}, {1, 2}), C(1, 0));
  // A fused product leaves its rounding error: z / z has a tiny imaginary part.
  EXPECT_LE(std::abs(quotient({1e308, 1e308}, {1e308, 1e308}) - C(1, 0)), 1e-16);
  EXPECT_EQ(quotient({0x1p-1074, 0}, {0x1p-1074, 0}), C(1, 0));
  EXPECT_EQ(quotient({0x1p1023, 0x1p1023}, {2, 0}), C(0x1p1022, 0x1p1022));
  EXPECT_EQ(quotient({0x1p-1022, 0}, {0x1p1000, 0}), C(0, 0));
  EXPECT_EQ(quotient({4e307, 4e307}, {0.25, 0.25}), C(1.6e308, 0));
  EXPECT_EQ(quotient({1, 1}, {HUGE_VAL, 0}), C(0, 0));
  EXPECT_EQ(quotient({1, 0}, {0, 0}).real(), HUGE_VAL);
  EXPECT_TRUE(std::isnan(quotient({0, 0}, {0, 0}).real()));
  EXPECT_EQ(quotient({HUGE_VAL, 0}, {2, 0}).real(), HUGE_VAL);
}

TEST(Elementwise, MagnitudesNeitherOverflowNorUnderflow) {
  Tensor z(DType::complex128, {6});
  auto* x = z.data<std::complex<double>>();
  const double nan = std::nan("");
  const std::complex<double> values[] = {{3e300, 4e300}, {3e-320, 4e-320}, {nan, -HUGE_VAL},
                                         {0, -0.0},      {-1e308, 0},      {nan, 1}};
  std::copy_n(values, 6, x);
  Tensor out = evaluated("abs(a)", {z}, {6});
  const double* y = out.data<double>();
  EXPECT_DOUBLE_EQ(y[0], 5e300);
  EXPECT_NEAR(y[1], 5e-320, 0x1p-1073);
  EXPECT_EQ(y[2], HUGE_VAL);
  EXPECT_EQ(y[3], 0);
  EXPECT_EQ(y[4], 1e308);
  EXPECT_TRUE(std::isnan(y[5]));
}

TEST(Elementwise, IntegerPowersAreNearlyExact) {
  constexpr std::int64_t n = 5000;
  for (const int exponent : {3, 4, 5, 7, 13, 31, 64}) {
    std::vector<Tensor> inputs = {Tensor(DType::float64, {n}), Tensor(DType::float32, {n})};
    std::mt19937_64 random(3);
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = 0.01 + static_cast<double>(random() >> 11) * 0x1p-50;
      inputs[0].data<double>()[i] = x;
      inputs[1].data<float>()[i] = static_cast<float>(x);
    }
    const std::string power = "a^" + std::to_string(exponent);
    Tensor wide = evaluated(power, {inputs[0]}, {n});
    Tensor narrow = evaluated(power, {inputs[1]}, {n});
    for (std::int64_t i = 0; i < n; ++i) {
      const long double exact =
          std::pow(static_cast<long double>(inputs[0].data<double>()[i]), exponent);
      const double unit = std::ldexp(1.0, std::ilogb(static_cast<double>(exact)) - 52);
      ASSERT_LE(std::fabs(static_cast<long double>(wide.data<double>()[i]) - exact), 0.51 * unit);
      const long double single =
          std::pow(static_cast<long double>(inputs[1].data<float>()[i]), exponent);
      ASSERT_EQ(narrow.data<float>()[i], static_cast<float>(single));
    }
  }
}

TEST(Elementwise, SubnormalsSurvive) {
  Tensor x(DType::float64, {4});
  for (int i = 0; i < 4; ++i) x.data<double>()[i] = 0x1p-1074;
  Tensor doubled = evaluated("a * 2", {x}, {4});
  Tensor tiny = evaluated("a / a * 5e-324", {x}, {4});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(doubled.data<double>()[i], 0x1p-1073);
    EXPECT_EQ(tiny.data<double>()[i], 0x1p-1074);
  }
}

}  // namespace
}  // namespace tessera::kernels
