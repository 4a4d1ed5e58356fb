// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "solve.hpp"

#include "factor_batch.hpp"
#include "solve_host.hpp"

namespace tessera::kernels {

using namespace factor_detail;

std::int64_t solve_scratch_bytes(DType dtype, const Shape& a, std::int64_t columns,
                                 const SolveMethod& method, int threads) {
  const Sizes sizes = sizes_of(a);
  return visit_floating(dtype, [&]<class T>(std::type_identity<T>) {
    return scratch_for(sizes, threads, [&](int each) {
      return system_bytes<T>(sizes.rows, columns, method, false, each);
    });
  });
}

void solve(const device::Stream& stream, const Tile& a, const Tile& b, const Tile& x,
           const SolveMethod& method, int threads, SolveReport* reports, std::int64_t* failures,
           void* scratch) {
  require(a.contiguous() && b.contiguous() && x.contiguous() && a.dtype == b.dtype &&
              a.dtype == x.dtype,
          "a system is dense tiles of one type");
  const Sizes sizes = sizes_of(a.extent());
  const std::int64_t n = sizes.rows;
  const std::int64_t columns = sizes_of(b.extent()).columns;
  if (sizes.batches == 0) return;
  device::fence(stream);
  visit_floating(a.dtype, [&]<class T>(std::type_identity<T>) {
    for_each_matrix(
        sizes, threads, scratch,
        [&](int each) { return system_bytes<T>(n, columns, method, false, each); },
        [&](std::int64_t batch, const Workshop& workshop) {
          const System<T> system{n, columns, a.as<const T>() + batch * n * n,
                                 b.as<const T>() + batch * n * columns,
                                 x.as<T>() + batch * n * columns};
          failures[batch] = solve_system(system, method, nullptr, reports[batch], workshop);
        });
  });
}

void solve_factored(const Tile& a, const KnownFactors& factors, const Tile& b, const Tile& x,
                    const SolveMethod& method, int threads, SolveReport& report, void* scratch) {
  require(a.contiguous() && b.contiguous() && x.contiguous() && !method.refine,
          "a system is dense tiles, and known factors aren't refined");
  const std::int64_t n = a.extent()[0];
  visit_floating(a.dtype, [&]<class T>(std::type_identity<T>) {
    const Parallel parallel = on_threads;
    const System<T> system{n, b.extent()[1], a.as<const T>(), b.as<const T>(), x.as<T>()};
    solve_system(system, method, &factors, report, Workshop{scratch, threads, &parallel});
  });
}

std::int64_t solve_factored_bytes(DType dtype, std::int64_t n, std::int64_t columns,
                                  const SolveMethod& method, int threads) {
  return visit_floating(dtype, [&]<class T>(std::type_identity<T>) {
    return system_bytes<T>(n, columns, method, true, threads);
  });
}

}  // namespace tessera::kernels
