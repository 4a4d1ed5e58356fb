// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A convolution as its loops see it: pointers, and per axis extents and strides. Free of Kokkos.
#include <complex>
#include <cstdint>

#include "convolution.hpp"

namespace tessera::kernels::convolution_detail {

/// One axis that windows move along. A batch axis is one with a single tap.
struct Axis {
  std::int64_t cells = 1;     ///< of the output's box
  std::int64_t first = 0;     ///< input cell, counted from its box, of tap 0 of the first of them
  std::int64_t stride = 1;    ///< input cells from one output cell to the next
  std::int64_t taps = 1;      ///< in row-major order of the window
  std::int64_t dilation = 1;  ///< input cells from one tap to the next
  std::int64_t input = 1;     ///< cells of the input's box: those outside are zeros
  std::int64_t input_step = 0;
  std::int64_t output_step = 0;
  std::int64_t tap_step = 0;  ///< in the weights; negative where they are reversed
};

inline constexpr int most_outer_axes = max_axes;

/// Axes outer[0], ..., outer[outers - 1], y, x from the slowest to the fastest.
template <class T>
struct Problem {
  const T* input = nullptr;  ///< channel 0 of the first output channel's group; see `input_of`
  const T* weights =
      nullptr;              ///< tap 0 (of a reversed window: the last) of the box's first channel
  const T* bias = nullptr;  ///< of the box's first output channel; null: +0
  T* output = nullptr;
  int outers = 0;
  Axis outer[most_outer_axes];
  Axis y, x;
  std::int64_t outputs = 0;       ///< output channels of the box
  std::int64_t first_output = 0;  ///< the first of them within its group
  std::int64_t group_outputs = 1;
  std::int64_t group_inputs = 1;
  std::int64_t output_step = 0;   ///< from one output channel to the next
  std::int64_t input_step = 0;    ///< from one input channel to the next
  std::int64_t weight_outer = 0;  ///< in the weights, from one output channel to the next
  std::int64_t weight_inner = 0;  ///< from one input channel to the next

  /// Taps of the outer axes.
  [[nodiscard]] std::int64_t outer_taps() const {
    std::int64_t taps = 1;
    for (int a = 0; a < outers; ++a) taps *= outer[a].taps;
    return taps;
  }
  [[nodiscard]] std::int64_t outer_cells() const {
    std::int64_t cells = 1;
    for (int a = 0; a < outers; ++a) cells *= outer[a].cells;
    return cells;
  }
  /// Fused multiply-adds per output element.
  [[nodiscard]] std::int64_t chain() const { return group_inputs * outer_taps() * y.taps * x.taps; }
  /// Channel 0 of the group of the box's output channel `o`, the first cell of the input's box.
  [[nodiscard]] const T* input_of(std::int64_t o) const {
    return input + (first_output + o) / group_outputs * group_inputs * input_step;
  }
};

/// Reads the tiles. Checks types and extents.
template <class T>
[[nodiscard]] Problem<T> problem_of(const Convolution& convolution, const ConvolutionTiles& tiles);

}  // namespace tessera::kernels::convolution_detail
