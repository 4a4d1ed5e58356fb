// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/exp.hpp"

namespace tessera::math {

/// x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
struct LogParts {
  double k;
  double f;
};

/// Of a positive finite x.
KOKKOS_INLINE_FUNCTION LogParts log_parts(double x) {
  const bool subnormal = x < 0x1p-1022;
  const double normal = subnormal ? x * 0x1p54 : x;
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  // Biased by 1024, so that the shift needn't keep a sign.
  const std::uint64_t biased = bits_of(normal) - root_half + (std::uint64_t{1024} << 52);
  const std::uint64_t exponent = biased >> 52;
  const double m = from_bits(bits_of(normal) - ((exponent - 1024) << 52));
  const double bias = subnormal ? 0x1p52 + 1024.0 + 54.0 : 0x1p52 + 1024.0;
  return {from_bits(exponent | bits_of(0x1p52)) - bias, m - 1.0};
}

/// (ln((1 + s) / (1 - s)) - 2 s) / s^3 with z = s^2, 1 + f = (1 + s) / (1 - s): minimax polynomial.
KOKKOS_INLINE_FUNCTION double log_polynomial(double z) {
  double p = 0x1.2f07063f8bd0ap-3;
  p = fused(p, z, 0x1.39a1934b9e4d1p-3);
  p = fused(p, z, 0x1.746640596a400p-3);
  p = fused(p, z, 0x1.c71c5202c7a84p-3);
  p = fused(p, z, 0x1.24924941f8abfp-2);
  p = fused(p, z, 0x1.999999997fd3bp-2);
  return fused(p, z, 0x1.5555555555592p-1);
}

/// `value` for positive finite x; the logarithms of 0, infinity, negative numbers and NaN.
KOKKOS_INLINE_FUNCTION double log_special(double x, double value) {
  const double large = x == infinity() ? x : value;
  const double zero = x == 0.0 ? -infinity() : large;
  return x < 0.0 || x != x ? quiet_nan() : zero;
}

/// ln(x), at most 0.85 ULP off. With s = f / (2 + f): ln(1 + f) = f - f^2/2 + s (f^2/2 + z p(z))
/// (K. C. Ng's form, fdlibm e_log.c).
KOKKOS_INLINE_FUNCTION double log(double x) {
  const LogParts parts = log_parts(x);
  const double f = parts.f;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double half_square = 0.5 * f * f;
  const double inner = s * fused(z, log_polynomial(z), half_square);
  const Pair sum = fast_two_sum(parts.k * ln2_hi, f);
  const double low = half_square - fused(parts.k, ln2_lo, inner);
  return log_special(x, sum.hi + (sum.lo - low));
}

/// (ln((1 + s) / (1 - s)) - 2 s - 2/3 s^3 - 2/5 s^5) / s^7 with z = s^2: minimax polynomial.
KOKKOS_INLINE_FUNCTION double log_far_polynomial(double z) {
  double u = 0x1.e7dff449f0019p-4;
  u = fused(u, z, 0x1.de9e821785e31p-4);
  u = fused(u, z, 0x1.111dce752ec5cp-3);
  u = fused(u, z, 0x1.3b137834162c5p-3);
  u = fused(u, z, 0x1.745d17d762ad5p-3);
  u = fused(u, z, 0x1.c71c71c65a0d5p-3);
  return fused(u, z, 0x1.24924924927cdp-2);
}

/// The product of two pairs, some 2^-104 off.
KOKKOS_INLINE_FUNCTION Pair pair_product(Pair a, Pair b) {
  const double p = a.hi * b.hi;
  return {p, fused(a.hi, b.hi, -p) + fused(a.hi, b.lo, a.lo * b.hi)};
}

/// a + b for |a| >= |b.hi|, with a's own low part.
KOKKOS_INLINE_FUNCTION Pair pair_sum(double a, double a_low, Pair b) {
  const Pair s = fast_two_sum(a, b.hi);
  return {s.hi, s.lo + (b.lo + a_low)};
}

/// ln(x) of a positive finite x as hi + lo, some 2^-68 off: 2 s + 2/3 s^3 + 2/5 s^5 + ... summed in
/// pairs.
KOKKOS_INLINE_FUNCTION Pair log_pair(double x) {
  const LogParts parts = log_parts(x);
  const double f = parts.f;
  const Pair below = fast_two_sum(2.0, f);
  const double inverse = 1.0 / below.hi;
  const double quotient = f * inverse;
  const double rest = fused(-quotient, below.lo, fused(-quotient, below.hi, f));
  const Pair s{quotient, rest * inverse};
  const Pair z = pair_product(s, s);
  const Pair fifth = pair_sum(0x1.999999999999ap-2, -0x1.999999999999ap-56,
                              {z.hi * log_far_polynomial(z.hi), 0.0});
  const Pair third = pair_sum(0x1.5555555555555p-1, 0x1.5555555555555p-55, pair_product(z, fifth));
  const Pair series = pair_product(s, pair_sum(2.0, 0.0, pair_product(z, third)));
  const Pair whole = pair_sum(parts.k * ln2_hi, parts.k * ln2_lo, series);
  return fast_two_sum(whole.hi, whole.lo);
}

}  // namespace tessera::math
