// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "convolution_problem.hpp"

#include <algorithm>

namespace tessera::kernels::convolution_detail {

namespace {

void check(const Convolution& convolution, const ConvolutionTiles& tiles) {
  const int axes = convolution.axes;
  const int tensor_axes = tiles.output.box.axes();
  require(tiles.input.dtype == tiles.output.dtype && tiles.weights.dtype == tiles.output.dtype,
          "a convolution has one element type");
  require(axes >= 1 && tensor_axes >= axes + 1 && tiles.input.box.axes() == tensor_axes &&
              tiles.weights.box.axes() == axes + 2,
          "the tensors of a convolution have one number of axes");
  require(convolution.stride.size() == axes && convolution.dilation.size() == axes &&
              convolution.padding.size() == axes,
          "stride, dilation and padding have an entry per spatial axis");
  const std::int64_t outputs = tiles.weights.extent()[0];
  require(convolution.groups >= 1 && outputs % convolution.groups == 0 &&
              tiles.weights.extent()[1] * convolution.groups ==
                  tiles.input.global[tensor_axes - axes - 1],
          "channels are multiples of the groups");
}

/// Null where there is no data to move in.
template <class T>
void move_by(T*& pointer, std::int64_t offset) {
  if (pointer != nullptr) pointer += offset;
}

/// Axes of one cell and one tap are left out, so that the inner ones have more.
template <class T>
void assign(Problem<T>& p, const Axis* axes, int count) {
  Axis kept[max_axes];
  int n = 0;
  for (int a = 0; a < count; ++a) {
    const Axis& axis = axes[a];
    const bool inside = axis.first >= 0 && axis.first < axis.input;
    if (a + 1 < count && axis.cells == 1 && axis.taps == 1 && inside) {
      move_by(p.input, axis.first * axis.input_step);
    } else {
      kept[n++] = axis;
    }
  }
  p.x = kept[n - 1];
  if (n > 1) p.y = kept[n - 2];
  p.outers = std::max(n - 2, 0);
  std::copy_n(kept, p.outers, p.outer);
}

}  // namespace

template <class T>
Problem<T> problem_of(const Convolution& convolution, const ConvolutionTiles& tiles) {
  check(convolution, tiles);
  const Tile& in = tiles.input;
  const Tile& out = tiles.output;
  const Tile& weights = tiles.weights;
  const int channel = out.box.axes() - convolution.axes - 1;
  Problem<T> p;
  p.input = in.as<const T>();
  p.weights = weights.as<const T>();
  p.bias = tiles.bias.as<const T>();
  p.output = out.as<T>();
  Axis axes[max_axes];
  int count = 0;
  for (int a = 0; a < channel; ++a) {
    Axis& axis = axes[count++];
    axis.cells = out.extent()[a];
    axis.first = out.box.origin[a] - in.box.origin[a];
    axis.input = in.extent()[a];
    axis.input_step = in.strides[a];
    axis.output_step = out.strides[a];
  }
  for (int s = 0; s < convolution.axes; ++s) {
    const int a = channel + 1 + s;
    Axis& axis = axes[count++];
    axis.cells = out.extent()[a];
    axis.stride = convolution.stride[s];
    axis.dilation = convolution.dilation[s];
    axis.first = out.box.origin[a] * axis.stride - convolution.padding[s] - in.box.origin[a];
    axis.taps = weights.extent()[2 + s];
    axis.input = in.extent()[a];
    axis.input_step = in.strides[a];
    axis.output_step = out.strides[a];
    axis.tap_step = weights.strides[2 + s];
    if (convolution.reversed) {
      move_by(p.weights, (axis.taps - 1) * axis.tap_step);
      axis.tap_step = -axis.tap_step;
    }
  }
  p.outputs = out.extent()[channel];
  p.group_outputs = std::max<std::int64_t>(weights.extent()[0] / convolution.groups, 1);
  p.group_inputs = weights.extent()[1];
  p.output_step = out.strides[channel];
  p.input_step = in.strides[channel];
  p.weight_outer = weights.strides[0];
  p.weight_inner = weights.strides[1];
  const std::int64_t first = out.box.origin[channel];
  p.first_output = first % p.group_outputs;
  move_by(p.weights, first * p.weight_outer);
  move_by(p.bias, first);
  move_by(p.input,
          (first / p.group_outputs * p.group_inputs - in.box.origin[channel]) * p.input_step);
  assign(p, axes, count);
  return p;
}

template Problem<float> problem_of(const Convolution&, const ConvolutionTiles&);
template Problem<double> problem_of(const Convolution&, const ConvolutionTiles&);
template Problem<std::complex<float>> problem_of(const Convolution&, const ConvolutionTiles&);
template Problem<std::complex<double>> problem_of(const Convolution&, const ConvolutionTiles&);

}  // namespace tessera::kernels::convolution_detail
