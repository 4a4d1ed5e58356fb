// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/log.hpp"

namespace tessera::math {

/// The product of two values that are each hi + lo with a small lo; hi alone is the product of the
/// hi's, so that infinities, zeros and NaNs come out as in a plain chain.
KOKKOS_INLINE_FUNCTION Pair compensated_product(Pair a, Pair b) {
  const double p = a.hi * b.hi;
  return {p, fused(a.hi, b.lo, fused(a.lo, b.hi, fused(a.hi, b.hi, -p)))};
}

/// hi + lo, or hi where that isn't finite.
KOKKOS_INLINE_FUNCTION double compensated_value(Pair a) {
  return magnitude(a.hi) < infinity() ? a.hi + a.lo : a.hi;
}

/// The highest bit of n >= 1 that isn't the leading one: where a chain of squares begins.
KOKKOS_INLINE_FUNCTION std::int32_t second_bit(std::int32_t n) {
  std::int32_t bit = 1;
  while (2 * bit <= n) bit *= 2;
  return bit / 2;
}

/// The integer nearest to x, ties to even; every |x| >= 2^52 is one.
KOKKOS_INLINE_FUNCTION double nearest_integer(double x) {
  const double size = magnitude(x);
  return size < 0x1p52 ? (size + 0x1p52) - 0x1p52 : size;
}

/// a^y of 0 <= a and a y that isn't NaN: exp(y ln a) in pairs. One comparison for each selection:
/// GCC 12 makes no vector code of combined ones.
KOKKOS_INLINE_FUNCTION double power_of_magnitude(double a, double y) {
  const Pair l = log_pair(a);
  const double p = y * l.hi;
  const double low = fused(y, l.hi, -p) + y * l.lo;
  double value = exp_of_sum(p, magnitude(p) < 1000.0 ? low : 0.0);
  // Beyond the logarithm's domain, and for an infinite y.
  const double growth = a > 1.0 ? y : -y;
  const double limit = growth > 0.0 ? infinity() : 0.0;
  value = a == 0.0 ? limit : value;
  value = a == infinity() ? limit : value;
  value = magnitude(y) == infinity() ? limit : value;
  value = a == 1.0 ? 1.0 : value;
  return y == 0.0 ? 1.0 : value;
}

/// x^y with the special cases of C's pow, at most 0.6 ULP off (1 ULP where the result is
/// subnormal).
KOKKOS_INLINE_FUNCTION double power(double x, double y) {
  const double value = power_of_magnitude(magnitude(x), y);
  const double half = 0.5 * magnitude(y);
  const double of_whole = nearest_integer(half) == half ? value : -value;  // of a negative x
  double of_broken = x == 0.0 ? value : quiet_nan();
  of_broken = x == -infinity() ? value : of_broken;
  const double of_negative = nearest_integer(y) == magnitude(y) ? of_whole : of_broken;
  double result = with_sign_of(1.0, x) < 0.0 ? of_negative : value;
  result = x != x ? quiet_nan() : result;
  result = y != y ? quiet_nan() : result;
  result = x == 1.0 ? 1.0 : result;
  return y == 0.0 ? 1.0 : result;
}

}  // namespace tessera::math
