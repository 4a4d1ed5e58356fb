// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Register tiles of C: the innermost loops of the product. Host only.
#include <complex>

#include "matmul_vector.hpp"

namespace tessera::kernels::matmul_detail {

/// What the real parts of an element are; integers are handled as unsigned, whose sums wrap.
template <class T>
struct part {
  using type = T;
};
template <>
struct part<std::int32_t> {
  using type = std::uint32_t;
};
template <>
struct part<std::int64_t> {
  using type = std::uint64_t;
};
template <class R>
struct part<std::complex<R>> {
  using type = R;
};
template <class T>
using part_t = typename part<T>::type;
template <class T>
inline constexpr int parts = sizeof(T) / sizeof(part_t<T>);

/// The largest tile of C that stays in registers: `rows` rows of `vectors` vectors (of real and of
/// imaginary parts), with room for a row of B and one element of A.
template <class T>
struct Register {
  static constexpr int rows = parts<T> == 2 ? (many_registers ? 6 : 2) : (many_registers ? 8 : 4);
  static constexpr int vectors = parts<T> == 2 ? 2 : 3;
  static constexpr int columns = vectors * lanes<part_t<T>>;
};

/// C (+)= A B for `rows` x `vectors * lanes`, over k ascending. `a` holds `rows` elements per k,
/// `b` a row of C's width per k; the chains start at +0 or go on from C.
template <class R, int rows, int vectors>
void real_tile(std::int64_t depth, const R* __restrict a, const R* __restrict b, R* __restrict c,
               std::int64_t c_row, bool start) {
  constexpr int w = lanes<R>;
  Vector<R> sum[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) {
      sum[i][j] = start ? Vector<R>::zero() : Vector<R>::load(c + i * c_row + j * w);
      // A first panel stores to lines that nothing has loaded yet.
      if (start) __builtin_prefetch(c + i * c_row + j * w, 1);
    }
  }
#pragma GCC unroll 4
  for (std::int64_t k = 0; k < depth; ++k) {
    __builtin_prefetch(a + rows * 8);
    Vector<R> row[vectors];
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) row[j] = Vector<R>::load(b + j * w);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Vector<R> element = Vector<R>::splat(a[i]);
#pragma GCC unroll 3
      for (int j = 0; j < vectors; ++j) accumulate(sum[i][j], element, row[j]);
    }
    a += rows;
    b += vectors * w;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) canonical(sum[i][j]).store(c + i * c_row + j * w);
  }
}

/// As `real_tile` for complex numbers: re = fma(ar, br, re), re = fma(-ai, bi, re), im = fma(ar,
/// bi, im), im = fma(ai, br, im). `a` holds pairs; rows of `b` and of C hold all real parts, then
/// all imaginary parts.
template <class R, int rows, int vectors>
void complex_tile(std::int64_t depth, const R* __restrict a, const R* __restrict b, R* __restrict c,
                  std::int64_t c_row, bool start) {
  constexpr int w = lanes<R>;
  constexpr int width = vectors * w;
  Vector<R> re[rows][vectors];
  Vector<R> im[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) {
      const R* at = c + i * c_row + j * w;
      re[i][j] = start ? Vector<R>::zero() : Vector<R>::load(at);
      im[i][j] = start ? Vector<R>::zero() : Vector<R>::load(at + width);
    }
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    Vector<R> br[vectors];
    Vector<R> bi[vectors];
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) {
      br[j] = Vector<R>::load(b + j * w);
      bi[j] = Vector<R>::load(b + width + j * w);
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Vector<R> ar = Vector<R>::splat(a[2 * i]);
      const Vector<R> ai = Vector<R>::splat(a[2 * i + 1]);
#pragma GCC unroll 2
      for (int j = 0; j < vectors; ++j) {
        accumulate(re[i][j], ar, br[j]);
        accumulate(im[i][j], ar, bi[j]);
        subtract(re[i][j], ai, bi[j]);
        accumulate(im[i][j], ai, br[j]);
      }
    }
    a += 2 * rows;
    b += 2 * width;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) {
      R* at = c + i * c_row + j * w;
      canonical(re[i][j]).store(at);
      canonical(im[i][j]).store(at + width);
    }
  }
}

template <class R>
using TileFunction = void (*)(std::int64_t, const R*, const R*, R*, std::int64_t, bool);

template <class T, int rows, int vectors>
constexpr TileFunction<part_t<T>> tile_of() {
  if constexpr (parts<T> == 2) {
    return complex_tile<part_t<T>, rows, vectors>;
  } else {
    return real_tile<part_t<T>, rows, vectors>;
  }
}

/// Smaller tiles for the last rows and columns: all, half or a quarter of the rows, any number of
/// vectors.
template <class T>
struct Tiles {
  static constexpr int full = Register<T>::rows;
  static constexpr int half = (full + 1) / 2;
  static constexpr int quarter = (full + 3) / 4;

  static constexpr int rows_for(std::int64_t rows) {
    return rows <= quarter ? quarter : rows <= half ? half : full;
  }
  static TileFunction<part_t<T>> find(int rows, int vectors) {
    return rows == full   ? of<full>(vectors)
           : rows == half ? of<half>(vectors)
                          : of<quarter>(vectors);
  }

 private:
  template <int rows>
  static TileFunction<part_t<T>> of(int vectors) {
    if (vectors == 1) return tile_of<T, rows, 1>();
    if (vectors == 2) return tile_of<T, rows, 2>();
    return tile_of<T, rows, Register<T>::vectors>();
  }
};

}  // namespace tessera::kernels::matmul_detail
