// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/log.hpp"

// Sine and cosine: x = q pi/2 + r with |r| <= pi/4, r as a pair. Up to 2^32 three parts of pi/2 are
// subtracted (W. J. Cody, W. Waite); beyond, r comes from the bits of 2/pi that matter (M. Payne,
// R. Hanek).
namespace tessera::math {

/// r and the lowest bits of q.
struct Reduced {
  Pair r;
  std::uint64_t quadrant;
};

inline constexpr double largest_near_angle = 0x1p32;

KOKKOS_INLINE_FUNCTION bool is_near_angle(double x) { return magnitude(x) <= largest_near_angle; }

/// Of a near angle.
KOKKOS_INLINE_FUNCTION Reduced reduce_near(double x) {
  constexpr double two_by_pi = 0x1.45f306dc9c883p-1;
  constexpr double first = 0x1.921fb54442d18p+0;
  constexpr double second = 0x1.1a62633145c07p-54;
  constexpr double third = -0x1.f1976b7ed8fbcp-110;
  const double shifted = fused(x, two_by_pi, round_constant);
  const double q = shifted - round_constant;
  const double r = fused(q, -first, x);  // exact: a multiple of 2^-52 below 1
  const Pair p = two_product(q, second);
  const Pair s = two_sum(r, -p.hi);
  return {fast_two_sum(s.hi, s.lo - fused(q, third, p.lo)), bits_of(shifted)};
}

/// 64 bits from bit `position` on of a number in 32-bit words, lowest first.
KOKKOS_INLINE_FUNCTION std::uint64_t bits_at(const std::uint32_t* words, int position) {
  const int word = position / 32;
  const int shift = position % 32;
  const std::uint64_t low = words[word] | (std::uint64_t{words[word + 1]} << 32);
  return shift == 0 ? low : (low >> shift) | (std::uint64_t{words[word + 2]} << (64 - shift));
}

/// product = mantissa * (seven words of 2/pi from number `skipped` on), words lowest first.
KOKKOS_INLINE_FUNCTION void multiply_two_by_pi(std::uint64_t mantissa, int skipped,
                                               std::uint32_t* product) {
  constexpr std::uint32_t two_by_pi[] = {
      0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
      0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
      0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
      0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
      0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
      0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t factor = half == 0 ? mantissa & 0xffffffff : mantissa >> 32;
    std::uint64_t carry = 0;
    for (int k = 0; k < 7; ++k) {
      const std::uint64_t sum =
          factor * two_by_pi[skipped + 6 - k] + (half == 0 ? 0 : product[half + k]) + carry;
      product[half + k] = static_cast<std::uint32_t>(sum);
      carry = sum >> 32;
    }
    product[half + 7] = static_cast<std::uint32_t>(carry);
  }
}

/// Of any finite |x| >= 1. Bits of 2/pi that make multiples of four turns are left out; 128 bits of
/// the fraction are kept.
KOKKOS_INLINE_FUNCTION Reduced reduce_far(double x) {
  const std::uint64_t mantissa = (bits_of(x) & mantissa_bits) | (mantissa_bits + 1);
  const int exponent = static_cast<int>((bits_of(x) & exponent_bits) >> 52) - 1075;
  const int skipped = exponent < 2 ? 0 : (exponent - 2) / 32;
  std::uint32_t product[12] = {};
  multiply_two_by_pi(mantissa, skipped, product);
  const int point = 224 - (exponent - 32 * skipped);  // bits after the binary point
  std::uint64_t quadrant = bits_at(product, point);
  std::uint64_t high = bits_at(product, point - 64);
  std::uint64_t low = bits_at(product, point - 128);
  bool negative = false;
  if ((high >> 63) != 0) {  // the next multiple of pi/2 is nearer
    ++quadrant;
    negative = true;
    low = ~low + 1;
    high = ~high + (low == 0 ? 1 : 0);
  }
  int zeros = 0;
  for (; zeros < 64 && (high >> 63) == 0; ++zeros) {
    high = (high << 1) | (low >> 63);
    low <<= 1;
  }
  const double unit = power_of_two(round_constant - static_cast<double>(zeros));
  const Pair fraction{static_cast<double>(high >> 11) * 0x1p-53 * unit,
                      static_cast<double>(((high & 0x7ff) << 52) | (low >> 12)) * 0x1p-116 * unit};
  const Pair r = pair_product(fraction, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  const Pair normal = fast_two_sum(r.hi, r.lo);
  if (bits_of(x) >> 63 != 0) {
    negative = !negative;
    quadrant = 0 - quadrant;
  }
  return {negative ? Pair{-normal.hi, -normal.lo} : normal, quadrant};
}

/// sin(r), |r| <= pi/4: minimax polynomial.
KOKKOS_INLINE_FUNCTION double sin_polynomial(Pair r) {
  const double z = r.hi * r.hi;
  double s = 0x1.5d93004970b69p-33;
  s = fused(s, z, -0x1.ae5e6638965ebp-26);
  s = fused(s, z, 0x1.71de3577b4e8ap-19);
  s = fused(s, z, -0x1.a01a019c11990p-13);
  s = fused(s, z, 0x1.111111110f87ap-7);
  s = fused(s, z, -0x1.5555555555549p-3);
  return r.hi + fused(z * r.hi, s, fused(r.lo, -0.5 * z, r.lo));
}

/// cos(r), |r| <= pi/4: minimax polynomial.
KOKKOS_INLINE_FUNCTION double cos_polynomial(Pair r) {
  const Pair z = two_product(r.hi, r.hi);
  double c = -0x1.8fae9c87de470p-37;
  c = fused(c, z.hi, 0x1.1ee9ebe983a11p-29);
  c = fused(c, z.hi, -0x1.27e4f809f172fp-22);
  c = fused(c, z.hi, 0x1.a01a019cb1bf4p-16);
  c = fused(c, z.hi, -0x1.6c16c16c1517ep-10);
  c = fused(c, z.hi, 0x1.555555555554cp-5);
  const Pair head = fast_two_sum(1.0, -0.5 * z.hi);
  const double low = fused(-r.hi, r.lo, -0.5 * z.lo);
  return head.hi + (head.lo + fused(z.hi * z.hi, c, low));
}

/// The sine of an angle in the given quadrant: sin, cos, -sin, -cos of r.
KOKKOS_INLINE_FUNCTION double quadrant_sine(const Reduced& reduced, std::uint64_t quadrant) {
  const double sine = sin_polynomial(reduced.r);
  const double cosine = cos_polynomial(reduced.r);
  const double value = (quadrant & 1) != 0 ? cosine : sine;
  return from_bits(bits_of(value) ^ ((quadrant & 2) << 62));
}

/// Of a near angle; sin(x) = x where x is small keeps -0 and subnormals.
KOKKOS_INLINE_FUNCTION double sin_near(double x) {
  const Reduced reduced = reduce_near(x);
  const double value = quadrant_sine(reduced, reduced.quadrant);
  return magnitude(x) < 0x1p-27 ? x : value;
}
KOKKOS_INLINE_FUNCTION double cos_near(double x) {
  const Reduced reduced = reduce_near(x);
  return quadrant_sine(reduced, reduced.quadrant + 1);
}

/// Of any other angle; NaN of infinity and NaN.
KOKKOS_INLINE_FUNCTION double sin_far(double x) {
  if (!(magnitude(x) < infinity())) return quiet_nan();
  const Reduced reduced = reduce_far(x);
  return quadrant_sine(reduced, reduced.quadrant);
}
KOKKOS_INLINE_FUNCTION double cos_far(double x) {
  if (!(magnitude(x) < infinity())) return quiet_nan();
  const Reduced reduced = reduce_far(x);
  return quadrant_sine(reduced, reduced.quadrant + 1);
}

/// At most 0.75 ULP off, for every angle.
KOKKOS_INLINE_FUNCTION double sin(double x) { return is_near_angle(x) ? sin_near(x) : sin_far(x); }
KOKKOS_INLINE_FUNCTION double cos(double x) { return is_near_angle(x) ? cos_near(x) : cos_far(x); }

}  // namespace tessera::math
