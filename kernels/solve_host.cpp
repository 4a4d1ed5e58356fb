// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "solve_host.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "factor_element.hpp"

namespace tessera::kernels::factor_detail {

namespace {

constexpr int sum_lanes = 16;

double modulus(float x) { return std::abs(static_cast<double>(x)); }
double modulus(double x) { return std::abs(x); }
template <class R>
double modulus(const std::complex<R>& x) {
  const double re = x.real();
  const double im = x.imag();
  return std::sqrt(std::fma(re, re, im * im));
}

/// 1 and -1, or a complex number of modulus 1.
template <class R>
R sign_of(R x) {
  return x < 0 ? R{-1} : R{1};
}
template <class R>
std::complex<R> sign_of(const std::complex<R>& x) {
  const double size = modulus(x);
  if (!(size > 0)) return R{1};
  return {static_cast<R>(x.real() / size), static_cast<R>(x.imag() / size)};
}

double fold(double* lane) {
  for (int step = sum_lanes / 2; step > 0; step /= 2) {
    for (int i = 0; i < step; ++i) lane[i] += lane[i + step];
  }
  return lane[0];
}

/// The sum of f(i) over i < n, in the order of SolveReport.
template <class F>
double sum_of(std::int64_t n, F&& f) {
  double lane[sum_lanes] = {};
  std::int64_t i = 0;
  for (; i + sum_lanes <= n; i += sum_lanes) {
    for (int l = 0; l < sum_lanes; ++l) lane[l] += f(i + l);
  }
  for (int l = 0; i < n; ++i, ++l) lane[l] += f(i);
  return fold(lane);
}

/// max f(i); NaN wins.
template <class F>
double largest_of(std::int64_t n, F&& f) {
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = f(i);
    if (!(x <= largest)) largest = x;
    if (std::isnan(largest)) return largest;
  }
  return largest;
}

struct Norms {
  double infinity = 0;  ///< largest sum of a row
  double one = 0;       ///< largest sum of a column
  double largest = 0;   ///< element
};

/// The column sums take the rows in 16 lanes too; `sums` holds 16 n.
template <class T>
Norms norms_of(const T* a, std::int64_t n, double* sums) {
  Norms norms;
  std::fill_n(sums, sum_lanes * n, 0.0);
  for (std::int64_t i = 0; i < n; ++i) {
    const T* row = a + i * n;
    double* column = sums + i % sum_lanes * n;
    for (std::int64_t j = 0; j < n; ++j) column[j] += modulus(row[j]);
    norms.infinity =
        std::max(norms.infinity, sum_of(n, [&](std::int64_t j) { return modulus(row[j]); }));
  }
  for (std::int64_t j = 0; j < n; ++j) {
    double lane[sum_lanes];
    for (int l = 0; l < sum_lanes; ++l) lane[l] = sums[l * n + j];
    norms.one = std::max(norms.one, fold(lane));
  }
  for (std::int64_t i = 0; i < n * n; ++i) norms.largest = std::max(norms.largest, modulus(a[i]));
  return norms;
}

/// The type of half the precision.
template <class T>
struct low {
  using type = float;
};
template <class R>
struct low<std::complex<R>> {
  using type = std::complex<float>;
};

template <class T>
using real_of_t = decltype(std::real(T{}));

/// The factors of one matrix and what can be done with them.
template <class F>
class Factors {
 public:
  /// Elements and pivots are written by `factor` only.
  Factors(F* elements, std::int64_t* pivots, std::int64_t n, bool cholesky,
          const Workshop& workshop)
      : a_(elements), pivots_(pivots), n_(n), cholesky_(cholesky), workshop_(workshop) {}

  std::int64_t factor() {
    const Block<F> a{n_, n_, {a_, n_, 1}};
    return cholesky_ ? cholesky_matrix(a, workshop_) : lu_matrix(a, pivots_, workshop_);
  }

  /// B becomes A^-1 B.
  void solve(const Block<F>& b) const {
    if (!cholesky_) swap_rows(b, pivots_, n_, workshop_);
    solve_triangle(lower(), {.unit = !cholesky_}, b, workshop_);
    if (cholesky_) {
      solve_triangle(adjoint_of_lower(), {.conjugate = true}, reversed(b), workshop_);
    } else {
      solve_triangle(upper(), {}, reversed(b), workshop_);
    }
  }
  /// B becomes A^-H B.
  void solve_adjoint(const Block<F>& b) const {
    if (cholesky_) return solve(b);
    solve_triangle<F>({n_, n_, {a_, 1, n_}}, {.conjugate = true}, b, workshop_);
    solve_triangle(adjoint_of_lower(), {.unit = true, .conjugate = true}, reversed(b), workshop_);
    swap_rows_back(b, pivots_, n_, workshop_);
  }
  [[nodiscard]] double largest_in_upper() const {
    double largest = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t j = i; j < n_; ++j) largest = std::max(largest, modulus(a_[i * n_ + j]));
    }
    return largest;
  }

 private:
  [[nodiscard]] Block<const F> lower() const { return {n_, n_, {a_, n_, 1}}; }
  // From the last row and column on, a triangle stands upside down.
  [[nodiscard]] F* last() const { return a_ + n_ * n_ - 1; }
  [[nodiscard]] Block<const F> upper() const { return {n_, n_, {last(), -n_, -1}}; }
  [[nodiscard]] Block<const F> adjoint_of_lower() const { return {n_, n_, {last(), -1, -n_}}; }
  static Block<F> reversed(const Block<F>& b) {
    return {b.rows, b.columns, {b.element(b.rows - 1, 0), -b.at.row, b.at.column}};
  }

  F* a_;
  std::int64_t* pivots_;
  std::int64_t n_;
  bool cholesky_;
  Workshop workshop_;
};

/// |A^-1|1 from below. x, v, signs: n elements each.
template <class F>
double inverse_norm(const Factors<F>& factors, std::int64_t n, F* x, F* v, F* signs) {
  const auto norm = [n](const F* z) {
    return sum_of(n, [&](std::int64_t i) { return modulus(z[i]); });
  };
  const auto column = [n](F* z) { return Block<F>{n, 1, {z, 1, 1}}; };
  using R = real_of_t<F>;
  std::fill_n(v, n, F(R{1} / static_cast<R>(n)));
  factors.solve(column(v));
  double estimate = norm(v);
  if (n == 1) return estimate;
  for (std::int64_t i = 0; i < n; ++i) signs[i] = sign_of(v[i]);
  std::copy_n(signs, n, x);
  factors.solve_adjoint(column(x));
  std::int64_t before = -1;
  for (int round = 2; round <= 5; ++round) {
    std::int64_t j = 0;
    for (std::int64_t i = 1; i < n; ++i) {
      if (modulus(x[i]) > modulus(x[j])) j = i;
    }
    if (before >= 0 && modulus(x[before]) >= modulus(x[j])) break;
    before = j;
    std::fill_n(v, n, F{});
    v[j] = F(R{1});
    factors.solve(column(v));
    const double larger = norm(v);
    bool same = true;
    for (std::int64_t i = 0; i < n; ++i) {
      const F sign = sign_of(v[i]);
      same = same && sign == signs[i];
      signs[i] = sign;
    }
    const bool grown = larger > estimate;
    estimate = grown ? larger : estimate;
    if (same || !grown) break;
    std::copy_n(signs, n, x);
    factors.solve_adjoint(column(x));
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const R size = R{1} + static_cast<R>(i) / static_cast<R>(n - 1);
    x[i] = F(i % 2 == 0 ? size : -size);
  }
  factors.solve(column(x));
  const double alternative = 2 * norm(x) / (3 * static_cast<double>(n));
  return std::max(estimate, alternative);
}

template <class T>
constexpr double unit_roundoff = sizeof(real_of_t<T>) == 4 ? 0x1p-24 : 0x1p-53;

/// Hands out pieces of the scratch memory, each aligned to 64 bytes; counts only, without memory.
class Pieces {
 public:
  explicit Pieces(void* memory) : memory_(static_cast<char*>(memory)) {}
  template <class E>
  E* take(std::int64_t count) {
    char* piece = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (count * static_cast<std::int64_t>(sizeof(E)) + 63) / 64 * 64;
    return reinterpret_cast<E*>(piece);
  }
  [[nodiscard]] std::int64_t used() const { return used_; }

 private:
  char* memory_;
  std::int64_t used_ = 0;
};

/// T: of the system, F: of the factors.
template <class T, class F>
struct Room {
  F* factors;
  std::int64_t* pivots;
  T* whole;        ///< Cholesky: A with both triangles
  T* rest;         ///< B - A X
  F* correction;   ///< refinement
  double* scales;  ///< of the correction's columns
  double* sums;
  F* vectors;  ///< three
  std::int64_t before_workshop;
  void* workshop;

  Room(void* memory, std::int64_t n, std::int64_t columns, const SolveMethod& method, bool known) {
    Pieces pieces(memory);
    factors = pieces.take<F>(known ? 0 : n * n);
    pivots = pieces.take<std::int64_t>(known ? 0 : n);
    whole = pieces.take<T>(method.cholesky ? n * n : 0);
    rest = pieces.take<T>(n * columns);
    correction = pieces.take<F>(method.refine ? n * columns : 0);
    scales = pieces.take<double>(method.refine ? columns : 0);
    sums = pieces.take<double>(sum_lanes * n);
    vectors = pieces.take<F>(3 * n);
    before_workshop = pieces.used();
    workshop = pieces.take<char>(0);
  }
};

template <class T, class F>
std::int64_t bytes_for(std::int64_t n, std::int64_t columns, const SolveMethod& method, bool known,
                       int threads) {
  const std::int64_t factoring = known             ? 0
                                 : method.cholesky ? cholesky_bytes<F>(n, threads)
                                                   : lu_bytes<F>(n, n, threads);
  const std::int64_t solving =
      std::max(triangle_bytes<F>(n, columns, threads), triangle_bytes<F>(n, 1, threads));
  return Room<T, F>(nullptr, n, columns, method, known).before_workshop +
         std::max({factoring, solving, subtract_bytes<T>(n, columns, n, false, threads)});
}

template <class T, class F>
class Solver {
 public:
  Solver(const System<T>& system, const SolveMethod& method, const KnownFactors* known,
         SolveReport& report, const Workshop& workshop)
      : system_(system),
        method_(method),
        report_(report),
        known_(known != nullptr),
        n_(system.n),
        columns_(system.columns),
        room_(workshop.memory, system.n, system.columns, method, known != nullptr),
        workshop_{room_.workshop, workshop.threads, workshop.parallel},
        a_(method.cholesky ? room_.whole : system.a),
        factors_(known_ ? static_cast<F*>(const_cast<void*>(known->elements)) : room_.factors,
                 known_ ? const_cast<std::int64_t*>(known->pivots) : room_.pivots, system.n,
                 method.cholesky, workshop_) {}

  std::int64_t run() {
    report_ = {};
    if (method_.cholesky) mirror();
    norms_ = norms_of(a_, n_, room_.sums);
    const std::int64_t failed = known_ ? -1 : factor();
    if (failed >= 0) {
      report_.residual = std::numeric_limits<double>::infinity();
      return method_.refine ? n_ : failed;
    }
    if (!method_.cholesky && n_ > 0) report_.growth = factors_.largest_in_upper() / norms_.largest;
    bool done = true;
    if constexpr (std::is_same_v<T, F>) {
      std::copy_n(system_.b, n_ * columns_, system_.x);
      factors_.solve({n_, columns_, {system_.x, columns_, 1}});
      subtract();
    } else {
      done = refine();
    }
    report_.residual = residual();
    if (n_ > 0) {
      F* vectors = room_.vectors;
      report_.condition =
          norms_.one * inverse_norm(factors_, n_, vectors, vectors + n_, vectors + 2 * n_);
    }
    return done ? -1 : n_;
  }

 private:
  std::int64_t factor() {
    for (std::int64_t i = 0; i < n_ * n_; ++i) room_.factors[i] = static_cast<F>(a_[i]);
    return factors_.factor();
  }

  void mirror() {
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        const T x = system_.a[i * n_ + j];
        room_.whole[i * n_ + j] = x;
        room_.whole[j * n_ + i] = conjugated(x);
      }
      room_.whole[i * n_ + i] = std::real(system_.a[i * n_ + i]);
    }
  }

  /// rest = B - A X.
  void subtract() {
    std::copy_n(system_.b, n_ * columns_, room_.rest);
    subtract_product<T>({n_, n_, {a_, n_, 1}}, {n_, columns_, {system_.x, columns_, 1}},
                        {n_, columns_, {room_.rest, columns_, 1}}, false, workshop_);
  }

  [[nodiscard]] double largest(const T* matrix, std::int64_t column) const {
    return largest_of(n_, [&](std::int64_t i) { return modulus(matrix[i * columns_ + column]); });
  }

  [[nodiscard]] double residual() const {
    double worst = 0;
    for (std::int64_t j = 0; j < columns_; ++j) {
      const double rest = largest(room_.rest, j);
      const double size = norms_.infinity * largest(system_.x, j) + largest(system_.b, j);
      const double scaled = rest / (static_cast<double>(n_) * unit_roundoff<T> * size);
      if (rest != 0 && !(scaled <= worst)) worst = scaled;
      if (std::isnan(worst)) return std::numeric_limits<double>::infinity();
    }
    return worst;
  }

  /// Whether every column's residual became small.
  bool refine() {
    std::fill_n(system_.x, n_ * columns_, T{});
    const double bound = std::sqrt(static_cast<double>(n_)) * unit_roundoff<T> * norms_.infinity;
    for (int round = 0;; ++round) {
      subtract();
      bool all_done = true;
      for (std::int64_t j = 0; j < columns_; ++j) {
        const double rest = largest(room_.rest, j);
        if (!(rest <= std::numeric_limits<double>::max())) return false;
        const bool done = rest <= bound * largest(system_.x, j);
        all_done = all_done && done;
        room_.scales[j] = done ? 0 : std::ldexp(1.0, std::ilogb(rest));
      }
      if (all_done || round == refinement_rounds) return all_done;
      each_element([](const T& rest, F& correction, T&, double scale) {
        correction = scale > 0 ? static_cast<F>(rest / static_cast<real_of_t<T>>(scale)) : F{};
      });
      factors_.solve({n_, columns_, {room_.correction, columns_, 1}});
      each_element([](const T&, F& correction, T& x, double scale) {
        if (scale > 0) x += static_cast<T>(correction) * static_cast<real_of_t<T>>(scale);
      });
    }
  }

  template <class Function>
  void each_element(Function&& f) {
    for (std::int64_t i = 0; i < n_ * columns_; ++i) {
      f(room_.rest[i], room_.correction[i], system_.x[i], room_.scales[i % columns_]);
    }
  }

  System<T> system_;
  SolveMethod method_;
  SolveReport& report_;
  bool known_;
  std::int64_t n_;
  std::int64_t columns_;
  Room<T, F> room_;
  Workshop workshop_;
  const T* a_;
  Factors<F> factors_;
  Norms norms_;
};

}  // namespace

template <class T>
std::int64_t system_bytes(std::int64_t n, std::int64_t columns, const SolveMethod& method,
                          bool known, int threads) {
  if (method.refine) return bytes_for<T, typename low<T>::type>(n, columns, method, known, threads);
  return bytes_for<T, T>(n, columns, method, known, threads);
}

template <class T>
std::int64_t solve_system(const System<T>& system, const SolveMethod& method,
                          const KnownFactors* known, SolveReport& report,
                          const Workshop& workshop) {
  if (method.refine) {
    return Solver<T, typename low<T>::type>(system, method, known, report, workshop).run();
  }
  return Solver<T, T>(system, method, known, report, workshop).run();
}

#define TESSERA_SOLVE(T)                                                                           \
  template std::int64_t system_bytes<T>(std::int64_t, std::int64_t, const SolveMethod&, bool,      \
                                        int);                                                      \
  template std::int64_t solve_system<T>(const System<T>&, const SolveMethod&, const KnownFactors*, \
                                        SolveReport&, const Workshop&);
TESSERA_SOLVE(float)
TESSERA_SOLVE(double)
TESSERA_SOLVE(std::complex<float>)
TESSERA_SOLVE(std::complex<double>)
#undef TESSERA_SOLVE

}  // namespace tessera::kernels::factor_detail
