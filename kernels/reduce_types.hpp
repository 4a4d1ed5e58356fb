// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a reduction of one element type works on: internal to the kernels.
#include "reduce_shape.hpp"

namespace tessera::kernels {

/// A part's elements and the results wanted of it.
template <class T>
struct PartView {
  const T* x;
  const T* y;
  Walk kept;
  Walk reduced;
  std::int64_t elements;
  std::int64_t first;
  std::int64_t count;
};

/// The states of a part by the fixed tree, and products folded in rank order. Host:
/// reduce_integer.cpp, reduce_real.cpp, reduce_complex.cpp.
template <class T>
void host_parts(const ReduceTask& task, const PartView<T>& part, std::int64_t* states,
                const Scratch& scratch);
/// GPU: reduce_device.cpp.
template <class T>
void device_parts(const device::Stream& stream, const ReduceTask& task, const PartView<T>& part,
                  std::int64_t* states, const Scratch& scratch);
/// GPU, exact: reduce_exact_device.cpp.
template <class T>
void exact_device_parts(const device::Stream& stream, const ReduceTask& task,
                        const PartView<T>& part, std::int64_t* states, const Scratch& scratch);

template <class T>
PartView<T> view_of(const ReduceTask& task, const void* x, const void* y, std::int64_t first,
                    std::int64_t count) {
  return {static_cast<const T*>(x),
          static_cast<const T*>(y),
          {task.shape.kept_extent, task.shape.kept_stride},
          {task.shape.reduced_extent, task.shape.reduced_stride},
          task.shape.elements(),
          first,
          count};
}

}  // namespace tessera::kernels
