// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/operation.hpp"

namespace tessera::ops {

/// A convolution through spectra: result[i] = full[i + first] along every convolved axis, where
/// full[i] is the sum of x[j] k[i - j].
struct FftConvolution {
  graph::TensorInfo x;
  graph::TensorInfo kernel;  ///< an axis per entry of `axes`
  Shape out;
  std::vector<int> axes;  ///< of x, ascending
  Index first;            ///< per axis of `axes`
};

/// The length that an axis is padded to: a product 2^a {1, 3, 5, 9, 15} that leaves the wanted part
/// free of what comes round the end.
[[nodiscard]] std::int64_t padded_length(std::int64_t x, std::int64_t kernel, std::int64_t first);

/// Floating-point operations of the transforms and the product, counted from the shapes alone.
[[nodiscard]] double fft_convolution_flops(const FftConvolution& convolution);

/// One choice per route that the transform of x can take.
std::vector<Choice> fft_convolution_choices(const FftConvolution& convolution,
                                            const ChoiceContext& context);

/// Both are padded with zeros and transformed, multiplied, transformed back, and the wanted part is
/// taken.
void emit_fft_convolution(const FftConvolution& convolution, const Step& step, Emitter& emitter);

}  // namespace tessera::ops
