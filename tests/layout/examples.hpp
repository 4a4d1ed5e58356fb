// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "layout/layout.hpp"

namespace tessera::layout {

/// Shapes with odd, prime, empty and one-element extents.
inline std::vector<Shape> odd_shapes() {
  return {{},     {0},    {1},       {2},       {7},       {12},      {13},        {64},
          {0, 5}, {5, 0}, {1, 1},    {1, 9},    {9, 1},    {4, 6},    {7, 11},     {13, 3},
          {0, 0}, {3, 1}, {2, 3, 5}, {1, 7, 1}, {4, 0, 3}, {5, 2, 2}, {2, 2, 3, 2}};
}

/// Every way we think of to lay `shape` out over `ranks`.
inline std::vector<Layout> layouts_of(const Shape& shape, int ranks) {
  std::vector<Layout> result = {Layout::rows(shape, ranks), Layout::replicated(shape, ranks),
                                Layout::single(shape, ranks)};
  const auto add = [&](std::vector<AxisSplit> splits) {
    std::int64_t used = 1;
    for (const AxisSplit& split : splits) used *= split.parts;
    if (used <= ranks) result.emplace_back(shape, std::move(splits), ranks);
  };
  for (int axis = 0; axis < shape.size(); ++axis) {
    result.push_back(Layout::along(shape, axis, ranks));
    for (const std::int64_t block : {1, 2, 3, 5}) {
      std::vector<AxisSplit> splits(static_cast<std::size_t>(shape.size()));
      splits[static_cast<std::size_t>(axis)] = {ranks, block};
      add(splits);
    }
  }
  if (shape.size() >= 2) {
    for (const std::int64_t p : {2, 3}) {
      for (const std::int64_t q : {1, 2, 4}) {
        for (const std::int64_t block : {0, 1, 2}) {
          std::vector<AxisSplit> splits(static_cast<std::size_t>(shape.size()));
          splits.front() = {p, block};
          splits.back() = {q, block};
          add(splits);
          splits.back().block = 3;
          add(splits);
        }
      }
    }
  }
  return result;
}

/// Calls `f` with every index of the box, the last axis fastest.
template <class F>
void each_index(const Box& box, F f) {
  if (box.empty()) return;
  Index index = box.origin;
  while (true) {
    f(static_cast<const Index&>(index));
    int axis = box.axes() - 1;
    while (axis >= 0 && ++index[axis] == box.end(axis)) {
      index[axis] = box.origin[axis];
      --axis;
    }
    if (axis < 0) return;
  }
}

/// The row-major number of `index` in `shape`.
inline std::int64_t number_of(const Index& index, const Shape& shape) {
  std::int64_t number = 0;
  for (int axis = 0; axis < shape.size(); ++axis) number = number * shape[axis] + index[axis];
  return number;
}

/// For messages of failed checks.
inline std::string name_of(const Layout& layout) {
  std::string text = to_string(layout.shape()) + " " + layout.describe() + " on " +
                     std::to_string(layout.ranks()) + " splits";
  for (const AxisSplit& split : layout.splits()) {
    text += " " + std::to_string(split.parts) + ":" + std::to_string(split.block);
  }
  return text;
}

}  // namespace tessera::layout
