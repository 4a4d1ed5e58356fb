// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/bits.hpp"

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

}  // namespace tessera::math
