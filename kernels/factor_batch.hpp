// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the host's threads share a stack of matrices. Free of Kokkos.
#include <algorithm>
#include <functional>

#include "base/tile.hpp"
#include "device/device.hpp"
#include "factor_host.hpp"

namespace tessera::kernels::factor_detail {

struct Sizes {
  std::int64_t batches = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

inline Sizes sizes_of(const Shape& shape) {
  require(shape.size() >= 2, "a factorisation takes matrices");
  Sizes sizes;
  for (int axis = 0; axis < shape.size() - 2; ++axis) sizes.batches *= shape[axis];
  sizes.rows = shape[shape.size() - 2];
  sizes.columns = shape.back();
  return sizes;
}

/// Enough matrices to keep every thread busy with its own, or matrices too small to be shared.
inline bool apart(const Sizes& sizes, int threads) {
  constexpr double shared = 4e6;  // multiplications
  const double work = static_cast<double>(sizes.rows) * static_cast<double>(sizes.columns) *
                      static_cast<double>(std::min(sizes.rows, sizes.columns));
  return threads == 1 || sizes.batches >= 4 * threads || (sizes.batches > 1 && work < shared);
}

/// Of `bytes(threads)` for one matrix.
template <class F>
std::int64_t scratch_for(const Sizes& sizes, int threads, F&& bytes) {
  if (sizes.batches == 0) return 0;
  if (!apart(sizes, threads)) return bytes(threads);
  return std::min<std::int64_t>(threads, sizes.batches) * bytes(1);
}

inline void one_after_another(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  for (std::int64_t i = 0; i < count; ++i) task(i);
}
inline void on_threads(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  if (count == 1) return task(0);
  device::on_host_threads(count, task);
}

/// Calls work(batch, workshop) for every matrix: one per thread, or all threads at one.
template <class F, class Work>
void for_each_matrix(const Sizes& sizes, int threads, void* scratch, F&& bytes, Work&& work) {
  if (!apart(sizes, threads)) {
    const Parallel parallel = on_threads;
    for (std::int64_t batch = 0; batch < sizes.batches; ++batch) {
      work(batch, Workshop{scratch, threads, &parallel});
    }
    return;
  }
  const std::int64_t own = bytes(1);
  const std::int64_t groups = std::min<std::int64_t>(threads, sizes.batches);
  on_threads(groups, [&](std::int64_t group) {
    const Parallel serial = one_after_another;
    const Workshop workshop{static_cast<char*>(scratch) + group * own, 1, &serial};
    const std::int64_t end = (group + 1) * sizes.batches / groups;
    for (std::int64_t batch = group * sizes.batches / groups; batch < end; ++batch) {
      work(batch, workshop);
    }
  });
}

}  // namespace tessera::kernels::factor_detail
