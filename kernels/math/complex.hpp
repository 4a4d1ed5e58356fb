// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/bits.hpp"

// Complex arithmetic, defined to the last bit.
namespace tessera::math {

using Complex64 = Kokkos::complex<float>;
using Complex128 = Kokkos::complex<double>;

/// (re, im) = (fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)).
template <class T>
KOKKOS_INLINE_FUNCTION Kokkos::complex<T> multiply(const Kokkos::complex<T>& a,
                                                   const Kokkos::complex<T>& b) {
  return {fused(a.real(), b.real(), -(a.imag() * b.imag())),
          fused(a.real(), b.imag(), a.imag() * b.real())};
}

/// |a|^2 = fma(re, re, im * im).
template <class T>
KOKKOS_INLINE_FUNCTION T norm(const Kokkos::complex<T>& a) {
  return fused(a.real(), a.real(), a.imag() * a.imag());
}

/// A power of two near 1 / |x|, as the bits of its exponent; |x| times it lies in [1, 4), or in
/// [2^-52, 1) for a subnormal x. Of 0: 2^1022; of infinity and NaN: 2^-1022.
KOKKOS_INLINE_FUNCTION std::uint64_t normalising_bits(double x) {
  constexpr std::uint64_t one = std::uint64_t{1} << 52;
  std::uint64_t exponent = bits_of(x) & exponent_bits;
  exponent = exponent < one ? one : exponent;
  exponent = exponent > 2045 * one ? 2045 * one : exponent;
  return 2046 * one - exponent;
}
/// The reciprocal of the power of two.
KOKKOS_INLINE_FUNCTION double reciprocal_power(std::uint64_t power_bits) {
  return from_bits((std::uint64_t{2046} << 52) - power_bits);
}

/// |a|, both parts scaled by one power of two: no overflow or underflow inside. At most 1 ULP off.
/// Infinite where a part is, even beside a NaN.
KOKKOS_INLINE_FUNCTION double absolute(const Complex128& a) {
  const double re = magnitude(a.real());
  const double im = magnitude(a.imag());
  const double larger = re > im ? re : im;
  const std::uint64_t power_bits = normalising_bits(larger);
  const double power = from_bits(power_bits);
  const double x = re * power;
  const double y = im * power;
  const double root = square_root(fused(x, x, y * y)) * reciprocal_power(power_bits);
  return (re == infinity()) | (im == infinity()) ? infinity() : root;
}
/// In float64, whose range no square of a float32 leaves, and rounded to float32.
KOKKOS_INLINE_FUNCTION float absolute(const Complex64& a) {
  const double x = a.real();
  const double y = a.imag();
  const double root = square_root(fused(x, x, y * y));
  const bool infinite = (magnitude(x) == infinity()) | (magnitude(y) == infinity());
  return static_cast<float>(infinite ? infinity() : root);
}

/// Where a quotient came out as NaN + NaN i: the infinities and zeros of C11's annex G.5.1.
KOKKOS_INLINE_FUNCTION Complex128 recovered_quotient(const Complex128& a, const Complex128& b,
                                                     const Complex128& quotient) {
  const auto finite = [](double x) { return magnitude(x) < infinity(); };
  const auto is_infinite = [](double x) { return magnitude(x) == infinity(); };
  const auto box = [&](double x) { return with_sign_of(is_infinite(x) ? 1.0 : 0.0, x); };
  if (b.real() == 0 && b.imag() == 0 && (a.real() == a.real() || a.imag() == a.imag())) {
    const double large = with_sign_of(infinity(), b.real());
    return {large * a.real(), large * a.imag()};
  }
  if ((is_infinite(a.real()) || is_infinite(a.imag())) && finite(b.real()) && finite(b.imag())) {
    const double x = box(a.real());
    const double y = box(a.imag());
    return {infinity() * fused(x, b.real(), y * b.imag()),
            infinity() * fused(y, b.real(), -(x * b.imag()))};
  }
  if ((is_infinite(b.real()) || is_infinite(b.imag())) && finite(a.real()) && finite(a.imag())) {
    const double x = box(b.real());
    const double y = box(b.imag());
    return {0.0 * fused(a.real(), x, a.imag() * y), 0.0 * fused(a.imag(), x, -(a.real() * y))};
  }
  return quotient;
}

/// a / b = a conj(b) / |b|^2 with the parts as fma(a.re, b.re, a.im * b.im) and
/// fma(a.im, b.re, -(a.re * b.im)), each divided by fma(b.re, b.re, b.im * b.im); a and b are first
/// scaled by powers of two, so that nothing overflows or underflows inside. NaN + NaN i where the
/// quotient has to be recovered.
KOKKOS_INLINE_FUNCTION Complex128 plain_quotient(const Complex128& a, const Complex128& b) {
  const double a_largest = magnitude(a.real()) > magnitude(a.imag()) ? a.real() : a.imag();
  const double b_largest = magnitude(b.real()) > magnitude(b.imag()) ? b.real() : b.imag();
  const std::uint64_t a_power = normalising_bits(a_largest);
  const std::uint64_t b_power = normalising_bits(b_largest);
  const double ar = a.real() * from_bits(a_power);
  const double ai = a.imag() * from_bits(a_power);
  const double br = b.real() * from_bits(b_power);
  const double bi = b.imag() * from_bits(b_power);
  const double length = fused(br, br, bi * bi);
  // The scale that undoes both: in one step where the two powers compensate each other.
  const double up = from_bits(b_power);
  const double down = reciprocal_power(a_power);
  const double lower = up < down ? up : down;
  const double upper = up < down ? down : up;
  const double both_large = lower < 1.0 ? lower * upper : lower;
  const double first = upper < 1.0 ? lower : both_large;
  const double single = lower < 1.0 ? 1.0 : upper;
  const double second = upper < 1.0 ? upper : single;
  return {fused(ar, br, ai * bi) / length * first * second,
          fused(ai, br, -(ar * bi)) / length * first * second};
}

/// As for complex128, in float64 without scaling, rounded to float32 at the end.
KOKKOS_INLINE_FUNCTION Complex64 plain_quotient(const Complex64& a, const Complex64& b) {
  const double ar = a.real();
  const double ai = a.imag();
  const double br = b.real();
  const double bi = b.imag();
  const double length = fused(br, br, bi * bi);
  return {static_cast<float>(fused(ar, br, ai * bi) / length),
          static_cast<float>(fused(ai, br, -(ar * bi)) / length)};
}

template <class T>
KOKKOS_INLINE_FUNCTION Kokkos::complex<T> divide(const Kokkos::complex<T>& a,
                                                 const Kokkos::complex<T>& b) {
  const Kokkos::complex<T> quotient = plain_quotient(a, b);
  if (quotient.real() == quotient.real() || quotient.imag() == quotient.imag()) return quotient;
  const Complex128 recovered =
      recovered_quotient(Complex128(a.real(), a.imag()), Complex128(b.real(), b.imag()), quotient);
  return {static_cast<T>(recovered.real()), static_cast<T>(recovered.imag())};
}

}  // namespace tessera::math
