// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arithmetic of single elements in the factorisations, defined to the last bit; free of Kokkos.
#include <math.h>  // fma of float and double in the global namespace, as on a GPU

#include <complex>
#include <cstdint>

#include "device/function.hpp"

namespace tessera::kernels::factor_detail {

template <class R>
TESSERA_INLINE_FUNCTION bool is_finite(R x) {
  return x - x == 0;
}
template <class R>
TESSERA_INLINE_FUNCTION R magnitude_of(R x) {
  return x < 0 ? -x : x;
}

/// A divisor prepared for many quotients. Real: x / d. Complex: Smith's algorithm (Comm. ACM 5,
/// 1962) with fused products. Where |d.re| >= |d.im|: r = d.im / d.re, t = fma(d.im, r, d.re),
/// x / d = (fma(x.im, r, x.re) / t, fma(-x.re, r, x.im) / t). Else: r = d.re / d.im,
/// t = fma(d.re, r, d.im), x / d = (fma(x.re, r, x.im) / t, fma(x.im, r, -x.re) / t).
template <class T>
struct Divisor {
  T value;
  TESSERA_INLINE_FUNCTION explicit Divisor(T d) : value(d) {}
  TESSERA_INLINE_FUNCTION T quotient(T x) const { return x / value; }
};

template <class R>
struct SmithDivisor {
  bool mostly_real;
  R ratio;
  R length;
  TESSERA_INLINE_FUNCTION SmithDivisor(R re, R im)
      : mostly_real(magnitude_of(re) >= magnitude_of(im)),
        ratio(mostly_real ? im / re : re / im),
        length(mostly_real ? fma(im, ratio, re) : fma(re, ratio, im)) {}
  TESSERA_INLINE_FUNCTION R quotient_re(R re, R im) const {
    return (mostly_real ? fma(im, ratio, re) : fma(re, ratio, im)) / length;
  }
  TESSERA_INLINE_FUNCTION R quotient_im(R re, R im) const {
    return (mostly_real ? fma(-re, ratio, im) : fma(im, ratio, -re)) / length;
  }
};

template <class R>
struct Divisor<std::complex<R>> : SmithDivisor<R> {
  explicit Divisor(std::complex<R> d) : SmithDivisor<R>(d.real(), d.imag()) {}
  std::complex<R> quotient(std::complex<R> x) const {
    return {this->quotient_re(x.real(), x.imag()), this->quotient_im(x.real(), x.imag())};
  }
};

/// What LU may divide by: neither zero nor infinite nor NaN.
template <class R>
TESSERA_INLINE_FUNCTION bool usable_pivot(R x) {
  return x != 0 && is_finite(x);
}
template <class R>
bool usable_pivot(const std::complex<R>& x) {
  return (x.real() != 0 || x.imag() != 0) && is_finite(x.real()) && is_finite(x.imag());
}

template <class R>
TESSERA_INLINE_FUNCTION R conjugated(R x) {
  return x;
}
template <class R>
std::complex<R> conjugated(const std::complex<R>& x) {
  return {x.real(), -x.imag()};
}

}  // namespace tessera::kernels::factor_detail
