// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tensor as the kernels see it: internal to the stencil family.
#include <cstdint>
#include <vector>

#include "stencil.hpp"

namespace tessera::kernels::stencil_detail {

/// One axis of rows: a stencil axis in global indices, or merged batch axes counted from 0.
struct Axis {
  std::int64_t n = 1;
  std::int64_t radius = 0;  ///< 0 for a batch axis
  Boundary boundary = Boundary::nearest;
  bool stencil = false;
};

/// A tensor is a set of rows. The row axis `x` is the last stencil axis; what lies behind it (batch
/// axes, the two parts of complex numbers) makes every point of the row `width` numbers wide. Where
/// that would be very wide, the batch itself is the row, with no taps along it.
struct Geometry {
  std::vector<Axis> outer;  ///< the axes of rows, slowest first
  Axis x;
  std::int64_t width = 1;      ///< real numbers per point
  std::vector<int> axis_of{};  ///< per tensor axis: the outer axis, or -1 (row or width)
  int x_axis = -1;             ///< the tensor axis of the row; -1 for a batch row
  bool is_complex = false;
};

/// The cells of a box: intervals along the outer axes and along the row.
struct Cells {
  std::vector<Interval> outer;
  Interval x;
};

/// A dense tile, strides in real numbers. `slots` > 0: a ring of so many slices along the outer
/// axis `ring`.
template <class T>
struct Piece {
  T* data = nullptr;
  Cells cells;
  std::vector<std::int64_t> stride;
  std::int64_t slots = 0;
  int ring = -1;
};

/// A tap in the geometry's axes.
template <class T>
struct GeometryTap {
  int row = 0;          ///< index into Taps::rows
  std::int64_t dx = 0;  ///< points
  T weight = 0;
};

/// Taps grouped by row: as they are sorted, taps of one row are neighbours.
template <class T>
struct Taps {
  std::vector<std::vector<std::int64_t>> rows;  ///< offsets along the outer axes
  std::vector<GeometryTap<T>> list;
};

[[nodiscard]] Geometry make_geometry(const Stencil& stencil, DType dtype, const Shape& global,
                                     const Box& region);
[[nodiscard]] Cells cells_of(const Geometry& geometry, const Box& box);

template <class T>
Piece<T> make_piece(const Geometry& geometry, const Tile& tile) {
  require(tile.contiguous(), "a stencil works on dense tiles");
  Piece<T> piece;
  piece.data = tile.as<T>();
  piece.cells = cells_of(geometry, tile.box);
  piece.stride.resize(geometry.outer.size());
  std::int64_t stride = (piece.cells.x.end - piece.cells.x.begin) * geometry.width;
  for (std::size_t a = geometry.outer.size(); a-- > 0;) {
    piece.stride[a] = stride;
    stride *= piece.cells.outer[a].end - piece.cells.outer[a].begin;
  }
  return piece;
}

template <class T>
Taps<T> make_taps(const Stencil& stencil, const Geometry& geometry) {
  Taps<T> taps;
  for (const Stencil::Tap& tap : stencil.taps) {
    std::vector<std::int64_t> row(geometry.outer.size(), 0);
    std::int64_t dx = 0;
    for (std::size_t s = 0; s < stencil.axes.size(); ++s) {
      const int outer = geometry.axis_of[static_cast<std::size_t>(stencil.axes[s])];
      if (outer >= 0) {
        row[static_cast<std::size_t>(outer)] = tap.offset[static_cast<int>(s)];
      } else {
        dx = tap.offset[static_cast<int>(s)];
      }
    }
    if (taps.rows.empty() || taps.rows.back() != row) taps.rows.push_back(row);
    taps.list.push_back({static_cast<int>(taps.rows.size()) - 1, dx, static_cast<T>(tap.weight)});
  }
  return taps;
}

}  // namespace tessera::kernels::stencil_detail
