// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Factorisations of one matrix on a CPU, free of Kokkos: recursive in the columns, so that nearly
// all work is products of large blocks. Source of the recursion: Toledo, "Locality of reference in
// LU decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18 (1997); Gustavson,
// "Recursion leads to automatic variable blocking", IBM J. Res. Dev. 41 (1997). Blocks change no
// bits: every element is one chain with k ascending, whoever carries it on.
#include <complex>
#include <cstdint>
#include <functional>

#include "matmul_host.hpp"

namespace tessera::kernels::factor_detail {

using matmul_detail::Matrix;
using matmul_detail::Parallel;

/// A block of a matrix.
template <class T>
struct Block {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Matrix<T> at;

  [[nodiscard]] T* element(std::int64_t i, std::int64_t j) const {
    return at.data + i * at.row + j * at.column;
  }
  [[nodiscard]] Block sub(std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n) const {
    return {m, n, {element(i, j), at.row, at.column}};
  }
  operator Block<const T>() const { return {rows, columns, {at.data, at.row, at.column}}; }
};

/// Scratch memory, aligned to 64 bytes, and threads.
struct Workshop {
  void* memory = nullptr;
  int threads = 1;
  const Parallel* parallel = nullptr;

  /// Runs task(0) ... task(count - 1) on the threads.
  template <class F>
  void share(std::int64_t count, F&& task) const {
    if (threads > 1) return (*parallel)(count, std::ref(task));
    for (std::int64_t i = 0; i < count; ++i) task(i);  // for small matrices: no function object
  }
};

/// What a triangular system looks like.
struct TriangleForm {
  bool unit = false;       ///< ones on the diagonal, which isn't read
  bool conjugate = false;  ///< of the elements' conjugates
};

// Bytes of scratch memory that the functions below need; multiples of 64.
template <class T>
[[nodiscard]] std::int64_t lu_bytes(std::int64_t rows, std::int64_t columns, int threads);
template <class T>
[[nodiscard]] std::int64_t cholesky_bytes(std::int64_t n, int threads);
template <class T>
[[nodiscard]] std::int64_t triangle_bytes(std::int64_t n, std::int64_t columns, int threads);

/// P A = L U in place. pivots[k] >= k is the row that changed places with row k. Returns the first
/// column whose pivot is zero or not finite, where the work ends, or -1.
template <class T>
std::int64_t lu_matrix(const Block<T>& a, std::int64_t* pivots, const Workshop& workshop);

/// A = L L^H in place, from the lower triangle; zeros above. Returns the first column whose pivot
/// isn't positive and finite, where the work ends, or -1.
template <class T>
std::int64_t cholesky_matrix(const Block<T>& a, const Workshop& workshop);

/// B becomes the X of L X = B, by substitution from above. Strides make of it the system of a
/// transposed or, negative ones, of an upper triangle.
template <class T>
void solve_triangle(const Block<const T>& l, const TriangleForm& form, const Block<T>& b,
                    const Workshop& workshop);

/// The first columns of A = L L^H: as many rows as columns, or more; nothing is cleared above.
template <class T>
std::int64_t cholesky_panel(const Block<T>& a, const Workshop& workshop);
template <class T>
[[nodiscard]] std::int64_t cholesky_panel_bytes(std::int64_t rows, std::int64_t columns,
                                                int threads);

/// C -= A B, or A conj(B).
template <class T>
void subtract_product(const Block<const T>& a, const Block<const T>& b, const Block<T>& c,
                      bool conjugate_b, const Workshop& workshop);
template <class T>
[[nodiscard]] std::int64_t subtract_bytes(std::int64_t rows, std::int64_t columns, std::int64_t k,
                                          bool conjugate_b, int threads);

/// Rows k and pivots[k] change places, for k = 0, 1, ..., count - 1.
template <class T>
void swap_rows(const Block<T>& a, const std::int64_t* pivots, std::int64_t count,
               const Workshop& workshop);
/// The same for k = count - 1, ..., 0.
template <class T>
void swap_rows_back(const Block<T>& a, const std::int64_t* pivots, std::int64_t count,
                    const Workshop& workshop);

}  // namespace tessera::kernels::factor_detail
