// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stockham passes over a block of lines. Pass of radix R on transforms of
// length n' = R m, of which s are interleaved (s is the product of the radices
// before it):
//   y[q + s (R p + k)] = w^(p k) sum_j x[q + s (p + m j)] exp(-2 pi i j k / R),
//   w = exp(-2 pi i / n'),
// for p < m, q < s, k < R. The factors w^0 are not multiplied.
#include <algorithm>

#include "fft_plan.hpp"
#include "fft_simd.hpp"

namespace tessera::kernels::fft_detail {

/// One pass: m, s as above; `twiddles` are w^(p k) at [p (R - 1) + k - 1].
template <class T>
struct PassShape {
  std::int64_t m = 1;
  std::int64_t s = 1;
  const T* twiddles = nullptr;
};

template <int R, class V>
inline __attribute__((always_inline)) void pass_columns(const PassShape<lane_t<V>>& shape,
                                                        std::int64_t p, const V* x, V* y) {
  const std::int64_t jump = 2 * shape.s * shape.m;
  const std::int64_t hop = 2 * shape.s;
  const V* from = x + 2 * shape.s * p;
  V* to = y + 2 * shape.s * R * p;
  const lane_t<V>* w = shape.twiddles + 2 * (R - 1) * p;
  for (std::int64_t q = 0; q < 2 * shape.s; q += 2) {
    Complex<V> a[R];
    for (int j = 0; j < R; ++j) a[j] = {from[q + j * jump], from[q + j * jump + 1]};
    Butterfly<R>::apply(a);
    to[q] = a[0].re;
    to[q + 1] = a[0].im;
    for (int k = 1; k < R; ++k) {
      const Complex<V> b =
          p == 0 ? a[k] : times(a[k], splat<V>(w[2 * k - 2]), splat<V>(w[2 * k - 1]));
      to[q + k * hop] = b.re;
      to[q + k * hop + 1] = b.im;
    }
  }
}

template <int R, class V>
void pass(const PassShape<lane_t<V>>& shape, const V* x, V* y) {
  pass_columns<R>(shape, 0, x, y);
  for (std::int64_t p = 1; p < shape.m; ++p) {
    pass_columns<R>(shape, p, x, y);
  }
}

/// A prime radix without a butterfly of its own; its roots come before the
/// twiddles.
template <class V>
void pass_of_prime(int radix, PassShape<lane_t<V>> shape, const V* x, V* y) {
  const TableRoots<V> roots{shape.twiddles};
  shape.twiddles += 2 * radix;
  Complex<V> a[largest_radix];
  for (std::int64_t p = 0; p < shape.m; ++p) {
    const lane_t<V>* w = shape.twiddles + 2 * (radix - 1) * p;
    for (std::int64_t q = 0; q < shape.s; ++q) {
      for (int j = 0; j < radix; ++j) {
        const V* from = x + 2 * (q + shape.s * (p + shape.m * j));
        a[j] = {from[0], from[1]};
      }
      odd_transform<largest_radix / 2>(a, radix, radix / 2, roots);
      for (int k = 0; k < radix; ++k) {
        V* to = y + 2 * (q + shape.s * (radix * p + k));
        const Complex<V> b =
            p == 0 || k == 0 ? a[k] : times(a[k], splat<V>(w[2 * k - 2]), splat<V>(w[2 * k - 1]));
        to[0] = b.re;
        to[1] = b.im;
      }
    }
  }
}

template <class V>
void pass_of_radix(int radix, const PassShape<lane_t<V>>& shape, const V* x, V* y) {
  switch (radix) {
    case 2:
      return pass<2>(shape, x, y);
    case 3:
      return pass<3>(shape, x, y);
    case 4:
      return pass<4>(shape, x, y);
    case 5:
      return pass<5>(shape, x, y);
    case 7:
      return pass<7>(shape, x, y);
    case 8:
      return pass<8>(shape, x, y);
    case 11:
      return pass<11>(shape, x, y);
    case 13:
      return pass<13>(shape, x, y);
    case 16:
      return pass<16>(shape, x, y);
    default:
      return pass_of_prime(radix, shape, x, y);
  }
}

/// All passes of a direct node, from `x` through `y` and back. True when the
/// result is in `y`.
template <class V>
bool run_passes_in_block(const FftNode& node, const lane_t<V>* table, V* x, V* y) {
  PassShape<lane_t<V>> shape{node.length, 1, table};
  bool in_y = false;
  for (const int radix : node.radices) {
    shape.m /= radix;
    pass_of_radix(radix, shape, in_y ? y : x, in_y ? x : y);
    shape.twiddles += 2 * ((fft_has_butterfly(radix) ? 0 : radix) + shape.m * (radix - 1));
    shape.s *= radix;
    in_y = !in_y;
  }
  return in_y;
}

}  // namespace tessera::kernels::fft_detail
