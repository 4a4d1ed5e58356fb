// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a convolution on a CPU is cut into blocks, and how the copied input of a block lies.
#include <algorithm>
#include <numeric>

#include "convolution_micro.hpp"
#include "convolution_problem.hpp"

namespace tessera::kernels::convolution_detail {

template <class T>
struct part {
  using type = T;
};
template <class R>
struct part<std::complex<R>> {
  using type = R;
};
template <class T>
using part_t = typename part<T>::type;
template <class T>
inline constexpr int parts = sizeof(T) / sizeof(part_t<T>);

constexpr std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

/// The cells that windows read along one axis, sorted by their distance from the window's first
/// cell modulo the stride, so that what neighbouring windows read under one tap lies side by side:
///
///   stride 2, taps 3:   cells 0 1 2 3 4 5 6   become   0 2 4 6 | 1 3 5
///                                             tap 0 at 0, tap 1 at `length`, tap 2 at 1
struct Phases {
  std::int64_t count = 1;   ///< classes in use
  std::int64_t reach = 0;   ///< cells of a class beyond one per window
  std::int64_t length = 0;  ///< cells per class

  Phases() = default;
  Phases(const Axis& axis, std::int64_t windows)
      : count(std::min(axis.taps, period(axis))),
        reach((axis.taps - 1) * axis.dilation / axis.stride),
        length(windows + reach) {}

  [[nodiscard]] static std::int64_t period(const Axis& axis) {
    return axis.stride / std::gcd(axis.stride, axis.dilation);
  }
  [[nodiscard]] static std::int64_t distance(const Axis& axis, std::int64_t phase) {
    return phase * axis.dilation % axis.stride;
  }
  /// Where the first window's cell under a tap lies.
  [[nodiscard]] std::int64_t position(const Axis& axis, std::int64_t tap) const {
    return tap % period(axis) * length + tap * axis.dilation / axis.stride;
  }
};

/// Sizes of the blocks: output cells along x and y, and planes (pairs of an input channel and taps
/// of the outer axes, in the order of the chains) whose input is copied at a time. The copy stays
/// in the second cache; measured on Zen 4: 512 KiB are better than 256, and long rows better than
/// many.
template <class T>
struct Blocking {
  using R = part_t<T>;
  static constexpr std::int64_t target_bytes = 512 << 10;

  bool by_rows = false;  ///< tiles of output rows, not of output channels
  bool flat = false;     ///< rows follow each other without a gap, and tiles go over their ends
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t planes = 0;
  std::int64_t all_planes = 0;
  Phases x, y;
  std::int64_t row = 0;    ///< numbers of a copied row
  std::int64_t plane = 0;  ///< numbers of a copied plane
  std::int64_t x_blocks = 0;
  std::int64_t y_blocks = 0;
  std::int64_t segments = 0;  ///< groups that the output channels are of
  std::int64_t tasks = 0;
  std::int64_t shares = 0;  ///< of the tasks, each with a block of its own
  std::int64_t block_bytes = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t offset_bytes = 0;

  Blocking(const Problem<T>& p, int threads) {
    // A tile of rows reads the input less often than one of few channels.
    constexpr std::int64_t few_channels = 3;
    by_rows = p.group_outputs <= few_channels && p.y.stride == 1 && p.y.dilation == 1 &&
              p.y.taps > 1 && p.y.cells > 1;
    all_planes = p.group_inputs * p.outer_taps();
    segments = (p.first_output + p.outputs + p.group_outputs - 1) / p.group_outputs;
    choose(p, threads);
    tasks = p.outer_cells() * segments * y_blocks * x_blocks;
    shares = std::min<std::int64_t>(std::max(threads, 1), tasks);
    const auto number = static_cast<std::int64_t>(sizeof(R));
    // Tiles that go over the end of the last row read a little of what comes behind.
    block_bytes = round_up(planes * plane * number, 64) + (flat ? 64 : 0);
    weight_bytes = round_up(p.outputs * p.chain() * parts<T> * number, 64);
    offset_bytes = round_up(planes * p.y.taps * p.x.taps * 8, 64);
  }
  [[nodiscard]] std::int64_t bytes() const {
    return weight_bytes + offset_bytes + shares * block_bytes;
  }

 private:
  void choose(const Problem<T>& p, int threads) {
    constexpr std::int64_t w = lanes<R>;
    const std::int64_t tile = w * TileSize<parts<T>>::vectors(TileSize<parts<T>>::most_channels);
    const std::int64_t least_planes =
        std::min(all_planes,
                 std::max<std::int64_t>(128 / std::max<std::int64_t>(p.y.taps * p.x.taps, 1), 1));
    constexpr std::int64_t long_row = 4096 / parts<T>;
    std::int64_t most_columns = by_rows ? long_row : std::max<std::int64_t>(256 / tile, 1) * tile;
    std::int64_t most_rows = by_rows ? 16 : 32;
    for (;;) {
      set(p, most_columns, most_rows);
      planes = std::clamp<std::int64_t>(
          target_bytes / std::max<std::int64_t>(plane * static_cast<std::int64_t>(sizeof(R)), 1), 1,
          std::max<std::int64_t>(all_planes, 1));
      const bool idle = p.outer_cells() * segments * y_blocks * x_blocks < 2 * threads;
      const bool narrow = planes < least_planes;
      if ((narrow || (idle && threads > 1)) && most_rows > 4) {
        most_rows /= 2;
      } else if (narrow && most_columns > tile) {
        most_columns = std::max(tile, most_columns / 2 / tile * tile);
      } else {
        return;
      }
    }
  }

  void set(const Problem<T>& p, std::int64_t most_columns, std::int64_t most_rows) {
    constexpr std::int64_t w = lanes<R>;
    x_blocks = std::max<std::int64_t>((p.x.cells + most_columns - 1) / most_columns, 1);
    y_blocks = std::max<std::int64_t>((p.y.cells + most_rows - 1) / most_rows, 1);
    columns = x_blocks == 1 ? p.x.cells : most_columns;
    rows = (p.y.cells + y_blocks - 1) / y_blocks;
    y_blocks = rows == 0 ? 1 : (p.y.cells + rows - 1) / rows;
    x = Phases(p.x, round_up(columns, w));
    y = Phases(p.y, rows);
    flat = better_flat(p);
    if (flat) x = Phases(p.x, columns);
    row = x.count * x.length * parts<T>;
    plane = y.count * y.length * row;
  }

  /// Narrow images fill their vectors badly: 7 columns take as long as 16. Across the ends of rows
  /// the cells between them are computed in vain, 2 a row for 3 taps. The results are copied to
  /// their places, which short chains aren't worth.
  [[nodiscard]] bool better_flat(const Problem<T>& p) const {
    constexpr std::int64_t short_chain = 64;
    if (parts<T> == 2 || by_rows || x_blocks > 1 || x.count > 1 || p.chain() < short_chain) {
      return false;
    }
    constexpr std::int64_t w = lanes<R>;
    const std::int64_t across = round_up(rows * (columns + x.reach) - x.reach, w);
    return 20 * across < 19 * rows * round_up(columns, w);
  }
};

}  // namespace tessera::kernels::convolution_detail
