// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fft_block_copy.hpp"
#include "fft_block_passes.hpp"
#include "fft_lines.hpp"

namespace tessera::kernels::fft_detail {

namespace {

/// Elements that a block must hold.
std::int64_t block_elements(const FftPlan& plan, int index) {
  const FftNode& node = plan.nodes[index];
  const std::int64_t convolution =
      node.kind == FftNode::Kind::chirp ? plan.nodes[node.first].length : node.length;
  return std::max(convolution, node.length + 1);
}

/// Multiplies element k of the block by factor k: chirps and their spectra.
template <class V>
void multiply(V* block, std::int64_t n, const lane_t<V>* factors) {
  for (std::int64_t k = 0; k < n; ++k) {
    const Complex<V> product = times<V>({block[2 * k], block[2 * k + 1]}, splat<V>(factors[2 * k]),
                                        splat<V>(factors[2 * k + 1]));
    block[2 * k] = product.re;
    block[2 * k + 1] = product.im;
  }
}

template <class V>
void swap_parts(V* block, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) std::swap(block[2 * k], block[2 * k + 1]);
}

/// The two halves of a thread's scratch; `current` holds the data.
template <class V>
struct Block {
  V* current;
  V* other;
  void flip() { std::swap(current, other); }
};

template <class V>
void transform(const Tables<lane_t<V>>& tables, int index, Block<V>& block) {
  const FftNode& node = tables.node(index);
  if (node.kind == FftNode::Kind::direct) {
    if (run_passes_in_block(node, tables.of(node), block.current, block.other)) block.flip();
    return;
  }
  // Bluestein: X_k = w_k sum_j (x_j w_j) conj(w_(k-j)), w_j = exp(-i pi j^2 /
  // n); the sum is a cyclic convolution of length m, whose kernel's spectrum
  // over m follows the chirp in the table.
  const std::int64_t n = node.length;
  const std::int64_t m = tables.node(node.first).length;
  const lane_t<V>* chirp = tables.of(node);
  multiply(block.current, n, chirp);
  std::fill(block.current + 2 * n, block.current + 2 * m, V{});
  transform(tables, node.first, block);
  multiply(block.current, m, chirp + 2 * n);
  swap_parts(block.current, m);
  transform(tables, node.first, block);
  swap_parts(block.current, n);
  multiply(block.current, n, chirp);
}

/// What real lines need before the complex transform.
template <class V>
void prepare(const Tables<lane_t<V>>& tables, RealPart real, std::int64_t n, Block<V>& block) {
  V* z = block.current;
  if (real == RealPart::hermitian) {
    z[1] = V{};
    for (std::int64_t k = 1; 2 * k < n; ++k) {
      z[2 * (n - k)] = z[2 * k];
      z[2 * (n - k) + 1] = -z[2 * k + 1];
    }
    swap_parts(z, n);
  }
  if (real != RealPart::merge_pairs) return;
  z[1] = V{};
  z[2 * n + 1] = V{};
  const lane_t<V>* w = tables.real();
  for (std::int64_t k = 0; k < n; ++k) {
    const Complex<V> merged =
        merge_pair<V>({z[2 * k], z[2 * k + 1]}, {z[2 * (n - k)], z[2 * (n - k) + 1]},
                      splat<V>(w[2 * k]), splat<V>(w[2 * k + 1]));
    block.other[2 * k] = merged.im;  // swapped: the transform that follows is a backward one
    block.other[2 * k + 1] = merged.re;
  }
  block.flip();
}

/// What comes after it: coefficients of real lines, or the scale.
template <class V>
void conclude(const Tables<lane_t<V>>& tables, RealPart real, std::int64_t n, lane_t<V> scale,
              Block<V>& block) {
  using T = lane_t<V>;
  const V* z = block.current;
  if (real == RealPart::split_pairs) {
    const T* w = tables.real();
    const V half = splat<V>(scale * T(0.5));
    for (std::int64_t k = 0; k <= n; ++k) {
      const std::int64_t i = k == n ? 0 : k;
      const std::int64_t mirror = k == 0 ? 0 : n - k;
      const Complex<V> x =
          split_pair<V>({z[2 * i], z[2 * i + 1]}, {z[2 * mirror], z[2 * mirror + 1]},
                        splat<V>(w[2 * k]), splat<V>(w[2 * k + 1]), half);
      block.other[2 * k] = x.re;
      block.other[2 * k + 1] = x.im;
    }
    block.flip();
  } else if (scale != T(1)) {
    const V factor = splat<V>(scale);
    for (std::int64_t k = 0; k < 2 * n; ++k) block.current[k] = block.current[k] * factor;
  }
}

template <class T>
void run_group(const Tables<T>& tables, int index, const LineJob<T>& job, Group<T>& group,
               std::byte* scratch) {
  using V = vector_t<T>;
  const std::int64_t n = tables.node(index).length;
  V* memory = reinterpret_cast<V*>(scratch);
  Block<V> block{memory, memory + 2 * block_elements(*tables.plan, index)};
  load(group, job.in, elements_in(job.real, n), block.current);
  prepare(tables, job.real, n, block);
  transform(tables, index, block);
  conclude(tables, job.real, n, job.scale, block);
  if (job.twiddles != nullptr) apply_twiddles(group, job, n, block.current);
  store(group, job.out, elements_out(job.real, n), block.current);
}

}  // namespace

bool fits_block(const FftPlan& plan, int index) {
  const FftNode& node = plan.nodes[index];
  return node.kind == FftNode::Kind::direct ||
         (node.kind == FftNode::Kind::chirp &&
          plan.nodes[node.first].kind == FftNode::Kind::direct);
}

std::int64_t block_bytes(const FftPlan& plan, int node) {
  return 4 * block_elements(plan, node) * vector_bytes;
}

template <class T>
int block_lanes() {
  return lanes<T>;
}

template <class T>
void run_blocks(const Tables<T>& tables, int node, const LineJob<T>& job, std::byte* scratch,
                int threads) {
  const std::int64_t groups = (job.lines() + lanes<T> - 1) / lanes<T>;
  const std::int64_t workers = std::min<std::int64_t>(threads, groups);
  const std::int64_t bytes = block_bytes(*tables.plan, node);
  const auto work = [&tables, node, &job, scratch, groups, workers, bytes](std::int64_t worker) {
    const std::int64_t end = groups * (worker + 1) / workers;
    Group<T> group;
    for (std::int64_t g = groups * worker / workers; g < end; ++g) {
      group.place(job, g * lanes<T>);
      run_group(tables, node, job, group, scratch + worker * bytes);
    }
  };
  if (workers == 1) {
    work(0);
  } else {
    device::on_host_threads(workers, work);
  }
}

template int block_lanes<float>();
template int block_lanes<double>();
template void run_blocks(const Tables<float>&, int, const LineJob<float>&, std::byte*, int);
template void run_blocks(const Tables<double>&, int, const LineJob<double>&, std::byte*, int);

}  // namespace tessera::kernels::fft_detail
