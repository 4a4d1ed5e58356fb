// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fast way into an exact accumulator on the host: internal to the kernels.
// A block of numbers is split over W neighbouring limbs by adding and subtracting 1.5 * 2^52 *
// unit, whose bit pattern then holds the digit; what is left after the last limb must be zero for
// every number, and no number may be above the window, or the block is done again with a better
// window. (The idea: R. Collange, D. Defour, S. Graillat, R. Iakymchuk, "Numerical reproducibility
// for the parallel reduction on multi- and many-core architectures", 2015; digits by a magic
// constant as in J. Demmel, H. D. Nguyen, "Parallel reproducible summation", 2015.)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "exact_limbs.hpp"

namespace tessera::kernels::exact {

#ifdef __AVX512F__
inline constexpr int lanes = 8;
#else
inline constexpr int lanes = 4;
#endif
typedef double Reals __attribute__((vector_size(lanes * 8)));
typedef std::int64_t Words __attribute__((vector_size(lanes * 8)));
typedef float Floats __attribute__((vector_size(lanes * 4)));

/// Numbers per block: a block's digits stay below 2^57, see `headroom`.
inline constexpr std::int64_t block_length = 4096;
/// Numbers may reach 2^headroom units of the highest limb of the window.
inline constexpr int headroom = 44;
/// So many blocks may be added before digits have to be carried: 32 * 2^57 = 2^62.
inline constexpr int blocks_per_carry = 32;

inline Reals load(const double* x) {
  Reals result;
  std::memcpy(&result, x, sizeof result);
  return result;
}

inline Reals load(const float* x) {
  Floats narrow;
  std::memcpy(&narrow, x, sizeof narrow);
  return __builtin_convertvector(narrow, Reals);
}

/// 1.5 * 2^52 * 2^(unit exponent).
inline double magic(int unit) { return std::ldexp(1.5, unit + 52); }

/// W limbs, `top` the highest of them.
template <int W>
struct WindowSums {
  Reals magics[W];
  Words sums[W];
  Words rest{};     ///< OR of what no limb took
  Words largest{};  ///< the largest |x|, as bits

  WindowSums(const Grid& grid, int top) {
    for (int w = 0; w < W; ++w) {
      magics[w] = Reals{} + magic(grid.low + limb_bits * (top - w));
      sums[w] = Words{};
    }
  }
};

/// The place of a block's window and the state that it belongs to.
struct Window {
  std::int64_t* state = nullptr;
  Grid grid{};
  int top = -1;     ///< -1: not placed yet
  int pending = 0;  ///< blocks since the last carry

  /// The lowest limb whose window takes numbers below 2^exponent, but at least W limbs high, none
  /// of them below what a float64 can hold. -1 when numbers so large fit no window.
  template <int W>
  [[nodiscard]] int place(int exponent) const {
    const int lowest = grid.low < -1074 ? (-1074 - grid.low + limb_bits - 1) / limb_bits : 0;
    const int wanted = exponent - headroom - grid.low;
    const int found =
        std::max(wanted <= 0 ? 0 : (wanted + limb_bits - 1) / limb_bits, lowest + W - 1);
    return grid.low + limb_bits * found + 53 > 1023 ? -1 : found;
  }
  void added() {
    if (++pending < blocks_per_carry) return;
    carry(state, grid.limbs);
    pending = 0;
  }
};

/// Adds the block's digits to the state; false (and nothing added) when the window didn't fit.
template <int W>
bool commit(Window& window, const WindowSums<W>& sums, std::int64_t vectors) {
  const std::uint64_t limit =
      bits_of(std::ldexp(1.0, window.grid.low + limb_bits * window.top + headroom));
  std::int64_t rest = 0;
  std::int64_t largest = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    rest |= sums.rest[lane];
    largest = std::max(largest, sums.largest[lane]);
  }
  if ((rest & INT64_MAX) != 0 || static_cast<std::uint64_t>(largest) > limit) return false;
  for (int w = 0; w < W; ++w) {
    // Every number added the constant's own bits besides its digit; wrap-around is meant.
    std::uint64_t sum = 0;
    for (int lane = 0; lane < lanes; ++lane) sum += static_cast<std::uint64_t>(sums.sums[w][lane]);
    sum -= static_cast<std::uint64_t>(vectors) * lanes * bits_of(sums.magics[w][0]);
    window.state[window.top - w] += static_cast<std::int64_t>(sum);
  }
  window.added();
  return true;
}

/// One vector of numbers into limbs First .. Last-1 of the window; returns what is left.
template <int First, int Last, int W>
inline Reals spread(WindowSums<W>& window, Reals x) {
  for (int w = First; w < Last; ++w) {
    const Reals digit = x + window.magics[w];
    Words bits;
    std::memcpy(&bits, &digit, sizeof bits);
    window.sums[w] += bits;
    x -= digit - window.magics[w];
  }
  return x;
}

inline Words magnitude_bits(Reals x) {
  Words bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits & INT64_MAX;
}

template <int W>
inline void note_largest(WindowSums<W>& window, Reals x) {
  const Words bits = magnitude_bits(x);
  window.largest = bits > window.largest ? bits : window.largest;
}

template <int W>
inline void note_rest(WindowSums<W>& window, Reals x) {
  Words bits;
  std::memcpy(&bits, &x, sizeof bits);
  window.rest |= bits;
}

/// n values, or n exact products, into the window's state; the caller carries at the end. The
/// window stays where it fitted last.
template <class T>
void deposit(Window& window, const T* x, std::int64_t n);
template <class T>
void deposit_products(Window& window, const T* x, const T* y, std::int64_t n);

}  // namespace tessera::kernels::exact
