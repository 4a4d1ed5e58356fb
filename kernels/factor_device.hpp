// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Factorisations of stacks of matrices on a GPU: a team factors a panel of columns, a thread per
// column solves with its triangle, matmul's kernel updates the rest.
#include <cstdint>
#include <limits>

#include "device/kokkos.hpp"
#include "factor_element.hpp"
#include "matmul_device.hpp"

namespace tessera::kernels::factor_detail {

template <class R>
struct Divisor<Kokkos::complex<R>> : SmithDivisor<R> {
  KOKKOS_INLINE_FUNCTION explicit Divisor(const Kokkos::complex<R>& d)
      : SmithDivisor<R>(d.real(), d.imag()) {}
  KOKKOS_INLINE_FUNCTION Kokkos::complex<R> quotient(const Kokkos::complex<R>& x) const {
    return Kokkos::complex<R>(this->quotient_re(x.real(), x.imag()),
                              this->quotient_im(x.real(), x.imag()));
  }
};

template <class R>
KOKKOS_INLINE_FUNCTION R magnitude_of(const Kokkos::complex<R>& x) {
  return magnitude_of(x.real()) + magnitude_of(x.imag());
}
template <class R>
KOKKOS_INLINE_FUNCTION bool usable_pivot(const Kokkos::complex<R>& x) {
  return (x.real() != 0 || x.imag() != 0) && is_finite(x.real()) && is_finite(x.imag());
}
template <class R>
KOKKOS_INLINE_FUNCTION Kokkos::complex<R> conjugated(const Kokkos::complex<R>& x) {
  return Kokkos::complex<R>(x.real(), -x.imag());
}

template <class E>
struct real_part {
  using type = E;
  static KOKKOS_INLINE_FUNCTION E of(const E& x) { return x; }
  static KOKKOS_INLINE_FUNCTION E quotient(const E& x, E d) { return x / d; }
};
template <class R>
struct real_part<Kokkos::complex<R>> {
  using type = R;
  static KOKKOS_INLINE_FUNCTION R of(const Kokkos::complex<R>& x) { return x.real(); }
  static KOKKOS_INLINE_FUNCTION Kokkos::complex<R> quotient(const Kokkos::complex<R>& x, R d) {
    return Kokkos::complex<R>(x.real() / d, x.imag() / d);
  }
};

/// A stack of dense matrices, and what became of them.
template <class E>
struct Stack {
  E* data;
  std::int64_t batches;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t* pivots;  ///< null for Cholesky
  std::int64_t* failures;

  KOKKOS_INLINE_FUNCTION E* matrix(std::int64_t batch) const {
    return data + batch * rows * columns;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t steps() const { return rows < columns ? rows : columns; }
};

/// The columns [begin, end) of every matrix, at and below row `begin`: a team per matrix.
template <class E, class Space>
struct LuPanel {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  using R = typename real_part<E>::type;
  Stack<E> stack;
  std::int64_t begin, end;

  KOKKOS_INLINE_FUNCTION std::int64_t find_pivot(const Team& team, const E* a,
                                                 std::int64_t k) const {
    const std::int64_t n = stack.columns;
    R largest = -1;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, k, stack.rows),
        [&](const std::int64_t i, R& best) {
          const R size = magnitude_of(a[i * n + k]);
          if (size > best) best = size;
        },
        Kokkos::Max<R>(largest));
    std::int64_t pivot = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, k, stack.rows),
        [&](const std::int64_t i, std::int64_t& first) {
          if (magnitude_of(a[i * n + k]) == largest && i < first) first = i;
        },
        Kokkos::Min<std::int64_t>(pivot));
    return pivot >= k && pivot < stack.rows ? pivot : k;  // k where all are NaN
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const std::int64_t batch = team.league_rank();
    if (stack.failures[batch] >= 0) return;
    E* a = stack.matrix(batch);
    const std::int64_t n = stack.columns;
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t pivot = find_pivot(team, a, k);
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), [&](const std::int64_t j) {
        const E upper = a[k * n + j];
        a[k * n + j] = a[pivot * n + j];
        a[pivot * n + j] = upper;
      });
      team.team_barrier();
      const E value = a[k * n + k];
      if (team.team_rank() == 0) {
        stack.pivots[batch * stack.steps() + k] = pivot;
        if (!usable_pivot(value)) stack.failures[batch] = k;
      }
      if (!usable_pivot(value)) return;  // all threads alike
      const Divisor<E> divisor(value);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, k + 1, stack.rows),
                           [&](const std::int64_t i) {
                             const E l = divisor.quotient(a[i * n + k]);
                             a[i * n + k] = l;
                             for (std::int64_t j = k + 1; j < end; ++j) {
                               E sum = a[i * n + j];
                               matmul_detail::multiply_add(sum, -l, a[k * n + j]);
                               a[i * n + j] = sum;
                             }
                           });
      team.team_barrier();
    }
  }
};

/// The columns [begin, end) of every Cholesky factor, as for LU.
template <class E, class Space>
struct CholeskyPanel {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  using R = typename real_part<E>::type;
  Stack<E> stack;
  std::int64_t begin, end;

  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const std::int64_t batch = team.league_rank();
    if (stack.failures[batch] >= 0) return;
    E* a = stack.matrix(batch);
    const std::int64_t n = stack.columns;
    for (std::int64_t k = begin; k < end; ++k) {
      const R square = real_part<E>::of(a[k * n + k]);
      const bool usable = square > 0 && is_finite(square);
      team.team_barrier();
      if (team.team_rank() == 0) {
        if (usable) {
          a[k * n + k] = E(sqrt(square));
        } else {
          stack.failures[batch] = k;
        }
      }
      if (!usable) return;  // all threads alike
      const R root = sqrt(square);
      Kokkos::parallel_for(
          Kokkos::TeamThreadRange(team, k + 1, stack.rows),
          [&](const std::int64_t i) { a[i * n + k] = real_part<E>::quotient(a[i * n + k], root); });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, k + 1, stack.rows),
                           [&](const std::int64_t i) {
                             const E l = -a[i * n + k];
                             const std::int64_t last = i < end ? i + 1 : end;
                             for (std::int64_t j = k + 1; j < last; ++j) {
                               E sum = a[i * n + j];
                               matmul_detail::multiply_add(sum, l, conjugated(a[j * n + k]));
                               a[i * n + j] = sum;
                             }
                           });
      team.team_barrier();
    }
  }
};

/// A column outside of a panel: the panel's interchanges and, to the right of it, the rows of U.
template <class E>
struct FinishColumn {
  Stack<E> stack;
  std::int64_t begin, end;  ///< the panel

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t index) const {
    const std::int64_t n = stack.columns;
    const std::int64_t others = n - (end - begin);
    const std::int64_t batch = index / others;
    if (stack.failures[batch] >= 0) return;
    std::int64_t j = index % others;
    if (j >= begin) j += end - begin;
    E* a = stack.matrix(batch);
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t pivot = stack.pivots[batch * stack.steps() + k];
      const E upper = a[k * n + j];
      a[k * n + j] = a[pivot * n + j];
      a[pivot * n + j] = upper;
    }
    if (j < end) return;
    for (std::int64_t i = begin + 1; i < end; ++i) {
      E sum = a[i * n + j];
      for (std::int64_t k = begin; k < i; ++k) {
        matmul_detail::multiply_add(sum, -a[i * n + k], a[k * n + j]);
      }
      a[i * n + j] = matmul_detail::canonical_number(sum);
    }
  }
};

template <class E>
struct ClearAbove {
  Stack<E> stack;
  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t index) const {
    const std::int64_t n = stack.columns;
    if (index % n > index / n % n) stack.data[index] = E();
  }
};

constexpr std::int64_t device_panel = 32;

/// Threads of a team for matrices of so many rows.
inline int panel_threads(std::int64_t rows) {
  int threads = 32;
  while (threads < 512 && threads < rows) threads *= 2;
  return threads;
}

template <template <class, class> class Panel, class E, class Space>
void launch_panel(const Space& space, const Stack<E>& stack, std::int64_t begin, std::int64_t end) {
  Kokkos::TeamPolicy<Space> policy(space, static_cast<int>(stack.batches),
                                   panel_threads(stack.rows - begin));
  Kokkos::parallel_for("tessera::factor_panel", policy, Panel<E, Space>{stack, begin, end});
}

/// The rows x columns at (row, column) of every matrix -= L R: L are the rows' elements in the
/// columns [begin, end); R the columns' ones in these rows, or the adjoint of those rows' L.
template <class T, class Space>
void subtract_panel(const Space& space, const Stack<element_t<T>>& stack, std::int64_t begin,
                    std::int64_t end, std::int64_t row, std::int64_t column, std::int64_t columns,
                    bool adjoint) {
  const std::int64_t n = stack.columns;
  T* a = reinterpret_cast<T*>(stack.data);
  matmul_detail::Product<T> p;
  p.m = stack.rows - row;
  p.n = columns;
  p.k = end - begin;
  p.a = {a + row * n + begin, n, 1};
  if (adjoint) {
    p.b = {a + column * n + begin, 1, n};
  } else {
    p.b = {a + begin * n + column, n, 1};
  }
  p.c = {a + row * n + column, n, 1};
  p.conjugate_b = adjoint;
  p.negate_a = true;
  p.onto_c = true;
  matmul_detail::Batches batches;
  batches.axes = 1;
  batches.count = stack.batches;
  batches.extent[0] = stack.batches;
  batches.a[0] = batches.b[0] = batches.c[0] = stack.rows * n;
  matmul_detail::multiply_on_device(space, p, batches);
}

template <class E, class Space>
void mark_unfailed(const Space& space, const Stack<E>& stack) {
  std::int64_t* failures = stack.failures;
  Kokkos::parallel_for(
      "tessera::factor_start", range(space, stack.batches),
      KOKKOS_LAMBDA(const std::int64_t batch) { failures[batch] = -1; });
}

template <class T, class Space>
void lu_on_device(const Space& space, const Stack<element_t<T>>& stack) {
  mark_unfailed(space, stack);
  const std::int64_t steps = stack.steps();
  for (std::int64_t begin = 0; begin < steps; begin += device_panel) {
    const std::int64_t end = std::min(begin + device_panel, steps);
    const std::int64_t others = stack.columns - (end - begin);
    launch_panel<LuPanel>(space, stack, begin, end);
    Kokkos::parallel_for("tessera::lu_finish", range(space, stack.batches * others),
                         FinishColumn<element_t<T>>{stack, begin, end});
    if (end < stack.rows && end < stack.columns) {
      subtract_panel<T>(space, stack, begin, end, end, end, stack.columns - end, false);
    }
  }
}

template <class T, class Space>
void cholesky_on_device(const Space& space, const Stack<element_t<T>>& stack) {
  constexpr std::int64_t width = 1024;  // of what is updated at a time, its triangle in vain
  mark_unfailed(space, stack);
  const std::int64_t n = stack.columns;
  for (std::int64_t begin = 0; begin < n; begin += device_panel) {
    const std::int64_t end = std::min(begin + device_panel, n);
    launch_panel<CholeskyPanel>(space, stack, begin, end);
    for (std::int64_t column = end; column < n; column += width) {
      subtract_panel<T>(space, stack, begin, end, column, column, std::min(width, n - column),
                        true);
    }
  }
  Kokkos::parallel_for("tessera::cholesky_clear", range(space, stack.batches * n * n),
                       ClearAbove<element_t<T>>{stack});
}

}  // namespace tessera::kernels::factor_detail
