// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What each reduction does with one element and with two states, for host and GPU: internal to the
// kernels. A reducer has a State of whole 8-byte words, identity(), load(x, y, i) for element i,
// and combine(a, b).
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "exact_limbs.hpp"
#include "reduce.hpp"

namespace tessera::kernels {

/// Real and imaginary parts by index, so that complex arrays are read as arrays of reals.
template <class T>
struct real_part {
  using type = T;
};
template <class T>
struct real_part<std::complex<T>> {
  using type = T;
};
template <class T>
using real_t = typename real_part<T>::type;

template <class T>
inline constexpr bool is_complex_type = !std::is_same_v<T, real_t<T>>;

struct OneReal {
  double value;
};
struct TwoReals {
  double re, im;
};
/// Sums of squares of numbers of three magnitudes, each scaled so that no square leaves the range.
struct ThreeReals {
  double small, middle, big;
};
/// Number of elements, their mean, and the sum of the squares of what they differ from it.
struct CentralMoments {
  double count, mean, squares;
};
/// value = sum of digit[i] * 2^(32 i): digits have signs and room for 2^31 more.
template <int Digits>
struct Wide {
  std::int64_t digit[Digits];
};
struct KeyIndex {
  std::int64_t key, index;
};
/// A product of integers: |value|, and flags: bit 0 negative, bit 1 out of range, bit 2 zero.
struct IntegerProduct {
  std::int64_t magnitude, flags;
};

template <class T>
TESSERA_INLINE_FUNCTION bool is_nan_element(const T* x, std::int64_t i) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return x[i] != x[i];
  }
}
template <class R>
TESSERA_INLINE_FUNCTION bool is_nan_element(const std::complex<R>* x, std::int64_t i) {
  const R* parts = reinterpret_cast<const R*>(x);
  return parts[2 * i] != parts[2 * i] || parts[2 * i + 1] != parts[2 * i + 1];
}

template <class T, bool Ignore>
struct SumReal {
  using Element = T;
  using State = OneReal;
  TESSERA_INLINE_FUNCTION static State identity() { return {-0.0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    if (Ignore && x[i] != x[i]) return {0.0};
    return {static_cast<double>(x[i])};
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) { return {a.value + b.value}; }
};

template <class T, bool Ignore>
struct SumComplex {
  using Element = T;
  using State = TwoReals;
  TESSERA_INLINE_FUNCTION static State identity() { return {-0.0, -0.0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    if (Ignore && is_nan_element(x, i)) return {0.0, 0.0};
    const real_t<T>* parts = reinterpret_cast<const real_t<T>*>(x);
    return {static_cast<double>(parts[2 * i]), static_cast<double>(parts[2 * i + 1])};
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) {
    return {a.re + b.re, a.im + b.im};
  }
};

template <class T>
struct SumInteger {
  using Element = T;
  using State = Wide<2>;
  TESSERA_INLINE_FUNCTION static State identity() { return {{0, 0}}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    const std::int64_t value = x[i];
    return {{value & 0xFFFFFFFF, value >> 32}};
  }
  TESSERA_INLINE_FUNCTION static State combine(const State& a, const State& b) {
    const std::int64_t low = a.digit[0] + b.digit[0];
    return {{low & 0xFFFFFFFF, a.digit[1] + b.digit[1] + (low >> 32)}};
  }
};

template <class T>
struct DotInteger {
  using Element = T;
  using State = Wide<4>;
  TESSERA_INLINE_FUNCTION static State identity() { return {{0, 0, 0, 0}}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T* y, std::int64_t i) {
    const std::int64_t a = x[i], b = y[i];
    const std::int64_t al = a & 0xFFFFFFFF, ah = a >> 32, bl = b & 0xFFFFFFFF, bh = b >> 32;
    const std::uint64_t low = static_cast<std::uint64_t>(al) * static_cast<std::uint64_t>(bl);
    const std::int64_t m1 = al * bh, m2 = ah * bl, high = ah * bh;
    return {{static_cast<std::int64_t>(low & 0xFFFFFFFF),
             static_cast<std::int64_t>(low >> 32) + (m1 & 0xFFFFFFFF) + (m2 & 0xFFFFFFFF),
             (m1 >> 32) + (m2 >> 32) + (high & 0xFFFFFFFF), high >> 32}};
  }
  TESSERA_INLINE_FUNCTION static State combine(const State& a, const State& b) {
    State sum;
    std::int64_t over = 0;
    for (int d = 0; d < 3; ++d) {
      const std::int64_t digit = a.digit[d] + b.digit[d] + over;
      sum.digit[d] = digit & 0xFFFFFFFF;
      over = digit >> 32;
    }
    sum.digit[3] = a.digit[3] + b.digit[3] + over;
    return sum;
  }
};

template <class T, bool Ignore>
struct DotReal {
  using Element = T;
  using State = OneReal;
  TESSERA_INLINE_FUNCTION static State identity() { return {0.0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T* y, std::int64_t i) {
    const double product = static_cast<double>(x[i]) * static_cast<double>(y[i]);
    if (Ignore && product != product) return {0.0};
    return {product};
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) { return {a.value + b.value}; }
};

/// conj(x) * y, as numpy.vdot.
template <class T, bool Ignore>
struct DotComplex {
  using Element = T;
  using State = TwoReals;
  TESSERA_INLINE_FUNCTION static State identity() { return {0.0, 0.0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T* y, std::int64_t i) {
    if (Ignore && (is_nan_element(x, i) || is_nan_element(y, i))) return {0.0, 0.0};
    const real_t<T>* a = reinterpret_cast<const real_t<T>*>(x) + 2 * i;
    const real_t<T>* b = reinterpret_cast<const real_t<T>*>(y) + 2 * i;
    const double ar = a[0], ai = a[1], br = b[0], bi = b[1];
    return {ar * br + ai * bi, ar * bi - ai * br};
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) {
    return {a.re + b.re, a.im + b.im};
  }
};

/// Squares of float32 and of integers can't leave float64's range.
template <class T, bool Ignore>
struct SquaresNarrow {
  using Element = T;
  using State = OneReal;
  TESSERA_INLINE_FUNCTION static State identity() { return {0.0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    if (Ignore && is_nan_element(x, i)) return {0.0};
    if constexpr (is_complex_type<T>) {
      const real_t<T>* parts = reinterpret_cast<const real_t<T>*>(x);
      const double re = parts[2 * i], im = parts[2 * i + 1];
      return {re * re + im * im};
    } else {
      const double value = static_cast<double>(x[i]);
      return {value * value};
    }
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) { return {a.value + b.value}; }
};

/// Squares of float64, in the three classes of J. L. Blue, "A portable Fortran program to find the
/// Euclidean norm of a vector", 1978. NaN goes to the middle class, infinities to the big one.
template <class T, bool Ignore>
struct SquaresWide {
  using Element = T;
  using State = ThreeReals;
  static constexpr double scale_up = 0x1p600, scale_down = 0x1p-600;
  static constexpr double smallest = 0x1p-450, largest = 0x1p450;
  TESSERA_INLINE_FUNCTION static State identity() { return {0.0, 0.0, 0.0}; }
  TESSERA_INLINE_FUNCTION static State square(double x) {
    const double size = fabs(x);
    const double s = size < smallest ? x * scale_up : 0.0;
    const double b = size > largest ? x * scale_down : 0.0;
    const double m = size < smallest || size > largest ? 0.0 : x;
    return {s * s, m * m, b * b};
  }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    if (Ignore && is_nan_element(x, i)) return identity();
    if constexpr (is_complex_type<T>) {
      const real_t<T>* parts = reinterpret_cast<const real_t<T>*>(x);
      return combine(square(parts[2 * i]), square(parts[2 * i + 1]));
    } else {
      return square(x[i]);
    }
  }
  TESSERA_INLINE_FUNCTION static State combine(const State& a, const State& b) {
    return {a.small + b.small, a.middle + b.middle, a.big + b.big};
  }
};

template <class T, bool Ignore>
struct SumMagnitude {
  using Element = T;
  using State = OneReal;
  TESSERA_INLINE_FUNCTION static State identity() { return {0.0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    if (Ignore && x[i] != x[i]) return {0.0};
    return {fabs(static_cast<double>(x[i]))};
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) { return {a.value + b.value}; }
};

/// The moments of two parts together: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae
/// and a pairwise algorithm for computing sample variances", 1979.
template <class T, bool Ignore>
struct Moments {
  using Element = T;
  using State = CentralMoments;
  TESSERA_INLINE_FUNCTION static State identity() { return {0.0, 0.0, 0.0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    if (Ignore && x[i] != x[i]) return identity();
    const double value = static_cast<double>(x[i]);
    return {1.0, value, value - value};  // NaN of an infinity, as a deviation from it has no value
  }
  TESSERA_INLINE_FUNCTION static State combine(const State& a, const State& b) {
    if (b.count == 0.0) return a;
    if (a.count == 0.0) return b;
    const double count = a.count + b.count;
    const double apart = b.mean - a.mean;
    const double share = b.count / count;
    return {count, a.mean + apart * share,
            a.squares + b.squares + apart * apart * (a.count * share)};
  }
};

template <class T, bool Ignore>
struct ProductReal {
  using Element = T;
  using State = OneReal;
  TESSERA_INLINE_FUNCTION static State identity() { return {1.0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    if (Ignore && x[i] != x[i]) return {1.0};
    return {static_cast<double>(x[i])};
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) { return {a.value * b.value}; }
};

template <class T, bool Ignore>
struct ProductComplex {
  using Element = T;
  using State = TwoReals;
  TESSERA_INLINE_FUNCTION static State identity() { return {1.0, 0.0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    if (Ignore && is_nan_element(x, i)) return {1.0, 0.0};
    const real_t<T>* parts = reinterpret_cast<const real_t<T>*>(x);
    return {static_cast<double>(parts[2 * i]), static_cast<double>(parts[2 * i + 1])};
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) {
    // Written with fma, as GCC 12 makes one of its own choice of the plain form (vfmaddsub), in
    // vectorised loops and whatever -ffp-contract says.
    return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
  }
};

/// Exact, or out of range whatever the order: a zero factor outweighs an overflow.
template <class T>
struct ProductInteger {
  using Element = T;
  using State = IntegerProduct;
  TESSERA_INLINE_FUNCTION static State identity() { return {1, 0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    const std::int64_t value = x[i];
    const std::uint64_t size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : value;
    return {static_cast<std::int64_t>(size), (value < 0 ? 1 : 0) | (value == 0 ? 4 : 0)};
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) {
    const std::uint64_t x = static_cast<std::uint64_t>(a.magnitude);
    const std::uint64_t y = static_cast<std::uint64_t>(b.magnitude);
    const std::int64_t flags = ((a.flags ^ b.flags) & 1) | ((a.flags | b.flags) & 6);
    constexpr std::uint64_t most = 1ull << 63;  // |INT64_MIN|; the sign decides at the end
    const bool over = x != 0 && y != 0 && x > most / y;
    return {static_cast<std::int64_t>(over ? 1 : x * y), flags | (over ? 2 : 0)};
  }
};

/// An integer that is ordered as the element: NaN above everything, -0 below 0 (or, `ZerosEqual`,
/// with it).
template <bool ZerosEqual>
TESSERA_INLINE_FUNCTION std::int64_t order_key(double x) {
  if (x != x) return INT64_MAX;
  const std::int64_t bits = static_cast<std::int64_t>(exact::bits_of(ZerosEqual ? x + 0.0 : x));
  return bits ^ ((bits >> 63) & INT64_MAX);
}
template <bool ZerosEqual>
TESSERA_INLINE_FUNCTION std::int64_t order_key(float x) {
  if (x != x) return INT64_MAX;
  union {
    float value;
    std::int32_t bits;
  } both;
  both.value = ZerosEqual ? x + 0.0f : x;
  return both.bits ^ ((both.bits >> 31) & INT32_MAX);
}
template <bool ZerosEqual, class T>
TESSERA_INLINE_FUNCTION std::int64_t order_key(T x) {
  return x;
}

/// Minima are maxima of complemented keys; NaN stays on top.
template <class T, bool Minimum, bool Ignore, bool ZerosEqual>
TESSERA_INLINE_FUNCTION std::int64_t extreme_key(T x) {
  const std::int64_t key = order_key<ZerosEqual>(x);
  if constexpr (!std::is_integral_v<T>) {
    if (key == INT64_MAX) return Ignore ? INT64_MIN : INT64_MAX;
  }
  return Minimum ? ~key : key;
}

struct Key {
  std::int64_t key;
};
/// A function, as nvcc loses the braces around a lone call of a template.
TESSERA_INLINE_FUNCTION Key key_state(std::int64_t key) { return {key}; }

template <class T, bool Minimum, bool Ignore>
struct Extreme {
  using Element = T;
  using State = Key;
  TESSERA_INLINE_FUNCTION static State identity() { return {INT64_MIN}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    return key_state(extreme_key<T, Minimum, Ignore, false>(x[i]));
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) { return a.key < b.key ? b : a; }
};

/// Keys of magnitudes, so that the key of 0 is the smallest.
template <class T, bool Ignore>
struct LargestMagnitude {
  using Element = T;
  using State = Key;
  TESSERA_INLINE_FUNCTION static State identity() { return {0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    const T value = x[i];
    const T size = value < T{0} ? -value : value == T{0} ? T{0} : value;
    return key_state(extreme_key<T, false, Ignore, false>(size));
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) { return a.key < b.key ? b : a; }
};

/// The index is the element's place in the flattened reduced axes of this part; the drivers fill it
/// in.
template <class T, bool Minimum, bool Ignore>
struct ArgExtreme {
  using Element = T;
  using State = KeyIndex;
  TESSERA_INLINE_FUNCTION static State identity() { return {INT64_MIN, INT64_MAX}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    const bool skipped = Ignore && is_nan_element(x, i);
    return {extreme_key<T, Minimum, Ignore, true>(x[i]), skipped ? INT64_MAX : 0};
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) {
    const bool second = b.key > a.key || (b.key == a.key && b.index < a.index);
    return second ? b : a;
  }
};

template <class T>
struct CountNan {
  using Element = T;
  using State = Key;
  TESSERA_INLINE_FUNCTION static State identity() { return {0}; }
  TESSERA_INLINE_FUNCTION static State load(const T* x, const T*, std::int64_t i) {
    return key_state(is_nan_element(x, i) ? 1 : 0);
  }
  TESSERA_INLINE_FUNCTION static State combine(State a, State b) { return {a.key + b.key}; }
};

template <class Reducer>
inline constexpr bool is_product = false;
template <class T, bool Ignore>
inline constexpr bool is_product<ProductReal<T, Ignore>> = true;
template <class T, bool Ignore>
inline constexpr bool is_product<ProductComplex<T, Ignore>> = true;
template <class T>
inline constexpr bool is_product<ProductInteger<T>> = true;

/// Whose states are merged over ranks by `reduce_fold`.
template <class Reducer>
inline constexpr bool is_folded =
    is_product<Reducer> || std::is_same_v<typename Reducer::State, CentralMoments>;

template <class Reducer>
inline constexpr bool has_index = std::is_same_v<typename Reducer::State, KeyIndex>;

/// load, with the index of the element where the state has one.
template <class Reducer>
TESSERA_INLINE_FUNCTION typename Reducer::State load_at(const typename Reducer::Element* x,
                                                        const typename Reducer::Element* y,
                                                        std::int64_t offset, std::int64_t index) {
  typename Reducer::State state = Reducer::load(x, y, offset);
  if constexpr (has_index<Reducer>) {
    if (state.index == 0) state.index = index;
  }
  return state;
}

}  // namespace tessera::kernels
