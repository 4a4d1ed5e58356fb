// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors of matrix elements for the factorisations on a CPU, real and imaginary parts apart. Host
// only.
#include <complex>
#include <type_traits>

#include "factor_element.hpp"
#include "matmul_micro.hpp"

namespace tessera::kernels::factor_detail {

using matmul_detail::lanes;
using matmul_detail::part_t;
using matmul_detail::parts;
using matmul_detail::Vector;

/// One integer per lane, as wide as R: row numbers, and masks of 0 and -1.
template <class R>
struct LaneIndex {
  using scalar = std::conditional_t<sizeof(R) == 4, std::int32_t, std::int64_t>;
  typedef scalar type __attribute__((vector_size(matmul_detail::vector_bytes)));

  /// first, first + 1, ...
  static inline __attribute__((always_inline)) type from(std::int64_t first) {
    type result;
    for (int i = 0; i < lanes<R>; ++i) result[i] = static_cast<scalar>(i);
    return result + static_cast<scalar>(first);
  }
};

template <class R>
inline __attribute__((always_inline)) Vector<R> chosen(typename LaneIndex<R>::type mask,
                                                       const Vector<R>& yes, const Vector<R>& no) {
  return {mask ? yes.value : no.value};
}

/// `lanes<R>` elements of type T. In memory the imaginary parts lie `apart` behind the real ones.
template <class T>
struct Lanes {
  using R = T;
  Vector<R> re;

  static inline __attribute__((always_inline)) Lanes load(const R* at, std::int64_t) {
    return {Vector<R>::load(at)};
  }
  static inline __attribute__((always_inline)) Lanes splat(T x) { return {Vector<R>::splat(x)}; }
  inline __attribute__((always_inline)) void store(R* at, std::int64_t) const { re.store(at); }
  inline __attribute__((always_inline)) Lanes operator-() const { return {{-re.value}}; }
  inline __attribute__((always_inline)) Vector<R> magnitude() const {
    return {re.value < 0 ? -re.value : re.value};
  }
};

template <class P>
struct Lanes<std::complex<P>> {
  using R = P;
  Vector<R> re;
  Vector<R> im;

  static inline __attribute__((always_inline)) Lanes load(const R* at, std::int64_t apart) {
    return {Vector<R>::load(at), Vector<R>::load(at + apart)};
  }
  static inline __attribute__((always_inline)) Lanes splat(std::complex<P> x) {
    return {Vector<R>::splat(x.real()), Vector<R>::splat(x.imag())};
  }
  inline __attribute__((always_inline)) void store(R* at, std::int64_t apart) const {
    re.store(at);
    im.store(at + apart);
  }
  inline __attribute__((always_inline)) Lanes operator-() const {
    return {{-re.value}, {-im.value}};
  }
  inline __attribute__((always_inline)) Vector<R> magnitude() const {
    return {(re.value < 0 ? -re.value : re.value) + (im.value < 0 ? -im.value : im.value)};
  }
};

/// sum = a b + sum by the chain of matmul.hpp.
template <class R>
inline __attribute__((always_inline)) void chain(Lanes<R>& sum, const Lanes<R>& a,
                                                 const Lanes<R>& b) {
  accumulate(sum.re, a.re, b.re);
}
template <class R>
inline __attribute__((always_inline)) void chain(Lanes<std::complex<R>>& sum,
                                                 const Lanes<std::complex<R>>& a,
                                                 const Lanes<std::complex<R>>& b) {
  accumulate(sum.re, a.re, b.re);
  accumulate(sum.im, a.re, b.im);
  subtract(sum.re, a.im, b.im);
  accumulate(sum.im, a.im, b.re);
}

/// x / d, lane by lane, as factor_element.hpp defines it.
template <class R>
inline __attribute__((always_inline)) Lanes<R> divide(const Lanes<R>& x, const Divisor<R>& d) {
  return {{x.re.value / d.value}};
}
template <class R>
inline __attribute__((always_inline)) Lanes<std::complex<R>> divide(
    const Lanes<std::complex<R>>& x, const Divisor<std::complex<R>>& d) {
  const Vector<R> ratio = Vector<R>::splat(d.ratio);
  Vector<R> re = d.mostly_real ? x.re : x.im;
  Vector<R> im = d.mostly_real ? x.im : Vector<R>{-x.re.value};
  const Vector<R> other_re = d.mostly_real ? x.im : x.re;
  const Vector<R> other_im = d.mostly_real ? Vector<R>{-x.re.value} : x.im;
  accumulate(re, other_re, ratio);
  accumulate(im, other_im, ratio);
  return {{re.value / d.length}, {im.value / d.length}};
}
/// Both parts by one real number.
template <class T>
inline __attribute__((always_inline)) Lanes<T> divide_real(const Lanes<T>& x, part_t<T> d) {
  Lanes<T> result = x;
  result.re.value /= d;
  if constexpr (parts<T> == 2) result.im.value /= d;
  return result;
}

template <class T>
inline __attribute__((always_inline)) Lanes<T> blend(typename LaneIndex<part_t<T>>::type mask,
                                                     const Lanes<T>& yes, const Lanes<T>& no) {
  Lanes<T> result = no;
  result.re = chosen<part_t<T>>(mask, yes.re, no.re);
  if constexpr (parts<T> == 2) result.im = chosen<part_t<T>>(mask, yes.im, no.im);
  return result;
}

}  // namespace tessera::kernels::factor_detail
