// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "elementwise_ops.hpp"

namespace tessera::kernels::element_ops {

/// Floating-point to integer: toward zero, saturating at the integer type's limits; NaN gives 0.
template <class To, class From>
KOKKOS_INLINE_FUNCTION To saturated_integer(From x) {
  // 2^31 and 2^63 as such: the largest integer itself may not be a floating-point number.
  constexpr int bits = std::numeric_limits<To>::digits;
  const From above = static_cast<From>(static_cast<double>(std::uint64_t{1} << (bits - 1)) * 2.0);
  const From lowest = std::is_signed_v<To> ? -above : From(0);
  const From below = x < above ? x : From(0);  // a NaN isn't below
  const To value = static_cast<To>(below > lowest ? below : lowest);
  return x >= above ? std::numeric_limits<To>::max() : value;
}

/// Integer to integer, saturating.
template <class To, class From>
KOKKOS_INLINE_FUNCTION To narrowed_integer(From x) {
  const auto wide = static_cast<std::int64_t>(x);
  constexpr auto lowest = static_cast<std::int64_t>(std::numeric_limits<To>::min());
  constexpr auto largest = static_cast<std::int64_t>(std::numeric_limits<To>::max());
  return static_cast<To>(wide < lowest ? lowest : wide > largest ? largest : wide);
}

/// Complex to real isn't defined: `Convert<To>::of` of a complex number needs a complex `To`.
template <class To>
struct Convert {
  template <class From>
  KOKKOS_INLINE_FUNCTION static To of(From x) {
    if constexpr (std::is_same_v<From, To>) {
      return x;
    } else if constexpr (is_complex_element<From>) {
      using Part = real_part_t<To>;
      return To(static_cast<Part>(x.real()), static_cast<Part>(x.imag()));
    } else if constexpr (is_complex_element<To>) {
      return To(static_cast<real_part_t<To>>(x), 0);
    } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
      return narrowed_integer<To>(x);
    } else if constexpr (std::is_integral_v<To>) {
      return saturated_integer<To>(x);
    } else {
      return static_cast<To>(x);
    }
  }
};

template <class From, class To>
inline constexpr bool is_convertible = !is_complex_element<From> || is_complex_element<To>;

}  // namespace tessera::kernels::element_ops
