// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/box.hpp"
#include "base/dtype.hpp"

namespace tessera {

/// A strided block of a global tensor in some memory: what a kernel works on. It doesn't own.
/// The element with global index `g` lies at `data + sum((g - box.origin) * strides)` elements.
/// `global` is the whole tensor's shape: orders of rounding come from global indices.
struct Tile {
  void* data = nullptr;
  DType dtype = DType::float64;
  Box box;
  Strides strides;
  Shape global;

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data);
  }
  [[nodiscard]] const Shape& extent() const { return box.extent; }
  [[nodiscard]] std::int64_t elements() const { return box.elements(); }
  [[nodiscard]] bool contiguous() const { return strides == row_major_strides(box.extent); }
  /// The part of this tile inside `part` (which must lie inside the tile's box).
  [[nodiscard]] Tile sub(const Box& part) const {
    Tile result = *this;
    std::int64_t offset = 0;
    for (int axis = 0; axis < box.axes(); ++axis) {
      offset += (part.origin[axis] - box.origin[axis]) * strides[axis];
    }
    result.data = static_cast<char*>(data) + offset * size_of(dtype);
    result.box = part;
    return result;
  }
};

/// A dense row-major tile.
inline Tile dense_tile(void* data, DType dtype, const Box& box, const Shape& global) {
  return {data, dtype, box, row_major_strides(box.extent), global};
}

}  // namespace tessera
