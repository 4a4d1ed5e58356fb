// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/box.hpp"

namespace tessera::data {

/// Calls `f(box)` for boxes of at most `limit` elements that follow each other in row-major order
/// and cover the shape: each box's elements are consecutive. Nothing for an empty shape.
template <class F>
void for_each_block(const Shape& shape, std::int64_t limit, F&& f) {
  if (element_count(shape) == 0) return;
  // Whole entries of `axis` go into a block; the axes before it are walked one index at a time.
  int axis = 0;
  std::int64_t entry = element_count(shape);
  for (; axis < shape.size(); ++axis) {
    entry /= shape[axis];
    if (entry <= limit) break;
  }
  if (axis == shape.size()) return f(Box::whole(shape));
  Box box = Box::whole(shape);
  for (int outer = 0; outer < axis; ++outer) box.extent[outer] = 1;
  const std::int64_t entries = std::max<std::int64_t>(limit / entry, 1);
  for (;;) {
    for (box.origin[axis] = 0; box.origin[axis] < shape[axis]; box.origin[axis] += entries) {
      box.extent[axis] = std::min(entries, shape[axis] - box.origin[axis]);
      f(static_cast<const Box&>(box));
    }
    int outer = axis - 1;
    while (outer >= 0 && ++box.origin[outer] == shape[outer]) box.origin[outer--] = 0;
    if (outer < 0) return;
  }
}

}  // namespace tessera::data
