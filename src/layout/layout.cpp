// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "layout/layout.hpp"

#include <algorithm>

namespace tessera::layout {

namespace {

/// The half-open pieces of one axis that a grid coordinate holds.
struct Piece {
  std::int64_t begin;
  std::int64_t extent;
};

std::vector<Piece> pieces(const AxisSplit& split, std::int64_t extent, std::int64_t coordinate) {
  if (split.parts == 1) return {{0, extent}};
  if (split.block == 0) {
    const std::int64_t begin = balanced_begin(extent, split.parts, coordinate);
    return {{begin, balanced_begin(extent, split.parts, coordinate + 1) - begin}};
  }
  std::vector<Piece> result;
  for (std::int64_t begin = coordinate * split.block; begin < extent;
       begin += split.parts * split.block) {
    result.push_back({begin, std::min(split.block, extent - begin)});
  }
  return result;
}

}  // namespace

std::int64_t balanced_begin(std::int64_t extent, std::int64_t parts, std::int64_t part) {
  return part * (extent / parts) + std::min(part, extent % parts);
}

std::int64_t balanced_owner(std::int64_t extent, std::int64_t parts, std::int64_t i) {
  const std::int64_t small = extent / parts;
  const std::int64_t larger = extent % parts;  // this many pieces hold one more
  if (i < larger * (small + 1)) return i / (small + 1);
  return larger + (i - larger * (small + 1)) / small;
}

Layout::Layout(Shape shape, std::vector<AxisSplit> splits, int ranks)
    : shape_(shape), splits_(std::move(splits)), ranks_(ranks) {
  require(static_cast<int>(splits_.size()) == shape_.size(), "a layout has one split per axis");
  std::int64_t used = 1;
  for (const AxisSplit& split : splits_) {
    require(split.parts >= 1 && split.block >= 0, "an axis is cut into at least one part");
    used *= split.parts;
  }
  require(used <= ranks_, "a process grid has no more places than there are ranks");
  replicated_ = shape_.empty();  // an absent scalar has no empty box to be told by
}

Layout Layout::rows(const Shape& shape, int ranks) {
  return shape.empty() ? replicated(shape, ranks) : along(shape, 0, ranks);
}

Layout Layout::along(const Shape& shape, int axis, int ranks) {
  std::vector<AxisSplit> splits(shape.size());
  splits.at(axis).parts = ranks;
  return {shape, std::move(splits), ranks};
}

Layout Layout::replicated(const Shape& shape, int ranks) {
  Layout result(shape, std::vector<AxisSplit>(shape.size()), ranks);
  result.replicated_ = true;
  return result;
}

Layout Layout::single(const Shape& shape, int ranks) {
  return {shape, std::vector<AxisSplit>(shape.size()), ranks};
}

bool Layout::is_block() const {
  for (int axis = 0; axis < shape_.size(); ++axis) {
    const AxisSplit& split = splits_[axis];
    if (split.block > 0 && split.parts > 1 && split.parts * split.block < shape_[axis])
      return false;
  }
  return true;
}

int Layout::split_axis() const {
  int found = -1;
  for (int axis = 0; axis < shape_.size(); ++axis) {
    if (splits_[axis].parts == 1) continue;
    if (found >= 0) return -2;
    found = axis;
  }
  return found;
}

Index Layout::coordinates(Rank rank) const {
  if (replicated_) return Extents::filled(shape_.size(), 0);
  std::int64_t used = 1;
  for (const AxisSplit& split : splits_) used *= split.parts;
  if (rank >= used) return {};
  Index result = Extents::filled(shape_.size(), 0);
  std::int64_t rest = rank;
  for (int axis = shape_.size() - 1; axis >= 0; --axis) {
    result[axis] = rest % splits_[axis].parts;
    rest /= splits_[axis].parts;
  }
  return result;
}

std::vector<Box> Layout::boxes(Rank rank) const {
  const Index place = coordinates(rank);
  if (place.size() != shape_.size()) return {};
  std::vector<Box> result{{Index{}, Shape{}}};
  for (int axis = 0; axis < shape_.size(); ++axis) {
    std::vector<Box> grown;
    for (const Box& box : result) {
      for (const Piece& piece : pieces(splits_[axis], shape_[axis], place[axis])) {
        Box next = box;
        next.origin.push_back(piece.begin);
        next.extent.push_back(piece.extent);
        grown.push_back(next);
      }
    }
    result = std::move(grown);
  }
  return result;
}

Box Layout::box(Rank rank) const {
  const std::vector<Box> all = boxes(rank);
  if (all.empty()) return {Extents::filled(shape_.size(), 0), Extents::filled(shape_.size(), 0)};
  require(all.size() == 1, "a block layout holds one box per rank");
  return all.front();
}

Shape Layout::local_extent(Rank rank) const {
  const Index place = coordinates(rank);
  Shape result = Extents::filled(shape_.size(), 0);
  if (place.size() != shape_.size()) return result;
  for (int axis = 0; axis < shape_.size(); ++axis) {
    for (const Piece& piece : pieces(splits_[axis], shape_[axis], place[axis])) {
      result[axis] += piece.extent;
    }
  }
  return result;
}

std::int64_t Layout::max_local_elements() const {
  std::int64_t most = 0;
  // Coordinate 0 holds at least as many indices of an axis as any other, so rank 0 holds the most.
  if (ranks_ > 0) most = local_elements(0);
  return most;
}

Rank Layout::owner(const Index& global) const {
  if (replicated_) return 0;
  std::int64_t rank = 0;
  for (int axis = 0; axis < shape_.size(); ++axis) {
    const AxisSplit& split = splits_[axis];
    const std::int64_t place = split.block > 0
                                   ? (global[axis] / split.block) % split.parts
                                   : balanced_owner(shape_[axis], split.parts, global[axis]);
    rank = rank * split.parts + place;
  }
  return static_cast<Rank>(rank);
}

Index Layout::local_index(const Index& global) const {
  Index result = global;
  for (int axis = 0; axis < shape_.size(); ++axis) {
    const AxisSplit& split = splits_[axis];
    if (split.block > 0) {
      const std::int64_t round = split.block * split.parts;
      result[axis] = global[axis] / round * split.block + global[axis] % split.block;
    } else {
      const std::int64_t part = balanced_owner(shape_[axis], split.parts, global[axis]);
      result[axis] = global[axis] - balanced_begin(shape_[axis], split.parts, part);
    }
  }
  return result;
}

std::string Layout::describe() const {
  if (replicated_) return "replicated";
  const int axis = split_axis();
  if (axis == -1) return ranks_ == 1 ? "whole" : "rank 0";
  if (axis >= 0) {
    const AxisSplit& split = splits_[axis];
    const std::string name = axis == 0 ? "rows" : "axis " + std::to_string(axis);
    return name + "/" + std::to_string(split.parts) +
           (split.block > 0 ? " cyclic " + std::to_string(split.block) : "");
  }
  std::string text = "grid ";
  for (int i = 0; i < shape_.size(); ++i) {
    text += (i > 0 ? "x" : "") + std::to_string(splits_[i].parts);
  }
  return text;
}

}  // namespace tessera::layout
