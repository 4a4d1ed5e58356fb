// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fft_lines.hpp"
#include "fft_sweeps.hpp"

namespace tessera::kernels::fft_detail {

/// Which kernels a run takes, and how much it may do at a time.
struct Means {
  device::Backend backend = device::Backend::host;
  bool portable = false;
  int threads = 1;

  [[nodiscard]] bool blocks() const { return backend == device::Backend::host && !portable; }
};

/// Bytes of scratch to run `lines` lines through a node.
[[nodiscard]] std::int64_t scratch_bytes(const FftPlan& plan, int node, RealPart real,
                                         std::int64_t lines, std::int64_t size_of_real,
                                         const Means& means);

/// Walks the tree of a plan: leaves are done by blocks (host) or passes (any
/// backend), the others are taken apart. `scratch` is used from its begin;
/// callees get what is behind.
template <class T>
class Transformer {
 public:
  Transformer(const device::Stream& stream, const Tables<T>& tables, const Means& means)
      : stream_(stream), tables_(tables), means_(means), sweeps_{stream} {}

  void run(int node, const LineJob<T>& job, std::byte* scratch) const;

 private:
  void run_leaf(int node, const LineJob<T>& job, std::byte* scratch) const;
  void run_split(const FftNode& node, const LineJob<T>& job, std::byte* scratch) const;
  void run_chirp(const FftNode& node, const LineJob<T>& job, std::byte* scratch) const;
  void run_real(int node, const LineJob<T>& job, std::byte* scratch) const;

  device::Stream stream_;
  Tables<T> tables_;
  Means means_;
  Sweeps<T> sweeps_;
};

}  // namespace tessera::kernels::fft_detail
