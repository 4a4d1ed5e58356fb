// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies of blocks of A and B in the order in which the register tiles read them. Host only.
#include <algorithm>
#include <cstring>

#include "matmul_host.hpp"
#include "matmul_micro.hpp"

namespace tessera::kernels::matmul_detail {

/// A strip of a matrix: `width` lines of which `valid` exist (the others are zeros), `depth` long.
template <class T>
struct Strip {
  const T* data = nullptr;
  std::int64_t across = 0;  ///< from line to line
  std::int64_t along = 0;   ///< from k to k + 1
  std::int64_t valid = 0;
  std::int64_t width = 0;
  std::int64_t depth = 0;
};

/// to[k * width + i] = strip(i, k).
template <class R>
void pack_real(const Strip<R>& s, bool negate, R* __restrict to) {
  if (s.valid < s.width) std::fill_n(to, s.width * s.depth, R{});
  if (s.across == 1) {
    for (std::int64_t k = 0; k < s.depth; ++k) {
      std::memcpy(to + k * s.width, s.data + k * s.along,
                  static_cast<std::size_t>(s.valid) * sizeof(R));
    }
  } else {
    // Eight k at a time: whole cache lines are read, and what is written stays in the first cache.
    constexpr std::int64_t step = 8;
    for (std::int64_t begin = 0; begin < s.depth; begin += step) {
      const std::int64_t end = std::min(begin + step, s.depth);
      for (std::int64_t i = 0; i < s.valid; ++i) {
        const R* from = s.data + i * s.across;
        for (std::int64_t k = begin; k < end; ++k) to[k * s.width + i] = from[k * s.along];
      }
    }
  }
  if (negate) {
    for (std::int64_t i = 0; i < s.width * s.depth; ++i) to[i] = -to[i];
  }
}

struct Signs {
  bool re = false;  ///< negate the real parts
  bool im = false;
};

/// The parts of strip(i, k) at to[2 k width + i * step] and, `apart` further on, the imaginary one.
template <class R>
void pack_complex(const Strip<std::complex<R>>& s, Signs negate, std::int64_t step,
                  std::int64_t apart, R* __restrict to) {
  if (s.valid < s.width) std::fill_n(to, 2 * s.width * s.depth, R{});
  const R* data = reinterpret_cast<const R*>(s.data);
  const auto copy = [&](std::int64_t i, std::int64_t k) {
    const R* from = data + 2 * (i * s.across + k * s.along);
    R* at = to + 2 * k * s.width + i * step;
    at[0] = negate.re ? -from[0] : from[0];
    at[apart] = negate.im ? -from[1] : from[1];
  };
  if (s.across == 1) {
    for (std::int64_t k = 0; k < s.depth; ++k) {
      for (std::int64_t i = 0; i < s.valid; ++i) copy(i, k);
    }
  } else {
    for (std::int64_t i = 0; i < s.valid; ++i) {
      for (std::int64_t k = 0; k < s.depth; ++k) copy(i, k);
    }
  }
}

/// Rows [first, first + valid) of A: one element per row and k, pairs when complex.
template <class T>
void pack_a(const Product<T>& p, std::int64_t first, std::int64_t valid, std::int64_t width,
            std::int64_t begin, std::int64_t depth, part_t<T>* to) {
  const T* data = p.a.data + first * p.a.row + begin * p.a.column;
  if constexpr (parts<T> == 2) {
    const Strip<T> strip{data, p.a.row, p.a.column, valid, width, depth};
    pack_complex(strip, Signs{p.negate_a, p.negate_a != p.conjugate_a}, 2, 1, to);
  } else {
    using R = part_t<T>;
    pack_real<R>({reinterpret_cast<const R*>(data), p.a.row, p.a.column, valid, width, depth},
                 p.negate_a, to);
  }
}

/// Columns [first, first + valid) of B: rows of real, then of imaginary parts.
template <class T>
void pack_b(const Product<T>& p, std::int64_t first, std::int64_t valid, std::int64_t width,
            std::int64_t begin, std::int64_t depth, part_t<T>* to) {
  const T* data = p.b.data + first * p.b.column + begin * p.b.row;
  if constexpr (parts<T> == 2) {
    const Strip<T> strip{data, p.b.column, p.b.row, valid, width, depth};
    pack_complex(strip, Signs{false, p.conjugate_b}, 1, width, to);
  } else {
    using R = part_t<T>;
    pack_real<R>({reinterpret_cast<const R*>(data), p.b.column, p.b.row, valid, width, depth},
                 false, to);
  }
}

}  // namespace tessera::kernels::matmul_detail
