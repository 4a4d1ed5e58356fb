// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The definitions of factor.hpp and solve.hpp, one element at a time, for their tests.
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "base/tile.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

inline const device::Stream host;

inline device::Runtime& runtime() {
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

/// B becomes A^-1 B for the factors of A (pivots: LU), n x columns.
template <class T>
void substitute(const Result<T>& factors, std::int64_t n, std::int64_t columns, std::vector<T>& b) {
  const bool lu = !factors.pivots.empty();
  const std::vector<T>& a = factors.a;
  for (std::int64_t j = 0; j < columns; ++j) {
    const auto x = [&](std::int64_t i) -> T& { return b[i * columns + j]; };
    if (lu) {
      for (std::int64_t k = 0; k < n; ++k) std::swap(x(k), x(factors.pivots[k]));
    }
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < i; ++k) x(i) = chain(x(i), -a[i * n + k], x(k));
      if (!lu) x(i) = quotient(x(i), a[i * n + i]);
    }
    for (std::int64_t i = n - 1; i >= 0; --i) {
      for (std::int64_t k = n - 1; k > i; --k) {
        x(i) = chain(x(i), lu ? -a[i * n + k] : -conjugate(a[k * n + i]), x(k));
      }
      x(i) = quotient(x(i), a[i * n + i]);
    }
  }
}

}  // namespace tessera::kernels
