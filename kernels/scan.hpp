// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/dtype.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

/// Sums along an axis are cut into tiles of so many elements, counted from the start of the whole
/// axis: element i is the sum of the tiles before its own, added left to right, plus the sum from
/// the start of its tile on, added left to right. Products are one chain from the start of the axis
/// on, because a tile's product may leave the range where the whole one doesn't.
inline constexpr std::int64_t scan_tile = 4096;

/// Lines along the axis of a dense tensor [outer, length, inner], or the part of them that a rank
/// has: it begins at a multiple of `scan_tile`.
struct ScanTask {
  bool product = false;
  bool exclusive = false;  ///< without the element itself
  DType dtype = DType::float64;
  std::int64_t outer = 1;
  std::int64_t length = 0;
  std::int64_t inner = 1;
  [[nodiscard]] std::int64_t tiles() const { return (length + scan_tile - 1) / scan_tile; }
  [[nodiscard]] std::int64_t lines() const { return outer * inner; }
};

/// Sums are carried in float64, complex128 or int64, and rounded to this type: integers become
/// int64, others stay.
[[nodiscard]] DType scanned_dtype(DType dtype);
/// Bytes of one tile's total.
[[nodiscard]] std::int64_t scan_total_bytes(DType dtype);

/// totals[outer][tile][inner] of the part. Sums only.
void scan_totals(const device::Stream& stream, const ScanTask& task, const void* x, void* totals);
/// For parts of a line that several ranks have: `gathered` are all ranks' totals, one rank after
/// the other, with `tiles[rank]` tiles each; offsets[outer][tile][inner] of rank `self` get the
/// sums of the tiles before.
void scan_offsets(const device::Stream& stream, const ScanTask& task,
                  const std::vector<std::int64_t>& tiles, int self, const void* gathered,
                  void* offsets);
/// The results of the part. `offsets` as above; null where the part is the whole axis, then
/// `scratch` must hold totals (unused where `scan_needs_totals` says no). `fault` gets 1 where an
/// integer result doesn't fit int64, else 0.
void scan_finish(const device::Stream& stream, const ScanTask& task, const void* x,
                 const void* offsets, void* scratch, int threads, void* out, std::int64_t* fault);
/// Whether whole lines are too few to keep the threads busy, so that tiles are added up first.
[[nodiscard]] bool scan_needs_totals(const ScanTask& task, device::Backend backend, int threads);

}  // namespace tessera::kernels
