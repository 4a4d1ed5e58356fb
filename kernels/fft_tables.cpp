// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "device/kokkos.hpp"
#include "fft.hpp"
#include "fft_roots.hpp"

namespace tessera::kernels {

namespace {

template <class T>
void put(T* table, std::int64_t at, const RootOfUnity& root) {
  table[2 * at] = round_to(root.re, T{});
  table[2 * at + 1] = round_to(root.im, T{});
}

template <class T>
void fill_direct(const FftNode& node, T* table) {
  const RootsOfUnity roots(node.length);
  std::int64_t m = node.length;
  std::int64_t s = 1;
  for (const int radix : node.radices) {
    m /= radix;
    if (!fft_has_butterfly(radix)) {
      for (int e = 0; e < radix; ++e) put(table, e, roots.power(node.length / radix * e));
      table += 2 * radix;
    }
    for (std::int64_t p = 0; p < m; ++p) {
      for (int k = 1; k < radix; ++k) put(table, p * (radix - 1) + k - 1, roots.power(p * k * s));
    }
    table += 2 * m * (radix - 1);
    s *= radix;
  }
}

template <class T>
void fill_split(const FftNode& node, std::int64_t n1, std::int64_t n2, T* table) {
  const RootsOfUnity roots(node.length);
  Kokkos::parallel_for("fft twiddles", range(HostSpace(), n1),
                       [&roots, n2, table](std::int64_t k1) {
                         for (std::int64_t j2 = 0; j2 < n2; ++j2)
                           put(table, k1 * n2 + j2, roots.power(k1 * j2));
                       });
  HostSpace().fence();
}

/// The chirp w_j = exp(-i pi j^2 / n), j^2 taken modulo 2 n in integers, and
/// the spectrum over m of its conjugate, wrapped around and divided by m; the
/// spectrum is computed in float64.
template <class T>
void fill_chirp(std::int64_t n, std::int64_t m, T* table) {
  const RootsOfUnity roots(2 * n);
  std::vector<double> kernel(2 * m, 0.0);
  std::int64_t e = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const RootOfUnity root = roots.power(e);
    put(table, j, root);
    for (const std::int64_t at : {j, (m - j) % m}) {
      kernel[2 * at] = root.re.high;
      kernel[2 * at + 1] = -root.im.high;
    }
    e = (e + 2 * j + 1) % (2 * n);
  }
  const FftPlan plan = make_fft_plan(m, FftKind::complex);
  const device::Stream host;
  const device::Memory factors(device::Space::host, fft_table_bytes(plan, DType::float64));
  const device::Memory scratch(
      device::Space::host, fft_scratch_bytes(plan, DType::float64, 1, device::Backend::host, 1));
  fill_fft_table(host, plan, DType::float64, factors.data());
  FftJob job;
  job.scale = 1 / static_cast<double>(m);
  job.table = factors.data();
  job.scratch = scratch.data();
  const Tile tile = dense_tile(kernel.data(), DType::complex128, Box::whole({m}), {m});
  fft(host, plan, job, tile, tile);
  for (std::int64_t i = 0; i < 2 * m; ++i) table[2 * n + i] = static_cast<T>(kernel[i]);
}

template <class T>
void compute(const FftPlan& plan, T* table) {
  std::fill(table, table + 2 * plan.table_elements, T(0));
  for (const FftNode& node : plan.nodes) {
    T* own = table + 2 * node.table;
    switch (node.kind) {
      case FftNode::Kind::direct:
        fill_direct(node, own);
        break;
      case FftNode::Kind::split:
        fill_split(node, plan.nodes[node.first].length, plan.nodes[node.second].length, own);
        break;
      case FftNode::Kind::chirp:
        fill_chirp(node.length, plan.nodes[node.first].length, own);
        break;
    }
  }
  if (!plan.halved()) return;
  const RootsOfUnity roots(plan.length);
  for (std::int64_t k = 0; k <= plan.length / 2; ++k)
    put(table, plan.real_table + k, roots.power(k));
}

void compute(const FftPlan& plan, DType real, void* table) {
  if (real == DType::float32) {
    compute(plan, static_cast<float*>(table));
  } else {
    compute(plan, static_cast<double*>(table));
  }
}

using Bytes = std::vector<std::byte>;

// Graphs that run once per item ask for the same small tables again and again.
constexpr std::int64_t largest_kept = std::int64_t{1} << 20;
constexpr std::size_t most_kept = 64;

std::shared_ptr<const Bytes> kept_table(const FftPlan& plan, DType real) {
  static std::mutex mutex;
  static std::map<std::tuple<std::int64_t, FftKind, DType>, std::shared_ptr<const Bytes>> tables;
  const auto key = std::make_tuple(plan.length, plan.kind, real);
  {
    const std::lock_guard lock(mutex);
    if (const auto found = tables.find(key); found != tables.end()) return found->second;
  }
  auto made = std::make_shared<Bytes>(static_cast<std::size_t>(fft_table_bytes(plan, real)));
  compute(plan, real, made->data());
  const std::lock_guard lock(mutex);
  if (tables.size() >= most_kept) tables.clear();
  tables[key] = made;
  return made;
}

}  // namespace

void fill_fft_table(const device::Stream& stream, const FftPlan& plan, DType real, void* table) {
  const std::int64_t bytes = fft_table_bytes(plan, real);
  if (bytes <= largest_kept) {
    const auto kept = kept_table(plan, real);
    device::copy(stream, table, kept->data(), bytes);
    device::fence(stream);
  } else if (stream.backend == device::Backend::host) {
    compute(plan, real, table);
  } else {
    const device::Memory host(device::Space::host, bytes);
    compute(plan, real, host.data());
    device::copy(stream, table, host.data(), bytes);
    device::fence(stream);
  }
}

}  // namespace tessera::kernels
