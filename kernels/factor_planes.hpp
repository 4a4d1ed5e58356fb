// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The leaves of the recursive factorisations on a CPU: a few columns (or rows) of a matrix, each
// copied to a plane of its own whose elements lie next to each other. Host only.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "factor_lanes.hpp"
#include "matmul_host.hpp"

namespace tessera::kernels::factor_detail {

using matmul_detail::Matrix;

template <class R>
R canonical_part(R x) {
  return x == x ? x : std::numeric_limits<R>::quiet_NaN();
}

/// `count` planes of `length` elements, a light handle (by value it stays in registers); complex:
/// all real parts of a plane, then all imaginary ones. Padded with zeros to whole vectors.
template <class T>
class Planes {
 public:
  using R = part_t<T>;
  static constexpr int w = lanes<R>;
  /// So far below the diagonal that all elements are.
  static constexpr std::int64_t whole = std::numeric_limits<std::int64_t>::min() / 2;

  static constexpr std::int64_t padded(std::int64_t length) { return (length + w - 1) / w * w; }
  /// From plane to plane, in parts: an odd number of cache lines, so that the planes of a long
  /// matrix don't meet in the same sets of the cache.
  static constexpr std::int64_t stride(std::int64_t length) {
    const std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(R));
    const std::int64_t lines = (parts<T> * padded(length) + line - 1) / line;
    return (lines | 1) * line;
  }
  static constexpr std::int64_t bytes(std::int64_t count, std::int64_t length) {
    return count * stride(length) * static_cast<std::int64_t>(sizeof(R));
  }

  Planes(void* memory, std::int64_t count, std::int64_t length)
      : data_(static_cast<R*>(memory)),
        count_(count),
        length_(length),
        stride_(stride(length)),
        apart_(padded(length)) {}

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] std::int64_t vectors() const { return apart_ / w; }

  [[nodiscard]] Lanes<T> load(std::int64_t plane, std::int64_t vector) const {
    return Lanes<T>::load(data_ + plane * stride_ + vector * w, apart_);
  }
  void store(std::int64_t plane, std::int64_t vector, const Lanes<T>& x) const {
    x.store(data_ + plane * stride_ + vector * w, apart_);
  }
  [[nodiscard]] T at(std::int64_t plane, std::int64_t i) const {
    const R* p = data_ + plane * stride_ + i;
    if constexpr (parts<T> == 2) {
      return {p[0], p[apart_]};
    } else {
      return p[0];
    }
  }
  void set(std::int64_t plane, std::int64_t i, T x) const {
    R* p = data_ + plane * stride_ + i;
    if constexpr (parts<T> == 2) {
      p[0] = x.real();
      p[apart_] = x.imag();
    } else {
      p[0] = x;
    }
  }

  /// Plane j, element i = a(i, j), read at a.data + i * a.row + j * a.column.
  void read(const Matrix<const T>& a) const {
    if (length_ < apart_) clear_padding();
    each_part(
        [](R* plane, const R* from, std::int64_t step, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i) plane[i] = from[i * step];
        },
        a);
  }
  /// The elements i >= j + `below` of plane j go back to a(i, j). NaN are made the positive quiet
  /// one.
  void write(const Matrix<T>& a, std::int64_t below = whole) const {
    each_part(
        [&](const R* plane, R* to, std::int64_t step, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i) to[i * step] = canonical_part(plane[i]);
        },
        a, below);
  }

 private:
  void clear_padding() const {
    for (std::int64_t j = 0; j < count_; ++j) {
      for (int part = 0; part < parts<T>; ++part) {
        R* plane = data_ + j * stride_ + part * apart_;
        std::fill(plane + length_, plane + apart_, R{});
      }
    }
  }
  /// Calls f(plane, element, step, n) for pieces of at most a few elements, in an order in
  /// which the matrix' cache lines are used up while they are there.
  template <class F, class Element>
  void each_part(F&& f, const Matrix<Element>& a, std::int64_t below = whole) const {
    using Part = std::conditional_t<std::is_const_v<Element>, const R, R>;
    const std::int64_t piece = a.row == 1 ? length_ : w;
    for (std::int64_t begin = 0; begin < length_; begin += piece) {
      for (std::int64_t j = 0; j < count_; ++j) {
        const std::int64_t first = std::max(begin, j + below);
        const std::int64_t n = std::min(begin + piece, length_) - first;
        if (n <= 0) continue;
        for (int part = 0; part < parts<T>; ++part) {
          Part* element = reinterpret_cast<Part*>(a.data + first * a.row + j * a.column) + part;
          f(data_ + j * stride_ + part * apart_ + first, element, parts<T> * a.row, n);
        }
      }
    }
  }

  R* data_;
  std::int64_t count_;
  std::int64_t length_;
  std::int64_t stride_;
  std::int64_t apart_;
};

/// The first element i >= k of plane k with the largest magnitude; NaN count for nothing.
template <class T>
std::int64_t first_largest(Planes<T> p, std::int64_t k) {
  using R = part_t<T>;
  using I = LaneIndex<R>;
  constexpr int w = lanes<R>;
  Vector<R> best = Vector<R>::splat(R{-1});
  typename I::type where = I::from(0) * 0 + static_cast<typename I::scalar>(k);
  for (std::int64_t v = k / w; v < p.vectors(); ++v) {
    const typename I::type index = I::from(v * w);
    Vector<R> size = p.load(k, v).magnitude();
    size = chosen<R>(index < static_cast<typename I::scalar>(k), Vector<R>::splat(R{-1}), size);
    const typename I::type larger = size.value > best.value;
    best = chosen<R>(larger, size, best);
    where = larger ? index : where;
  }
  // The larger of each pair, of equal ones the upper: without branches, which would be guessed
  // wrongly half the time.
  R size[w];
  typename I::scalar index[w];
  best.store(size);
  std::memcpy(index, &where, sizeof index);
#pragma GCC unroll 4
  for (int step = w / 2; step > 0; step /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < step; ++i) {
      const bool other =
          (size[i + step] > size[i]) | ((size[i + step] == size[i]) & (index[i + step] < index[i]));
      size[i] = other ? size[i + step] : size[i];
      index[i] = other ? index[i + step] : index[i];
    }
  }
  return index[0];
}

/// Plane k's elements behind k become quotients: `by(x)`.
template <class T, class F>
void divide_below(Planes<T> p, std::int64_t k, F&& by) {
  using R = part_t<T>;
  constexpr int w = lanes<R>;
  const std::int64_t first = k / w;
  const auto mask = LaneIndex<R>::from(first * w) > static_cast<typename LaneIndex<R>::scalar>(k);
  const Lanes<T> old = p.load(k, first);
  p.store(k, first, blend<T>(mask, by(old), old));
  for (std::int64_t v = first + 1; v < p.vectors(); ++v) p.store(k, v, by(p.load(k, v)));
}

/// planes [j, j + columns) -= plane k times `factor[]`, for the elements behind `behind`; those in
/// front of it in its vector keep their values if `exact`, and are anything else.
template <int columns, bool exact, class T>
inline __attribute__((always_inline)) void subtract_below(Planes<T> p, std::int64_t k,
                                                          std::int64_t behind, std::int64_t j,
                                                          const T* factor) {
  using R = part_t<T>;
  constexpr int w = lanes<R>;
  Lanes<T> u[columns];
#pragma GCC unroll 4
  for (int c = 0; c < columns; ++c) u[c] = Lanes<T>::splat(factor[c]);
  std::int64_t v = (behind + 1) / w;
  if (exact && (behind + 1) % w != 0) {
    const auto mask =
        LaneIndex<R>::from(v * w) > static_cast<typename LaneIndex<R>::scalar>(behind);
    const Lanes<T> top = -p.load(k, v);
#pragma GCC unroll 4
    for (int c = 0; c < columns; ++c) {
      const Lanes<T> old = p.load(j + c, v);
      Lanes<T> sum = old;
      chain(sum, top, u[c]);
      p.store(j + c, v, blend<T>(mask, sum, old));
    }
    ++v;
  }
  for (; v < p.vectors(); ++v) {
    const Lanes<T> l = -p.load(k, v);
#pragma GCC unroll 4
    for (int c = 0; c < columns; ++c) {
      Lanes<T> sum = p.load(j + c, v);
      chain(sum, l, u[c]);
      p.store(j + c, v, sum);
    }
  }
}

/// P A = L U of the columns that the planes hold. pivots[k]: the row that changed places with row
/// k. Returns the first column whose pivot is zero or not finite, or -1.
template <class T>
std::int64_t lu_planes(Planes<T> p, std::int64_t* pivots) {
  const std::int64_t steps = std::min(p.count(), p.length());
  for (std::int64_t k = 0; k < steps; ++k) {
    const std::int64_t pivot = first_largest(p, k);
    pivots[k] = pivot;
    if (pivot != k) {
      for (std::int64_t j = 0; j < p.count(); ++j) {
        const T upper = p.at(j, k);
        p.set(j, k, p.at(j, pivot));
        p.set(j, pivot, upper);
      }
    }
    const T value = p.at(k, k);
    if (!usable_pivot(value)) return k;
    const Divisor<T> divisor(value);
    divide_below(p, k, [&](const Lanes<T>& x) { return divide(x, divisor); });
    std::int64_t j = k + 1;
    for (; j + 4 <= p.count(); j += 4) {
      const T u[] = {p.at(j, k), p.at(j + 1, k), p.at(j + 2, k), p.at(j + 3, k)};
      subtract_below<4, true>(p, k, k, j, u);
    }
    for (; j < p.count(); ++j) {
      const T u = p.at(j, k);
      subtract_below<1, true>(p, k, k, j, &u);
    }
  }
  return -1;
}

/// The first columns of A = L L^H. Returns the first column whose pivot isn't positive, or -1.
template <class T>
std::int64_t cholesky_planes(Planes<T> p) {
  using R = part_t<T>;
  for (std::int64_t k = 0; k < p.count(); ++k) {
    const R square = std::real(p.at(k, k));
    if (!(square > 0) || !is_finite(square)) return k;
    const R root = std::sqrt(square);
    p.set(k, k, T(root));
    divide_below(p, k, [&](const Lanes<T>& x) { return divide_real<T>(x, root); });
    const auto factor = [&](std::int64_t j) { return conjugated(p.at(k, j)); };
    std::int64_t j = k + 1;
    for (; j + 4 <= p.count(); j += 4) {
      const T u[] = {factor(j), factor(j + 1), factor(j + 2), factor(j + 3)};
      subtract_below<4, false>(p, k, j - 1, j, u);
    }
    for (; j < p.count(); ++j) {
      const T u = factor(j);
      subtract_below<1, false>(p, k, j - 1, j, &u);
    }
  }
  return -1;
}

}  // namespace tessera::kernels::factor_detail
