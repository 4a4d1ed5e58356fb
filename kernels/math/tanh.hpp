// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/exp.hpp"

namespace tessera::math {

/// tanh(x), at most 0.75 ULP off: E / (E + 2) with E = exp(2 |x|) - 1, both as pairs.
KOKKOS_INLINE_FUNCTION double tanh(double x) {
  const double twice = 2.0 * magnitude(x);
  const double clamped = twice > 44.0 ? 44.0 : twice;  // from there on the result rounds to 1
  const ExpParts parts = exp_parts(clamped, 0.0);
  const double power = power_of_two(parts.n + round_constant);
  const Pair head = fast_two_sum(power - 1.0, power * parts.r);
  const Pair e = fast_two_sum(head.hi, fused(power, parts.tail, head.lo));
  const Pair sum = two_sum(2.0, e.hi);
  const double below_low = sum.lo + e.lo;
  const double inverse = 1.0 / sum.hi;
  const double quotient = e.hi * inverse;
  const double rest = fused(-quotient, sum.hi, e.hi) + fused(-quotient, below_low, e.lo);
  return with_sign_of(x != x ? x : fused(rest, inverse, quotient), x);
}

}  // namespace tessera::math
