// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/tile.hpp"
#include "device/device.hpp"
#include "fft_plan.hpp"

namespace tessera::kernels {

/// Everything about a transform of the lines of a tile along one axis but the
/// data.
struct FftJob {
  int axis = 0;
  bool inverse = false;         ///< complex kind only; the real kinds have one direction each
  double scale = 1;             ///< multiplies the result, rounded to the type first
  const void* table = nullptr;  ///< filled by `fill_fft_table` for the same plan and type
  void* scratch = nullptr;      ///< at least `fft_scratch_bytes`
  int threads = 1;              ///< the number that the scratch was made for
  bool portable = false;        ///< on the host: take the kernels that GPUs take; the
                                ///< bits are the same
};

/// Bytes of the table of factors, for transforms in `real` (float32 or float64)
/// arithmetic.
[[nodiscard]] std::int64_t fft_table_bytes(const FftPlan& plan, DType real);

/// Computes the factors on the host, correctly rounded, and copies them to
/// `table`, which lies where the stream's kernels run. Small tables are kept
/// for the next time.
void fill_fft_table(const device::Stream& stream, const FftPlan& plan, DType real, void* table);

/// Bytes of scratch that `fft` needs for a number of lines.
[[nodiscard]] std::int64_t fft_scratch_bytes(const FftPlan& plan, DType real, std::int64_t lines,
                                             device::Backend backend, int threads,
                                             bool portable = false);

/// Floating-point operations as they are counted by custom: 5 n log2 n per
/// complex line, half for a real one.
[[nodiscard]] double fft_flops(const FftPlan& plan, std::int64_t lines);

/// Transforms every line along `job.axis`:
///   complex          out_k = scale sum_j in_j exp(-+ 2 pi i j k / n); in may
///   be real, or the same tile as out real_to_complex  the same for a real
///   line, k <= n / 2 complex_to_real  out_j = scale sum_k in_k exp(+2 pi i j k
///   / n) with in_(n-k) = conj in_k; the imaginary
///                    parts of in_0, and of in_(n/2) for even n, are taken as
///                    zero
/// The tiles have equal extents on the other axes; in both the axis is whole.
/// Empty tiles are allowed. Relative L2 error about 0.3 eps log2 n; three
/// transforms' worth for a chirp. Source: Stockham's self-sorting passes;
/// Bluestein 1970 for primes above 61.
void fft(const device::Stream& stream, const FftPlan& plan, const FftJob& job, const Tile& in,
         const Tile& out);

}  // namespace tessera::kernels
