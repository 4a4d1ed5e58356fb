// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the elements of a reduction lie: internal to the kernels.
#include <algorithm>

#include "base/extents.hpp"
#include "device/function.hpp"
#include "reduce.hpp"

namespace tessera::kernels {

/// Row-major index -> element offset, usable on GPUs.
struct Walk {
  int axes = 0;
  std::int64_t extent[max_axes] = {};
  std::int64_t stride[max_axes] = {};

  Walk(const Extents& extents, const Strides& strides) : axes(extents.size()) {
    for (int axis = 0; axis < axes; ++axis) {
      extent[axis] = extents[axis];
      stride[axis] = strides[axis];
    }
  }
  TESSERA_INLINE_FUNCTION std::int64_t at(std::int64_t index) const {
    std::int64_t offset = 0;
    for (int axis = axes - 1; axis > 0; --axis) {
      offset += index % extent[axis] * stride[axis];
      index /= extent[axis];
    }
    return axes > 0 ? offset + index * stride[0] : 0;
  }
  /// Extent and stride of the fastest axis; 1 and 1 for a single element.
  [[nodiscard]] std::int64_t inner() const { return axes > 0 ? extent[axes - 1] : 1; }
  [[nodiscard]] std::int64_t inner_stride() const { return axes > 0 ? stride[axes - 1] : 1; }
};

/// The fixed cut of a result's elements: leaves of 4096 in the order of their flattened index.
/// Leaves are folded as a binary counter folds: the split of n leaves is at the largest power of
/// two below n.
inline constexpr std::int64_t leaf_length = 4096;

/// Cuts `leaves` leaves into chunks of a power of two, which leaves the tree of folds as it is, so
/// that about `wanted` chunks come out but no more than `most`.
struct Chunks {
  std::int64_t leaves_per_chunk = 1;
  std::int64_t count = 1;

  Chunks(std::int64_t leaves, std::int64_t wanted, std::int64_t most) {
    const std::int64_t limit = std::max<std::int64_t>(1, std::min(wanted, most));
    count = std::max<std::int64_t>(leaves, 1);
    while (count > limit) {
      leaves_per_chunk *= 2;
      count = (leaves + leaves_per_chunk - 1) / leaves_per_chunk;
    }
  }
};

}  // namespace tessera::kernels
