// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "reduce.hpp"

#include "reduce_types.hpp"

namespace tessera::kernels {

// In reduce_exact.cpp.
void reduce_exact_parts(const device::Stream& stream, const ReduceTask& task, const void* x,
                        const void* y, std::int64_t first, std::int64_t count, std::int64_t* states,
                        Scratch scratch);
std::int64_t reduce_exact_words(Reduction what, DType dtype);

namespace {

/// Appends an axis, merged into the one before where the two are one run of memory.
void append(Extents& extents, Strides& strides, std::int64_t extent, std::int64_t stride,
            bool adjacent) {
  const int last = extents.size() - 1;
  if (adjacent && last >= 0 && strides[last] == extent * stride) {
    extents[last] *= extent;
    strides[last] = stride;
  } else {
    extents.push_back(extent);
    strides.push_back(stride);
  }
}

}  // namespace

ReduceShape ReduceShape::of(const Shape& extent, const bool* reduced) {
  ReduceShape shape;
  const Strides strides = row_major_strides(extent);
  int previous = -1;  // 0 kept, 1 reduced
  for (int axis = 0; axis < extent.size(); ++axis) {
    if (extent[axis] == 1) continue;
    const int kind = reduced[axis] ? 1 : 0;
    if (kind == 1) {
      append(shape.reduced_extent, shape.reduced_stride, extent[axis], strides[axis],
             previous == kind);
    } else {
      append(shape.kept_extent, shape.kept_stride, extent[axis], strides[axis], previous == kind);
    }
    previous = kind;
  }
  return shape;
}

DType reduced_dtype(Reduction what, DType dtype) {
  switch (what) {
    case Reduction::sum:
    case Reduction::prod:
    case Reduction::dot:
      return is_integer(dtype) ? DType::int64 : dtype;
    case Reduction::mean:
      return is_integer(dtype) ? DType::float64 : dtype;
    case Reduction::norm1:
    case Reduction::norm2:
    case Reduction::norminf:
    case Reduction::var:
    case Reduction::std:
      return is_integer(dtype) ? DType::float64 : real_of(dtype);
    case Reduction::min:
    case Reduction::max:
      return dtype;
    case Reduction::argmin:
    case Reduction::argmax:
    case Reduction::count_nan:
      return DType::int64;
  }
  return dtype;
}

std::int64_t reduce_words(const ReduceTask& task) {
  if (task.exact) return reduce_exact_words(task.what, task.dtype);
  switch (task.what) {
    case Reduction::min:
    case Reduction::max:
    case Reduction::norm1:
    case Reduction::norminf:
    case Reduction::count_nan:
      return 1;
    case Reduction::var:
    case Reduction::std:
      return 3;
    case Reduction::argmin:
    case Reduction::argmax:
      return 2;
    case Reduction::norm2:
      return real_of(task.dtype) == DType::float64 ? 3 : 1;
    case Reduction::sum:
    case Reduction::mean:
    case Reduction::prod:
      return is_integer(task.dtype) || is_complex(task.dtype) ? 2 : 1;
    case Reduction::dot:
      return is_integer(task.dtype) ? 4 : is_complex(task.dtype) ? 2 : 1;
  }
  return 1;
}

Merge reduce_merge(const ReduceTask& task) {
  switch (task.what) {
    case Reduction::min:
    case Reduction::max:
    case Reduction::norminf:
      return Merge::max_int64;
    case Reduction::argmin:
    case Reduction::argmax:
      return Merge::first_largest;
    case Reduction::prod:
    case Reduction::var:
    case Reduction::std:
      return Merge::fold;
    case Reduction::norm1:
      return Merge::add_float64;
    case Reduction::count_nan:
      return Merge::add_int64;
    case Reduction::sum:
    case Reduction::mean:
    case Reduction::dot:
      return task.exact || is_integer(task.dtype) ? Merge::add_int64 : Merge::add_float64;
    case Reduction::norm2:
      return task.exact ? Merge::add_int64 : Merge::add_float64;
  }
  return Merge::add_int64;
}

std::int64_t reduce_scratch_bytes(const ReduceTask& task, device::Backend backend, int threads) {
  const std::int64_t words = reduce_words(task);
  const std::int64_t results = task.shape.results();
  const std::int64_t tasks = backend == device::Backend::host
                                 ? 8 * static_cast<std::int64_t>(threads)
                             : task.exact ? 1 << 14
                                          : 1 << 16;
  if (results == 0 || task.shape.elements() <= leaf_length || results >= tasks) return 0;
  // Blocks of columns share a task, so that few tasks may need many states; 32 MiB are enough to
  // spread.
  return std::max(tasks, std::min<std::int64_t>(results * tasks, (32 << 20) / (8 * words))) * 8 *
         words;
}

void reduce_parts(const device::Stream& stream, const ReduceTask& task, const void* x,
                  const void* y, std::int64_t first, std::int64_t count, std::int64_t* states,
                  Scratch scratch) {
  if (count == 0) return;
  if (task.exact) return reduce_exact_parts(stream, task, x, y, first, count, states, scratch);
  visit(task.dtype, [&]<class T>(std::type_identity<T>) {
    const PartView<T> part = view_of<T>(task, x, y, first, count);
    if (stream.backend == device::Backend::host) {
      host_parts(task, part, states, scratch);
    } else {
      device_parts(stream, task, part, states, scratch);
    }
  });
}

}  // namespace tessera::kernels
