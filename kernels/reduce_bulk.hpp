// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The host's fast loops over contiguous elements: internal to the kernels. A sum runs in 32 lanes
// (element i to lane i mod 32) that are folded 16, 8, 4, 2, 1; reductions whose order changes
// nothing are plain loops that the compiler turns into vector code.
#include "exact_window.hpp"
#include "reducers.hpp"

namespace tessera::kernels {

using exact::Reals;
inline constexpr int sum_lanes = 32;

/// Sums of term(0), term(1), ...: Components of them, interleaved (2 for complex numbers).
template <int Components, class Term>
inline void lane_sums(std::int64_t n, const Term& term, double (&sums)[Components]) {
  constexpr int groups = sum_lanes / exact::lanes;
  Reals total[groups];
  for (Reals& reals : total) reals = -Reals{};  // -0, so that -0 alone sum to -0
  std::int64_t i = 0;
  for (; i + sum_lanes <= n; i += sum_lanes) {
    term.prefetch(i);
#pragma GCC unroll 8
    for (int g = 0; g < groups; ++g) total[g] += term.vector(i + g * exact::lanes);
  }
  double lane[sum_lanes];
  std::memcpy(lane, total, sizeof lane);
  for (; i < n; ++i) lane[i % sum_lanes] += term.scalar(i);
  for (int half = sum_lanes / 2; half >= Components; half /= 2) {
    for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
  }
  for (int c = 0; c < Components; ++c) sums[c] = lane[c];
}

template <class T>
inline void prefetch_ahead(const T* x) {
  constexpr std::int64_t ahead = 2048;
  for (std::int64_t byte = 0; byte < static_cast<std::int64_t>(sum_lanes * sizeof(T)); byte += 64) {
    __builtin_prefetch(reinterpret_cast<const char*>(x) + ahead + byte);
  }
}

template <class T, bool Ignore>
struct PlainTerm {
  const T* x;
  void prefetch(std::int64_t i) const { prefetch_ahead(x + i); }
  [[nodiscard]] Reals vector(std::int64_t i) const {
    const Reals value = exact::load(x + i);
    return Ignore ? (value == value ? value : Reals{}) : value;
  }
  [[nodiscard]] double scalar(std::int64_t i) const {
    return Ignore && x[i] != x[i] ? 0.0 : static_cast<double>(x[i]);
  }
};

template <class T, bool Ignore>
struct SquareTerm {
  PlainTerm<T, Ignore> plain;
  void prefetch(std::int64_t i) const { plain.prefetch(i); }
  [[nodiscard]] Reals vector(std::int64_t i) const { return plain.vector(i) * plain.vector(i); }
  [[nodiscard]] double scalar(std::int64_t i) const { return plain.scalar(i) * plain.scalar(i); }
};

template <class T, bool Ignore>
struct MagnitudeTerm {
  PlainTerm<T, Ignore> plain;
  void prefetch(std::int64_t i) const { plain.prefetch(i); }
  [[nodiscard]] Reals vector(std::int64_t i) const {
    const Reals value = plain.vector(i);
    return value < 0 ? -value : value;
  }
  [[nodiscard]] double scalar(std::int64_t i) const { return std::fabs(plain.scalar(i)); }
};

/// Squares of what elements differ from their mean.
template <class T, bool Ignore>
struct DeviationTerm {
  PlainTerm<T, false> plain;
  double mean;
  void prefetch(std::int64_t) const {}
  [[nodiscard]] Reals vector(std::int64_t i) const {
    const Reals value = plain.vector(i);
    const Reals deviation = value - mean;
    return Ignore ? (value == value ? deviation * deviation : Reals{}) : deviation * deviation;
  }
  [[nodiscard]] double scalar(std::int64_t i) const {
    const double deviation = plain.scalar(i) - mean;
    return Ignore && x_is_nan(i) ? 0.0 : deviation * deviation;
  }

 private:
  [[nodiscard]] bool x_is_nan(std::int64_t i) const { return plain.scalar(i) != plain.scalar(i); }
};

template <class T, bool Ignore>
struct ProductTerm {
  const T* x;
  const T* y;
  void prefetch(std::int64_t i) const {
    prefetch_ahead(x + i);
    prefetch_ahead(y + i);
  }
  [[nodiscard]] Reals vector(std::int64_t i) const {
    const Reals value = exact::load(x + i) * exact::load(y + i);
    return Ignore ? (value == value ? value : Reals{}) : value;
  }
  [[nodiscard]] double scalar(std::int64_t i) const {
    const double value = static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return Ignore && value != value ? 0.0 : value;
  }
};

/// `run(x, y, n, index)`: the state of n contiguous elements, the first of which has this index.
template <class Reducer>
struct Bulk {
  using T = typename Reducer::Element;
  static typename Reducer::State run(const T* x, const T* y, std::int64_t n, std::int64_t index) {
    constexpr int lanes = 8;
    typename Reducer::State lane[lanes];
    for (auto& state : lane) state = Reducer::identity();
    for (std::int64_t i = 0; i < n; ++i) {
      lane[i % lanes] = Reducer::combine(lane[i % lanes], load_at<Reducer>(x, y, i, index + i));
    }
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) lane[l] = Reducer::combine(lane[l], lane[l + half]);
    }
    return lane[0];
  }
};

template <class T, bool Ignore>
struct Bulk<SumReal<T, Ignore>> {
  static OneReal run(const T* x, const T*, std::int64_t n, std::int64_t) {
    double sums[1];
    lane_sums(n, PlainTerm<T, Ignore>{x}, sums);
    return {sums[0]};
  }
};

template <class T, bool Ignore>
struct Bulk<SumMagnitude<T, Ignore>> {
  static OneReal run(const T* x, const T*, std::int64_t n, std::int64_t) {
    double sums[1];
    lane_sums(n, MagnitudeTerm<T, Ignore>{{x}}, sums);
    return {sums[0] + 0.0};
  }
};

/// Two passes over elements that the first has brought into the cache.
template <class T, bool Ignore>
struct Bulk<Moments<T, Ignore>> {
  static CentralMoments run(const T* x, const T*, std::int64_t n, std::int64_t) {
    std::int64_t count = n;
    if constexpr (Ignore) {
      for (std::int64_t i = 0; i < n; ++i) count -= x[i] != x[i] ? 1 : 0;
    }
    if (count == 0) return Moments<T, Ignore>::identity();
    double sums[1];
    lane_sums(n, PlainTerm<T, Ignore>{x}, sums);
    const double mean = sums[0] / static_cast<double>(count);
    lane_sums(n, DeviationTerm<T, Ignore>{{x}, mean}, sums);
    return {static_cast<double>(count), mean, sums[0] + 0.0};
  }
};

template <class T>
struct Bulk<SumComplex<T, false>> {
  static TwoReals run(const T* x, const T*, std::int64_t n, std::int64_t) {
    double sums[2];
    lane_sums(2 * n, PlainTerm<real_t<T>, false>{reinterpret_cast<const real_t<T>*>(x)}, sums);
    return {sums[0], sums[1]};
  }
};

template <class T, bool Ignore>
struct Bulk<DotReal<T, Ignore>> {
  static OneReal run(const T* x, const T* y, std::int64_t n, std::int64_t) {
    double sums[1];
    lane_sums(n, ProductTerm<T, Ignore>{x, y}, sums);
    return {sums[0]};
  }
};

template <class R>
struct Bulk<SquaresNarrow<std::complex<R>, false>> {
  static OneReal run(const std::complex<R>* x, const std::complex<R>*, std::int64_t n,
                     std::int64_t) {
    double sums[1];
    lane_sums(2 * n, SquareTerm<R, false>{{reinterpret_cast<const R*>(x)}}, sums);
    return {sums[0]};
  }
};
template <bool Ignore>
struct Bulk<SquaresNarrow<float, Ignore>> {
  static OneReal run(const float* x, const float*, std::int64_t n, std::int64_t) {
    double sums[1];
    lane_sums(n, SquareTerm<float, Ignore>{{x}}, sums);
    return {sums[0]};
  }
};

/// Plain squares where they all stay well inside the range, which their sum shows; else Blue's
/// classes.
template <class Reducer, bool Ignore>
inline ThreeReals safe_squares(const typename Reducer::Element* elements, const double* x,
                               std::int64_t reals, std::int64_t n) {
  double sums[1];
  lane_sums(reals, SquareTerm<double, Ignore>{{x}}, sums);
  if (sums[0] >= 0x1p-800 && sums[0] <= 0x1p900) return {0.0, sums[0], 0.0};
  ThreeReals lane[sum_lanes] = {};
  for (std::int64_t i = 0; i < n; ++i) {
    ThreeReals& total = lane[i % sum_lanes];
    total = Reducer::combine(total, Reducer::load(elements, nullptr, i));
  }
  for (int half = sum_lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lane[l] = Reducer::combine(lane[l], lane[l + half]);
  }
  return lane[0];
}
template <bool Ignore>
struct Bulk<SquaresWide<double, Ignore>> {
  static ThreeReals run(const double* x, const double*, std::int64_t n, std::int64_t) {
    return safe_squares<SquaresWide<double, Ignore>, Ignore>(x, x, n, n);
  }
};
template <>
struct Bulk<SquaresWide<std::complex<double>, false>> {
  using T = std::complex<double>;
  static ThreeReals run(const T* x, const T*, std::int64_t n, std::int64_t) {
    return safe_squares<SquaresWide<T, false>, false>(x, reinterpret_cast<const double*>(x), 2 * n,
                                                      n);
  }
};

template <class T>
struct Bulk<SumInteger<T>> {
  /// n <= 2^31.
  static Wide<2> run(const T* x, const T*, std::int64_t n, std::int64_t) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    if constexpr (sizeof(T) < 8) {
      for (std::int64_t i = 0; i < n; ++i) low += x[i];
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        low += x[i] & 0xFFFFFFFF;
        high += x[i] >> 32;
      }
    }
    return {{low & 0xFFFFFFFF, high + (low >> 32)}};
  }
};

/// Keys no wider than the element, so that a vector holds as many as it can: float32 and int32 in
/// 32 bits.
template <class T>
using narrow_key_t = std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>;

template <class T, bool Minimum, bool Ignore, bool ZerosEqual>
inline narrow_key_t<T> narrow_key(T x) {
  using K = narrow_key_t<T>;
  constexpr K top = std::numeric_limits<K>::max();
  if constexpr (std::is_integral_v<T>) {
    return Minimum ? ~static_cast<K>(x) : static_cast<K>(x);
  } else {
    const T value = ZerosEqual ? x + T{0} : x;
    K bits;
    std::memcpy(&bits, &value, sizeof bits);
    const K ordered = bits ^ ((bits >> (8 * sizeof(K) - 1)) & top);
    const K key = Minimum ? ~ordered : ordered;
    return x != x ? (Ignore ? std::numeric_limits<K>::min() : top) : key;
  }
}

template <class T, bool Minimum, bool Ignore, bool ZerosEqual>
inline narrow_key_t<T> largest_key(const T* x, std::int64_t n) {
  auto largest = std::numeric_limits<narrow_key_t<T>>::min();
  for (std::int64_t i = 0; i < n; ++i) {
    const auto key = narrow_key<T, Minimum, Ignore, ZerosEqual>(x[i]);
    largest = key > largest ? key : largest;
  }
  return largest;
}

/// The marks for NaN and for "nothing" are at the ends of int64 whatever the key's width.
template <class T>
inline std::int64_t widen_key(narrow_key_t<T> key) {
  if constexpr (std::is_same_v<T, float>) {
    if (key == INT32_MAX) return INT64_MAX;
    if (key == INT32_MIN) return INT64_MIN;
  }
  return key;
}

template <class T, bool Minimum, bool Ignore>
struct Bulk<Extreme<T, Minimum, Ignore>> {
  static Key run(const T* x, const T*, std::int64_t n, std::int64_t) {
    if (n == 0) return {INT64_MIN};
    return {widen_key<T>(largest_key<T, Minimum, Ignore, false>(x, n))};
  }
};

/// A magnitude's key is its bits without the sign.
template <class T, bool Ignore>
struct Bulk<LargestMagnitude<T, Ignore>> {
  static Key run(const T* x, const T*, std::int64_t n, std::int64_t) {
    using K = narrow_key_t<T>;
    K largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      K bits;
      std::memcpy(&bits, x + i, sizeof bits);
      const K key = x[i] != x[i] ? (Ignore ? K{0} : std::numeric_limits<K>::max())
                                 : bits & std::numeric_limits<K>::max();
      largest = key > largest ? key : largest;
    }
    return {widen_key<T>(largest)};
  }
};

template <class T, bool Minimum, bool Ignore>
struct Bulk<ArgExtreme<T, Minimum, Ignore>> {
  static KeyIndex run(const T* x, const T*, std::int64_t n, std::int64_t index) {
    if (n == 0) return {INT64_MIN, INT64_MAX};
    const auto largest = largest_key<T, Minimum, Ignore, true>(x, n);
    std::int64_t i = 0;
    while (narrow_key<T, Minimum, Ignore, true>(x[i]) != largest) ++i;
    const bool none = Ignore && widen_key<T>(largest) == INT64_MIN && !std::is_integral_v<T>;
    return {widen_key<T>(largest), none ? INT64_MAX : index + i};
  }
};

template <class T>
struct Bulk<CountNan<T>> {
  static Key run(const T* x, const T*, std::int64_t n, std::int64_t) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) count += is_nan_element(x, i) ? 1 : 0;
    return {count};
  }
};

}  // namespace tessera::kernels
