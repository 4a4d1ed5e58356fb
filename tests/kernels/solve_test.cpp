// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "solve.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "kernels/factor_reference.hpp"

namespace tessera::kernels {
namespace {

template <class T>
struct Solution {
  std::vector<T> x;
  std::vector<SolveReport> reports;
  std::vector<std::int64_t> failures;
};

template <class T>
Solution<T> solved(std::vector<T> a, std::vector<T> b, std::int64_t batches, std::int64_t n,
                   std::int64_t columns, const SolveMethod& method) {
  const int threads = runtime().threads();
  Solution<T> result{std::vector<T>(b.size(), T(std::numeric_limits<float>::quiet_NaN())),
                     std::vector<SolveReport>(batches), std::vector<std::int64_t>(batches, -7)};
  const Shape shape{batches, n, n};
  const Shape right{batches, n, columns};
  const device::Memory scratch(device::Space::host,
                               solve_scratch_bytes(dtype_of<T>, shape, columns, method, threads));
  solve(host, tile(a, shape), tile(b, right), tile(result.x, right), method, threads,
        result.reports.data(), result.failures.data(), scratch.data());
  return result;
}

/// The largest sum of moduli of a column.
template <class T>
double norm1(const std::vector<T>& a, std::int64_t n) {
  double largest = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += std::abs(a[i * n + j]);
    largest = std::max(largest, sum);
  }
  return largest;
}

template <class T>
class Solve : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Solve, Types);

TYPED_TEST(Solve, IsTheDefinition) {
  using T = TypeParam;
  for (const bool cholesky : {false, true}) {
    for (const std::int64_t n : {1, 2, 9, 32, 33, 65, 130}) {
      for (const std::int64_t columns : {0, 1, 3, 4, 70}) {
        std::vector<T> a(n * n);
        fill(a, static_cast<unsigned>(n));
        if (cholesky) a = definite<T>(n, 3);
        std::vector<T> b(n * columns);
        fill(b, static_cast<unsigned>(columns));
        std::vector<T> expected = b;
        substitute(cholesky ? defined_cholesky(a, n) : defined_lu(a, n, n), n, columns, expected);
        const Solution<T> got = solved(a, b, 1, n, columns, {.cholesky = cholesky});
        EXPECT_EQ(got.failures[0], -1);
        EXPECT_TRUE(same(got.x, expected)) << n << " x " << columns << " " << cholesky;
        EXPECT_LT(got.reports[0].residual, 16) << n << " x " << columns;
        EXPECT_GE(got.reports[0].condition, 0.999);
      }
    }
  }
}

TYPED_TEST(Solve, EstimatesTheCondition) {
  using T = TypeParam;
  for (const bool cholesky : {false, true}) {
    for (const std::int64_t n : {1, 2, 3, 10, 50, 120}) {
      std::vector<T> a(n * n);
      fill(a, static_cast<unsigned>(n + 1));
      if (cholesky) a = definite<T>(n, 3);
      std::vector<T> identity(n * n, T{});
      for (std::int64_t i = 0; i < n; ++i) identity[i * n + i] = T(1);
      const Solution<T> inverse = solved(a, identity, 1, n, n, {.cholesky = cholesky});
      const double condition = norm1(a, n) * norm1(inverse.x, n);
      EXPECT_LE(inverse.reports[0].condition, condition * 1.001) << n;
      EXPECT_GE(inverse.reports[0].condition, condition / 3) << n;
    }
  }
}

TYPED_TEST(Solve, TellsTheGrowth) {
  using T = TypeParam;
  // Wilkinson's matrix: the last column doubles with every step.
  const std::int64_t n = 11;
  std::vector<T> a(n * n, T{});
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) a[i * n + j] = T(-1);
    a[i * n + i] = a[i * n + n - 1] = T(1);
  }
  EXPECT_EQ(solved(a, std::vector<T>(n, T(1)), 1, n, 1, {}).reports[0].growth, 1024);
}

TYPED_TEST(Solve, TakesStacksAndNamesWhatFails) {
  using T = TypeParam;
  const std::int64_t n = 12;
  const std::int64_t batches = 19;
  std::vector<T> a(batches * n * n), b(batches * n * 2);
  fill(a, 8);
  fill(b, 9);
  for (std::int64_t i = 0; i < n; ++i) a[(5 * n + i) * n + 7] = T{};
  const Solution<T> got = solved(a, b, batches, n, 2, {});
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    EXPECT_EQ(got.failures[batch], batch == 5 ? 7 : -1);
    if (batch == 5) continue;
    const auto first = a.begin() + batch * n * n;
    const auto right = b.begin() + batch * n * 2;
    const Solution<T> one = solved(std::vector<T>(first, first + n * n),
                                   std::vector<T>(right, right + 2 * n), 1, n, 2, {});
    const auto x = got.x.begin() + batch * n * 2;
    EXPECT_TRUE(same(one.x, std::vector<T>(x, x + 2 * n)));
    EXPECT_EQ(one.reports[0].condition, got.reports[batch].condition);
  }
}

TYPED_TEST(Solve, TakesEmptySystems) {
  using T = TypeParam;
  EXPECT_EQ(solved<T>({}, {}, 2, 0, 3, {}).failures, (std::vector<std::int64_t>{-1, -1}));
  EXPECT_TRUE(solved<T>({}, {}, 0, 5, 3, {.cholesky = true}).failures.empty());
}

template <class T>
class Refine : public testing::Test {};
using WideTypes = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(Refine, WideTypes);

TYPED_TEST(Refine, ReachesTheFullPrecision) {
  using T = TypeParam;
  for (const bool cholesky : {false, true}) {
    for (const std::int64_t n : {1, 5, 40, 130}) {
      for (const std::int64_t columns : {1, 6}) {
        std::vector<T> a(n * n), b(n * columns);
        fill(a, 21);
        if (cholesky) a = definite<T>(n, 3);
        fill(b, 22);
        for (std::int64_t i = 0; i < n; ++i) b[i * columns] *= 1e-200;
        const Solution<T> got = solved(a, b, 1, n, columns, {.cholesky = cholesky, .refine = true});
        EXPECT_EQ(got.failures[0], -1) << n;
        EXPECT_LT(got.reports[0].residual, 4) << n;
        const Solution<T> plain = solved(a, b, 1, n, columns, {.cholesky = cholesky});
        const double bound = plain.reports[0].condition * 1e-14;
        for (std::size_t i = 0; i < got.x.size(); ++i) {
          EXPECT_LE(std::abs(got.x[i] - plain.x[i]), bound * (1 + std::abs(plain.x[i])));
        }
      }
    }
  }
}

TYPED_TEST(Refine, FailsWhereSinglePrecisionCannotHelp) {
  using T = TypeParam;
  const std::int64_t n = 11;  // Hilbert's matrix: its condition is 1e15
  std::vector<T> a(n * n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) a[i * n + j] = T(1.0 / static_cast<double>(i + j + 1));
  }
  const Solution<T> hilbert = solved(a, std::vector<T>(n, T(1)), 1, n, 1, {.refine = true});
  EXPECT_EQ(hilbert.failures[0], n);
  EXPECT_GT(hilbert.reports[0].residual, 1);
  const Solution<T> large = solved<T>({T(1e300)}, {T(1)}, 1, 1, 1, {.refine = true});
  EXPECT_EQ(large.failures[0], 1);
}

}  // namespace
}  // namespace tessera::kernels
