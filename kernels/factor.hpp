// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/tile.hpp"
#include "device/device.hpp"

// Factorisations of stacks of matrices: dense tiles [..., rows, columns] of float32, float64,
// complex64 or complex128, in place. Leading axes are batches.
//
// The bits are those of the definitions here; block sizes, threads and backends change none. A
// chain is matmul's: a = fma(-l, u, a) with k ascending; complex: re = fma(-lr, ur, re), re =
// fma(li, ui, re), im = fma(-lr, ui, im), im = fma(-li, ur, im). Quotients are true divisions,
// complex ones Smith's algorithm as factor_element.hpp writes it.
//
// failures[batch] tells how each matrix ended: -1, or the column where its factorisation stopped.
// Pivots and failures are reached by the backend's kernels.
namespace tessera::kernels {

/// P A = L U by rows: partial pivoting. For k = 0, 1, ...: of the elements at and below the
/// diagonal of column k the first with the largest magnitude (complex: |re| + |im|) is the pivot;
/// its row changes places with row k, pivots[batch * min(rows, columns) + k] names it. a(i, j) is
/// the chain of a(i, j) - l(i, k) u(k, j) over k < min(i, j); below the diagonal it is divided by
/// the pivot. L, whose ones aren't stored, lies below U. A pivot that is zero or not finite is a
/// failure.
void lu(const device::Stream& stream, const Tile& a, std::int64_t* pivots, std::int64_t* failures,
        void* scratch);

/// A = L L^H from the lower triangle, of whose diagonal only the real parts are read; zeros above.
/// l(i, j) is the chain of a(i, j) - l(i, k) conj(l(j, k)) over k < j, divided by l(j, j), the
/// square root of its own chain's real part. A pivot that isn't positive and finite is a failure.
void cholesky(const device::Stream& stream, const Tile& a, std::int64_t* failures, void* scratch);

/// What the functions above need for a stack of this shape; aligned to 64 bytes.
[[nodiscard]] std::int64_t lu_scratch_bytes(device::Backend backend, DType dtype,
                                            const Shape& shape, int threads);
[[nodiscard]] std::int64_t cholesky_scratch_bytes(device::Backend backend, DType dtype,
                                                  const Shape& shape, int threads);

/// The row of A that the interchanges bring to each row: permutation[batch * rows + i], for stacks
/// of `steps` interchanges each.
void permutation_of(const device::Stream& stream, std::int64_t batches, std::int64_t rows,
                    std::int64_t steps, const std::int64_t* pivots, std::int64_t* permutation);

/// The flattened local index of the first element that is infinite or NaN, or -1; waits. `lower`:
/// of those at and below the diagonals only.
[[nodiscard]] std::int64_t first_not_finite(const device::Stream& stream, const Tile& a,
                                            bool lower);

}  // namespace tessera::kernels
