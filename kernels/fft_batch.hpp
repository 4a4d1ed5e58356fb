// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kokkos.hpp"
#include "fft_butterflies.hpp"
#include "fft_lines.hpp"

namespace tessera::kernels::fft_detail {

/// Lines as portable kernels find them: plain arrays, so that they can be
/// copied to a GPU.
template <class T>
struct Batch {
  T* re = nullptr;
  T* im = nullptr;
  std::int64_t step = 0;
  int axes = 0;
  std::int64_t extents[max_axes] = {};
  std::int64_t strides[max_axes] = {};

  /// Where line number `line` begins.
  KOKKOS_INLINE_FUNCTION std::int64_t offset(std::int64_t line) const {
    std::int64_t result = 0;
    for (int axis = axes - 1; axis > 0; --axis) {
      const std::int64_t next = line / extents[axis];
      result += (line - next * extents[axis]) * strides[axis];
      line = next;
    }
    return axes > 0 ? result + line * strides[0] : result;
  }
  /// The index of a line along one axis.
  KOKKOS_INLINE_FUNCTION std::int64_t index(std::int64_t line, int along) const {
    for (int axis = axes - 1; axis > along; --axis) line /= extents[axis];
    return along > 0 ? line % extents[along] : line;
  }
  template <class V>
  KOKKOS_INLINE_FUNCTION Complex<V> get(std::int64_t at) const {
    return {re == nullptr ? V(0) : re[at], im == nullptr ? V(0) : im[at]};
  }
  template <class V>
  KOKKOS_INLINE_FUNCTION void put(std::int64_t at, const Complex<V>& value) const {
    if (re != nullptr) re[at] = value.re;
    if (im != nullptr) im[at] = value.im;
  }
};

template <class T>
Batch<T> make_batch(const Extents& extents, const Lines<T>& lines) {
  Batch<T> batch;
  batch.re = lines.re;
  batch.im = lines.im;
  batch.step = lines.step;
  batch.axes = extents.size();
  for (int axis = 0; axis < extents.size(); ++axis) {
    batch.extents[axis] = extents[axis];
    batch.strides[axis] = lines.strides[axis];
  }
  return batch;
}

}  // namespace tessera::kernels::fft_detail
