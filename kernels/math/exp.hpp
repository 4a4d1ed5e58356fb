// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/bits.hpp"

namespace tessera::math {

inline constexpr double log2_e = 0x1.71547652b82fep+0;
inline constexpr double ln2_hi = 0x1.62e42fefa3800p-1;  ///< 42 bits: a multiple by n is exact
inline constexpr double ln2_lo = 0x1.ef35793c76730p-45;

/// exp(x) = 2^n (1 + r + tail), |r| <= ln(2) / 2.
struct ExpParts {
  double n;
  double r;
  double tail;
};

/// (exp(r) - 1 - r) / r^2 for |r| < 0.3467: minimax polynomial, relative to exp(r) 2^-64 off.
KOKKOS_INLINE_FUNCTION double exp_polynomial(double r) {
  double q = 0x1.1f9dd05b87d0dp-29;
  q = fused(q, r, 0x1.af6cf0cc90327p-26);
  q = fused(q, r, 0x1.27e4bf4756d76p-22);
  q = fused(q, r, 0x1.71ddef7f801c7p-19);
  q = fused(q, r, 0x1.a01a01b449290p-16);
  q = fused(q, r, 0x1.a01a01b3c31d4p-13);
  q = fused(q, r, 0x1.6c16c16c135bap-10);
  q = fused(q, r, 0x1.111111110eb9ep-7);
  q = fused(q, r, 0x1.555555555555ep-5);
  q = fused(q, r, 0x1.555555555555cp-3);
  return fused(q, r, 0.5);
}

/// Of x + low, |x| <= 1000 and |low| < 1e-10.
KOKKOS_INLINE_FUNCTION ExpParts exp_parts(double x, double low) {
  const double n = fused(x, log2_e, round_constant) - round_constant;
  const Pair r = fast_two_sum(fused(n, -ln2_hi, x), fused(n, -ln2_lo, low));
  const double tail = fused(r.hi * r.hi, exp_polynomial(r.hi), fused(r.lo, r.hi, r.lo));
  return {n, r.hi, tail};
}

/// exp(x + low) for a |low| < 1e-10.
KOKKOS_INLINE_FUNCTION double exp_of_sum(double x, double low) {
  const double below = x > 710.0 ? 710.0 : x;  // overflows, as do all larger ones; a NaN passes
  const double clamped = below < -746.0 ? -746.0 : below;
  const ExpParts parts = exp_parts(clamped, low);
  const Pair sum = fast_two_sum(1.0, parts.r);
  return scaled(sum.hi + (sum.lo + parts.tail), parts.n);
}

/// e^x, at most 0.6 ULP off (0.8 ULP where the result is subnormal).
KOKKOS_INLINE_FUNCTION double exp(double x) { return exp_of_sum(x, 0.0); }

}  // namespace tessera::math
