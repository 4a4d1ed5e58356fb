// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "device/kokkos.hpp"

// Pieces of which the functions in this folder are made: IEEE operations and integer operations on
// bit patterns only, so that every compiler and device gives the same bits. No branches where a
// selection will do: GCC then makes vector loops of them.
namespace tessera::math {

KOKKOS_INLINE_FUNCTION std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

KOKKOS_INLINE_FUNCTION double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// x * y + z, rounded once.
KOKKOS_INLINE_FUNCTION double fused(double x, double y, double z) {
#ifdef __CUDA_ARCH__
  return ::fma(x, y, z);
#else
  return __builtin_fma(x, y, z);
#endif
}
KOKKOS_INLINE_FUNCTION float fused(float x, float y, float z) {
#ifdef __CUDA_ARCH__
  return ::fmaf(x, y, z);
#else
  return __builtin_fmaf(x, y, z);
#endif
}

KOKKOS_INLINE_FUNCTION double square_root(double x) {
#ifdef __CUDA_ARCH__
  return ::sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}
KOKKOS_INLINE_FUNCTION float square_root(float x) {
#ifdef __CUDA_ARCH__
  return ::sqrtf(x);
#else
  return __builtin_sqrtf(x);
#endif
}

inline constexpr std::uint64_t sign_bit = 0x8000000000000000;
inline constexpr std::uint64_t exponent_bits = 0x7ff0000000000000;
inline constexpr std::uint64_t mantissa_bits = 0x000fffffffffffff;

KOKKOS_INLINE_FUNCTION double quiet_nan() { return from_bits(0x7ff8000000000000); }
KOKKOS_INLINE_FUNCTION double infinity() { return from_bits(exponent_bits); }

KOKKOS_INLINE_FUNCTION double magnitude(double x) { return from_bits(bits_of(x) & ~sign_bit); }
KOKKOS_INLINE_FUNCTION double with_sign_of(double x, double sign) {
  return from_bits((bits_of(x) & ~sign_bit) | (bits_of(sign) & sign_bit));
}

/// A sum with this constant, 1.5 * 2^52, rounds half to even into the low bits of the pattern.
inline constexpr double round_constant = 0x1.8p52;

/// The integer n, where shifted == round_constant + n.
KOKKOS_INLINE_FUNCTION std::int64_t integer_of(double shifted) {
  return static_cast<std::int64_t>(bits_of(shifted) - bits_of(round_constant));
}

/// 2^n, where shifted == round_constant + n and -1022 <= n <= 1023.
KOKKOS_INLINE_FUNCTION double power_of_two(double shifted) {
  return from_bits((bits_of(shifted) + 1023) << 52);
}

/// x * 2^n for an integral |n| <= 2044: exact unless the result overflows or is subnormal.
KOKKOS_INLINE_FUNCTION double scaled(double x, double n) {
  const double half = fused(n, 0.5, round_constant);
  const double rest = round_constant + (n - (half - round_constant));
  return x * power_of_two(half) * power_of_two(rest);
}

/// A value as an unevaluated sum: hi + lo.
struct Pair {
  double hi;
  double lo;
};

/// hi + lo == a + b exactly, for |a| >= |b| or a == 0.
KOKKOS_INLINE_FUNCTION Pair fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, (a - s) + b};
}

/// hi + lo == a + b exactly (T. Dekker 1971, D. Knuth).
KOKKOS_INLINE_FUNCTION Pair two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// hi + lo == a * b exactly, barring underflow.
KOKKOS_INLINE_FUNCTION Pair two_product(double a, double b) {
  const double p = a * b;
  return {p, fused(a, b, -p)};
}

}  // namespace tessera::math
