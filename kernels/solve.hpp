// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/tile.hpp"
#include "device/device.hpp"

// Linear systems A X = B: dense tiles [..., n, n], [..., n, columns] of float32, float64, complex64
// or complex128; leading axes are batches.
//
// Substitution: every unknown is a chain as in factor.hpp from its right-hand side: with L, k
// ascending; with an upper triangle, k descending; then divided by the diagonal, where that isn't
// one. |z| below is the modulus in float64, sqrt(fma(re, re, im im)).
namespace tessera::kernels {

struct SolveMethod {
  bool cholesky = false;  ///< of the lower triangle of a Hermitian A, instead of LU
  bool refine = false;    ///< factors in half the precision, and a refinement of X
};

/// How good a solution is. Sums of n terms: term k is added to lane k mod 16, k ascending; the
/// lanes are added pairwise, 8, 4, 2, 1 apart.
struct SolveReport {
  /// The largest over the columns of |B - A X|inf / (n u (|A|inf |X|inf + |B|inf)), u half an ULP
  /// of 1: HPL's; 0 where all is 0.
  double residual = 0;
  /// max |u(i, j)| / max |a(i, j)|; 1 for Cholesky, whose elements don't grow.
  double growth = 1;
  /// |A|1 times an estimate from below of |A^-1|1, within a factor of 3 nearly always. Hager, SIAM
  /// J. Sci. Stat. Comput. 5 (1984); Higham, ACM TOMS 14 (1988), algorithm 2.4 there.
  double condition = 1;
};

/// A refinement that isn't done after so many rounds has failed.
inline constexpr int refinement_rounds = 30;

/// X = A^-1 B for every system. failures[batch] is -1, the column where the factorisation stopped
/// (see factor.hpp), or n where the refinement didn't converge. Runs on the host's threads,
/// whatever the stream's backend: the tiles are in memory that both reach.
///
/// Refinement: A is rounded to float32 (complex64) and factored; X = 0; then in rounds R = B - A X
/// by chains in full precision; a column is done where |r|inf <= sqrt(n) u |A|inf |x|inf; else r is
/// scaled by a power of two so that its largest part is in [1, 2), rounded, solved for, scaled
/// back, and added to x.
void solve(const device::Stream& stream, const Tile& a, const Tile& b, const Tile& x,
           const SolveMethod& method, int threads, SolveReport* reports, std::int64_t* failures,
           void* scratch);

/// The factors of one A, as `lu` or `cholesky` of factor.hpp leave them.
struct KnownFactors {
  const void* elements = nullptr;
  const std::int64_t* pivots = nullptr;  ///< LU
};

/// The same for one system whose factors are there; without refinement.
void solve_factored(const Tile& a, const KnownFactors& factors, const Tile& b, const Tile& x,
                    const SolveMethod& method, int threads, SolveReport& report, void* scratch);
[[nodiscard]] std::int64_t solve_factored_bytes(DType dtype, std::int64_t n, std::int64_t columns,
                                                const SolveMethod& method, int threads);

/// What `solve` needs for stacks of these shapes; aligned to 64 bytes.
[[nodiscard]] std::int64_t solve_scratch_bytes(DType dtype, const Shape& a, std::int64_t columns,
                                               const SolveMethod& method, int threads);

}  // namespace tessera::kernels
