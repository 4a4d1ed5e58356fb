// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The small transforms that every length is built of, written once for scalars
// (portable kernels) and for vectors of independent lines (host blocks). The
// sequence of operations written here is the order of rounding of the FFT: sums
// and differences as they stand, products only inside explicit fused
// multiply-adds or where a product stands alone. All are forward: X_k = sum_j
// a_j exp(-2 pi i j k / R).
#include <cmath>

#include "device/function.hpp"

namespace tessera::kernels::fft_detail {

/// What the templates need to know of a scalar, or of a vector of lanes.
template <class V>
struct arithmetic {
  using lane = V;
  TESSERA_FORCEINLINE_FUNCTION static V splat(V value) { return value; }
  TESSERA_FORCEINLINE_FUNCTION static double fused(double a, double b, double c) {
    return fma(a, b, c);
  }
  TESSERA_FORCEINLINE_FUNCTION static float fused(float a, float b, float c) {
    return fmaf(a, b, c);
  }
};
template <class V>
using lane_t = typename arithmetic<V>::lane;

/// a b + c, rounded once.
template <class V>
TESSERA_FORCEINLINE_FUNCTION V fused(const V& a, const V& b, const V& c) {
  return arithmetic<V>::fused(a, b, c);
}
/// A value for all lanes.
template <class V>
TESSERA_FORCEINLINE_FUNCTION V splat(lane_t<V> value) {
  return arithmetic<V>::splat(value);
}

template <class V>
struct Complex {
  V re, im;
};

template <class V>
TESSERA_FORCEINLINE_FUNCTION Complex<V> operator+(const Complex<V>& a, const Complex<V>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
TESSERA_FORCEINLINE_FUNCTION Complex<V> operator-(const Complex<V>& a, const Complex<V>& b) {
  return {a.re - b.re, a.im - b.im};
}
/// a - i b and a + i b.
template <class V>
TESSERA_FORCEINLINE_FUNCTION Complex<V> minus_i(const Complex<V>& a, const Complex<V>& b) {
  return {a.re + b.im, a.im - b.re};
}
template <class V>
TESSERA_FORCEINLINE_FUNCTION Complex<V> plus_i(const Complex<V>& a, const Complex<V>& b) {
  return {a.re - b.im, a.im + b.re};
}
/// s a + b for a real s.
template <class V>
TESSERA_FORCEINLINE_FUNCTION Complex<V> scaled_plus(const V& s, const Complex<V>& a,
                                                    const Complex<V>& b) {
  return {fused<V>(s, a.re, b.re), fused<V>(s, a.im, b.im)};
}
/// a w: two products, two fused multiply-adds.
template <class V>
TESSERA_FORCEINLINE_FUNCTION Complex<V> times(const Complex<V>& a, const V& wr, const V& wi) {
  return {fused<V>(-a.im, wi, a.re * wr), fused<V>(a.im, wr, a.re * wi)};
}

/// Coefficient k of a real line of length 2 M, from the transform Z of its
/// pairs x[2j] + i x[2j+1]:
///   X_k = (a + w (b_im - i b_re)) / 2, a = Z_k + conj Z_(M-k), b = Z_k - conj
///   Z_(M-k), w = exp(-2 pi i k / 2M),
/// times a scale. `half` is scale / 2.
template <class V>
TESSERA_FORCEINLINE_FUNCTION Complex<V> split_pair(const Complex<V>& z, const Complex<V>& mirror,
                                                   const V& wr, const V& wi, const V& half) {
  const Complex<V> a = {z.re + mirror.re, z.im - mirror.im};
  const Complex<V> b = {z.re - mirror.re, z.im + mirror.im};
  return {half * fused<V>(wi, b.re, fused<V>(wr, b.im, a.re)),
          half * fused<V>(-wr, b.re, fused<V>(wi, b.im, a.im))};
}

/// The reverse: Z_k whose backward transform of length M, not normalised, gives
/// pairs of the real line:
///   Z_k = a + i conj(w) b, a = X_k + conj X_(M-k), b = X_k - conj X_(M-k).
template <class V>
TESSERA_FORCEINLINE_FUNCTION Complex<V> merge_pair(const Complex<V>& x, const Complex<V>& mirror,
                                                   const V& wr, const V& wi) {
  const Complex<V> a = {x.re + mirror.re, x.im - mirror.im};
  const Complex<V> b = {x.re - mirror.re, x.im + mirror.im};
  return {fused<V>(-wr, b.im, fused<V>(wi, b.re, a.re)),
          fused<V>(wr, b.re, fused<V>(wi, b.im, a.im))};
}

template <int R>
struct Butterfly;

template <>
struct Butterfly<2> {
  template <class V>
  TESSERA_FORCEINLINE_FUNCTION static void apply(Complex<V>* a) {
    const Complex<V> t = a[0] - a[1];
    a[0] = a[0] + a[1];
    a[1] = t;
  }
};

/// Four values in separate variables, so that they can be any of a larger set.
template <class V>
TESSERA_FORCEINLINE_FUNCTION void transform4(Complex<V>& a0, Complex<V>& a1, Complex<V>& a2,
                                             Complex<V>& a3) {
  const Complex<V> t0 = a0 + a2;
  const Complex<V> t1 = a0 - a2;
  const Complex<V> t2 = a1 + a3;
  const Complex<V> t3 = a1 - a3;
  a0 = t0 + t2;
  a1 = minus_i(t1, t3);
  a2 = t0 - t2;
  a3 = plus_i(t1, t3);
}

template <>
struct Butterfly<4> {
  template <class V>
  TESSERA_FORCEINLINE_FUNCTION static void apply(Complex<V>* a) {
    transform4(a[0], a[1], a[2], a[3]);
  }
};

/// Even and odd elements by radix 4, then X_k = E_k + w^k O_k with w = (1 - i)
/// / sqrt 2.
template <>
struct Butterfly<8> {
  template <class V>
  TESSERA_FORCEINLINE_FUNCTION static void apply(Complex<V>* a) {
    const V half_root = splat<V>(lane_t<V>(0.70710678118654752440));
    Complex<V> e0 = a[0], e1 = a[2], e2 = a[4], e3 = a[6];
    Complex<V> o0 = a[1], o1 = a[3], o2 = a[5], o3 = a[7];
    transform4(e0, e1, e2, e3);
    transform4(o0, o1, o2, o3);
    const Complex<V> u1 = {o1.re + o1.im, o1.im - o1.re};     // (1 - i) O_1
    const Complex<V> u3 = {o3.im - o3.re, -(o3.re + o3.im)};  // (-1 - i) O_3
    a[0] = e0 + o0;
    a[4] = e0 - o0;
    a[1] = scaled_plus(half_root, u1, e1);
    a[5] = scaled_plus(-half_root, u1, e1);
    a[2] = minus_i(e2, o2);
    a[6] = plus_i(e2, o2);
    a[3] = scaled_plus(half_root, u3, e3);
    a[7] = scaled_plus(-half_root, u3, e3);
  }
};

/// Four transforms of length 4, the factors w^(jk) with w = exp(-2 pi i / 16),
/// four of length 4.
template <>
struct Butterfly<16> {
  template <class V>
  TESSERA_FORCEINLINE_FUNCTION static void apply(Complex<V>* a) {
    const V c = splat<V>(lane_t<V>(0.92387953251128675613));  // cos(pi / 8)
    const V s = splat<V>(lane_t<V>(0.38268343236508977173));  // sin(pi / 8)
    const V half_root = splat<V>(lane_t<V>(0.70710678118654752440));
    for (int j = 0; j < 4; ++j) transform4(a[j], a[j + 4], a[j + 8], a[j + 12]);
    a[5] = times(a[5], c, -s);
    a[6] = {half_root * (a[6].re + a[6].im), half_root * (a[6].im - a[6].re)};
    a[7] = times(a[7], s, -c);
    a[9] = {half_root * (a[9].re + a[9].im), half_root * (a[9].im - a[9].re)};
    a[10] = {a[10].im, -a[10].re};
    a[11] = {half_root * (a[11].im - a[11].re), -(half_root * (a[11].re + a[11].im))};
    a[13] = times(a[13], s, -c);
    a[14] = {half_root * (a[14].im - a[14].re), -(half_root * (a[14].re + a[14].im))};
    a[15] = times(a[15], -c, s);
    for (int k = 0; k < 4; ++k) transform4(a[4 * k], a[4 * k + 1], a[4 * k + 2], a[4 * k + 3]);
    // Element 4 k1 + k2 holds X[k1 + 4 k2]: transpose.
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) {
        const Complex<V> t = a[4 * i + j];
        a[4 * i + j] = a[4 * j + i];
        a[4 * j + i] = t;
      }
    }
  }
};

/// cos(2 pi j / R) and sin(2 pi j / R) for j <= R / 2.
template <int R>
struct Circle;

template <>
struct Circle<3> {
  TESSERA_FORCEINLINE_FUNCTION static constexpr double cosine(int) { return -0.5; }
  TESSERA_FORCEINLINE_FUNCTION static constexpr double sine(int) { return 0.86602540378443864676; }
};
template <>
struct Circle<5> {
  TESSERA_FORCEINLINE_FUNCTION static constexpr double cosine(int j) {
    constexpr double values[] = {0.30901699437494742410, -0.80901699437494742410};
    return values[j - 1];
  }
  TESSERA_FORCEINLINE_FUNCTION static constexpr double sine(int j) {
    constexpr double values[] = {0.95105651629515357212, 0.58778525229247312917};
    return values[j - 1];
  }
};
template <>
struct Circle<7> {
  TESSERA_FORCEINLINE_FUNCTION static constexpr double cosine(int j) {
    constexpr double values[] = {0.62348980185873353053, -0.22252093395631440429,
                                 -0.90096886790241912624};
    return values[j - 1];
  }
  TESSERA_FORCEINLINE_FUNCTION static constexpr double sine(int j) {
    constexpr double values[] = {0.78183148246802980871, 0.97492791218182360702,
                                 0.43388373911755812048};
    return values[j - 1];
  }
};
template <>
struct Circle<11> {
  TESSERA_FORCEINLINE_FUNCTION static constexpr double cosine(int j) {
    constexpr double values[] = {0.84125353283118116886, 0.41541501300188642553,
                                 -0.14231483827328514044, -0.65486073394528506406,
                                 -0.95949297361449738989};
    return values[j - 1];
  }
  TESSERA_FORCEINLINE_FUNCTION static constexpr double sine(int j) {
    constexpr double values[] = {0.54064081745559758211, 0.90963199535451837141,
                                 0.98982144188093273238, 0.75574957435425828377,
                                 0.28173255684142969771};
    return values[j - 1];
  }
};
template <>
struct Circle<13> {
  TESSERA_FORCEINLINE_FUNCTION static constexpr double cosine(int j) {
    constexpr double values[] = {0.88545602565320989590,  0.56806474673115580251,
                                 0.12053668025532305335,  -0.35460488704253562597,
                                 -0.74851074817110109863, -0.97094181742605202716};
    return values[j - 1];
  }
  TESSERA_FORCEINLINE_FUNCTION static constexpr double sine(int j) {
    constexpr double values[] = {0.46472317204376854566, 0.82298386589365639458,
                                 0.99270887409805399280, 0.93501624268541482344,
                                 0.66312265824079520238, 0.23931566428755776715};
    return values[j - 1];
  }
};

/// Odd primes R = 2 h + 1, with t_j = a_j + a_(R-j), u_j = a_j - a_(R-j):
///   A_k = a_0 + sum_j cos(2 pi j k / R) t_j,  B_k = sum_j sin(2 pi j k / R)
///   u_j,  j ascending, X_k = A_k - i B_k,  X_(R-k) = A_k + i B_k.
/// `roots(e)` gives (cos, sin)(2 pi e / R) for 0 <= e < R as values of V.
template <int H, class V, class Roots>
TESSERA_FORCEINLINE_FUNCTION void odd_transform(Complex<V>* a, int radix, int h,
                                                const Roots& roots) {
  Complex<V> t[H + 1];
  Complex<V> u[H + 1];
  Complex<V> total = a[0];
  for (int j = 1; j <= h; ++j) {
    t[j] = a[j] + a[radix - j];
    u[j] = a[j] - a[radix - j];
    total = total + t[j];
  }
  for (int k = 1; k <= h; ++k) {
    Complex<V> even = a[0];
    Complex<V> odd{};
    int e = 0;
    for (int j = 1; j <= h; ++j) {
      e += k;
      if (e >= radix) e -= radix;
      const Complex<V> w = roots(e);
      even = scaled_plus(w.re, t[j], even);
      if (j == 1) {
        odd = {w.im * u[1].re, w.im * u[1].im};
      } else {
        odd = scaled_plus(w.im, u[j], odd);
      }
    }
    a[k] = minus_i(even, odd);
    a[radix - k] = plus_i(even, odd);
  }
  a[0] = total;
}

template <int R>
struct Butterfly {
  template <class V>
  struct Roots {
    TESSERA_FORCEINLINE_FUNCTION Complex<V> operator()(int e) const {
      const bool upper = 2 * e > R;
      const int j = upper ? R - e : e;
      const lane_t<V> sine = lane_t<V>(Circle<R>::sine(j));
      return {splat<V>(lane_t<V>(Circle<R>::cosine(j))), splat<V>(upper ? -sine : sine)};
    }
  };
  template <class V>
  TESSERA_FORCEINLINE_FUNCTION static void apply(Complex<V>* a) {
    odd_transform<R / 2>(a, R, R / 2, Roots<V>{});
  }
};

/// Primes that have no butterfly of their own take the roots from a table of
/// (cos, -sin) pairs.
inline constexpr int largest_radix = 61;

template <class V>
struct TableRoots {
  const lane_t<V>* table;
  TESSERA_FORCEINLINE_FUNCTION Complex<V> operator()(int e) const {
    return {splat<V>(table[2 * e]), splat<V>(-table[2 * e + 1])};
  }
};

}  // namespace tessera::kernels::fft_detail
