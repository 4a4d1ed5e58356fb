// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// From the digits of an exact accumulator to the one rounding: internal to the kernels, host and
// GPU.
#include "exact_limbs.hpp"

namespace tessera::kernels::exact {

/// A positive number: the leading 64 bits (highest one set), whether anything non-zero lies below
/// them, and the exponent of the highest bit.
struct Leading {
  std::uint64_t bits = 0;  ///< 0 for zero
  bool sticky = false;
  int exponent = 0;
  bool negative = false;
};

/// A type to round to: precision, the exponent of the lowest bit there is, and the largest
/// exponent.
struct Format {
  int precision;
  int lowest;
  int highest;
};
TESSERA_INLINE_FUNCTION constexpr Format float64_format() { return {53, -1074, 1023}; }
TESSERA_INLINE_FUNCTION constexpr Format float32_format() { return {24, -149, 127}; }

TESSERA_INLINE_FUNCTION int highest_bit(std::uint64_t x) {
  int bit = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (x >> step) {
      x >>= step;
      bit += step;
    }
  }
  return bit;
}

/// Carries, makes the digits a magnitude, and returns its sign. The state is changed.
TESSERA_INLINE_FUNCTION bool make_magnitude(std::int64_t* limbs, int count) {
  carry(limbs, count);
  if (limbs[count - 1] >= 0) return false;
  for (int j = 0; j < count; ++j) limbs[j] = -limbs[j];
  carry(limbs, count);
  return true;
}

TESSERA_INLINE_FUNCTION int highest_limb(const std::int64_t* limbs, int count) {
  int top = count - 1;
  while (top >= 0 && limbs[top] == 0) --top;
  return top;
}

/// The leading bits of the sum. The state is changed.
TESSERA_INLINE_FUNCTION Leading leading(std::int64_t* limbs, const Grid& grid) {
  Leading result;
  result.negative = make_magnitude(limbs, grid.limbs);
  const int top = highest_limb(limbs, grid.limbs);
  if (top < 0) return result;
  const int first = highest_bit(static_cast<std::uint64_t>(limbs[top]));
  result.exponent = top * limb_bits + first + grid.low;
  int have = 0;
  for (int j = top; j >= 0; --j) {
    const std::uint64_t digit = static_cast<std::uint64_t>(limbs[j]);
    const int width = j == top ? first + 1 : limb_bits;
    const int take = width < 64 - have ? width : 64 - have;
    if (take > 0) {
      result.bits = (take == 64 ? 0 : result.bits << take) | digit >> (width - take);
      have += take;
    }
    const std::uint64_t below = width > take ? digit & ((1ull << (width - take)) - 1) : 0;
    if (below != 0) result.sticky = true;
  }
  if (have < 64) result.bits <<= 64 - have;
  return result;
}

/// The leading bits of the sum divided by `divisor` (1 <= divisor < 2^63), by long division in base
/// two: only the bits that rounding needs are worked out. The state is changed.
TESSERA_INLINE_FUNCTION Leading leading_quotient(std::int64_t* limbs, const Grid& grid,
                                                 std::uint64_t divisor) {
  Leading result;
  result.negative = make_magnitude(limbs, grid.limbs);
  const int top = highest_limb(limbs, grid.limbs);
  if (top < 0) return result;
  int position = top * limb_bits + highest_bit(static_cast<std::uint64_t>(limbs[top]));
  std::uint64_t rest = 0;
  int have = 0;
  for (; have < 64; --position) {
    const std::uint64_t bit =
        position < 0
            ? 0
            : static_cast<std::uint64_t>(limbs[position / limb_bits]) >> position % limb_bits & 1;
    rest = rest * 2 + bit;
    const std::uint64_t digit = rest >= divisor ? 1 : 0;
    if (digit != 0) rest -= divisor;
    if (have == 0 && digit == 0) continue;
    if (have == 0) result.exponent = position + grid.low;
    result.bits = result.bits << 1 | digit;
    ++have;
  }
  result.sticky = rest != 0;
  for (int j = 0; j <= top && position >= 0 && !result.sticky; ++j) {
    const int left =
        position + 1 - j * limb_bits;  // bits of this limb that were not yet brought down
    if (left <= 0) break;
    const std::uint64_t mask = left >= limb_bits ? limb_mask : (1ull << left) - 1;
    result.sticky = (static_cast<std::uint64_t>(limbs[j]) & mask) != 0;
  }
  return result;
}

/// Rounds to nearest, ties to even, subnormals and overflow as IEEE 754 has them. The result is
/// held in a float64 whatever the format.
TESSERA_INLINE_FUNCTION double round_to(const Leading& number, const Format& format) {
  if (number.bits == 0) return 0.0;
  int unit = number.exponent - (format.precision - 1);
  if (unit < format.lowest) unit = format.lowest;
  const int drop = unit - (number.exponent - 63);
  if (drop > 64) return number.negative ? -0.0 : 0.0;
  std::uint64_t kept = drop < 64 ? number.bits >> drop : 0;
  const std::uint64_t rest = drop < 64 ? number.bits & ((1ull << drop) - 1) : number.bits;
  const std::uint64_t half = 1ull << (drop - 1);
  if (rest > half || (rest == half && (number.sticky || (kept & 1) != 0))) kept += 1;
  double result = infinity();
  const bool overflow = kept != 0 && highest_bit(kept) + unit > format.highest;
  if (!overflow) result = ldexp(static_cast<double>(kept), unit);
  return number.negative ? -result : result;
}

/// sqrt as root * 2^exponent, root in [1, 2]; 0 * 2^0 for zero.
struct Root {
  double root = 0.0;
  int exponent = 0;
};

/// RN53(sqrt(RN53(number))), exponents unbounded.
TESSERA_INLINE_FUNCTION Root square_root(const Leading& number) {
  if (number.bits == 0) return {};
  std::uint64_t kept = number.bits >> 11;
  const std::uint64_t rest = number.bits & 0x7FF;
  if (rest > 0x400 || (rest == 0x400 && (number.sticky || (kept & 1) != 0))) kept += 1;
  // kept * 2^(exponent - 52), with kept in [2^52, 2^53]; the exponent is made even.
  const int odd = number.exponent & 1;
  const double square = ldexp(static_cast<double>(kept), odd - 52);
  return {sqrt(square), (number.exponent - odd) / 2};
}

/// What the counters say of a sum; false when the digits decide.
TESSERA_INLINE_FUNCTION bool special_sum(const std::int64_t* state, const Grid& grid,
                                         double& result) {
  const std::int64_t* counters = state + grid.limbs;
  const bool plus = counters[positive_infinities] > 0;
  const bool minus = counters[negative_infinities] > 0;
  if (counters[nans] == 0 && !plus && !minus) return false;
  result = counters[nans] > 0 || (plus && minus) ? canonical_nan()
           : plus                                ? infinity()
                                                 : -infinity();
  return true;
}

/// RN(exact sum / divisor) to the format. `count` elements were deposited: when all of them were -0
/// the result is -0. The state is changed.
TESSERA_INLINE_FUNCTION double finish_sum(std::int64_t* state, const Grid& grid, std::int64_t count,
                                          std::int64_t divisor, const Format& format) {
  double result = 0.0;
  if (special_sum(state, grid, result)) return result;
  if (count > 0 && state[grid.limbs + not_negative_zero] == 0) return -0.0;
  return round_to(divisor == 1 ? leading(state, grid)
                               : leading_quotient(state, grid, static_cast<std::uint64_t>(divisor)),
                  format);
}

/// RN(sqrt(RN53(exact sum of squares))) as root * 2^exponent. NaN and infinity come with exponent
/// 0. The state is changed.
TESSERA_INLINE_FUNCTION Root finish_root(std::int64_t* state) {
  double result = 0.0;
  if (special_sum(state, product_grid(), result)) return {result, 0};
  return square_root(leading(state, product_grid()));
}

}  // namespace tessera::kernels::exact
