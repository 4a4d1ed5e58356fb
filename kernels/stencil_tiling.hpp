// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a host cuts a region into tiles that fit its caches: internal to the stencil family.
#include "stencil_geometry.hpp"

namespace tessera::kernels::stencil_detail {

/// A region cut into tiles of about equal size. A tile is swept slice by slice along the axis
/// `march`; batch axes are cut into single entries.
struct Tiling {
  Cells region;
  int march = -1;                    ///< the first outer stencil axis; -1: none
  std::vector<std::int64_t> extent;  ///< of a tile, at most, per outer axis
  std::int64_t x_extent = 1;         ///< of a tile, at most, in points
  std::vector<std::int64_t> count;   ///< tiles along each outer axis
  std::int64_t x_count = 1;          ///< tiles along the row
  std::int64_t tiles = 0;            ///< in all
  std::int64_t ring_numbers = 0;     ///< real numbers that a worker keeps between sweeps
  int workers = 1;

  /// The tile number `number`; the march axis runs fastest.
  [[nodiscard]] Cells tile(std::int64_t number) const;
};

[[nodiscard]] Tiling make_tiling(const Geometry& geometry, const Cells& region, int sweeps,
                                 int threads, std::int64_t number_bytes);

/// The cells that a tile needs `sweeps` sweeps earlier.
[[nodiscard]] Cells widened_cells(const Geometry& geometry, const Cells& tile, std::int64_t sweeps);

/// Numbers from one row of a ring to the next: whole cache lines, never a power of two apart.
[[nodiscard]] std::int64_t ring_row_numbers(std::int64_t numbers, std::int64_t number_bytes);

/// Whether a result of this size is better written past the caches.
[[nodiscard]] bool worth_streaming(std::int64_t result_bytes);

/// Whether a source of this size is not in a core's own cache.
[[nodiscard]] bool worth_prefetching(std::int64_t source_bytes);

}  // namespace tessera::kernels::stencil_detail
