// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "factor.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "kernels/factor_reference.hpp"

namespace tessera::kernels {
namespace {

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
