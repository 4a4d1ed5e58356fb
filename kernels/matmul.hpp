// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/tile.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

/// How the operands of a product are read, and where its chains of sums begin.
struct MatmulForm {
  bool transpose_a = false;  ///< A's last two axes are [k, m]
  bool conjugate_a = false;
  bool transpose_b = false;  ///< B's last two axes are [n, k]
  bool conjugate_b = false;
  bool negate_a = false;  ///< C - A B
  /// True: every chain goes on from what C holds. False: it starts at +0 and C isn't read.
  bool onto_c = false;
};

/// Above this many k a product is a sum of panels: each is a chain of its own from +0, and they are
/// added from left to right (`add_panel`).
inline constexpr std::int64_t matmul_panel = 65536;

/// C[..., i, j] = sum_k A[..., i, k] B[..., k, j], one chain of fused multiply-adds per element, k
/// ascending; complex: re = fma(ar, br, re), re = fma(-ai, bi, re), im = fma(ar, bi, im), im =
/// fma(ai, br, im). Integers are exact modulo 2^32 or 2^64. A NaN in C is the positive quiet NaN.
/// The bits depend on nothing else, so a product cut along k and continued with `onto_c` has the
/// bits of the whole.
///
/// Leading axes are batches; A and B may lack some, or have extent 1 where C has more. Any strides.
/// Float32, float64, complex64, complex128, int32, int64; one type for all three. `scratch` holds
/// `matmul_scratch_bytes` (host memory, aligned to 64 bytes).
void matmul(const device::Stream& stream, const Tile& a, const Tile& b, const Tile& c,
            const MatmulForm& form, void* scratch);

/// What `matmul` needs for a C of this shape: copies of blocks of A and B in the order in which
/// they are used. 0 on a GPU.
[[nodiscard]] std::int64_t matmul_scratch_bytes(device::Backend backend, DType dtype,
                                                const Shape& c, std::int64_t k, int threads);

/// total += panel, element by element, rounded once; dense tiles of one shape.
void add_panel(const device::Stream& stream, const Tile& panel, const Tile& total);

}  // namespace tessera::kernels
