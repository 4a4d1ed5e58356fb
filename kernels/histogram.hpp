// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/dtype.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

/// `bins` intervals of equal width from `low` to `high` (low < high), open at the upper end but for
/// the last. Border i is low + i (high - low) / bins in float64, the last `high`.
struct Bins {
  std::int64_t number = 1;
  double low = 0;
  double high = 1;
};

/// What `histogram` needs beside its counts.
[[nodiscard]] std::int64_t histogram_scratch_bytes(std::int64_t bins, device::Backend backend,
                                                   int threads);

/// counts[i] = number of the n elements in bin i; elements of a real type, compared as float64. NaN
/// and what lies outside isn't counted.
void histogram(const device::Stream& stream, const Bins& bins, DType dtype, const void* x,
               std::int64_t n, std::int64_t* counts, void* scratch, int threads);

/// edges[i] = border i, bins + 1 of them.
void histogram_edges(const device::Stream& stream, const Bins& bins, double* edges);

}  // namespace tessera::kernels
