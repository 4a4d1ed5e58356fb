// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "exact_sum.hpp"

#include "exact_round.hpp"
#include "exact_window.hpp"

namespace tessera::kernels::exact {

namespace {

Grid grid_of(Term term) { return term == Term::value ? value_grid() : product_grid(); }

/// Products below this may have lost bits of their rounding error to underflow.
constexpr double smallest_safe_product = 0x1p-960;

/// All of a block that a vector loop reads, padded with zeros to whole vectors.
template <class T>
struct Padded {
  T values[block_length];
  const T* fill(const T* x, std::int64_t n, std::int64_t padded) {
    std::memcpy(values, x, static_cast<std::size_t>(n) * sizeof(T));
    std::fill(values + n, values + padded, T{0});
    return values;
  }
};

std::int64_t whole_vectors(std::int64_t n) { return (n + lanes - 1) / lanes; }

template <int W, class T>
bool try_values(Window& window, const T* x, std::int64_t vectors) {
  WindowSums<W> even(window.grid, window.top);
  WindowSums<W> odd(window.grid, window.top);
  std::int64_t v = 0;
  for (; v + 2 <= vectors; v += 2) {
    const T* at = x + v * lanes;
    __builtin_prefetch(at + 8192 / sizeof(T));
    const Reals first = load(at);
    const Reals second = load(at + lanes);
    note_largest(even, first);
    note_largest(odd, second);
    note_rest(even, spread<0, W>(even, first));
    note_rest(odd, spread<0, W>(odd, second));
  }
  if (v < vectors) {
    const Reals last = load(x + v * lanes);
    note_largest(even, last);
    note_rest(even, spread<0, W>(even, last));
  }
  for (int w = 0; w < W; ++w) even.sums[w] += odd.sums[w];
  even.rest |= odd.rest;
  even.largest = odd.largest > even.largest ? odd.largest : even.largest;
  return commit(window, even, vectors);
}

/// a * b - p, which is exact: the rounding error of p = RN(a * b).
inline Reals product_error(const Reals& a, const Reals& b, const Reals& p) {
  Reals error;
  for (int lane = 0; lane < lanes; ++lane) error[lane] = __builtin_fma(a[lane], b[lane], -p[lane]);
  return error;
}

/// The products' leading parts go to limbs 0 .. P-1 of the window, their rounding errors to 1 ..
/// W-1.
template <int W, int P, class T>
bool try_products(Window& window, const T* x, const T* y, std::int64_t vectors) {
  WindowSums<W> sums(window.grid, window.top);
  Words tiny{};
  for (std::int64_t v = 0; v < vectors; ++v) {
    __builtin_prefetch(x + v * lanes + 8192 / sizeof(T));
    __builtin_prefetch(y + v * lanes + 8192 / sizeof(T));
    const Reals a = load(x + v * lanes);
    const Reals b = load(y + v * lanes);
    const Reals p = a * b;
    note_largest(sums, p);
    if constexpr (sizeof(T) == 4) {
      note_rest(sums, spread<0, W>(sums, p));  // exact: 24 + 24 bits
    } else {
      note_rest(sums, spread<0, P>(sums, p));
      note_rest(sums, spread<1, W>(sums, product_error(a, b, p)));
      const Words zero = (a == 0.0) | (b == 0.0);
      const Words small =
          magnitude_bits(p) < static_cast<std::int64_t>(bits_of(smallest_safe_product));
      tiny |= small & ~zero;
    }
  }
  for (int lane = 0; lane < lanes; ++lane) {
    if (tiny[lane] != 0) return false;
  }
  // Limbs 1 .. P-1 took both, so that their constants were added twice.
  if constexpr (sizeof(T) == 8) {
    for (int w = 1; w < P; ++w) {
      const std::uint64_t twice = static_cast<std::uint64_t>(vectors) * bits_of(sums.magics[w][0]);
      for (int lane = 0; lane < lanes; ++lane)
        sums.sums[w][lane] -= static_cast<std::int64_t>(twice);
    }
  }
  return commit(window, sums, vectors);
}

/// The exponent e with every |value| < 2^e; 2000 when one isn't finite.
template <class Value>
int exponent_above(std::int64_t n, Value value) {
  std::int64_t largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = value(i);
    std::int64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits &= INT64_MAX;
    largest = bits > largest ? bits : largest;
  }
  if (largest >= static_cast<std::int64_t>(bits_of(infinity()))) return 2000;
  int exponent = 0;
  std::frexp(from_bits(static_cast<std::uint64_t>(largest)), &exponent);
  return exponent;
}

template <class T>
bool all_negative_zero(const T* x, std::int64_t n) {
  return std::all_of(x, x + n, [](T value) { return value == T{0} && std::signbit(value); });
}

/// One block of at most `block_length` values.
template <class T>
void deposit_block(Window& window, const T* x, std::int64_t n) {
  constexpr int narrow = sizeof(T) == 4 ? 2 : 3;  // float32 has 24 bits: two limbs take most blocks
  Padded<T> buffer;
  const std::int64_t vectors = whole_vectors(n);
  const T* padded = n % lanes == 0 ? x : buffer.fill(x, n, vectors * lanes);
  bool done = window.top >= 0 && try_values<narrow>(window, padded, vectors);
  if (!done) {
    const int exponent =
        exponent_above(n, [&](std::int64_t i) { return static_cast<double>(x[i]); });
    window.top = window.place<narrow>(exponent);
    done = window.top >= 0 && try_values<narrow>(window, padded, vectors);
    if (!done) {
      const int sticky = window.top;
      window.top = window.place<6>(exponent);
      done = window.top >= 0 && try_values<6>(window, padded, vectors);
      window.top = sticky;
    }
  }
  if (done) {
    std::int64_t& others = window.state[window.grid.limbs + not_negative_zero];
    if (others == 0 && !all_negative_zero(x, n)) others = 1;
    return;
  }
  for (std::int64_t i = 0; i < n; ++i)
    deposit(window.state, window.grid, static_cast<double>(x[i]));
  window.added();
}

template <class T>
void deposit_product_block(Window& window, const T* x, const T* y, std::int64_t n) {
  constexpr int narrow = sizeof(T) == 4 ? 3 : 5;
  constexpr int leading = sizeof(T) == 4 ? 3 : 4;
  Padded<T> x_buffer;
  Padded<T> y_buffer;
  const std::int64_t vectors = whole_vectors(n);
  const bool whole = n % lanes == 0;
  const T* a = whole ? x : x_buffer.fill(x, n, vectors * lanes);
  const T* b = whole ? y : x == y ? a : y_buffer.fill(y, n, vectors * lanes);
  if (window.top >= 0 && try_products<narrow, leading>(window, a, b, vectors)) return;
  const int exponent = exponent_above(
      n, [&](std::int64_t i) { return static_cast<double>(x[i]) * static_cast<double>(y[i]); });
  window.top = window.place<narrow>(exponent);
  if (window.top >= 0 && try_products<narrow, leading>(window, a, b, vectors)) return;
  const int sticky = window.top;
  window.top = window.place<8>(exponent);
  const bool done = window.top >= 0 && try_products<8, 8>(window, a, b, vectors);
  window.top = sticky;
  if (done) return;
  for (std::int64_t i = 0; i < n; ++i) {
    deposit_product(window.state, static_cast<double>(x[i]), static_cast<double>(y[i]));
    if ((i & 1023) == 1023) window.added();
  }
  window.added();
}

}  // namespace

std::int64_t words(Term term) { return grid_of(term).words(); }

template <class T>
void deposit(Window& window, const T* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += block_length) {
    deposit_block(window, x + i, std::min(block_length, n - i));
  }
}

template <class T>
void deposit_products(Window& window, const T* x, const T* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += block_length) {
    deposit_product_block(window, x + i, y + i, std::min(block_length, n - i));
  }
  if (n > 0) window.state[window.grid.limbs + not_negative_zero] = 1;
}

template <class T>
void deposit(const T* x, std::int64_t n, std::int64_t* state) {
  Window window{state, value_grid()};
  deposit(window, x, n);
  carry(state, value_grid().limbs);
}

template <class T>
void deposit_products(const T* x, const T* y, std::int64_t n, std::int64_t* state) {
  Window window{state, product_grid()};
  deposit_products(window, x, y, n);
  carry(state, product_grid().limbs);
}

template void deposit(Window&, const float*, std::int64_t);
template void deposit(Window&, const double*, std::int64_t);
template void deposit_products(Window&, const float*, const float*, std::int64_t);
template void deposit_products(Window&, const double*, const double*, std::int64_t);
template void deposit(const float*, std::int64_t, std::int64_t*);
template void deposit(const double*, std::int64_t, std::int64_t*);
template void deposit_products(const float*, const float*, std::int64_t, std::int64_t*);
template void deposit_products(const double*, const double*, std::int64_t, std::int64_t*);

void merge(Term term, const std::int64_t* from, std::int64_t* into) {
  for (std::int64_t i = 0; i < words(term); ++i) into[i] += from[i];
}

double finish(Term term, std::int64_t* state, std::int64_t count, std::int64_t divisor, DType to) {
  return finish_sum(state, grid_of(term), count, divisor,
                    to == DType::float32 ? float32_format() : float64_format());
}

double finish_norm(std::int64_t* state) {
  const Root root = finish_root(state);
  return std::ldexp(root.root, root.exponent);
}

}  // namespace tessera::kernels::exact
