// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "data/compare.hpp"

namespace tessera::data {

/// Differences of one pair of elements: none between two NaN, infinite where only one is finite.
struct Difference {
  double absolute = 0;
  double relative = 0;
  double ulp = 0;
};

/// The numbers of a floating-point type in ascending order, counted: neighbours differ by one, and
/// both zeros are 0.
template <class Real>
std::int64_t ordinal(Real value) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  const auto bits = std::bit_cast<Bits>(value);
  return bits < 0 ? static_cast<std::int64_t>(std::numeric_limits<Bits>::min()) - bits : bits;
}

/// |a - b| of integers, exact.
inline std::uint64_t distance(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  return a > b ? x - y : y - x;
}

inline double ratio(double difference, double reference) {
  return difference == 0 ? 0 : difference / std::abs(reference);
}

template <class Real>
Difference real_difference(Real a, Real b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a == b || (std::isnan(a) && std::isnan(b))) return {};
  const double absolute = std::abs(static_cast<double>(a) - static_cast<double>(b));
  if (!std::isfinite(a) || !std::isfinite(b)) return {infinity, infinity, infinity};
  return {absolute, ratio(absolute, static_cast<double>(b)),
          static_cast<double>(distance(ordinal(a), ordinal(b)))};
}

template <class T>
double modulus(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::abs(static_cast<double>(value));
  } else {
    return std::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
  }
}

template <class T>
Difference difference(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    const auto steps = static_cast<double>(distance(a, b));
    return {steps, ratio(steps, static_cast<double>(b)), steps};
  } else if constexpr (std::is_floating_point_v<T>) {
    return real_difference(a, b);
  } else {
    const Difference real = real_difference(a.real(), b.real());
    const Difference imaginary = real_difference(a.imag(), b.imag());
    const double absolute = std::hypot(real.absolute, imaginary.absolute);
    return {absolute, std::isinf(absolute) ? absolute : ratio(absolute, modulus(b)),
            std::fmax(real.ulp, imaginary.ulp)};
  }
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
bool same_value(const T& a, const T& b, bool nan_equal) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b || (nan_equal && std::isnan(a) && std::isnan(b));
  } else if constexpr (std::is_integral_v<T>) {
    return a == b;
  } else {
    return same_value(a.real(), b.real(), nan_equal) && same_value(a.imag(), b.imag(), nan_equal);
  }
}

template <class T>
bool is_finite(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value);
  } else if constexpr (std::is_integral_v<T>) {
    return true;
  } else {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  }
}

template <class T>
bool is_nan(const T& value) {
  return !same_value(value, value, false);
}

/// The rules of CompareOptions.
template <class T>
bool same_element(const T& a, const T& b, double absolute, const CompareOptions& options) {
  if (options.bits)
    return same_bits(a, b) || (options.nan_equal && same_value(a, b, true) && is_nan(a));
  if (same_value(a, b, options.nan_equal)) return true;
  return is_finite(a) && is_finite(b) && absolute <= options.atol + options.rtol * modulus(b);
}

}  // namespace tessera::data
