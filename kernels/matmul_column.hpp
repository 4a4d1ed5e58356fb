// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A product with one column: rows of A are read once, as they lie. A chain of fused multiply-adds
// waits four cycles for each one before it, so that eight rows at a time keep two units busy;
// copies for register tiles would cost more than the product. Host only.
#include <algorithm>
#include <cmath>
#include <limits>

#include "matmul_host.hpp"
#include "matmul_micro.hpp"

namespace tessera::kernels::matmul_detail {

inline constexpr int column_rows = 8;
inline constexpr std::int64_t column_rows_per_task = 64;

/// Whether the product is one of these, A's rows and B contiguous; for floating-point elements.
template <class T>
bool is_column(const Product<T>& p) {
  return p.n == 1 && p.a.column == 1 && p.b.row == 1;
}

template <class R>
R positive_nan(R value) {
  return value == value ? value : std::numeric_limits<R>::quiet_NaN();
}

/// Rows [first, first + rows) of C; every chain ascends in k.
template <int rows, class R>
void column_of(const Product<R>& p, std::int64_t first) {
  const R* a[rows];
  R sum[rows];
  for (int i = 0; i < rows; ++i) {
    a[i] = p.a.data + (first + i) * p.a.row;
    sum[i] = p.onto_c ? p.c.data[(first + i) * p.c.row] : R{};
  }
  const R sign = p.negate_a ? R(-1) : R(1);
  for (std::int64_t k = 0; k < p.k; ++k) {
    const R b = sign * p.b.data[k];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) sum[i] = std::fma(a[i][k], b, sum[i]);
  }
  for (int i = 0; i < rows; ++i) p.c.data[(first + i) * p.c.row] = positive_nan(sum[i]);
}

template <int rows, class R>
void column_of(const Product<std::complex<R>>& p, std::int64_t first) {
  const R* a[rows];
  R re[rows];
  R im[rows];
  for (int i = 0; i < rows; ++i) {
    const std::complex<R>& c = p.c.data[(first + i) * p.c.row];
    a[i] = reinterpret_cast<const R*>(p.a.data + (first + i) * p.a.row);
    re[i] = p.onto_c ? c.real() : R{};
    im[i] = p.onto_c ? c.imag() : R{};
  }
  const auto* b = reinterpret_cast<const R*>(p.b.data);
  const R sign_re = p.negate_a ? R(-1) : R(1);
  const R sign_im = p.negate_a != p.conjugate_a ? R(-1) : R(1);
  const R sign_b = p.conjugate_b ? R(-1) : R(1);
  for (std::int64_t k = 0; k < p.k; ++k) {
    const R br = b[2 * k];
    const R bi = sign_b * b[2 * k + 1];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const R ar = sign_re * a[i][2 * k];
      const R ai = sign_im * a[i][2 * k + 1];
      re[i] = std::fma(-ai, bi, std::fma(ar, br, re[i]));
      im[i] = std::fma(ai, br, std::fma(ar, bi, im[i]));
    }
  }
  for (int i = 0; i < rows; ++i) {
    p.c.data[(first + i) * p.c.row] = {positive_nan(re[i]), positive_nan(im[i])};
  }
}

template <class T>
void column_rest(const Product<T>& p, std::int64_t first, std::int64_t rows) {
  if (rows >= 4) {
    column_of<4>(p, first);
    first += 4;
    rows -= 4;
  }
  if (rows >= 2) {
    column_of<2>(p, first);
    first += 2;
    rows -= 2;
  }
  if (rows > 0) column_of<1>(p, first);
}

template <class T>
void multiply_column(const Product<T>& p, const Parallel& parallel) {
  const std::int64_t tasks = (p.m + column_rows_per_task - 1) / column_rows_per_task;
  parallel(tasks, [&](std::int64_t task) {
    const std::int64_t end = std::min((task + 1) * column_rows_per_task, p.m);
    std::int64_t row = task * column_rows_per_task;
    for (; row + column_rows <= end; row += column_rows) column_of<column_rows>(p, row);
    column_rest(p, row, end - row);
  });
}

}  // namespace tessera::kernels::matmul_detail
