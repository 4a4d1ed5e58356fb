// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/extents.hpp"
#include "device/device.hpp"
#include "fft_plan.hpp"

namespace tessera::kernels::fft_detail {

/// Complex elements along lines, real and imaginary parts addressed apart:
/// element j of the line with index l has its parts at `re[j * step + sum(l *
/// strides)]` and `im[...]`. A null part is zero when read and dropped when
/// written. Swapping the two turns a forward transform into the inverse one,
/// with the same roundings; pairs of reals are complex numbers with im = re +
/// stride.
template <class T>
struct Lines {
  T* re = nullptr;
  T* im = nullptr;
  std::int64_t step = 2;  ///< in T, as all strides here
  Strides strides;

  [[nodiscard]] Lines swapped() const { return {im, re, step, strides}; }
  [[nodiscard]] Lines offset(std::int64_t by) const {
    return {re == nullptr ? nullptr : re + by, im == nullptr ? nullptr : im + by, step, strides};
  }
};

template <class T>
Lines<const T> constant(const Lines<T>& lines) {
  return {lines.re, lines.im, lines.step, lines.strides};
}

/// What is done to lines after, or around, the complex transform.
enum class RealPart {
  none,         ///< complex in, complex out
  split_pairs,  ///< in: pairs of reals; out: the inner + 1 coefficients of the
                ///< real line
  merge_pairs,  ///< the reverse: in: inner + 1 coefficients; out: pairs of
                ///< reals, with the parts swapped
  first_half,   ///< odd real lines forward: only the first inner / 2 + 1
                ///< coefficients are written
  hermitian     ///< odd real lines backward: inner / 2 + 1 coefficients are read,
                ///< the rest mirrored
};

/// A batch of lines: all indices below `extents`, the last fastest.
template <class T>
struct LineJob {
  Extents extents;
  Lines<const T> in;
  Lines<T> out;
  T scale = 1;  ///< multiplies the result, with a rounding of its own
  RealPart real = RealPart::none;
  const T* twiddles = nullptr;  ///< if not null, element k is multiplied by
                                ///< twiddles[k * row + l[axis]]
  std::int64_t twiddle_row = 0;
  int twiddle_axis = 0;

  [[nodiscard]] std::int64_t lines() const { return element_count(extents); }
};

/// Elements that are read and written per line by a transform of length
/// `inner`.
[[nodiscard]] inline std::int64_t elements_in(RealPart real, std::int64_t inner) {
  return real == RealPart::merge_pairs ? inner + 1
         : real == RealPart::hermitian ? inner / 2 + 1
                                       : inner;
}
[[nodiscard]] inline std::int64_t elements_out(RealPart real, std::int64_t inner) {
  return real == RealPart::split_pairs  ? inner + 1
         : real == RealPart::first_half ? inner / 2 + 1
                                        : inner;
}

/// Where the factors of a plan lie.
template <class T>
struct Tables {
  const FftPlan* plan = nullptr;
  const T* data = nullptr;

  [[nodiscard]] const FftNode& node(int index) const { return plan->nodes[index]; }
  [[nodiscard]] const T* of(const FftNode& n) const { return data + 2 * n.table; }
  [[nodiscard]] const T* real() const { return data + 2 * plan->real_table; }
};

/// Host blocks: as many lines as a vector has lanes at a time, kept in scratch
/// as vectors of real and of imaginary parts. Takes direct nodes, and chirp
/// nodes whose inner node is direct.
[[nodiscard]] bool fits_block(const FftPlan& plan, int node);
/// Bytes of scratch of one thread.
[[nodiscard]] std::int64_t block_bytes(const FftPlan& plan, int node);
/// Lines that are done side by side.
template <class T>
[[nodiscard]] int block_lanes();
template <class T>
void run_blocks(const Tables<T>& tables, int node, const LineJob<T>& job, std::byte* scratch,
                int threads);

/// Any backend: one launch per pass over all butterflies of a batch of lines,
/// through two work arrays. Direct nodes and `RealPart::none` only. `work`
/// holds 2 * `capacity` complex numbers.
template <class T>
void run_passes(const device::Stream& stream, const Tables<T>& tables, int node,
                const LineJob<T>& job, T* work, std::int64_t capacity);

}  // namespace tessera::kernels::fft_detail
