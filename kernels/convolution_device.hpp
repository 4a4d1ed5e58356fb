// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The convolution on a GPU: a thread computes the elements of some output channels at one place,
// so that a cell that it reads serves them all. Neighbouring threads have neighbouring places.
#include "convolution_problem.hpp"
#include "device/kokkos.hpp"
#include "matmul_device.hpp"

namespace tessera::kernels::convolution_detail {

/// Thread (outer cells, strip of channels, y, x), x the fastest.
template <class T, int channels>
struct DeviceConvolution {
  Problem<T> p;
  std::int64_t strips;  ///< per group

  /// Adds the products of one plane of the input's `cells` with `weights`, where there are such.
  KOKKOS_INLINE_FUNCTION void add_plane(const T* cells, const T* weights, int valid,
                                        std::int64_t first_y, std::int64_t first_x, T* sum) const {
    for (std::int64_t r = 0; r < p.y.taps; ++r) {
      const std::int64_t y = first_y + r * p.y.dilation;
      const bool row = cells != nullptr && y >= 0 && y < p.y.input;
      for (std::int64_t s = 0; s < p.x.taps; ++s) {
        const std::int64_t x = first_x + s * p.x.dilation;
        const bool inside = row && x >= 0 && x < p.x.input;
        const T cell = inside ? cells[y * p.y.input_step + x * p.x.input_step] : T();
        const T* tap = weights + r * p.y.tap_step + s * p.x.tap_step;
        for (int i = 0; i < channels; ++i) {
          if (i < valid) matmul_detail::multiply_add(sum[i], tap[i * p.weight_outer], cell);
        }
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t thread) const {
    std::int64_t rest = thread;
    const std::int64_t x = rest % p.x.cells;
    rest /= p.x.cells;
    const std::int64_t y = rest % p.y.cells;
    rest /= p.y.cells;
    const std::int64_t strip = rest % strips;
    rest /= strips;
    // Strips are cut from the group's first channel, which may lie before the box.
    const std::int64_t per_group = (p.group_outputs + channels - 1) / channels;
    const std::int64_t group = strip / per_group;
    std::int64_t first = group * p.group_outputs + strip % per_group * channels - p.first_output;
    std::int64_t last = first + channels;
    const std::int64_t group_end = (group + 1) * p.group_outputs - p.first_output;
    if (last > group_end) last = group_end;
    if (last > p.outputs) last = p.outputs;
    if (first < 0) first = 0;
    const int valid = static_cast<int>(last - first);
    if (valid <= 0) return;

    std::int64_t outer[most_outer_axes];
    T* out = p.output + first * p.output_step + y * p.y.output_step + x * p.x.output_step;
    std::int64_t outer_taps = 1;
    for (int a = p.outers - 1; a >= 0; --a) {
      outer[a] = rest % p.outer[a].cells;
      rest /= p.outer[a].cells;
      out += outer[a] * p.outer[a].output_step;
      outer_taps *= p.outer[a].taps;
    }
    T sum[channels];
    for (int i = 0; i < channels; ++i) {
      sum[i] = p.bias != nullptr && i < valid ? p.bias[first + i] : T();
    }
    const std::int64_t first_y = p.y.first + y * p.y.stride;
    const std::int64_t first_x = p.x.first + x * p.x.stride;
    const T* input = p.input + group * p.group_inputs * p.input_step;
    for (std::int64_t c = 0; c < p.group_inputs; ++c) {
      for (std::int64_t o = 0; o < outer_taps; ++o) {
        const T* cells = input + c * p.input_step;
        const T* weights = p.weights + first * p.weight_outer + c * p.weight_inner;
        std::int64_t taps = o;
        bool inside = true;
        for (int a = p.outers - 1; a >= 0; --a) {
          const std::int64_t tap = taps % p.outer[a].taps;
          taps /= p.outer[a].taps;
          const std::int64_t cell =
              p.outer[a].first + outer[a] * p.outer[a].stride + tap * p.outer[a].dilation;
          inside = inside && cell >= 0 && cell < p.outer[a].input;
          cells += cell * p.outer[a].input_step;
          weights += tap * p.outer[a].tap_step;
        }
        add_plane(inside ? cells : nullptr, weights, valid, first_y, first_x, sum);
      }
    }
    for (int i = 0; i < channels; ++i) {
      if (i < valid) out[i * p.output_step] = matmul_detail::canonical_number(sum[i]);
    }
  }
};

/// The problem by the types that kernels have.
template <class T>
Problem<element_t<T>> on_device(const Problem<T>& p) {
  using E = element_t<T>;
  Problem<E> result;
  result.input = reinterpret_cast<const E*>(p.input);
  result.weights = reinterpret_cast<const E*>(p.weights);
  result.bias = reinterpret_cast<const E*>(p.bias);
  result.output = reinterpret_cast<E*>(p.output);
  result.outers = p.outers;
  for (int a = 0; a < p.outers; ++a) result.outer[a] = p.outer[a];
  result.y = p.y;
  result.x = p.x;
  result.outputs = p.outputs;
  result.first_output = p.first_output;
  result.group_outputs = p.group_outputs;
  result.group_inputs = p.group_inputs;
  result.output_step = p.output_step;
  result.input_step = p.input_step;
  result.weight_outer = p.weight_outer;
  result.weight_inner = p.weight_inner;
  return result;
}

template <int channels, class E, class Space>
void launch_convolution(const Space& space, const Problem<E>& p) {
  const std::int64_t groups = (p.first_output + p.outputs + p.group_outputs - 1) / p.group_outputs;
  const std::int64_t strips = groups * ((p.group_outputs + channels - 1) / channels);
  const std::int64_t threads = p.outer_cells() * strips * p.y.cells * p.x.cells;
  Kokkos::parallel_for("tessera::convolve", range(space, threads),
                       DeviceConvolution<E, channels>{p, strips});
}

template <class T, class Space>
void convolve_on_device(const Space& space, const Problem<T>& p) {
  const Problem<element_t<T>> problem = on_device(p);
  if (p.group_outputs >= 4) {
    launch_convolution<8>(space, problem);
  } else {
    launch_convolution<1>(space, problem);
  }
}

}  // namespace tessera::kernels::convolution_detail
