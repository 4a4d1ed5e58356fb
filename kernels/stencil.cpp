// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "stencil.hpp"

#include "device/kokkos.hpp"
#include "stencil_sweeper.hpp"

namespace tessera::kernels {

namespace {

using namespace stencil_detail;

template <class T>
Job<T> make_job(const Stencil& stencil, StencilSource source, const Tile& target,
                const StencilPass& pass) {
  Job<T> job;
  job.geometry = make_geometry(stencil, target.dtype, target.global, pass.region);
  job.taps = make_taps<T>(stencil, job.geometry);
  job.add_input = stencil.add_input;
  job.value = static_cast<T>(stencil.value);
  for (const Tile& tile : source) {
    require(tile.dtype == target.dtype, "a stencil's source and target have one type");
    if (tile.elements() > 0) job.source.push_back(make_piece<T>(job.geometry, tile));
  }
  job.target = make_piece<T>(job.geometry, target);
  job.tiling = make_tiling(job.geometry, cells_of(job.geometry, pass.region), pass.sweeps,
                           pass.threads, sizeof(T));
  job.sweeps = pass.sweeps;
  const std::int64_t bytes = target.elements() * size_of(target.dtype);
  job.streaming = worth_streaming(bytes);
  job.prefetching = worth_prefetching(bytes);
  return job;
}

template <class T>
void work(const Job<T>& job, T* scratch, std::int64_t worker) {
  Sweeper<T> sweeper(job, scratch + worker * job.tiling.ring_numbers);
  const std::int64_t workers = job.tiling.workers;
  const std::int64_t end = job.tiling.tiles * (worker + 1) / workers;
  for (std::int64_t i = job.tiling.tiles * worker / workers; i < end; ++i) {
    sweeper.run(job.tiling.tile(i));
  }
  if (job.streaming) end_streaming();
}

template <class T>
void apply_on_host(const Job<T>& job, T* scratch) {
  if (job.tiling.workers == 1) return work(job, scratch, 0);
  Kokkos::parallel_for("tessera::apply_stencil", range(HostSpace(), job.tiling.workers),
                       [&job, scratch](const std::int64_t worker) { work(job, scratch, worker); });
}

}  // namespace

void apply_stencil(const device::Stream& stream, const Stencil& stencil, StencilSource source,
                   const Tile& target, const StencilPass& pass) {
  if (pass.region.empty()) return;
  if (stream.backend != device::Backend::host) {
    require(pass.sweeps == 1, "a GPU takes one sweep at a time");
    return apply_stencil_plainly(stream, stencil, source, target, pass.region);
  }
  visit_floating(real_of(target.dtype), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (std::is_floating_point_v<T>) {
      apply_on_host(make_job<T>(stencil, source, target, pass), reinterpret_cast<T*>(pass.scratch));
    }
  });
}

std::int64_t stencil_scratch_bytes(const Stencil& stencil, DType dtype, const Shape& global,
                                   const StencilPass& pass) {
  if (pass.sweeps <= 1 || pass.region.empty()) return 0;
  const Geometry geometry = make_geometry(stencil, dtype, global, pass.region);
  const std::int64_t number_bytes = size_of(real_of(dtype));
  const Tiling tiling = make_tiling(geometry, cells_of(geometry, pass.region), pass.sweeps,
                                    pass.threads, number_bytes);
  return tiling.ring_numbers * number_bytes * tiling.workers;
}

}  // namespace tessera::kernels
