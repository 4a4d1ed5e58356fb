// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "device/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "device/kokkos.hpp"

namespace tessera::device {

namespace {

constexpr int repetitions = 4;

template <class Work>
double best_seconds(const Stream& stream, Work work) {
  work();  // touches the pages and warms up
  double best = 1e30;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    fence(stream);
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

template <class Space>
void copy_once(const Space& space, double* to, const double* from, std::int64_t n) {
  Kokkos::parallel_for(
      "tessera::measure_copy", kernels::range(space, n),
      KOKKOS_LAMBDA(const std::int64_t i) { to[i] = from[i]; });
}

template <class Space>
void multiply_add(const Space& space, double* sink, std::int64_t threads, std::int64_t turns) {
  Kokkos::parallel_for(
      "tessera::measure_flops", kernels::range(space, threads),
      KOKKOS_LAMBDA(const std::int64_t t) {
        constexpr int lanes = 64;  // independent chains: enough to hide the latency of every unit
        double x[lanes];
        for (int i = 0; i < lanes; ++i) x[i] = 1.0 + 1e-3 * static_cast<double>(i + t);
        for (std::int64_t k = 0; k < turns; ++k) {
          for (int i = 0; i < lanes; ++i) x[i] = fma(x[i], 0.999999, 1e-7);
        }
        double sum = 0;
        for (int i = 0; i < lanes; ++i) sum += x[i];
        sink[t] = sum;
      });
}

}  // namespace

double measure_copy(const Stream& stream, std::int64_t bytes) {
  const Space space = stream.backend == Backend::cuda ? Space::device : Space::host;
  const Memory from(space, bytes);
  const Memory to(space, bytes);
  const std::int64_t n = bytes / static_cast<std::int64_t>(sizeof(double));
  auto* source = reinterpret_cast<double*>(from.data());
  auto* target = reinterpret_cast<double*>(to.data());
  const double seconds = best_seconds(stream, [&] {
    kernels::on_space(stream, [&](const auto& exec) { copy_once(exec, target, source, n); });
  });
  return 2.0 * static_cast<double>(bytes) / seconds;
}

double measure_upload(const Stream& stream, std::int64_t bytes) {
  const Memory from(staging_space(stream.backend), bytes);
  const Memory to(arena_space(stream.backend), bytes);
  std::memset(from.data(), 1, static_cast<std::size_t>(bytes));
  const double seconds = best_seconds(stream, [&] { copy(stream, to.data(), from.data(), bytes); });
  return static_cast<double>(bytes) / seconds;
}

double measure_flops(const Stream& stream) {
  const bool gpu = stream.backend == Backend::cuda;
  const std::int64_t threads = gpu ? std::int64_t{1} << 20 : kernels::HostSpace().concurrency();
  const std::int64_t turns = gpu ? 500 : 20000;
  const Memory sink(gpu ? Space::device : Space::host,
                    threads * static_cast<std::int64_t>(sizeof(double)));
  auto* sums = reinterpret_cast<double*>(sink.data());
  const double seconds = best_seconds(stream, [&] {
    kernels::on_space(stream,
                      [&](const auto& space) { multiply_add(space, sums, threads, turns); });
  });
  return 2.0 * 64.0 * static_cast<double>(turns) * static_cast<double>(threads) / seconds;
}

}  // namespace tessera::device
