// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/error.hpp"

namespace tessera {

/// The element types that a tensor can have in memory.
enum class DType : std::uint8_t { uint8, int32, int64, float32, float64, complex64, complex128 };

inline constexpr DType all_dtypes[] = {DType::uint8,     DType::int32,   DType::int64,
                                       DType::float32,   DType::float64, DType::complex64,
                                       DType::complex128};

[[nodiscard]] constexpr std::int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::uint8:
      return 1;
    case DType::int32:
    case DType::float32:
      return 4;
    case DType::int64:
    case DType::float64:
    case DType::complex64:
      return 8;
    case DType::complex128:
      return 16;
  }
  return 0;
}

[[nodiscard]] constexpr std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::uint8:
      return "uint8";
    case DType::int32:
      return "int32";
    case DType::int64:
      return "int64";
    case DType::float32:
      return "float32";
    case DType::float64:
      return "float64";
    case DType::complex64:
      return "complex64";
    case DType::complex128:
      return "complex128";
  }
  return "?";
}

[[nodiscard]] constexpr std::optional<DType> dtype_named(std::string_view name) {
  for (const DType dtype : all_dtypes) {
    if (name_of(dtype) == name) return dtype;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr bool is_complex(DType d) {
  return d == DType::complex64 || d == DType::complex128;
}
[[nodiscard]] constexpr bool is_integer(DType d) { return d <= DType::int64; }
[[nodiscard]] constexpr bool is_real_floating(DType d) {
  return d == DType::float32 || d == DType::float64;
}

/// complex64 -> float32, complex128 -> float64; others unchanged.
[[nodiscard]] constexpr DType real_of(DType d) {
  return d == DType::complex64 ? DType::float32 : d == DType::complex128 ? DType::float64 : d;
}
/// float32 -> complex64, every other real type -> complex128.
[[nodiscard]] constexpr DType complex_of(DType d) {
  return d == DType::complex64 || d == DType::float32 ? DType::complex64 : DType::complex128;
}

/// The type that holds the result of arithmetic on the two, as numpy's `result_type` says.
[[nodiscard]] constexpr DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) {
    const auto narrow = [](DType d) {
      return d == DType::complex64 || d == DType::float32 || d == DType::uint8;
    };
    return narrow(a) && narrow(b) ? DType::complex64 : DType::complex128;
  }
  if (is_real_floating(a) || is_real_floating(b)) {
    const auto narrow = [](DType d) { return d == DType::float32 || d == DType::uint8; };
    return narrow(a) && narrow(b) ? DType::float32 : DType::float64;
  }
  return a > b ? a : b;
}

template <class T>
struct dtype_of_type;
template <>
struct dtype_of_type<std::uint8_t> {
  static constexpr DType value = DType::uint8;
};
template <>
struct dtype_of_type<std::int32_t> {
  static constexpr DType value = DType::int32;
};
template <>
struct dtype_of_type<std::int64_t> {
  static constexpr DType value = DType::int64;
};
template <>
struct dtype_of_type<float> {
  static constexpr DType value = DType::float32;
};
template <>
struct dtype_of_type<double> {
  static constexpr DType value = DType::float64;
};
template <>
struct dtype_of_type<std::complex<float>> {
  static constexpr DType value = DType::complex64;
};
template <>
struct dtype_of_type<std::complex<double>> {
  static constexpr DType value = DType::complex128;
};

template <class T>
inline constexpr DType dtype_of = dtype_of_type<std::remove_cv_t<T>>::value;

/// Calls `f` with `std::type_identity<T>{}` for the C++ type of `dtype`: the one place where a
/// run-time type becomes a template argument.
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::uint8:
      return f(std::type_identity<std::uint8_t>{});
    case DType::int32:
      return f(std::type_identity<std::int32_t>{});
    case DType::int64:
      return f(std::type_identity<std::int64_t>{});
    case DType::float32:
      return f(std::type_identity<float>{});
    case DType::float64:
      return f(std::type_identity<double>{});
    case DType::complex64:
      return f(std::type_identity<std::complex<float>>{});
    case DType::complex128:
      return f(std::type_identity<std::complex<double>>{});
  }
  throw Error(ErrorKind::internal, "internal error: unknown element type");
}

/// As `visit`, for float32, float64, complex64 and complex128 only.
template <class F>
decltype(auto) visit_floating(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float32:
      return f(std::type_identity<float>{});
    case DType::float64:
      return f(std::type_identity<double>{});
    case DType::complex64:
      return f(std::type_identity<std::complex<float>>{});
    case DType::complex128:
      return f(std::type_identity<std::complex<double>>{});
    default:
      throw Error(ErrorKind::internal, "internal error: a floating-point type was promised");
  }
}

}  // namespace tessera
