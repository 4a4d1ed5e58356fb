// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/extents.hpp"

namespace tessera {

/// A half-open block of global indices: `origin <= i < origin + extent` on every axis.
struct Box {
  Index origin;
  Shape extent;

  static Box whole(const Shape& shape) { return {Extents::filled(shape.size(), 0), shape}; }
  [[nodiscard]] int axes() const { return extent.size(); }
  [[nodiscard]] std::int64_t elements() const { return element_count(extent); }
  [[nodiscard]] bool empty() const { return elements() == 0; }
  [[nodiscard]] std::int64_t end(int axis) const { return origin[axis] + extent[axis]; }
  friend bool operator==(const Box&, const Box&) = default;
};

/// The indices that lie in both; empty extents where there are none.
inline Box intersect(const Box& a, const Box& b) {
  Box result = a;
  for (int axis = 0; axis < a.axes(); ++axis) {
    result.origin[axis] = std::max(a.origin[axis], b.origin[axis]);
    const std::int64_t end = std::min(a.end(axis), b.end(axis));
    result.extent[axis] = std::max<std::int64_t>(end - result.origin[axis], 0);
  }
  return result;
}

/// Whether `part`, which lies inside `whole`, is one contiguous range of a dense row-major `whole`.
inline bool contiguous_in(const Box& part, const Box& whole) {
  int axis = part.axes() - 1;
  while (axis >= 0 && part.extent[axis] == whole.extent[axis]) --axis;
  for (--axis; axis >= 0; --axis) {
    if (part.extent[axis] != 1) return false;
  }
  return true;
}

/// Where the first element of `part` lies in a dense row-major `whole`, in elements.
inline std::int64_t offset_in(const Box& part, const Box& whole) {
  const Strides strides = row_major_strides(whole.extent);
  std::int64_t offset = 0;
  for (int axis = 0; axis < part.axes(); ++axis) {
    offset += (part.origin[axis] - whole.origin[axis]) * strides[axis];
  }
  return offset;
}

}  // namespace tessera
