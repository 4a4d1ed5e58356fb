// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// C -= A B for a B of a few columns, where copying A for the register tiles of matmul_host.cpp
// would take longer than the sums. Host only.
#include <algorithm>

#include "factor_element.hpp"
#include "factor_host.hpp"

namespace tessera::kernels::factor_detail {

constexpr std::int64_t few_columns = 3;
constexpr std::int64_t triangle_leaf = 32;  ///< so small a triangle is solved at once

/// sum = a b + sum by the chain of matmul.hpp.
template <class R>
inline void chain_one(R& sum, const R& a, const R& b) {
  sum = fma(a, b, sum);
}
template <class R>
inline void chain_one(std::complex<R>& sum, const std::complex<R>& a, const std::complex<R>& b) {
  R re = fma(a.real(), b.real(), sum.real());
  R im = fma(a.real(), b.imag(), sum.imag());
  re = fma(-a.imag(), b.imag(), re);
  im = fma(a.imag(), b.real(), im);
  sum = {re, im};
}

/// One column of `rows` elements, so many that their chains hide each other's latency. `step`: the
/// distance from row to row of A where it is 1 or -1, else 0.
template <int rows, int step, class T>
void subtract_rows(const Block<const T>& a, bool conjugate_a, const Block<const T>& b,
                   const Block<T>& c) {
  T sum[rows];
  for (int r = 0; r < rows; ++r) sum[r] = *c.element(r, 0);
  const std::int64_t row = step == 0 ? a.at.row : step;
  for (std::int64_t k = 0; k < a.columns; ++k) {
    const T factor = *b.element(k, 0);
    const T* from = a.at.data + k * a.at.column;
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const T value = from[r * row];
      chain_one(sum[r], -(conjugate_a ? conjugated(value) : value), factor);
    }
  }
  for (int r = 0; r < rows; ++r) *c.element(r, 0) = sum[r];
}

template <int step, class T>
void subtract_column(const Block<const T>& a, bool conjugate_a, const Block<const T>& b,
                     const Block<T>& c) {
  constexpr int rows = step == 0 ? 8 : 16;
  std::int64_t i = 0;
  for (; i + rows <= c.rows; i += rows) {
    subtract_rows<rows, step>(a.sub(i, 0, rows, a.columns), conjugate_a, b, c.sub(i, 0, rows, 1));
  }
  for (; i < c.rows; ++i) {
    subtract_rows<1, 0>(a.sub(i, 0, 1, a.columns), conjugate_a, b, c.sub(i, 0, 1, 1));
  }
}

/// All columns of C, its rows shared out.
template <class T>
void subtract_few(const Block<const T>& a, bool conjugate_a, const Block<const T>& b,
                  const Block<T>& c, const Workshop& workshop) {
  const std::int64_t height =
      std::max<std::int64_t>(64, (std::int64_t{1} << 17) / std::max<std::int64_t>(a.columns, 1));
  workshop.share((c.rows + height - 1) / height, [&](std::int64_t part) {
    const std::int64_t first = part * height;
    const std::int64_t rows = std::min(height, c.rows - first);
    const Block<const T> own = a.sub(first, 0, rows, a.columns);
    for (std::int64_t j = 0; j < c.columns; ++j) {
      const Block<const T> from = b.sub(0, j, b.rows, 1);
      const Block<T> to = c.sub(first, j, rows, 1);
      if (a.at.row == 1) {
        subtract_column<1>(own, conjugate_a, from, to);
      } else if (a.at.row == -1) {
        subtract_column<-1>(own, conjugate_a, from, to);
      } else {
        subtract_column<0>(own, conjugate_a, from, to);
      }
    }
  });
}

/// The unknowns of a small triangle, column by column: each goes into all below it at once, so that
/// their chains hide each other's latency.
template <class T>
void substitute_few(const Block<const T>& l, const TriangleForm& form, const Block<T>& b) {
  const std::int64_t n = l.rows;
  T x[triangle_leaf];
  for (std::int64_t j = 0; j < b.columns; ++j) {
    for (std::int64_t i = 0; i < n; ++i) x[i] = *b.element(i, j);
    for (std::int64_t k = 0; k < n; ++k) {
      const T* column = l.element(0, k);
      const auto element = [&](std::int64_t i) {
        const T value = column[i * l.at.row];
        return form.conjugate ? conjugated(value) : value;
      };
      if (!form.unit) x[k] = Divisor<T>(element(k)).quotient(x[k]);
      const T factor = x[k];
      for (std::int64_t i = k + 1; i < n; ++i) chain_one(x[i], -element(i), factor);
    }
    for (std::int64_t i = 0; i < n; ++i) *b.element(i, j) = x[i];
  }
}

}  // namespace tessera::kernels::factor_detail
