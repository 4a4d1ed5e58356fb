// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exact sums in two float64, for as long as they fit: internal to the kernels, host and GPU. A pair
// (high, low) takes a number by two error-free additions; what the second one leaves over is handed
// back and must be zero for the pair to be the exact sum. Most short sums fit; the others are done
// by limbs.
#include "exact_round.hpp"

namespace tessera::kernels::exact {

/// a becomes RN(a + b); returns the error, exactly (D. E. Knuth's two-sum). NaN after an overflow.
TESSERA_INLINE_FUNCTION double add_error_free(double& a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  a = sum;
  return error;
}

struct Pair {
  double high = -0.0;  ///< stays -0 as long as only -0 is added
  double low = 0.0;

  /// Adds x; returns what is lost.
  TESSERA_INLINE_FUNCTION double add(double x) {
    const double error = add_error_free(high, x);
    return add_error_free(low, error);
  }
};

/// The product's parts, and whether they are exact: p + error == a * b.
TESSERA_INLINE_FUNCTION bool product_parts(double a, double b, double& p, double& error) {
  p = a * b;
  error = fma(a, b, -p);
  return fabs(p) >= 0x1p-960 || a == 0.0 || b == 0.0;
}

/// RN of the exact pair to the format. Only for finite pairs.
TESSERA_INLINE_FUNCTION double round_pair(const Pair& pair, bool narrow) {
  if (pair.low == 0.0)
    return narrow ? static_cast<double>(static_cast<float>(pair.high)) : pair.high;
  double sum = pair.high;
  const double error = add_error_free(sum, pair.low);
  if (!narrow) return sum;
  // Rounding to odd first makes the second rounding to 24 bits harmless.
  const std::uint64_t bits = bits_of(sum);
  if (error != 0.0 && (bits & 1) == 0) {
    const bool away = (error > 0) == (sum > 0);
    sum = from_bits(away ? bits + 1 : bits - 1);
  }
  return static_cast<double>(static_cast<float>(sum));
}

/// RN(pair / n) to the format where that is easy to tell; false where it is too close to a tie.
TESSERA_INLINE_FUNCTION bool divide_pair(const Pair& pair, std::int64_t n, bool narrow,
                                         double& result) {
  if (n > (std::int64_t{1} << 53)) return false;
  const double divisor = static_cast<double>(n);
  if (pair.low == 0.0 && !narrow) {
    result = pair.high / divisor;
    return true;
  }
  double sum = pair.high;
  const double rest = add_error_free(sum, pair.low);
  const double quotient = sum / divisor;
  const double size = fabs(quotient);
  if (!(size > 0x1p-900)) return false;
  const double unit = size * 0x1p-50;  // four to eight units in the last place
  if (narrow) {
    const float above = static_cast<float>(quotient + unit);
    const float below = static_cast<float>(quotient - unit);
    result = below;
    return above == below;
  }
  // sum - quotient * n is exact; half a unit in the last place is at least size * 2^-54.
  const double left = fma(-quotient, divisor, sum) + rest;
  result = quotient;
  return fabs(left) < size * divisor * 0x1.fp-55;
}

/// RN(exact sum / divisor) from a pair, by limbs where need be.
TESSERA_INLINE_FUNCTION double finish_pair(const Pair& pair, std::int64_t divisor, bool narrow) {
  double result = 0.0;
  if (divisor == 1) return round_pair(pair, narrow);
  if (divide_pair(pair, divisor, narrow, result)) return result;
  constexpr int words = value_grid().words();  // named, as nvcc garbles the call in the bound
  std::int64_t state[words];
  for (std::int64_t& word : state) word = 0;
  deposit(state, value_grid(), pair.high);
  if (pair.low != 0.0) deposit(state, value_grid(), pair.low);
  return finish_sum(state, value_grid(), 1, divisor, narrow ? float32_format() : float64_format());
}

/// RN53(sqrt(RN53(sum of squares))) from a pair, as root * 2^exponent.
TESSERA_INLINE_FUNCTION double root_of_pair(const Pair& pair) { return sqrt(pair.high + pair.low); }

}  // namespace tessera::kernels::exact
