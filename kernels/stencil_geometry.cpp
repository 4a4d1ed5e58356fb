// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "stencil_geometry.hpp"

#include <algorithm>

namespace tessera::kernels {

std::int64_t source_index(Boundary boundary, std::int64_t i, std::int64_t n) {
  if (i >= 0 && i < n) return i;
  if (n == 0) return -1;
  const auto modulo = [](std::int64_t a, std::int64_t m) { return (a % m + m) % m; };
  switch (boundary) {
    case Boundary::fixed:
    case Boundary::constant:
      return -1;
    case Boundary::periodic:
      return modulo(i, n);
    case Boundary::reflect: {
      const std::int64_t at = modulo(i, 2 * n);
      return at < n ? at : 2 * n - 1 - at;
    }
    case Boundary::mirror: {
      if (n == 1) return 0;
      const std::int64_t at = modulo(i, 2 * n - 2);
      return at < n ? at : 2 * n - 2 - at;
    }
    case Boundary::nearest:
      return i < 0 ? 0 : n - 1;
  }
  return -1;
}

Interval widened(Boundary boundary, Interval cells, std::int64_t depth, std::int64_t n) {
  const Interval wide{cells.begin - depth, cells.end + depth};
  if (boundary == Boundary::periodic) return wide;
  // Cells of a reflection are no further from the end than those that ask for them.
  return {std::max<std::int64_t>(wide.begin, 0), std::min(wide.end, n)};
}

namespace stencil_detail {

namespace {

/// From this width on, in real numbers, a batch axis behind the stencil's is long enough to be a
/// row.
constexpr std::int64_t wide_batch = 64;

int stencil_axis_of(const Stencil& stencil, int axis) {
  const auto found = std::find(stencil.axes.begin(), stencil.axes.end(), axis);
  return found == stencil.axes.end() ? -1 : static_cast<int>(found - stencil.axes.begin());
}

Axis stencil_axis(const Stencil& stencil, int s, const Shape& global) {
  const int axis = stencil.axes[static_cast<std::size_t>(s)];
  return {global[axis], stencil.radius[s], stencil.boundary[static_cast<std::size_t>(s)], true};
}

}  // namespace

Geometry make_geometry(const Stencil& stencil, DType dtype, const Shape& global,
                       const Box& region) {
  require(!stencil.axes.empty() && stencil.boundary.size() == stencil.axes.size() &&
              stencil.radius.size() == static_cast<int>(stencil.axes.size()),
          "a stencil names a radius and a boundary for each of its axes");
  Geometry geometry;
  geometry.is_complex = is_complex(dtype);
  const int last = stencil.axes.back();
  std::int64_t behind = 1;
  for (int axis = last + 1; axis < global.size(); ++axis) behind *= region.extent[axis];
  const std::int64_t parts = geometry.is_complex ? 2 : 1;
  const bool batch_row = behind * parts >= wide_batch;
  geometry.axis_of.assign(static_cast<std::size_t>(global.size()), -1);
  bool merging = false;  // the axis before this one is a batch axis too
  for (int axis = 0; axis < (batch_row ? last + 1 : last); ++axis) {
    const int s = stencil_axis_of(stencil, axis);
    if (s >= 0) {
      geometry.outer.push_back(stencil_axis(stencil, s, global));
    } else if (merging) {
      geometry.outer.back().n *= region.extent[axis];
    } else {
      geometry.outer.push_back({region.extent[axis]});
    }
    merging = s < 0;
    geometry.axis_of[static_cast<std::size_t>(axis)] = static_cast<int>(geometry.outer.size()) - 1;
  }
  if (batch_row) {
    geometry.x = {behind};
    geometry.width = parts;
  } else {
    geometry.x = stencil_axis(stencil, static_cast<int>(stencil.axes.size()) - 1, global);
    geometry.width = behind * parts;
    geometry.x_axis = last;
  }
  return geometry;
}

Cells cells_of(const Geometry& geometry, const Box& box) {
  Cells cells;
  cells.outer.assign(geometry.outer.size(), {0, 1});
  cells.x = {0, geometry.x.n};
  for (int axis = 0; axis < box.axes(); ++axis) {
    if (axis == geometry.x_axis) {
      cells.x = {box.origin[axis], box.end(axis)};
    } else if (const int outer = geometry.axis_of[static_cast<std::size_t>(axis)]; outer >= 0) {
      Interval& interval = cells.outer[static_cast<std::size_t>(outer)];
      if (geometry.outer[static_cast<std::size_t>(outer)].stencil) {
        interval = {box.origin[axis], box.end(axis)};
      } else {
        interval.end *= box.extent[axis];
      }
    }
  }
  return cells;
}

}  // namespace stencil_detail

}  // namespace tessera::kernels
