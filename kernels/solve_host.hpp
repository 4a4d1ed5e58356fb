// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The solution of one linear system on a CPU, free of Kokkos, and what tells how good it is.
#include "factor_host.hpp"
#include "solve.hpp"

namespace tessera::kernels::factor_detail {

/// A X = B, dense and row-major: A is n x n, B and X are n x columns.
template <class T>
struct System {
  std::int64_t n = 0;
  std::int64_t columns = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  T* x = nullptr;
};

/// Bytes of scratch memory that `solve_system` needs; a multiple of 64. `known`: its factors are.
template <class T>
[[nodiscard]] std::int64_t system_bytes(std::int64_t n, std::int64_t columns,
                                        const SolveMethod& method, bool known, int threads);

/// Returns a failure as solve.hpp numbers them. `known`: the factors, or null.
template <class T>
std::int64_t solve_system(const System<T>& system, const SolveMethod& method,
                          const KnownFactors* known, SolveReport& report, const Workshop& workshop);

}  // namespace tessera::kernels::factor_detail
