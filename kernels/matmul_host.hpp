// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The product on a CPU, free of Kokkos: blocks for the caches around the register tiles of
// matmul_micro.hpp. Source of the blocking: Goto, van de Geijn, "Anatomy of high-performance matrix
// multiplication", ACM TOMS 34 (2008); Van Zee, van de Geijn, "BLIS", ACM TOMS 41 (2015).
#include <complex>
#include <cstdint>
#include <functional>

namespace tessera::kernels::matmul_detail {

/// A matrix in memory, read at `data + i * row + j * column`.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// C (+)= A B: A is m x k, B is k x n.
template <class T>
struct Product {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  Matrix<const T> a;
  Matrix<const T> b;
  Matrix<T> c;
  bool conjugate_a = false;
  bool conjugate_b = false;
  bool negate_a = false;
  bool onto_c = false;
};

/// Runs task(0) ... task(count - 1), on several threads or one after another.
using Parallel =
    std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& task)>;

/// Bytes of scratch that `multiply` needs; a multiple of 64.
template <class T>
[[nodiscard]] std::int64_t scratch_bytes(std::int64_t m, std::int64_t n, std::int64_t k,
                                         int threads);

/// `scratch` is aligned to 64 bytes.
template <class T>
void multiply(const Product<T>& product, void* scratch, int threads, const Parallel& parallel);

}  // namespace tessera::kernels::matmul_detail
