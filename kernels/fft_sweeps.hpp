// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fft_lines.hpp"

namespace tessera::kernels::fft_detail {

/// What lines too long for one block need between their transforms. `job.in`
/// and `job.out` hold n-element lines unless said otherwise; the arithmetic is
/// that of the host blocks.
template <class T>
struct Sweeps {
  device::Stream stream;

  /// In place on `job.out`: element k of a line is multiplied by the job's
  /// twiddle for it.
  void twiddle(const LineJob<T>& job, std::int64_t n) const;
  /// out_j = in_j factors_j for j < n, 0 up to `padded`.
  void chirp(const LineJob<T>& job, std::int64_t n, std::int64_t padded, const T* factors) const;
  /// In place on `job.out`: multiplied by factors, parts swapped.
  void spectrum(const LineJob<T>& job, std::int64_t n, const T* factors) const;
  /// out_k = swap(in_k) factors_k scale.
  void chirp_back(const LineJob<T>& job, std::int64_t n, const T* factors) const;
  /// n pairs to n + 1 coefficients, scaled; roots are exp(-2 pi i k / 2 n).
  void split_pairs(const LineJob<T>& job, std::int64_t n, const T* roots) const;
  /// n + 1 coefficients to n pairs, parts swapped.
  void merge_pairs(const LineJob<T>& job, std::int64_t n, const T* roots) const;
  /// The first n elements, scaled.
  void copy(const LineJob<T>& job, std::int64_t n) const;
  /// n / 2 + 1 coefficients to all n, n odd, parts swapped.
  void mirror(const LineJob<T>& job, std::int64_t n) const;
};

}  // namespace tessera::kernels::fft_detail
