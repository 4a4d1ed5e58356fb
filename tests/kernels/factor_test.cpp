// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "factor.hpp"

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

// The definitions of factor.hpp, one element at a time.
template <class R>
R chain(R sum, R a, R b) {
  return std::fma(a, b, sum);
}
template <class R>
std::complex<R> chain(std::complex<R> sum, std::complex<R> a, std::complex<R> b) {
  R re = std::fma(a.real(), b.real(), sum.real());
  re = std::fma(-a.imag(), b.imag(), re);
  R im = std::fma(a.real(), b.imag(), sum.imag());
  im = std::fma(a.imag(), b.real(), im);
  return {re, im};
}
template <class R>
R quotient(R x, R d) {
  return x / d;
}
template <class R>
std::complex<R> quotient(std::complex<R> x, std::complex<R> d) {
  if (std::abs(d.real()) >= std::abs(d.imag())) {
    const R r = d.imag() / d.real();
    const R t = std::fma(d.imag(), r, d.real());
    return {std::fma(x.imag(), r, x.real()) / t, std::fma(-x.real(), r, x.imag()) / t};
  }
  const R r = d.real() / d.imag();
  const R t = std::fma(d.real(), r, d.imag());
  return {std::fma(x.real(), r, x.imag()) / t, std::fma(x.imag(), r, -x.real()) / t};
}
template <class R>
R size(R x) {
  return std::abs(x);
}
template <class R>
R size(std::complex<R> x) {
  return std::abs(x.real()) + std::abs(x.imag());
}
template <class R>
R conjugate(R x) {
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
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(real(random));
    } else {
      using R = typename T::value_type;
      value = {static_cast<R>(real(random)), static_cast<R>(real(random))};
    }
  }
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
Tile tile(std::vector<T>& data, const Shape& shape) {
  return dense_tile(data.data(), dtype_of<T>, Box::whole(shape), shape);
}

template <class T>
struct Result {
  std::vector<T> a;
  std::vector<std::int64_t> pivots;
  std::int64_t failure = -1;
};

template <class T>
Result<T> defined_lu(std::vector<T> a, std::int64_t m, std::int64_t n) {
  Result<T> result;
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < m; ++i) {
      if (size(a[i * n + k]) > size(a[pivot * n + k])) pivot = i;
    }
    result.pivots.push_back(pivot);
    for (std::int64_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
    if (a[k * n + k] == T{}) {
      result.failure = k;
      break;
    }
    for (std::int64_t i = k + 1; i < m; ++i) {
      a[i * n + k] = quotient(a[i * n + k], a[k * n + k]);
      for (std::int64_t j = k + 1; j < n; ++j) {
        a[i * n + j] = chain(a[i * n + j], -a[i * n + k], a[k * n + j]);
      }
    }
  }
  result.a = a;
  return result;
}

template <class T>
Result<T> defined_cholesky(std::vector<T> a, std::int64_t n) {
  Result<T> result;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) {
      for (std::int64_t k = 0; k < j; ++k) {
        a[i * n + j] = chain(a[i * n + j], -a[i * n + k], conjugate(a[j * n + k]));
      }
      if (i == j) {
        if (!(std::real(a[j * n + j]) > 0)) return {a, {}, j};
        a[j * n + j] = std::sqrt(std::real(a[j * n + j]));
      } else {
        const auto root = std::real(a[j * n + j]);
        a[i * n + j] = a[i * n + j] / root;
      }
    }
    for (std::int64_t i = 0; i < j; ++i) a[i * n + j] = T{};
  }
  result.a = a;
  return result;
}

template <class T>
Result<T> computed_lu(std::vector<T> a, const Shape& shape) {
  runtime();
  Result<T> result;
  const std::int64_t steps = std::min(shape[shape.size() - 2], shape.back());
  std::int64_t batches = 1;
  for (int axis = 0; axis < shape.size() - 2; ++axis) batches *= shape[axis];
  result.pivots.resize(batches * steps);
  std::vector<std::int64_t> failures(batches, -7);
  const device::Memory scratch(
      device::Space::host,
      lu_scratch_bytes(device::Backend::host, dtype_of<T>, shape, runtime().threads()));
  lu(host, tile(a, shape), result.pivots.data(), failures.data(), scratch.data());
  for (const std::int64_t failure : failures) {
    if (result.failure < 0) result.failure = failure;
  }
  result.a = a;
  return result;
}

template <class T>
Result<T> computed_cholesky(std::vector<T> a, const Shape& shape) {
  runtime();
  std::int64_t batches = 1;
  for (int axis = 0; axis < shape.size() - 2; ++axis) batches *= shape[axis];
  std::vector<std::int64_t> failures(batches, -7);
  const device::Memory scratch(
      device::Space::host,
      cholesky_scratch_bytes(device::Backend::host, dtype_of<T>, shape, runtime().threads()));
  cholesky(host, tile(a, shape), failures.data(), scratch.data());
  Result<T> result{a, {}, -1};
  for (const std::int64_t failure : failures) {
    if (result.failure < 0) result.failure = failure;
  }
  return result;
}

/// Hermitian with a heavy diagonal.
template <class T>
std::vector<T> definite(std::int64_t n, unsigned seed) {
  std::vector<T> a(n * n);
  fill(a, seed);
  for (std::int64_t i = 0; i < n; ++i) {
    a[i * n + i] = T(std::real(a[i * n + i]) + static_cast<float>(2 * n));
    for (std::int64_t j = 0; j < i; ++j) a[j * n + i] = conjugate(a[i * n + j]);
  }
  return a;
}

template <class T>
class Factor : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Factor, Types);

TYPED_TEST(Factor, LuIsTheDefinitionForEveryShape) {
  using T = TypeParam;
  const std::int64_t shapes[][2] = {
      {1, 1},   {2, 2},   {3, 3},   {7, 7},     {8, 8},     {9, 9},    {16, 16},  {17, 17},
      {31, 31}, {64, 64}, {65, 65}, {100, 100}, {129, 129}, {200, 40}, {40, 200}, {3, 90},
      {90, 3},  {1, 5},   {5, 1},   {70, 16},   {16, 70},   {257, 131}};
  for (const auto& [m, n] : shapes) {
    std::vector<T> a(m * n);
    fill(a, static_cast<unsigned>(7 * m + n));
    const Result<T> expected = defined_lu(a, m, n);
    const Result<T> got = computed_lu(a, {m, n});
    EXPECT_EQ(got.failure, -1);
    EXPECT_EQ(got.pivots, expected.pivots) << m << " x " << n;
    EXPECT_TRUE(same(got.a, expected.a)) << name_of(dtype_of<T>) << " " << m << " x " << n;
  }
}

TYPED_TEST(Factor, CholeskyIsTheDefinitionForEverySize) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 16, 17, 31, 64, 65, 100, 129, 211}) {
    const std::vector<T> a = definite<T>(n, static_cast<unsigned>(n));
    const Result<T> expected = defined_cholesky(a, n);
    const Result<T> got = computed_cholesky(a, {n, n});
    EXPECT_EQ(got.failure, -1);
    EXPECT_TRUE(same(got.a, expected.a)) << name_of(dtype_of<T>) << " " << n;
  }
}

TYPED_TEST(Factor, CholeskyReadsTheLowerTriangleOnly) {
  using T = TypeParam;
  for (const std::int64_t n : {5, 64, 90}) {
    std::vector<T> a = definite<T>(n, 3);
    const Result<T> expected = defined_cholesky(a, n);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) {
        a[i * n + j] = T(std::numeric_limits<float>::quiet_NaN());
      }
    }
    EXPECT_EQ(first_not_finite(host, tile(a, {n, n}), true), -1);
    EXPECT_EQ(first_not_finite(host, tile(a, {n, n}), false), 1);
    EXPECT_TRUE(same(computed_cholesky(a, {n, n}).a, expected.a)) << n;
  }
}

TYPED_TEST(Factor, TakesStacks) {
  using T = TypeParam;
  for (const std::int64_t n : {5, 16, 33, 90}) {
    for (const std::int64_t batches : {0, 1, 2, 3, 17}) {
      std::vector<T> a(batches * n * n), expected, factors;
      fill(a, 5);
      std::vector<std::int64_t> pivots;
      std::vector<T> squares;
      for (std::int64_t b = 0; b < batches; ++b) {
        const auto first = a.begin() + b * n * n;
        const Result<T> one = defined_lu(std::vector<T>(first, first + n * n), n, n);
        expected.insert(expected.end(), one.a.begin(), one.a.end());
        pivots.insert(pivots.end(), one.pivots.begin(), one.pivots.end());
        const std::vector<T> square = definite<T>(n, static_cast<unsigned>(b));
        squares.insert(squares.end(), square.begin(), square.end());
        const Result<T> factor = defined_cholesky(square, n);
        factors.insert(factors.end(), factor.a.begin(), factor.a.end());
      }
      const Result<T> got = computed_lu(a, {batches, n, n});
      EXPECT_EQ(got.pivots, pivots);
      EXPECT_TRUE(same(got.a, expected)) << n << " batches " << batches;
      EXPECT_TRUE(same(computed_cholesky(squares, {batches, n, n}).a, factors));
    }
  }
}

TYPED_TEST(Factor, TakesTheFirstOfEqualPivots) {
  using T = TypeParam;
  std::vector<T> a(20 * 20, T(1));
  for (std::int64_t i = 0; i < 20; ++i) a[i * 20 + i] = T(i % 2 == 0 ? -1.0F : 1.0F);
  const Result<T> expected = defined_lu(a, 20, 20);
  const Result<T> got = computed_lu(a, {20, 20});
  EXPECT_EQ(got.failure, expected.failure);
  for (std::size_t k = 0; k < expected.pivots.size(); ++k) {
    EXPECT_EQ(got.pivots[k], expected.pivots[k]) << k;
  }
}

TYPED_TEST(Factor, NamesTheColumnOfASingularMatrix) {
  using T = TypeParam;
  for (const std::int64_t n : {6, 50, 100, 170}) {
    for (const std::int64_t column : {std::int64_t{0}, n / 2, n - 1}) {
      std::vector<T> a(n * n);
      fill(a, 11);
      for (std::int64_t i = 0; i < n; ++i) a[i * n + column] = T{};
      EXPECT_EQ(computed_lu(a, {n, n}).failure, column) << n;
      std::vector<T> square = definite<T>(n, 12);
      square[column * n + column] = T(-1);
      EXPECT_EQ(computed_cholesky(square, {n, n}).failure, column) << n;
    }
  }
}

TYPED_TEST(Factor, StopsWhereNumbersOverflow) {
  using T = TypeParam;
  using R = decltype(std::real(T{}));
  const R large = std::numeric_limits<R>::max();
  // u(1, 1) = -max - max.
  std::vector<T> a = {T(1), T(large), T(1), T(-large)};
  EXPECT_EQ(computed_lu(a, {2, 2}).failure, 1);
}

TYPED_TEST(Factor, FindsTheFirstElementThatIsNotFinite) {
  using T = TypeParam;
  runtime();
  std::vector<T> a(3 * 10 * 12);
  fill(a, 2);
  EXPECT_EQ(first_not_finite(host, tile(a, {3, 10, 12}), false), -1);
  a[200] = T(std::numeric_limits<float>::infinity());
  a[201] = T(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(first_not_finite(host, tile(a, {3, 10, 12}), false), 200);
  if constexpr (!std::is_floating_point_v<T>) {
    a[150].imag(-std::numeric_limits<float>::infinity());
    EXPECT_EQ(first_not_finite(host, tile(a, {3, 10, 12}), false), 150);
  }
}

TEST(Permutation, BringsTheRowsThatThePivotsName) {
  runtime();
  const std::vector<std::int64_t> pivots = {2, 2, 2, 0, 3, 2};
  std::vector<std::int64_t> permutation(8);
  permutation_of(host, 2, 4, 3, pivots.data(), permutation.data());
  EXPECT_EQ(permutation, (std::vector<std::int64_t>{2, 0, 1, 3, 0, 3, 2, 1}));
}

}  // namespace
}  // namespace tessera::kernels
