// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "elementwise_program.hpp"
#include "math/complex.hpp"
#include "math/power.hpp"
#include "math/tanh.hpp"
#include "math/trigonometric.hpp"

// The element-wise operations as functors on one element, the same for vector loops and GPU
// threads.
namespace tessera::kernels::element_ops {

template <class T>
struct real_part {
  using type = T;
};
template <class T>
struct real_part<Kokkos::complex<T>> {
  using type = T;
};
template <class T>
using real_part_t = typename real_part<T>::type;

template <class T>
inline constexpr bool is_integral = std::is_integral_v<T>;

/// The unsigned type in which T wraps: at least 32 bits, so that nothing is promoted to int.
template <class T>
using wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

struct Negate {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    if constexpr (is_integral<T>) {
      return static_cast<T>(wrapping<T>{0} - static_cast<wrapping<T>>(a));
    } else if constexpr (is_complex_element<T>) {
      return T(-a.real(), -a.imag());
    } else {
      return -a;
    }
  }
};

struct Add {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a, T b) {
    if constexpr (is_integral<T>) {
      return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
    } else if constexpr (is_complex_element<T>) {
      return T(a.real() + b.real(), a.imag() + b.imag());
    } else {
      return a + b;
    }
  }
};

struct Subtract {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a, T b) {
    if constexpr (is_integral<T>) {
      return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
    } else if constexpr (is_complex_element<T>) {
      return T(a.real() - b.real(), a.imag() - b.imag());
    } else {
      return a - b;
    }
  }
};

struct Multiply {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a, T b) {
    if constexpr (is_integral<T>) {
      return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
    } else if constexpr (is_complex_element<T>) {
      return math::multiply(a, b);
    } else {
      return a * b;
    }
  }
};

struct Divide {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a, T b) {
    if constexpr (is_complex_element<T>) {
      return math::divide(a, b);
    } else {
      return a / b;
    }
  }
};

struct Scale {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a, real_part_t<T> b) {
    return T(a.real() * b, a.imag() * b);
  }
};

struct Unscale {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a, real_part_t<T> b) {
    return T(a.real() / b, a.imag() / b);
  }
};

struct Fma {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(real_part_t<T> a, T b, T c) {
    if constexpr (is_integral<T>) {
      return Add::of(Multiply::of(a, b), c);
    } else if constexpr (is_complex_element<T>) {
      return T(math::fused(a, b.real(), c.real()), math::fused(a, b.imag(), c.imag()));
    } else {
      return math::fused(a, b, c);
    }
  }
};

struct Square {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return Multiply::of(a, a);
  }
};

struct Norm {
  template <class T>
  KOKKOS_INLINE_FUNCTION static real_part_t<T> of(T a) {
    return math::norm(a);
  }
};

struct Abs {
  template <class T>
  KOKKOS_INLINE_FUNCTION static real_part_t<T> of(T a) {
    if constexpr (std::is_unsigned_v<T>) {
      return a;
    } else if constexpr (is_integral<T>) {
      return a < 0 ? Negate::of(a) : a;
    } else if constexpr (is_complex_element<T>) {
      return math::absolute(a);
    } else {
      using std::fabs;
      return fabs(a);
    }
  }
};

struct Real {
  template <class T>
  KOKKOS_INLINE_FUNCTION static real_part_t<T> of(T a) {
    return a.real();
  }
};
struct Imag {
  template <class T>
  KOKKOS_INLINE_FUNCTION static real_part_t<T> of(T a) {
    return a.imag();
  }
};
struct Conj {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return T(a.real(), -a.imag());
  }
};

struct Equal {
  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(T a, T b) {
    if constexpr (is_complex_element<T>) {
      return (a.real() == b.real()) & (a.imag() == b.imag());
    } else {
      return a == b;
    }
  }
};
struct NotEqual {
  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(T a, T b) {
    return Equal::of(a, b) ^ 1;
  }
};
struct Less {
  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(T a, T b) {
    return a <= b;
  }
};
struct Truth {
  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(T a) {
    return NotEqual::of(a, T(0));
  }
};
struct LogicalNot {
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(std::uint8_t a) { return a == 0; }
};
struct LogicalAnd {
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(std::uint8_t a, std::uint8_t b) {
    return (a != 0) & (b != 0);
  }
};
struct LogicalOr {
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(std::uint8_t a, std::uint8_t b) {
    return (a | b) != 0;
  }
};
struct IsNan {
  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(T a) {
    return NotEqual::of(a, a);
  }
};
struct IsFinite {
  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint8_t of(T a) {
    return Equal::of(Subtract::of(a, a), T(0));
  }
};

struct Select {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(std::uint8_t a, T b, T c) {
    return a != 0 ? b : c;
  }
};

/// Where neither is larger they are equal, zeros of either sign, or one is NaN; a sum then makes
/// the right zero and the NaN.
struct Min {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a, T b) {
    if constexpr (is_integral<T>) {
      return b < a ? b : a;
    } else {
      const T equal = a == T(0) ? -(-a - b) : a;
      const T other = a == b ? equal : a + b;
      return a < b ? a : b < a ? b : other;
    }
  }
};
struct Max {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a, T b) {
    if constexpr (is_integral<T>) {
      return a < b ? b : a;
    } else {
      const T equal = a == T(0) ? a + b : a;
      const T other = a == b ? equal : a + b;
      return a < b ? b : b < a ? a : other;
    }
  }
};

struct Sign {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    const T one = a > T(0) ? T(1) : T(0);
    const T signed_one = a < T(0) ? Negate::of(T(1)) : one;
    return a == a ? signed_one : a;
  }
};

struct Floor {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    using std::floor;
    return floor(a);
  }
};
struct Ceil {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    using std::ceil;
    return ceil(a);
  }
};
struct Round {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    using std::rint;
    return rint(a);
  }
};

/// Steps of the chain that makes a power: from the leading bit of the exponent on, a square for
/// each bit, times the base where it is set. float64 carries the rounding errors along and adds
/// them at the end; float32 is computed in float64; others multiply plainly.
template <class T>
struct PowerChain {
  using State = T;
  KOKKOS_INLINE_FUNCTION static State begin(T x) { return x; }
  KOKKOS_INLINE_FUNCTION static State squared(State s) { return Multiply::of(s, s); }
  KOKKOS_INLINE_FUNCTION static State times(State s, T x) { return Multiply::of(s, x); }
  KOKKOS_INLINE_FUNCTION static T end(State s) { return s; }
};
template <>
struct PowerChain<double> {
  using State = math::Pair;
  KOKKOS_INLINE_FUNCTION static State begin(double x) { return {x, 0.0}; }
  KOKKOS_INLINE_FUNCTION static State squared(State s) { return math::compensated_product(s, s); }
  KOKKOS_INLINE_FUNCTION static State times(State s, double x) {
    return math::compensated_product(s, {x, 0.0});
  }
  KOKKOS_INLINE_FUNCTION static double end(State s) { return math::compensated_value(s); }
};
template <>
struct PowerChain<float> {
  using State = double;
  KOKKOS_INLINE_FUNCTION static State begin(float x) { return static_cast<double>(x); }
  KOKKOS_INLINE_FUNCTION static State squared(State s) { return s * s; }
  KOKKOS_INLINE_FUNCTION static State times(State s, float x) { return s * static_cast<double>(x); }
  KOKKOS_INLINE_FUNCTION static float end(State s) { return static_cast<float>(s); }
};

/// x^n for 0 <= n; x^0 = 1.
template <class T>
KOKKOS_INLINE_FUNCTION T integer_power(T x, std::int32_t n) {
  using Chain = PowerChain<T>;
  if (n == 0) return T(1);
  typename Chain::State state = Chain::begin(x);
  for (std::int32_t bit = math::second_bit(n); bit != 0; bit /= 2) {
    state = Chain::squared(state);
    if ((n & bit) != 0) state = Chain::times(state, x);
  }
  return Chain::end(state);
}

struct Sqrt {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return math::square_root(a);
  }
};

/// Functions of a float32 are evaluated in float64 and rounded once.
struct Exp {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return static_cast<T>(math::exp(static_cast<double>(a)));
  }
};
struct Log {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return static_cast<T>(math::log(static_cast<double>(a)));
  }
};
struct Tanh {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return static_cast<T>(math::tanh(static_cast<double>(a)));
  }
};
struct Sin {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return static_cast<T>(math::sin(static_cast<double>(a)));
  }
};
struct Cos {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return static_cast<T>(math::cos(static_cast<double>(a)));
  }
};
/// Sine and cosine of angles that are all near (see math/trigonometric.hpp).
struct SinNear {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return static_cast<T>(math::sin_near(static_cast<double>(a)));
  }
};
struct CosNear {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a) {
    return static_cast<T>(math::cos_near(static_cast<double>(a)));
  }
};
struct Power {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of(T a, T b) {
    return static_cast<T>(math::power(static_cast<double>(a), static_cast<double>(b)));
  }
};

}  // namespace tessera::kernels::element_ops

namespace tessera::kernels {

/// The classes of types that an operation is defined for.
enum class Types { all, real, floating, real_floating, complex };

template <Types types, class T>
inline constexpr bool is_among = types == Types::all ||
                                 (types == Types::real && !is_complex_element<T>) ||
                                 (types == Types::floating && !std::is_integral_v<T>) ||
                                 (types == Types::real_floating && std::is_floating_point_v<T>) ||
                                 (types == Types::complex && is_complex_element<T>);

}  // namespace tessera::kernels
