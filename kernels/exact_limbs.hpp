// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exact accumulator in portable code, for host and GPU: internal to the kernels.
// A state is an array of int64 words: `limbs` digits of 40 bits with a sign of their own (value =
// sum of limb[j] * 2^(40 j + low)), then four counters. Adding two states word by word adds the
// sums. Digits may grow to 2^62 before `carry` has to bring them back below 2^40.
#include <math.h>  // the names that GPUs know too

#include <cstdint>

#include "device/function.hpp"

namespace tessera::kernels::exact {

inline constexpr int limb_bits = 40;
inline constexpr std::int64_t limb_mask = (std::int64_t{1} << limb_bits) - 1;

/// Where the digits of a state lie. Plain sums reach from 2^-1074 to 2^1024, products from 2^-2148
/// to 2^2048; both have more than 120 bits of headroom for counts.
struct Grid {
  int limbs;
  int low;  ///< exponent of the lowest bit of limb 0
  [[nodiscard]] TESSERA_INLINE_FUNCTION constexpr int words() const { return limbs + 4; }
};
// Functions, as a GPU has no objects of namespace scope that are only on the host.
TESSERA_INLINE_FUNCTION constexpr Grid value_grid() { return {56, -1074}; }
TESSERA_INLINE_FUNCTION constexpr Grid product_grid() { return {108, -2148}; }

/// Offsets of the counters behind the limbs.
enum Counter { nans = 0, positive_infinities = 1, negative_infinities = 2, not_negative_zero = 3 };

/// The fields of a float64: value = (-1)^negative * mantissa * 2^(place - 1074).
struct Parts {
  std::uint64_t mantissa;
  int place;
  bool negative;
  bool finite;
};

TESSERA_INLINE_FUNCTION std::uint64_t bits_of(double x) {
  union {
    double value;
    std::uint64_t bits;
  } both;
  both.value = x;
  return both.bits;
}

TESSERA_INLINE_FUNCTION double from_bits(std::uint64_t bits) {
  union {
    std::uint64_t bits;
    double value;
  } both;
  both.bits = bits;
  return both.value;
}

/// The NaN that every operation stores: positive, quiet, without payload.
TESSERA_INLINE_FUNCTION double canonical_nan() { return from_bits(0x7FF8000000000000ull); }
TESSERA_INLINE_FUNCTION double infinity() { return from_bits(0x7FF0000000000000ull); }

TESSERA_INLINE_FUNCTION Parts split(double x) {
  const std::uint64_t bits = bits_of(x);
  const int field = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFull;
  return {field == 0 ? fraction : fraction | 0x10000000000000ull, field == 0 ? 0 : field - 1,
          (bits >> 63) != 0, field != 0x7FF};
}

/// Adds +-mantissa * 2^(position + low).
TESSERA_INLINE_FUNCTION void deposit_integer(std::int64_t* limbs, std::uint64_t mantissa,
                                             int position, bool negative) {
  const int limb = position / limb_bits;
  const int shift = position % limb_bits;
  const std::int64_t sign = negative ? -1 : 1;
  limbs[limb] += sign * static_cast<std::int64_t>((mantissa << shift) & limb_mask);
  limbs[limb + 1] +=
      sign * static_cast<std::int64_t>((mantissa >> (limb_bits - shift)) & limb_mask);
  // 80 - shift < 64 only above shift 16; below it nothing is left.
  if (shift > 16)
    limbs[limb + 2] += sign * static_cast<std::int64_t>(mantissa >> (2 * limb_bits - shift));
}

/// Counts a NaN or an infinity.
TESSERA_INLINE_FUNCTION void count_special(std::int64_t* counters, double x) {
  counters[x != x ? nans : x > 0 ? positive_infinities : negative_infinities] += 1;
  counters[not_negative_zero] += 1;
}

/// Adds x, whatever it is.
TESSERA_INLINE_FUNCTION void deposit(std::int64_t* state, const Grid& grid, double x) {
  const Parts parts = split(x);
  std::int64_t* counters = state + grid.limbs;
  if (!parts.finite) {
    count_special(counters, x);
    return;
  }
  if (parts.mantissa != 0 || !parts.negative) counters[not_negative_zero] += 1;
  if (parts.mantissa == 0) return;
  deposit_integer(state, parts.mantissa, parts.place - 1074 - grid.low, parts.negative);
}

/// Adds the exact product a * b (grid: product_grid), whatever they are.
TESSERA_INLINE_FUNCTION void deposit_product(std::int64_t* state, double a, double b) {
  const Parts x = split(a);
  const Parts y = split(b);
  if (!x.finite || !y.finite) {
    count_special(state + product_grid().limbs, a * b);
    return;
  }
  state[product_grid().limbs + not_negative_zero] += 1;
  if (x.mantissa == 0 || y.mantissa == 0) return;
  const bool negative = x.negative != y.negative;
  const int position = x.place + y.place;  // 2^-1074 * 2^-1074 is the grid's lowest bit
  constexpr int half = 27;
  constexpr std::uint64_t low_mask = (1ull << half) - 1;
  const std::uint64_t xl = x.mantissa & low_mask, xh = x.mantissa >> half;
  const std::uint64_t yl = y.mantissa & low_mask, yh = y.mantissa >> half;
  deposit_integer(state, xl * yl, position, negative);
  deposit_integer(state, xl * yh, position + half, negative);
  deposit_integer(state, xh * yl, position + half, negative);
  deposit_integer(state, xh * yh, position + 2 * half, negative);
}

/// Brings every limb but the highest into [0, 2^40); the value stays the same.
TESSERA_INLINE_FUNCTION void carry(std::int64_t* limbs, int count) {
  std::int64_t over = 0;
  for (int j = 0; j + 1 < count; ++j) {
    const std::int64_t digit = limbs[j] + over;
    over = digit >> limb_bits;
    limbs[j] = digit & limb_mask;
  }
  limbs[count - 1] += over;
}

}  // namespace tessera::kernels::exact
