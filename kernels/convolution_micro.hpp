// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Register tiles of a convolution's output: the innermost loops. Host only.
#include <array>
#include <utility>

#include "matmul_vector.hpp"

namespace tessera::kernels::convolution_detail {

using matmul_detail::accumulate;
using matmul_detail::lanes;
using matmul_detail::many_registers;
using matmul_detail::subtract;
using matmul_detail::Vector;

/// A vector of elements, `parts` numbers each: their real parts and, apart, their imaginary ones.
template <class R, int parts>
struct Cells;

template <class R>
struct Cells<R, 1> {
  Vector<R> re;
  static inline __attribute__((always_inline)) Cells load(const R* at, std::int64_t /*apart*/) {
    return {Vector<R>::load(at)};
  }
  static inline __attribute__((always_inline)) Cells splat(const R* at) {
    return {Vector<R>::splat(at[0])};
  }
  inline __attribute__((always_inline)) void store(R* at, std::int64_t /*apart*/) const {
    canonical(re).store(at);
  }
  inline __attribute__((always_inline)) void add_product(const Cells& w, const Cells& x) {
    accumulate(re, w.re, x.re);
  }
};

template <class R>
struct Cells<R, 2> {
  Vector<R> re, im;
  static inline __attribute__((always_inline)) Cells load(const R* at, std::int64_t apart) {
    return {Vector<R>::load(at), Vector<R>::load(at + apart)};
  }
  static inline __attribute__((always_inline)) Cells splat(const R* at) {
    return {Vector<R>::splat(at[0]), Vector<R>::splat(at[1])};
  }
  inline __attribute__((always_inline)) void store(R* at, std::int64_t apart) const {
    canonical(re).store(at);
    canonical(im).store(at + apart);
  }
  inline __attribute__((always_inline)) void add_product(const Cells& w, const Cells& x) {
    accumulate(re, w.re, x.re);
    accumulate(im, w.re, x.im);
    subtract(re, w.im, x.im);
    accumulate(im, w.im, x.re);
  }
};

/// What one register tile works on. Weights and start have `parts` numbers per element.
template <class R>
struct TileTask {
  const R* cells = nullptr;  ///< of the copied input: where the tile's first element reads tap 0
  std::int64_t apart = 0;    ///< from a row's real to its imaginary parts
  const R* weights = nullptr;
  const R* start = nullptr;  ///< per row of the tile; null: the chains go on from `out`
  R* out = nullptr;
  std::int64_t out_row = 0;
  std::int64_t out_apart = 0;
  const std::int64_t* offsets = nullptr;  ///< of the taps from the first, in the copied input
  std::int64_t depth = 0;                 ///< taps of all channels
  // Of tiles of rows alone:
  std::int64_t planes = 0;  ///< channels and outer taps; each has taps_y x taps_x
  std::int64_t plane = 0;   ///< numbers from one to the next
  std::int64_t row = 0;
  std::int64_t taps_y = 0;
  std::int64_t taps_x = 0;
};

template <class R, int parts, int rows, int vectors>
struct Sums {
  Cells<R, parts> sum[rows][vectors];

  inline __attribute__((always_inline)) void begin(const TileTask<R>& task) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < vectors; ++j) {
        sum[i][j] =
            task.start != nullptr
                ? Cells<R, parts>::splat(task.start + i * parts)
                : Cells<R, parts>::load(task.out + i * task.out_row + j * lanes<R>, task.out_apart);
      }
    }
  }
  inline __attribute__((always_inline)) void end(const TileTask<R>& task) const {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < vectors; ++j) {
        sum[i][j].store(task.out + i * task.out_row + j * lanes<R>, task.out_apart);
      }
    }
  }
};

/// `rows` output channels of `vectors` vectors along x: a row of the input serves all channels.
/// Weights: per tap those of the rows.
template <class R, int parts, int rows, int vectors>
void channel_tile(const TileTask<R>& task) {
  using Cell = Cells<R, parts>;
  Sums<R, parts, rows, vectors> sums;
  sums.begin(task);
  const R* weights = task.weights;
  const std::int64_t apart = task.apart;
  const std::int64_t* offset = task.offsets;
  const std::int64_t* end = offset + task.depth;
#pragma GCC unroll 2
  for (; offset != end; ++offset) {
    const R* cells = task.cells + *offset;
    Cell row[vectors];
#pragma GCC unroll 8
    for (int j = 0; j < vectors; ++j) row[j] = Cell::load(cells + j * lanes<R>, apart);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Cell weight = Cell::splat(weights + i * parts);
#pragma GCC unroll 8
      for (int j = 0; j < vectors; ++j) sums.sum[i][j].add_product(weight, row[j]);
    }
    weights += rows * parts;
  }
  sums.end(task);
}

/// `rows` output rows of one channel, whose windows move on by one row each: a row of the input
/// serves all rows whose window holds it. Every row meets its taps in order, as the input's rows
/// ascend.
template <class R, int parts, int rows, int vectors>
void row_tile(const TileTask<R>& task) {
  using Cell = Cells<R, parts>;
  Sums<R, parts, rows, vectors> sums;
  sums.begin(task);
  const std::int64_t taps_y = task.taps_y;
  const std::int64_t taps_x = task.taps_x;
  const std::int64_t step = taps_x * parts;  // from a row of taps to the next
  const std::int64_t apart = task.apart;
  for (std::int64_t plane = 0; plane < task.planes; ++plane) {
    const R* line = task.cells + plane * task.plane;
    const R* taps = task.weights + plane * taps_y * step;
    for (std::int64_t y = 0; y < taps_y + rows - 1; ++y, line += task.row, taps += step) {
      for (std::int64_t s = 0; s < taps_x; ++s) {
        const R* cells = line + task.offsets[s];
        Cell row[vectors];
#pragma GCC unroll 8
        for (int j = 0; j < vectors; ++j) row[j] = Cell::load(cells + j * lanes<R>, apart);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
          if (y < i || y - i >= taps_y) continue;
          const Cell weight = Cell::splat(taps + s * parts - i * step);
#pragma GCC unroll 8
          for (int j = 0; j < vectors; ++j) sums.sum[i][j].add_product(weight, row[j]);
        }
      }
    }
  }
  sums.end(task);
}

/// The largest tiles that stay in registers, with room for a row of cells and a weight.
template <int parts>
struct TileSize {
  static constexpr int most_channels =
      parts == 2 ? (many_registers ? 6 : 2) : (many_registers ? 8 : 4);
  static constexpr int rows = parts == 2 && !many_registers ? 2 : 4;
  static constexpr int row_vectors = many_registers ? 4 / parts : (parts == 2 ? 1 : 2);
  /// Vectors of a tile of so many channels: enough sums that none waits for its own last product.
  static constexpr int vectors(int channels) {
    constexpr int real_many[] = {8, 8, 6, 4, 3, 3, 3, 3};
    constexpr int real_few[] = {6, 4, 3, 3};
    constexpr int complex_many[] = {4, 4, 3, 2, 2, 2};
    constexpr int complex_few[] = {2, 2};
    if constexpr (parts == 2) {
      return many_registers ? complex_many[channels - 1] : complex_few[(channels - 1) % 2];
    } else {
      return many_registers ? real_many[channels - 1] : real_few[(channels - 1) % 4];
    }
  }
};

template <class R>
using TileFunction = void (*)(const TileTask<R>&);

/// Tiles of every size up to the largest.
template <class R, int parts>
struct Tiles {
  using Size = TileSize<parts>;

  static TileFunction<R> channels(int rows, int vectors) {
    return channels_of(rows, vectors, std::make_integer_sequence<int, Size::most_channels>{});
  }
  static TileFunction<R> rows(int rows, int vectors) {
    return rows_of(rows, vectors, std::make_integer_sequence<int, Size::rows>{});
  }

 private:
  template <int rows, int... v>
  static TileFunction<R> channel_row(int vectors, std::integer_sequence<int, v...>) {
    static constexpr std::array<TileFunction<R>, sizeof...(v)> table{
        channel_tile<R, parts, rows, v + 1>...};
    return table[vectors - 1];
  }
  template <int... r>
  static TileFunction<R> channels_of(int rows, int vectors, std::integer_sequence<int, r...>) {
    TileFunction<R> result = nullptr;
    ((rows == r + 1 ? void(result = channel_row<r + 1>(
                               vectors, std::make_integer_sequence<int, Size::vectors(r + 1)>{}))
                    : void()),
     ...);
    return result;
  }
  template <int rows, int... v>
  static TileFunction<R> row_row(int vectors, std::integer_sequence<int, v...>) {
    static constexpr std::array<TileFunction<R>, sizeof...(v)> table{
        row_tile<R, parts, rows, v + 1>...};
    return table[vectors - 1];
  }
  template <int... r>
  static TileFunction<R> rows_of(int rows, int vectors, std::integer_sequence<int, r...>) {
    TileFunction<R> result = nullptr;
    ((rows == r + 1 ? void(result = row_row<r + 1>(
                               vectors, std::make_integer_sequence<int, Size::row_vectors>{}))
                    : void()),
     ...);
    return result;
  }
};

}  // namespace tessera::kernels::convolution_detail
