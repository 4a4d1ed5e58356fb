// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/tile.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

/// How windows of the input meet the taps. Entries per spatial axis.
struct Convolution {
  int axes = 2;               ///< spatial axes, the last ones of every tensor
  Extents stride = {1, 1};    ///< input cells from one output cell to the next
  Extents dilation = {1, 1};  ///< input cells from one tap to the next
  Extents padding = {0, 0};   ///< input cell of the first tap of output cell 0: -padding
  std::int64_t groups = 1;    ///< channels are cut into so many groups that don't mix
  bool reversed = false;      ///< the window's first cell meets the last tap
};

/// The tensors of one convolution, in global indices:
///   input   [batch..., C, x...]
///   weights [O, C / groups, taps...]: a whole tensor
///   bias    [O], whole as well; its data may be null: none
///   output  [batch..., O, y...]
/// One type for all. Any strides. The input must hold every cell of the input's tensor that a
/// window of the output's box touches; cells outside its box count as zeros.
struct ConvolutionTiles {
  Tile input;
  Tile weights;
  Tile bias;
  Tile output;
};

/// out[n, o, y] = bias[o] + sum over c, t of weights[o, c, t] in[n, C / groups * g + c,
///                                            y * stride + t * dilation - padding]
/// with o in group g; `reversed`: weights[o, c, taps - 1 - t].
///
/// Order of rounding: one chain of fused multiply-adds per output element. It starts from the bias
/// or from +0 and goes through the channels c ascending, for each through the window's cells t in
/// row-major order. Cells beyond the ends of the input are taps like others, whose cell is +0 (an
/// infinite weight makes a NaN there). Complex, w the weight and x the cell: re = fma(wr, xr, re),
/// re = fma(-wi, xi, re), im = fma(wr, xi, im), im = fma(wi, xr, im). A NaN is stored as the
/// positive quiet NaN. The bits depend on nothing else.
///
/// `scratch` holds `convolution_scratch_bytes` (host memory, aligned to 64 bytes) for `threads`
/// threads.
void convolve(const device::Stream& stream, const Convolution& convolution,
              const ConvolutionTiles& tiles, int threads, void* scratch);

/// What `convolve` needs for these tiles, whose data isn't looked at. 0 on a GPU.
[[nodiscard]] std::int64_t convolution_scratch_bytes(device::Backend backend,
                                                     const Convolution& convolution,
                                                     const ConvolutionTiles& tiles, int threads);

/// `convolve` by the code that runs on a GPU, on any stream: for tests.
void convolve_portably(const device::Stream& stream, const Convolution& convolution,
                       const ConvolutionTiles& tiles);

/// Cells of the output along an axis of `input` cells with `padding` zeros on both sides in all: 0
/// where the dilated taps don't fit.
[[nodiscard]] constexpr std::int64_t convolved_extent(std::int64_t input, std::int64_t padding,
                                                      std::int64_t taps, std::int64_t stride,
                                                      std::int64_t dilation) {
  const std::int64_t last = input + padding - (taps - 1) * dilation - 1;
  return last < 0 || taps == 0 ? 0 : last / stride + 1;
}

}  // namespace tessera::kernels
