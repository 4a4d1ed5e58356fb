// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "stencil_tiling.hpp"

#include <algorithm>

#include "device/caches.hpp"

namespace tessera::kernels::stencil_detail {

namespace {

/// Work of fewer numbers than this isn't worth waking another thread: some microseconds.
constexpr std::int64_t small_work = 16384;

std::int64_t length(const Interval& interval) { return interval.end - interval.begin; }

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Cuts an extent into equal parts of at most `most`.
void cut(std::int64_t whole, std::int64_t most, std::int64_t& extent, std::int64_t& count) {
  count = divide_up(whole, std::clamp<std::int64_t>(most, 1, whole));
  extent = divide_up(whole, count);
  count = divide_up(whole, extent);
}

/// Chooses the tiles of one region.
class Cutter {
 public:
  Cutter(const Geometry& geometry, const Cells& region, int sweeps, std::int64_t number_bytes)
      : geometry_(geometry), sweeps_(sweeps), number_bytes_(number_bytes) {
    tiling_.region = region;
    for (std::size_t a = 0; a < geometry.outer.size(); ++a) {
      const bool batch = !geometry.outer[a].stencil;
      if (!batch && tiling_.march < 0) tiling_.march = static_cast<int>(a);
      tiling_.extent.push_back(batch ? 1 : length(region.outer[a]));
      tiling_.count.push_back(batch ? length(region.outer[a]) : 1);
    }
    tiling_.x_extent = length(region.x);
  }

  Tiling cut_for(int threads) {
    fit_cache();
    const std::int64_t numbers = all_numbers();
    if (numbers * sweeps_ > small_work) {
      tiling_.workers = threads;
      spread(threads, numbers);
    }
    tiling_.tiles = tiling_.x_count;
    for (const std::int64_t count : tiling_.count) tiling_.tiles *= count;
    tiling_.workers = static_cast<int>(std::min<std::int64_t>(tiling_.workers, tiling_.tiles));
    tiling_.ring_numbers = ring_numbers();
    return tiling_;
  }

 private:
  [[nodiscard]] std::int64_t all_numbers() const {
    std::int64_t numbers = length(tiling_.region.x) * geometry_.width;
    for (const Interval& outer : tiling_.region.outer) numbers *= length(outer);
    return numbers;
  }

  /// A ring's slices along the march axis.
  [[nodiscard]] std::int64_t slots() const {
    return tiling_.march < 0 ? 1 : 2 * geometry_.outer[tiling_.march].radius + 1;
  }

  [[nodiscard]] std::int64_t slice_numbers(std::int64_t depth) const {
    std::int64_t numbers = ring_row_numbers(
        (tiling_.x_extent + 2 * depth * geometry_.x.radius) * geometry_.width, number_bytes_);
    for (std::size_t a = 0; a < tiling_.extent.size(); ++a) {
      if (static_cast<int>(a) == tiling_.march) continue;
      numbers *= tiling_.extent[a] + 2 * depth * geometry_.outer[a].radius;
    }
    return numbers;
  }

  [[nodiscard]] std::int64_t ring_numbers() const {
    std::int64_t numbers = 0;
    for (int sweep = 1; sweep < sweeps_; ++sweep) numbers += slots() * slice_numbers(sweep);
    return numbers;
  }

  /// How many times what a tile touches while it is swept would fill the room in the cache.
  [[nodiscard]] double overfull() const {
    std::int64_t numbers = slots() * slice_numbers(sweeps_) + ring_numbers() + slice_numbers(0);
    return static_cast<double>(numbers * number_bytes_) /
           (0.5 * static_cast<double>(device::cache_bytes(2)));
  }

  /// Slices that don't fit are cut along the slower axes first, so that rows stay long.
  void fit_cache() {
    for (std::size_t a = 0; a < tiling_.extent.size(); ++a) {
      const Axis& axis = geometry_.outer[a];
      if (!axis.stencil || static_cast<int>(a) == tiling_.march) continue;
      shrink(tiling_.extent[a], tiling_.count[a], length(tiling_.region.outer[a]),
             std::max<std::int64_t>(8 * axis.radius * sweeps_, 4));
    }
    shrink(
        tiling_.x_extent, tiling_.x_count, length(tiling_.region.x),
        std::max<std::int64_t>(8 * geometry_.x.radius * sweeps_, divide_up(1024, geometry_.width)));
  }

  void shrink(std::int64_t& extent, std::int64_t& count, std::int64_t whole, std::int64_t least) {
    while (overfull() > 1 && extent > least) {
      cut(whole,
          std::max(least,
                   std::min(extent - 1, static_cast<std::int64_t>(static_cast<double>(extent) /
                                                                  std::max(overfull(), 1.125)))),
          extent, count);
      if (extent <= least) break;
    }
  }

  /// Enough tiles for all threads, by cutting the march axis or else the row.
  void spread(int threads, std::int64_t numbers) {
    std::int64_t others = tiling_.x_count;
    for (const std::int64_t count : tiling_.count) others *= count;
    if (threads == 1 || others >= 4 * threads) return;
    const std::int64_t parts = std::min<std::int64_t>(threads, divide_up(numbers, small_work / 2));
    if (tiling_.march >= 0) {
      const std::int64_t whole = length(tiling_.region.outer[tiling_.march]);
      cut(whole, divide_up(whole, parts), tiling_.extent[tiling_.march],
          tiling_.count[tiling_.march]);
    } else {
      const std::int64_t wanted = divide_up(tiling_.x_count, parts) * parts;
      const std::int64_t whole = length(tiling_.region.x);
      cut(whole, divide_up(whole, wanted), tiling_.x_extent, tiling_.x_count);
    }
  }

  const Geometry& geometry_;
  int sweeps_;
  std::int64_t number_bytes_;
  Tiling tiling_;
};

/// Part `part` of an interval in parts of `extent`.
Interval part_of(const Interval& whole, std::int64_t extent, std::int64_t part) {
  const std::int64_t begin = whole.begin + part * extent;
  return {begin, std::min(begin + extent, whole.end)};
}

}  // namespace

Cells Tiling::tile(std::int64_t number) const {
  Cells cells = region;
  const auto take = [&](std::size_t a) {
    cells.outer[a] = part_of(region.outer[a], extent[a], number % count[a]);
    number /= count[a];
  };
  if (march >= 0) take(static_cast<std::size_t>(march));
  cells.x = part_of(region.x, x_extent, number % x_count);
  number /= x_count;
  for (std::size_t a = count.size(); a-- > 0;) {
    if (static_cast<int>(a) != march) take(a);
  }
  return cells;
}

Tiling make_tiling(const Geometry& geometry, const Cells& region, int sweeps, int threads,
                   std::int64_t number_bytes) {
  return Cutter(geometry, region, sweeps, number_bytes).cut_for(threads);
}

Cells widened_cells(const Geometry& geometry, const Cells& tile, std::int64_t sweeps) {
  Cells cells = tile;
  const auto widen = [&](const Axis& axis, Interval& interval) {
    if (axis.stencil) {
      interval = widened(axis.boundary, interval, sweeps * axis.radius, axis.n);
    }
  };
  for (std::size_t a = 0; a < geometry.outer.size(); ++a) widen(geometry.outer[a], cells.outer[a]);
  widen(geometry.x, cells.x);
  return cells;
}

std::int64_t ring_row_numbers(std::int64_t numbers, std::int64_t number_bytes) {
  constexpr std::int64_t line = 64;
  std::int64_t lines = divide_up(numbers * number_bytes, line);
  if (lines > 8 && lines % 2 == 0) ++lines;
  return lines * line / number_bytes;
}

bool worth_streaming(std::int64_t result_bytes) { return result_bytes >= device::cache_bytes(3); }

bool worth_prefetching(std::int64_t source_bytes) { return source_bytes >= device::cache_bytes(2); }

}  // namespace tessera::kernels::stencil_detail
