// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exact reductions result by result: internal to the kernels.
#include "reduce_exact.hpp"

namespace tessera::kernels {

/// states[k] += the other chunks' states; digits are then carried.
template <class Space>
void merge_chunks(const Space& space, const exact::Grid& grid, int components, std::int64_t count,
                  std::int64_t chunks, const std::int64_t* partial, std::int64_t* states) {
  const std::int64_t words = components * grid.words();
  const int limbs = grid.limbs;
  const std::int64_t each = grid.words();
  run_tasks(
      space, "merge exact sums", count * components, count * chunks * words,
      KOKKOS_LAMBDA(const std::int64_t i) {
        std::int64_t* into = states + i * each;
        for (std::int64_t w = 0; w < each; ++w) {
          std::int64_t sum = 0;
          for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
            sum += partial[chunk * count * words + i * each + w];
          into[w] = sum;
        }
        exact::carry(into, limbs);
      });
}

/// Host: each task feeds a range of one result's elements through a sink.
template <class T, ExactKind Kind, bool Ignore>
void exact_rows_host(const HostSpace& space, const PartView<T>& part, std::int64_t* states,
                     Scratch scratch) {
  using Sink = ExactSink<T, Kind, Ignore>;
  const std::int64_t leaves = (part.elements + leaf_length - 1) / leaf_length;
  const std::int64_t fitting = scratch.bytes / (8 * Sink::words);
  const Chunks chunks(leaves, (tasks_wanted(space) + part.count - 1) / part.count,
                      fitting / part.count);
  std::int64_t* const partial =
      chunks.count > 1 ? static_cast<std::int64_t*>(scratch.data) : states;
  Kokkos::parallel_for(
      "exact rows", range(space, part.count * chunks.count), [=](std::int64_t task) {
        const std::int64_t k = task % part.count;
        const std::int64_t length = chunks.leaves_per_chunk * leaf_length;
        const std::int64_t begin = std::min(task / part.count * length, part.elements);
        const std::int64_t offset = part.kept.at(part.first + k);
        Sink sink(partial + task * Sink::words);
        feed(sink, part.x + offset, part.y == nullptr ? nullptr : part.y + offset, part.reduced,
             begin, std::min(begin + length, part.elements));
        sink.finish();
      });
  if (chunks.count > 1) {
    merge_chunks(space, Sink::grid, Sink::components, part.count, chunks.count, partial, states);
  }
}

/// Adds `value` to the pair; what doesn't fit goes to the state.
KOKKOS_INLINE_FUNCTION void add_or_deposit(exact::Pair& pair, std::int64_t* state,
                                           const exact::Grid& grid, double value) {
  const exact::Pair before = pair;
  const double rest = pair.add(value);
  if (rest == 0.0) return;
  if (rest - rest == 0.0 && pair.high - pair.high == 0.0) {
    exact::deposit(state, grid, rest);
    return;
  }
  pair = before;  // infinite, NaN, or the sum would overflow
  exact::deposit(state, grid, value);
}

KOKKOS_INLINE_FUNCTION void add_product_or_deposit(exact::Pair& pair, std::int64_t* state, double a,
                                                   double b) {
  double p = 0.0;
  double error = 0.0;
  const bool safe = exact::product_parts(a, b, p, error);
  if (safe && fabs(p) <= 0x1p1000) {
    add_or_deposit(pair, state, exact::product_grid, p);
    if (error != 0.0) add_or_deposit(pair, state, exact::product_grid, error);
  } else {
    exact::deposit_product(state, a, b);
  }
}

/// GPU: thread (k, chunk) takes elements chunk, chunk + chunks, ... of result k, by pairs with
/// limbs behind them.
template <class T, ExactKind Kind, bool Ignore>
struct ExactThread {
  using R = real_t<T>;
  static constexpr bool complex = is_complex_type<T>;
  static constexpr exact::Grid grid =
      Kind == ExactKind::values ? exact::value_grid : exact::product_grid;
  static constexpr int components = complex && Kind != ExactKind::squares ? 2 : 1;

  PartView<T> part;
  std::int64_t chunks;
  std::int64_t* partial;

  KOKKOS_INLINE_FUNCTION void add(exact::Pair* pairs, std::int64_t* state, std::int64_t i) const {
    if (Ignore && (is_nan_element(part.x, i) || (part.y != nullptr && is_nan_element(part.y, i))))
      return;
    const exact::Grid where = grid;
    std::int64_t* second = state + where.words();
    const R* a = reinterpret_cast<const R*>(part.x) + (complex ? 2 * i : i);
    const double re = static_cast<double>(a[0]);
    const double im = complex ? static_cast<double>(a[complex ? 1 : 0]) : 0.0;
    if (Kind == ExactKind::values) {
      add_or_deposit(pairs[0], state, where, re);
      if (complex) add_or_deposit(pairs[1], second, where, im);
    } else if (Kind == ExactKind::squares) {
      add_product_or_deposit(pairs[0], state, re, re);
      if (complex) add_product_or_deposit(pairs[0], state, im, im);
    } else {
      const R* b = reinterpret_cast<const R*>(part.y) + (complex ? 2 * i : i);
      const double other = static_cast<double>(b[0]);
      add_product_or_deposit(pairs[0], state, re, other);
      if (complex) {
        const double other_im = static_cast<double>(b[complex ? 1 : 0]);
        add_product_or_deposit(pairs[0], state, im, other_im);
        add_product_or_deposit(pairs[1], second, re, other_im);
        add_product_or_deposit(pairs[1], second, -im, other);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t task) const {
    const exact::Grid where = grid;
    std::int64_t* state = partial + task * components * where.words();
    for (std::int64_t w = 0; w < components * where.words(); ++w) state[w] = 0;
    exact::Pair pairs[2];
    const std::int64_t offset = part.kept.at(part.first + task % part.count);
    std::int64_t pending = 0;
    for (std::int64_t r = task / part.count; r < part.elements; r += chunks) {
      add(pairs, state, offset + part.reduced.at(r));
      if (++pending % (1 << 18) == 0) {
        for (int c = 0; c < components; ++c) exact::carry(state + c * where.words(), where.limbs);
      }
    }
    for (int c = 0; c < components; ++c) {
      std::int64_t* own = state + c * where.words();
      exact::deposit(own, where, pairs[c].high);
      if (pairs[c].low != 0.0) exact::deposit(own, where, pairs[c].low);
      exact::carry(own, where.limbs);
    }
  }
};

template <class T, ExactKind Kind, bool Ignore, class Space>
void exact_rows_device(const Space& space, const PartView<T>& part, std::int64_t* states,
                       Scratch scratch) {
  using Thread = ExactThread<T, Kind, Ignore>;
  const std::int64_t fitting = scratch.bytes / (8 * Thread::components * Thread::grid.words());
  const std::int64_t chunks = std::max<std::int64_t>(
      1, std::min({part.elements / 64, tasks_wanted(space) / part.count, fitting / part.count}));
  std::int64_t* const partial = chunks > 1 ? static_cast<std::int64_t*>(scratch.data) : states;
  const Thread thread{part, chunks, partial};
  run_tasks(space, "exact reduction", part.count * chunks, part.count * part.elements, thread);
  if (chunks > 1)
    merge_chunks(space, Thread::grid, Thread::components, part.count, chunks, partial, states);
}

}  // namespace tessera::kernels
