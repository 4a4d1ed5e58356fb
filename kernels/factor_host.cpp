// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "factor_host.hpp"

#include <algorithm>

#include "factor_few.hpp"
#include "factor_planes.hpp"

namespace tessera::kernels::factor_detail {

namespace {

constexpr std::int64_t leaf_columns = 16;
constexpr std::int64_t small_matrix = 64;  ///< so small a matrix is one leaf
constexpr std::int64_t trapezoid_leaf = 64;

constexpr std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

bool is_leaf(std::int64_t rows, std::int64_t columns) {
  return columns <= leaf_columns || (rows <= small_matrix && columns <= small_matrix);
}

/// Runs the steps of a recursion, or only measures how much scratch memory they would need.
template <class T>
class Bench {
 public:
  explicit Bench(const Workshop& workshop)
      : workshop_(workshop), measuring_(workshop.parallel == nullptr) {}

  [[nodiscard]] bool measuring() const { return measuring_; }
  [[nodiscard]] std::int64_t bytes() const { return round_up(bytes_, 64); }
  [[nodiscard]] const Workshop& workshop() const { return workshop_; }

  Planes<T> planes(std::int64_t count, std::int64_t length) {
    bytes_ = std::max(bytes_, Planes<T>::bytes(count, length));
    return Planes<T>(workshop_.memory, count, length);
  }

  /// C -= A B.
  void subtract_product(const Block<const T>& a, const Block<const T>& b, const Block<T>& c,
                        bool conjugate_a, bool conjugate_b) {
    if (c.columns <= few_columns && !conjugate_b) {
      if (!measuring_) subtract_few(a, conjugate_a, b, c, workshop_);
      return;
    }
    if (measuring_) {
      bytes_ = std::max(
          bytes_, matmul_detail::scratch_bytes<T>(c.rows, c.columns, a.columns, workshop_.threads));
      return;
    }
    matmul_detail::Product<T> p;
    p.m = c.rows;
    p.n = c.columns;
    p.k = a.columns;
    p.a = a.at;
    p.b = b.at;
    p.c = c.at;
    p.conjugate_a = conjugate_a;
    p.conjugate_b = conjugate_b;
    p.negate_a = true;
    p.onto_c = true;
    multiply(p, workshop_.memory, workshop_.threads, *workshop_.parallel);
  }

 private:
  Workshop workshop_;
  bool measuring_;
  std::int64_t bytes_ = 0;
};

/// The rows of `planes` are unknowns: `count` vectors from `first` on.
template <int count, class T>
void substitute(Planes<T> x, const Block<const T>& l, const TriangleForm& form,
                std::int64_t first) {
  const auto element = [&](std::int64_t i, std::int64_t k) {
    const T value = *l.element(i, k);
    return form.conjugate ? conjugated(value) : value;
  };
  for (std::int64_t i = 0; i < x.count(); ++i) {
    Lanes<T> sum[count];
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) sum[v] = x.load(i, first + v);
    for (std::int64_t k = 0; k < i; ++k) {
      const Lanes<T> factor = Lanes<T>::splat(-element(i, k));
#pragma GCC unroll 8
      for (int v = 0; v < count; ++v) chain(sum[v], factor, x.load(k, first + v));
    }
    if (!form.unit) {
      const Divisor<T> divisor(element(i, i));
#pragma GCC unroll 8
      for (int v = 0; v < count; ++v) sum[v] = divide(sum[v], divisor);
    }
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) x.store(i, first + v, sum[v]);
  }
}

template <class T>
void substitute_all(Planes<T> x, const Block<const T>& l, const TriangleForm& form) {
  constexpr int most = parts<T> == 2 ? 4 : 8;
  std::int64_t v = 0;
  for (; v + most <= x.vectors(); v += most) substitute<most>(x, l, form, v);
  for (; v + 2 <= x.vectors(); v += 2) substitute<2>(x, l, form, v);
  for (; v < x.vectors(); ++v) substitute<1>(x, l, form, v);
}

template <class T>
void solve_leaf(const Block<const T>& l, const TriangleForm& form, const Block<T>& b,
                Bench<T>& bench) {
  if (bench.measuring()) return;
  constexpr std::int64_t width = 8 * lanes<part_t<T>> / parts<T>;
  if (b.columns <= few_columns) return substitute_few(l, form, b);
  bench.workshop().share((b.columns + width - 1) / width, [&](std::int64_t strip) {
    constexpr std::int64_t bytes = Planes<T>::bytes(triangle_leaf, width);
    alignas(64) char memory[bytes];
    const std::int64_t first = strip * width;
    // Rows of B are planes.
    const Matrix<T> part{b.element(0, first), b.at.column, b.at.row};
    const Planes<T> x(memory, b.rows, std::min(width, b.columns - first));
    x.read({part.data, part.row, part.column});
    substitute_all(x, l, form);
    x.write(part);
  });
}

template <class T>
void solve(const Block<const T>& l, const TriangleForm& form, const Block<T>& b, Bench<T>& bench) {
  const std::int64_t n = l.rows;
  if (n == 0 || b.columns == 0) return;
  if (n <= triangle_leaf) return solve_leaf(l, form, b, bench);
  const std::int64_t n1 = round_up(n / 2, triangle_leaf);
  const Block<T> upper = b.sub(0, 0, n1, b.columns);
  const Block<T> lower = b.sub(n1, 0, n - n1, b.columns);
  solve(l.sub(0, 0, n1, n1), form, upper, bench);
  bench.subtract_product(l.sub(n1, 0, n - n1, n1), upper, lower, form.conjugate, false);
  solve(l.sub(n1, n1, n - n1, n - n1), form, lower, bench);
}

template <class T>
std::int64_t lu_leaf(const Block<T>& a, std::int64_t* pivots, Bench<T>& bench) {
  const Planes<T> planes = bench.planes(a.columns, a.rows);
  if (bench.measuring()) return -1;
  planes.read({a.at.data, a.at.row, a.at.column});
  const std::int64_t failed = lu_planes(planes, pivots);
  planes.write(a.at);
  return failed;
}

template <class T>
std::int64_t lu(const Block<T>& a, std::int64_t* pivots, Bench<T>& bench) {
  const std::int64_t m = a.rows;
  const std::int64_t n = a.columns;
  if (m == 0 || n == 0) return -1;
  if (is_leaf(m, n)) return lu_leaf(a, pivots, bench);
  const std::int64_t n1 = n > m ? m : round_up(n / 2, leaf_columns);
  const Block<T> left = a.sub(0, 0, m, n1);
  const Block<T> right = a.sub(0, n1, m, n - n1);
  const Block<T> upper = right.sub(0, 0, n1, n - n1);
  const Block<T> rest = right.sub(n1, 0, m - n1, n - n1);
  std::int64_t failed = lu(left, pivots, bench);
  if (failed >= 0) return failed;
  if (!bench.measuring()) swap_rows(right, pivots, n1, bench.workshop());
  solve<T>(left.sub(0, 0, n1, n1), {.unit = true}, upper, bench);
  if (m == n1) return -1;
  const Block<T> below = left.sub(n1, 0, m - n1, n1);
  bench.subtract_product(below, upper, rest, false, false);
  std::int64_t* more = pivots + n1;
  failed = lu(rest, more, bench);
  if (failed >= 0) return n1 + failed;
  if (bench.measuring()) return -1;
  const std::int64_t count = std::min(rest.rows, rest.columns);
  swap_rows(below, more, count, bench.workshop());
  for (std::int64_t k = 0; k < count; ++k) more[k] += n1;
  return -1;
}

template <class T>
std::int64_t cholesky_leaf(const Block<T>& a, Bench<T>& bench) {
  const Planes<T> planes = bench.planes(a.columns, a.rows);
  if (bench.measuring()) return -1;
  planes.read({a.at.data, a.at.row, a.at.column});
  const std::int64_t failed = cholesky_planes(planes);
  planes.write(a.at, 0);
  return failed;
}

/// The lower trapezoid of C -= A A^H, whose columns are the first of its rows.
template <class T>
void subtract_squares(const Block<const T>& a, const Block<T>& c, Bench<T>& bench) {
  const std::int64_t n = c.columns;
  if (n <= trapezoid_leaf) {
    const Block<const T> adjoint{a.columns, n, {a.at.data, a.at.column, a.at.row}};
    return bench.subtract_product(a, adjoint, c, false, true);
  }
  const std::int64_t n1 = round_up(n / 2, trapezoid_leaf);
  const Block<const T> adjoint{a.columns, n1, {a.at.data, a.at.column, a.at.row}};
  const Block<const T> lower = a.sub(n1, 0, a.rows - n1, a.columns);
  if (c.rows > n1) {
    // The square part in the middle belongs to the second half's triangle.
    subtract_squares(a, c.sub(0, 0, n1, n1), bench);
    bench.subtract_product(lower, adjoint, c.sub(n1, 0, c.rows - n1, n1), false, true);
  }
  subtract_squares(lower, c.sub(n1, n1, c.rows - n1, n - n1), bench);
}

/// The first columns of A = L L^H: a.rows >= a.columns.
template <class T>
std::int64_t cholesky(const Block<T>& a, Bench<T>& bench) {
  const std::int64_t m = a.rows;
  const std::int64_t n = a.columns;
  if (n == 0) return -1;
  if (is_leaf(m, n)) return cholesky_leaf(a, bench);
  const std::int64_t n1 = round_up(n / 2, leaf_columns);
  std::int64_t failed = cholesky(a.sub(0, 0, m, n1), bench);
  if (failed >= 0) return failed;
  const Block<T> rest = a.sub(n1, n1, m - n1, n - n1);
  subtract_squares<T>(a.sub(n1, 0, m - n1, n1), rest, bench);
  failed = cholesky(rest, bench);
  return failed >= 0 ? n1 + failed : -1;
}

}  // namespace

namespace {

/// Strip by strip of the columns: in_order(exchange) calls exchange(k) for every k.
template <class T, class F>
void exchange_rows(const Block<T>& a, const std::int64_t* pivots, const Workshop& workshop,
                   F&& in_order) {
  constexpr std::int64_t width = 512;
  workshop.share((a.columns + width - 1) / width, [&](std::int64_t strip) {
    const std::int64_t first = strip * width;
    const std::int64_t n = std::min(width, a.columns - first);
    in_order([&](std::int64_t k) {
      if (pivots[k] == k) return;
      T* upper = a.element(k, first);
      T* lower = a.element(pivots[k], first);
      for (std::int64_t j = 0; j < n; ++j) {
        std::swap(upper[j * a.at.column], lower[j * a.at.column]);
      }
    });
  });
}

}  // namespace

template <class T>
void swap_rows(const Block<T>& a, const std::int64_t* pivots, std::int64_t count,
               const Workshop& workshop) {
  exchange_rows(a, pivots, workshop, [count](auto&& exchange) {
    for (std::int64_t k = 0; k < count; ++k) exchange(k);
  });
}
template <class T>
void swap_rows_back(const Block<T>& a, const std::int64_t* pivots, std::int64_t count,
                    const Workshop& workshop) {
  exchange_rows(a, pivots, workshop, [count](auto&& exchange) {
    for (std::int64_t k = count - 1; k >= 0; --k) exchange(k);
  });
}

template <class T>
void subtract_product(const Block<const T>& a, const Block<const T>& b, const Block<T>& c,
                      bool conjugate_b, const Workshop& workshop) {
  Bench<T> bench(workshop);
  bench.subtract_product(a, b, c, false, conjugate_b);
}
template <class T>
std::int64_t subtract_bytes(std::int64_t rows, std::int64_t columns, std::int64_t k,
                            bool conjugate_b, int threads) {
  Bench<T> bench({nullptr, threads, nullptr});
  bench.subtract_product({rows, k, {}}, {k, columns, {}}, {rows, columns, {}}, false, conjugate_b);
  return bench.bytes();
}

template <class T>
std::int64_t lu_bytes(std::int64_t rows, std::int64_t columns, int threads) {
  Bench<T> bench({nullptr, threads, nullptr});
  lu<T>({rows, columns, {}}, nullptr, bench);
  return bench.bytes();
}
template <class T>
std::int64_t cholesky_bytes(std::int64_t n, int threads) {
  Bench<T> bench({nullptr, threads, nullptr});
  cholesky<T>({n, n, {}}, bench);
  return bench.bytes();
}
template <class T>
std::int64_t triangle_bytes(std::int64_t n, std::int64_t columns, int threads) {
  Bench<T> bench({nullptr, threads, nullptr});
  solve<T>({n, n, {}}, {}, {n, columns, {}}, bench);
  return bench.bytes();
}

template <class T>
std::int64_t lu_matrix(const Block<T>& a, std::int64_t* pivots, const Workshop& workshop) {
  Bench<T> bench(workshop);
  return lu(a, pivots, bench);
}

template <class T>
std::int64_t cholesky_matrix(const Block<T>& a, const Workshop& workshop) {
  Bench<T> bench(workshop);
  const std::int64_t failed = cholesky(a, bench);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = i + 1; j < a.columns; ++j) *a.element(i, j) = T{};
  }
  return failed;
}

template <class T>
std::int64_t cholesky_panel(const Block<T>& a, const Workshop& workshop) {
  Bench<T> bench(workshop);
  return cholesky(a, bench);
}
template <class T>
std::int64_t cholesky_panel_bytes(std::int64_t rows, std::int64_t columns, int threads) {
  Bench<T> bench({nullptr, threads, nullptr});
  cholesky<T>({rows, columns, {}}, bench);
  return bench.bytes();
}

template <class T>
void solve_triangle(const Block<const T>& l, const TriangleForm& form, const Block<T>& b,
                    const Workshop& workshop) {
  Bench<T> bench(workshop);
  solve(l, form, b, bench);
}

// clang-format off
#define TESSERA_FACTOR(T)                                                                         \
  template void swap_rows<T>(const Block<T>&, const std::int64_t*, std::int64_t, const Workshop&); \
  template void swap_rows_back<T>(const Block<T>&, const std::int64_t*, std::int64_t,             \
                                  const Workshop&);                                               \
  template void subtract_product<T>(const Block<const T>&, const Block<const T>&,                \
                                    const Block<T>&, bool, const Workshop&);                      \
  template std::int64_t subtract_bytes<T>(std::int64_t, std::int64_t, std::int64_t, bool, int);   \
  template std::int64_t lu_bytes<T>(std::int64_t, std::int64_t, int);                             \
  template std::int64_t cholesky_bytes<T>(std::int64_t, int);                                     \
  template std::int64_t cholesky_panel_bytes<T>(std::int64_t, std::int64_t, int);                 \
  template std::int64_t triangle_bytes<T>(std::int64_t, std::int64_t, int);                       \
  template std::int64_t lu_matrix<T>(const Block<T>&, std::int64_t*, const Workshop&);            \
  template std::int64_t cholesky_matrix<T>(const Block<T>&, const Workshop&);                     \
  template std::int64_t cholesky_panel<T>(const Block<T>&, const Workshop&);                      \
  template void solve_triangle<T>(const Block<const T>&, const TriangleForm&, const Block<T>&,    \
                                  const Workshop&);
// clang-format on
TESSERA_FACTOR(float)
TESSERA_FACTOR(double)
TESSERA_FACTOR(std::complex<float>)
TESSERA_FACTOR(std::complex<double>)
#undef TESSERA_FACTOR

}  // namespace tessera::kernels::factor_detail
