// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exact reductions on the host with two float64 per sum, many sums at a time: internal to the
// kernels. Blocks of columns go row by row; rows go lane by lane. A sum that didn't fit its pair is
// done by limbs.
#include "reduce_columns.hpp"
#include "reduce_exact_rows.hpp"

namespace tessera::kernels {

/// Real columns that are summed side by side.
inline constexpr std::int64_t pair_block = 512;

/// Pairs of a block of columns.
struct PairColumns {
  double high[pair_block];
  double low[pair_block];
  std::int64_t lost[pair_block];  ///< not zero: the pair isn't the exact sum

  void clear(std::int64_t columns) {
    std::fill(high, high + columns, -0.0);
    std::fill(low, low + columns, 0.0);
    std::fill(lost, lost + columns, 0);
  }

  /// Values are added as they are, for squares their squares.
  template <bool Squares, class R>
  void add_row(const R* __restrict row, std::int64_t columns) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const double x = static_cast<double>(row[c]);
      double value = x;
      double error = 0.0;
      std::int64_t small = 0;
      if constexpr (Squares) {
        value = x * x;
        if constexpr (sizeof(R) == 8) {
          error = std::fma(x, x, -value);
          small = (value < 0x1p-960) & (x != 0.0) ? 1 : 0;
        }
      }
      exact::Pair pair{high[c], low[c]};
      const double rest = pair.add(value);
      double rest_of_error = 0.0;
      if constexpr (Squares && sizeof(R) == 8) rest_of_error = pair.add(error);
      high[c] = pair.high;
      low[c] = pair.low;
      std::int64_t bits;
      const double sum = std::fabs(rest) + std::fabs(rest_of_error);
      std::memcpy(&bits, &sum, sizeof bits);
      lost[c] |= bits | small;
    }
  }

  [[nodiscard]] bool holds(std::int64_t c) const {
    return (lost[c] & INT64_MAX) == 0 && std::isfinite(high[c]);
  }
  [[nodiscard]] exact::Pair pair(std::int64_t c) const { return {high[c], low[c]}; }
};

/// Sums rows [begin, end) of `columns` real columns, the first at x.
template <bool Squares, class R>
void sum_columns(PairColumns& sums, const R* x, std::int64_t columns, const Walk& reduced,
                 int reals, std::int64_t begin, std::int64_t end) {
  sums.clear(columns);
  const std::int64_t inner = reduced.inner();
  for (std::int64_t r = begin; r < end;) {
    const std::int64_t run = std::min(inner - r % inner, end - r);
    const R* row = x + reduced.at(r) * reals;
    for (std::int64_t i = 0; i < run; ++i) {
      sums.template add_row<Squares>(row + i * reduced.inner_stride() * reals, columns);
    }
    r += run;
  }
}

/// Sums n contiguous reals, component by component.
template <bool Squares, int Components, class R>
bool sum_run(PairColumns& lanes, const R* x, std::int64_t n, exact::Pair (&pairs)[Components]) {
  constexpr std::int64_t width = 16;
  lanes.clear(width);
  std::int64_t i = 0;
  for (; i + width <= n; i += width) lanes.template add_row<Squares>(x + i, width);
  if (i < n) lanes.template add_row<Squares>(x + i, n - i);
  bool exact = true;
  for (std::int64_t c = 0; c < std::min(n, width); ++c) {
    exact = exact && lanes.holds(c);
    exact::Pair& pair = pairs[c % Components];
    const double first = pair.add(lanes.high[c]);
    const double second = lanes.low[c] == 0.0 ? 0.0 : pair.add(lanes.low[c]);
    exact = exact && first == 0.0 && second == 0.0;
  }
  for (const exact::Pair& pair : pairs) exact = exact && std::isfinite(pair.high);
  return exact;
}

/// As exact_rows, where the last kept axis is contiguous: floating-point values and squares,
/// no NaN policy.
template <class T, ExactKind Kind>
void exact_columns(const PartView<T>& part, std::int64_t* states, const Scratch& scratch) {
  using Sink = ExactSink<T, Kind, false>;
  using R = real_t<T>;
  constexpr bool squares = Kind == ExactKind::squares;
  constexpr int reals = is_complex_type<T> ? 2 : 1;
  const ColumnBlocks blocks(part.kept.inner(), part.first, part.count);
  const std::int64_t leaves = (part.elements + leaf_length - 1) / leaf_length;
  const std::int64_t fitting = scratch.bytes / (8 * Sink::words);
  const Chunks chunks(leaves, (tasks_wanted(scratch) + blocks.number - 1) / blocks.number,
                      fitting / part.count);
  std::int64_t* const partial =
      chunks.count > 1 ? static_cast<std::int64_t*>(scratch.data) : states;
  host_tasks(blocks.number * chunks.count, part.count * part.elements, [=](std::int64_t task) {
    const ColumnRange results = blocks.range(task % blocks.number);
    const std::int64_t chunk = task / blocks.number;
    const std::int64_t rows = chunks.leaves_per_chunk * leaf_length;
    const std::int64_t begin = std::min(chunk * rows, part.elements);
    const std::int64_t end = std::min(begin + rows, part.elements);
    PairColumns sums;
    for (std::int64_t k = results.begin; k < results.end; k += pair_block / reals) {
      const std::int64_t columns = std::min(pair_block / reals, results.end - k);
      const T* x = part.x + part.kept.at(k);
      sum_columns<squares>(sums, reinterpret_cast<const R*>(x), columns * reals, part.reduced,
                           reals, begin, end);
      for (std::int64_t c = 0; c < columns; ++c) {
        std::int64_t* state = partial + (chunk * part.count + k + c - part.first) * Sink::words;
        Sink sink(state);
        const bool held = sums.holds(c * reals) && sums.holds(c * reals + reals - 1);
        if (!held) {
          feed(sink, x + c, static_cast<const T*>(nullptr), part.reduced, begin, end);
          sink.finish();
          continue;
        }
        for (int component = 0; component < reals; ++component) {
          const exact::Pair pair = sums.pair(c * reals + component);
          std::int64_t* own = state + (Sink::components == 2 ? component : 0) * Sink::grid.words();
          exact::deposit(own, Sink::grid, pair.high);
          if (pair.low != 0.0) exact::deposit(own, Sink::grid, pair.low);
        }
      }
    }
  });
  if (chunks.count > 1) {
    merge_chunks<Sink>(part.count, chunks.count, partial, states);
  }
}

/// One result straight from its elements: by pairs, or by limbs in `state`.
template <class T, ExactKind Kind>
struct WholeResult {
  using R = real_t<T>;
  using Sink = ExactSink<T, Kind, false>;
  static constexpr bool narrow = std::is_same_v<R, float>;
  std::int64_t divisor;
  std::int64_t elements;
  R* out;  ///< components of one result

  void from_pairs(const exact::Pair* pairs) const {
    for (int c = 0; c < Sink::components; ++c) {
      if constexpr (Kind == ExactKind::squares) {
        out[c] = static_cast<R>(exact::root_of_pair(pairs[c]));
      } else {
        out[c] = static_cast<R>(exact::finish_pair(pairs[c], divisor, narrow));
      }
    }
  }
  void from_states(std::int64_t* state) const {
    const exact::Format format = narrow ? exact::float32_format() : exact::float64_format();
    for (int c = 0; c < Sink::components; ++c) {
      std::int64_t* own = state + c * Sink::grid.words();
      if constexpr (Kind == ExactKind::squares) {
        const exact::Root root = exact::finish_root(own);
        out[c] = static_cast<R>(std::ldexp(root.root, root.exponent));
      } else {
        out[c] = static_cast<R>(exact::finish_sum(own, Sink::grid, elements, divisor, format));
      }
    }
  }
};

/// All results of a part that holds them whole, rows contiguous.
template <class T, ExactKind Kind>
void exact_whole_rows(const PartView<T>& part, std::int64_t divisor, real_t<T>* out) {
  using Sink = ExactSink<T, Kind, false>;
  using R = real_t<T>;
  constexpr int reals = is_complex_type<T> ? 2 : 1;
  constexpr bool squares = Kind == ExactKind::squares;
  const bool short_runs = part.reduced.axes <= 1 && part.reduced.inner_stride() == 1 &&
                          part.elements > 0 && part.elements <= 2 * leaf_length;
  host_tasks(part.count, part.count * part.elements, [=](std::int64_t k) {
    const T* x = part.x + part.kept.at(part.first + k);
    const WholeResult<T, Kind> result{divisor, part.elements, out + k * Sink::components};
    if (short_runs) {
      PairColumns lanes;
      exact::Pair pairs[Sink::components];
      if (sum_run<squares>(lanes, reinterpret_cast<const R*>(x), part.elements * reals, pairs)) {
        result.from_pairs(pairs);
        return;
      }
    }
    std::int64_t state[Sink::words];
    Sink sink(state);
    feed(sink, x, static_cast<const T*>(nullptr), part.reduced, 0, part.elements);
    sink.finish();
    result.from_states(state);
  });
}

/// All results of a part that holds them whole, columns contiguous.
template <class T, ExactKind Kind>
void exact_whole_columns(const PartView<T>& part, std::int64_t divisor, real_t<T>* out) {
  using Sink = ExactSink<T, Kind, false>;
  using R = real_t<T>;
  constexpr int reals = is_complex_type<T> ? 2 : 1;
  constexpr bool squares = Kind == ExactKind::squares;
  const ColumnBlocks blocks(part.kept.inner(), part.first, part.count);
  host_tasks(blocks.number, part.count * part.elements, [=](std::int64_t task) {
    const ColumnRange results = blocks.range(task);
    PairColumns sums;
    std::int64_t state[Sink::words];
    for (std::int64_t k = results.begin; k < results.end; k += pair_block / reals) {
      const std::int64_t columns = std::min(pair_block / reals, results.end - k);
      const T* x = part.x + part.kept.at(k);
      sum_columns<squares>(sums, reinterpret_cast<const R*>(x), columns * reals, part.reduced,
                           reals, 0, part.elements);
      for (std::int64_t c = 0; c < columns; ++c) {
        const WholeResult<T, Kind> result{divisor, part.elements,
                                          out + (k + c - part.first) * Sink::components};
        exact::Pair pairs[2] = {sums.pair(c * reals), sums.pair(c * reals + reals - 1)};
        bool held = part.elements > 0 && sums.holds(c * reals) && sums.holds(c * reals + reals - 1);
        if (squares && reals == 2 && held) {  // one norm of both components
          held = pairs[0].add(pairs[1].high) == 0.0 && pairs[0].add(pairs[1].low) == 0.0;
        }
        if (held) {
          result.from_pairs(pairs);
          continue;
        }
        Sink sink(state);
        feed(sink, x + c, static_cast<const T*>(nullptr), part.reduced, 0, part.elements);
        sink.finish();
        result.from_states(state);
      }
    }
  });
}

}  // namespace tessera::kernels
