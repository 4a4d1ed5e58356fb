// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "matmul.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace tessera::kernels {
namespace {

const device::Stream host;

device::Runtime& runtime() {
  static device::Runtime instance(2);
  return instance;
}

// The definition, one element at a time.
template <class R>
R canonical(R x) {
  if constexpr (std::is_floating_point_v<R>) {
    return x == x ? x : std::numeric_limits<R>::quiet_NaN();
  }
  return x;
}
double chain(double a, double b, double sum) { return std::fma(a, b, sum); }
float chain(float a, float b, float sum) { return std::fma(a, b, sum); }
std::int32_t chain(std::int32_t a, std::int32_t b, std::int32_t sum) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b) +
                                   static_cast<std::uint32_t>(sum));
}
std::int64_t chain(std::int64_t a, std::int64_t b, std::int64_t sum) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) +
                                   static_cast<std::uint64_t>(sum));
}
template <class R>
std::complex<R> chain(std::complex<R> a, std::complex<R> b, std::complex<R> sum) {
  R re = std::fma(a.real(), b.real(), sum.real());
  re = std::fma(-a.imag(), b.imag(), re);
  R im = std::fma(a.real(), b.imag(), sum.imag());
  im = std::fma(a.imag(), b.real(), im);
  return {re, im};
}
template <class R>
std::complex<R> canonical(std::complex<R> x) {
  return {canonical(x.real()), canonical(x.imag())};
}
template <class T>
T conjugate(T x) {
  return x;
}
template <class R>
std::complex<R> conjugate(std::complex<R> x) {
  return std::conj(x);
}

template <class T>
void fill(std::vector<T>& values, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(random());
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(real(random));
    } else {
      using R = typename T::value_type;
      value = {static_cast<R>(real(random)), static_cast<R>(real(random))};
    }
  }
}

/// Bits, except that all NaN were made one.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
class Matmul : public testing::Test {
 public:
  /// One product, and its definition.
  struct Case {
    std::int64_t m, n, k;
    std::vector<T> a, b, c;
    MatmulForm form;
    Tile tile_a, tile_b, tile_c;

    Case(std::int64_t m_, std::int64_t n_, std::int64_t k_, MatmulForm form_ = {})
        : m(m_), n(n_), k(k_), a(m * k), b(k * n), c(m * n), form(form_) {
      runtime();
      fill(a, 1);
      fill(b, 2);
      fill(c, 3);
      tile_a = tile(a, form.transpose_a ? Shape{k, m} : Shape{m, k});
      tile_b = tile(b, form.transpose_b ? Shape{n, k} : Shape{k, n});
      tile_c = tile(c, {m, n});
    }
    static Tile tile(std::vector<T>& data, const Shape& shape) {
      return dense_tile(data.data(), dtype_of<T>, Box::whole(shape), shape);
    }
    std::vector<T> definition() const {
      std::vector<T> result(m * n);
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          T sum = form.onto_c ? c[i * n + j] : T{};
          for (std::int64_t kk = 0; kk < k; ++kk) {
            T x = a[form.transpose_a ? kk * m + i : i * k + kk];
            T y = b[form.transpose_b ? j * k + kk : kk * n + j];
            if (form.conjugate_a) x = conjugate(x);
            if (form.conjugate_b) y = conjugate(y);
            if (form.negate_a) x = T{} - x;
            sum = chain(x, y, sum);
          }
          result[i * n + j] = canonical(sum);
        }
      }
      return result;
    }
    void run() {
      const std::int64_t bytes =
          matmul_scratch_bytes(device::Backend::host, dtype_of<T>, {m, n}, k, runtime().threads());
      device::Memory scratch(device::Space::host, bytes);
      matmul(host, tile_a, tile_b, tile_c, form, scratch.data());
    }
  };

  static void check(std::int64_t m, std::int64_t n, std::int64_t k, MatmulForm form = {}) {
    Case one(m, n, k, form);
    const std::vector<T> expected = one.definition();
    one.run();
    EXPECT_TRUE(same(one.c, expected))
        << name_of(dtype_of<T>) << " " << m << " x " << n << " x " << k << " transpose "
        << form.transpose_a << form.transpose_b << " conjugate " << form.conjugate_a
        << form.conjugate_b << " negate " << form.negate_a << " onto " << form.onto_c;
  }
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>, std::int32_t,
                             std::int64_t>;
TYPED_TEST_SUITE(Matmul, Types);

TYPED_TEST(Matmul, IsTheChainOfTheDefinitionForEveryShape) {
  const std::int64_t sizes[] = {1, 2, 3, 7, 8, 9, 17, 31, 48, 53};
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t k : {1, 2, 5, 16, 37}) this->check(m, n, k);
    }
  }
}

TYPED_TEST(Matmul, CrossesTheBlocksOfTheCaches) {
  this->check(140, 60, 1031);
  this->check(5, 2200, 130);
  this->check(2200, 3, 130);
  this->check(1, 500, 600);
  this->check(500, 1, 600);
  this->check(129, 50, 513, {.onto_c = true});
}

TYPED_TEST(Matmul, ReadsTransposedAndConjugatedOperands) {
  for (int flags = 0; flags < 64; ++flags) {
    MatmulForm form{(flags & 1) != 0, (flags & 2) != 0,  (flags & 4) != 0,
                    (flags & 8) != 0, (flags & 16) != 0, (flags & 32) != 0};
    this->check(19, 45, 23, form);
    this->check(45, 2, 9, form);
    this->check(45, 1, 9, form);
  }
}

TYPED_TEST(Matmul, GivesZerosForAnEmptyChainAndNothingForAnEmptyProduct) {
  this->check(3, 4, 0);
  this->check(3, 4, 0, {.onto_c = true});
  this->check(0, 4, 5);
  this->check(3, 0, 5);
  this->check(0, 0, 0);
}

TYPED_TEST(Matmul, NeverReadsWhatTheProductReplaces) {
  if constexpr (!std::is_integral_v<TypeParam>) {
    typename TestFixture::Case one(13, 29, 7);
    std::memset(static_cast<void*>(one.c.data()), 0xFF, one.c.size() * sizeof(TypeParam));  // NaN
    const auto expected = one.definition();
    one.run();
    EXPECT_TRUE(same(one.c, expected));
  }
}

TYPED_TEST(Matmul, StoresEveryNanAsThePositiveQuietOne) {
  if constexpr (!std::is_integral_v<TypeParam>) {
    typename TestFixture::Case one(20, 30, 11);
    one.a[25] = TypeParam(-std::numeric_limits<float>::quiet_NaN());
    one.a[60] = TypeParam(std::numeric_limits<float>::infinity());
    one.b[100] = TypeParam(0);
    one.b[130] = TypeParam(-std::numeric_limits<float>::infinity());
    const auto expected = one.definition();
    one.run();
    EXPECT_TRUE(same(one.c, expected));
  }
}

TYPED_TEST(Matmul, ContinuesChainsAcrossPanelsOfK) {
  typename TestFixture::Case whole(33, 41, 700);
  const auto expected = whole.definition();
  typename TestFixture::Case cut(33, 41, 700);
  device::Memory scratch(device::Space::host,
                         matmul_scratch_bytes(device::Backend::host, dtype_of<TypeParam>, {33, 41},
                                              700, runtime().threads()));
  const std::int64_t cuts[] = {0, 1, 129, 130, 655, 700};
  for (int i = 0; i < 5; ++i) {
    const std::int64_t width = cuts[i + 1] - cuts[i];
    Tile a = cut.tile_a;
    a.box.extent[1] = width;
    a.data = a.as<TypeParam>() + cuts[i];
    Tile b = cut.tile_b;
    b.box.extent[0] = width;
    b.data = b.as<TypeParam>() + cuts[i] * 41;
    matmul(host, a, b, cut.tile_c, {.onto_c = i > 0}, scratch.data());
  }
  EXPECT_TRUE(same(cut.c, expected));
}

TYPED_TEST(Matmul, WritesAnyStridesOfC) {
  typename TestFixture::Case one(31, 26, 15);
  const auto expected = one.definition();
  one.tile_c.strides = {1, 31};
  one.run();
  for (std::int64_t i = 0; i < 31; ++i) {
    for (std::int64_t j = 0; j < 26; ++j) ASSERT_EQ(one.c[j * 31 + i], expected[i * 26 + j]);
  }
}

TYPED_TEST(Matmul, BroadcastsBatches) {
  using T = TypeParam;
  runtime();
  const std::int64_t m = 9, n = 10, k = 11;
  std::vector<T> a(3 * m * k), b(5 * k * n), c(5 * 3 * m * n);
  fill(a, 4);
  fill(b, 5);
  const Tile tile_a = TestFixture::Case::tile(a, {3, m, k});
  const Tile tile_b = TestFixture::Case::tile(b, {5, 1, k, n});
  const Shape shape{5, 3, m, n};
  device::Memory scratch(
      device::Space::host,
      matmul_scratch_bytes(device::Backend::host, dtype_of<T>, shape, k, runtime().threads()));
  matmul(host, tile_a, tile_b, TestFixture::Case::tile(c, shape), {}, scratch.data());
  for (std::int64_t p = 0; p < 5; ++p) {
    for (std::int64_t q = 0; q < 3; ++q) {
      typename TestFixture::Case one(m, n, k);
      one.a.assign(a.begin() + q * m * k, a.begin() + (q + 1) * m * k);
      one.b.assign(b.begin() + p * k * n, b.begin() + (p + 1) * k * n);
      const auto first = c.begin() + (p * 3 + q) * m * n;
      EXPECT_TRUE(same(std::vector<T>(first, first + m * n), one.definition()));
    }
  }
}

TEST(MatmulPanels, AreAddedFromLeftToRight) {
  runtime();
  std::vector<double> total{1.0, 1e16, std::numeric_limits<double>::infinity()};
  std::vector<double> panel{2.0, 1.0, -std::numeric_limits<double>::infinity()};
  const Box box = Box::whole({3});
  add_panel(host, dense_tile(panel.data(), DType::float64, box, {3}),
            dense_tile(total.data(), DType::float64, box, {3}));
  EXPECT_EQ(total[0], 3.0);
  EXPECT_EQ(total[1], 1e16 + 1.0);
  EXPECT_TRUE(std::isnan(total[2]) && !std::signbit(total[2]));
}

}  // namespace
}  // namespace tessera::kernels
