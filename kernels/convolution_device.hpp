// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The convolution on a GPU: a thread computes the elements of some output channels at one place, or
// of some output rows of one channel, so that a cell that it reads serves them all. Neighbouring
// threads have neighbouring places.
#include "convolution_problem.hpp"
#include "device/kokkos.hpp"
#include "matmul_device.hpp"

// Loops over a thread's own elements, which are registers once the indices are constants.
#ifdef __CUDA_ARCH__
#define TESSERA_UNROLL _Pragma("unroll")
#else
#define TESSERA_UNROLL
#endif

namespace tessera::kernels::convolution_detail {

/// Where the outer axes stand at their `rest`-th cell; moves the output there.
template <class T>
KOKKOS_INLINE_FUNCTION void find_outer(const Problem<T>& p, std::int64_t rest, std::int64_t* outer,
                                       T*& out) {
  for (int a = p.outers - 1; a >= 0; --a) {
    outer[a] = rest % p.outer[a].cells;
    rest /= p.outer[a].cells;
    out += outer[a] * p.outer[a].output_step;
  }
}

/// Moves cells and weights to a tap of the outer axes; false where there are no such cells.
template <class T>
KOKKOS_INLINE_FUNCTION bool find_plane(const Problem<T>& p, const std::int64_t* outer,
                                       std::int64_t tap, const T*& cells, const T*& weights) {
  bool inside = true;
  for (int a = p.outers - 1; a >= 0; --a) {
    const Axis& axis = p.outer[a];
    const std::int64_t own = tap % axis.taps;
    tap /= axis.taps;
    const std::int64_t cell = axis.first + outer[a] * axis.stride + own * axis.dilation;
    inside = inside && cell >= 0 && cell < axis.input;
    if (inside) cells += cell * axis.input_step;
    weights += own * axis.tap_step;
  }
  return inside;
}

/// Thread (outer cells, strip of channels, y, x), x the fastest.
template <class T, int channels>
struct DeviceConvolution {
  Problem<T> p;
  std::int64_t strips;  ///< per cell
  std::int64_t outer_taps;

  /// Adds the products of one plane of the input's `cells`, if there are such, with `weights`.
  KOKKOS_INLINE_FUNCTION void add_plane(bool plane, const T* cells, const T* weights, int valid,
                                        std::int64_t first_y, std::int64_t first_x, T* sum) const {
    for (std::int64_t r = 0; r < p.y.taps; ++r) {
      const std::int64_t y = first_y + r * p.y.dilation;
      const bool row = plane && y >= 0 && y < p.y.input;
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
    find_outer(p, rest, outer, out);
    T sum[channels];
    for (int i = 0; i < channels; ++i) {
      sum[i] = p.bias != nullptr && i < valid ? p.bias[first + i] : T();
    }
    const T* input = p.input + group * p.group_inputs * p.input_step;
    for (std::int64_t c = 0; c < p.group_inputs; ++c) {
      for (std::int64_t tap = 0; tap < outer_taps; ++tap) {
        const T* cells = input + c * p.input_step;
        const T* weights = p.weights + first * p.weight_outer + c * p.weight_inner;
        const bool inside = find_plane(p, outer, tap, cells, weights);
        add_plane(inside, cells, weights, valid, p.y.first + y * p.y.stride,
                  p.x.first + x * p.x.stride, sum);
      }
    }
    for (int i = 0; i < channels; ++i) {
      if (i < valid) out[i * p.output_step] = matmul_detail::canonical_number(sum[i]);
    }
  }
};

/// Where a thread of rows stands.
template <class T>
struct RowsPlace {
  std::int64_t x, y, channel;
  std::int64_t outer[most_outer_axes];
  const T* input;  ///< of the channel's group
  T* out;
};

/// Thread (outer cells, channel, `rows` rows of y, x), x the fastest.
template <class T>
KOKKOS_INLINE_FUNCTION RowsPlace<T> find_rows(const Problem<T>& p, std::int64_t blocks,
                                              std::int64_t rows, std::int64_t thread) {
  RowsPlace<T> place;
  place.x = thread % p.x.cells;
  thread /= p.x.cells;
  place.y = thread % blocks * rows;
  thread /= blocks;
  place.channel = thread % p.outputs;
  thread /= p.outputs;
  place.out = p.output + place.channel * p.output_step + place.y * p.y.output_step +
              place.x * p.x.output_step;
  find_outer(p, thread, place.outer, place.out);
  const std::int64_t group = (p.first_output + place.channel) / p.group_outputs;
  place.input = p.input + group * p.group_inputs * p.input_step;
  return place;
}

/// `rows` rows at a time of windows that move on by one row from each output row to the next.
template <class T, int rows>
struct DeviceRows {
  Problem<T> p;
  std::int64_t blocks;  ///< of rows
  std::int64_t outer_taps;

  KOKKOS_INLINE_FUNCTION void add_plane(bool plane, const T* cells, const T* weights,
                                        std::int64_t first_y, std::int64_t first_x, T* sum) const {
    for (std::int64_t y = 0; y < rows + p.y.taps - 1; ++y) {
      const bool row = plane && first_y + y >= 0 && first_y + y < p.y.input;
      const std::int64_t line = (first_y + y) * p.y.input_step;
      for (std::int64_t s = 0; s < p.x.taps; ++s) {
        const std::int64_t x = first_x + s * p.x.dilation;
        const T cell = row && x >= 0 && x < p.x.input ? cells[line + x * p.x.input_step] : T();
        const T* tap = weights + y * p.y.tap_step + s * p.x.tap_step;
        TESSERA_UNROLL
        for (int i = 0; i < rows; ++i) {
          if (y < i || y - i >= p.y.taps) continue;
          matmul_detail::multiply_add(sum[i], tap[-i * p.y.tap_step], cell);
        }
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t thread) const {
    const RowsPlace<T> place = find_rows(p, blocks, rows, thread);
    T sum[rows];
    for (int i = 0; i < rows; ++i) sum[i] = p.bias != nullptr ? p.bias[place.channel] : T();
    for (std::int64_t c = 0; c < p.group_inputs; ++c) {
      for (std::int64_t tap = 0; tap < outer_taps; ++tap) {
        const T* cells = place.input + c * p.input_step;
        const T* weights = p.weights + place.channel * p.weight_outer + c * p.weight_inner;
        const bool plane = find_plane(p, place.outer, tap, cells, weights);
        add_plane(plane, cells, weights, p.y.first + place.y, p.x.first + place.x * p.x.stride,
                  sum);
      }
    }
    for (int i = 0; i < rows; ++i) {
      if (place.y + i < p.y.cells) {
        place.out[i * p.y.output_step] = matmul_detail::canonical_number(sum[i]);
      }
    }
  }
};

/// As above for one plane of `taps_y` x `taps_x`, all of whose weights stay in registers: a thread
/// goes down the input's rows and adds each to the sums of all windows that hold it.
template <class T, int taps_y, int taps_x>
struct DeviceMarch {
  Problem<T> p;
  std::int64_t blocks;
  std::int64_t rows;

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t thread) const {
    const RowsPlace<T> place = find_rows(p, blocks, rows, thread);
    const T* cells = place.input;
    const T* weights = p.weights + place.channel * p.weight_outer;
    const bool plane = find_plane(p, place.outer, 0, cells, weights);
    T weight[taps_y * taps_x];
    bool column[taps_x];
    std::int64_t offset[taps_x];
    TESSERA_UNROLL
    for (int s = 0; s < taps_x; ++s) {
      const std::int64_t x = p.x.first + place.x * p.x.stride + s * p.x.dilation;
      column[s] = plane && x >= 0 && x < p.x.input;
      offset[s] = x * p.x.input_step;
      TESSERA_UNROLL
      for (int r = 0; r < taps_y; ++r) {
        weight[r * taps_x + s] = weights[r * p.y.tap_step + s * p.x.tap_step];
      }
    }
    const T start = p.bias != nullptr ? p.bias[place.channel] : T();
    const std::int64_t left = p.y.cells - place.y;
    const std::int64_t wanted = left < rows ? left : rows;
    std::int64_t y = p.y.first + place.y;
    std::int64_t line = y * p.y.input_step;
    T* out = place.out - (taps_y - 1) * p.y.output_step;
    // sum[k] is of the window whose tap row taps_y - 1 - k the input's row meets.
    T sum[taps_y];
    TESSERA_UNROLL
    for (int k = 0; k < taps_y; ++k) sum[k] = start;
    for (std::int64_t j = 0; j < wanted + taps_y - 1; ++j, ++y) {
      const bool row = y >= 0 && y < p.y.input;
      T cell[taps_x];
      TESSERA_UNROLL
      for (int s = 0; s < taps_x; ++s) cell[s] = row && column[s] ? cells[line + offset[s]] : T();
      TESSERA_UNROLL
      for (int k = 0; k < taps_y; ++k) {
        TESSERA_UNROLL
        for (int s = 0; s < taps_x; ++s) {
          matmul_detail::multiply_add(sum[k], weight[(taps_y - 1 - k) * taps_x + s], cell[s]);
        }
      }
      if (j >= taps_y - 1) *out = matmul_detail::canonical_number(sum[0]);
      TESSERA_UNROLL
      for (int k = 0; k + 1 < taps_y; ++k) sum[k] = sum[k + 1];
      sum[taps_y - 1] = start;
      line += p.y.input_step;
      out += p.y.output_step;
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
void launch_channels(const Space& space, const Problem<E>& p) {
  const std::int64_t groups = (p.first_output + p.outputs + p.group_outputs - 1) / p.group_outputs;
  const std::int64_t strips = groups * ((p.group_outputs + channels - 1) / channels);
  const std::int64_t threads = p.outer_cells() * strips * p.y.cells * p.x.cells;
  Kokkos::parallel_for("tessera::convolve", range(space, threads),
                       DeviceConvolution<E, channels>{p, strips, p.outer_taps()});
}

template <class E, class Space>
void launch_rows(const Space& space, const Problem<E>& p) {
  constexpr int rows = sizeof(E) <= 8 ? 8 : 4;
  const std::int64_t blocks = (p.y.cells + rows - 1) / rows;
  const std::int64_t threads = p.outer_cells() * p.outputs * blocks * p.x.cells;
  Kokkos::parallel_for("tessera::convolve", range(space, threads),
                       DeviceRows<E, rows>{p, blocks, p.outer_taps()});
}

template <int taps, class E, class Space>
void launch_march(const Space& space, const Problem<E>& p) {
  // Long ways read few rows twice, as long as there are threads enough for a large GPU.
  constexpr std::int64_t enough = std::int64_t{1} << 20;
  const std::int64_t elements = p.outer_cells() * p.outputs * p.y.cells * p.x.cells;
  const std::int64_t rows = elements / 32 >= enough ? 32 : 8;
  const std::int64_t blocks = (p.y.cells + rows - 1) / rows;
  const std::int64_t threads = p.outer_cells() * p.outputs * blocks * p.x.cells;
  Kokkos::parallel_for("tessera::convolve", range(space, threads),
                       DeviceMarch<E, taps, taps>{p, blocks, rows});
}

template <class T, class Space>
void convolve_on_device(const Space& space, const Problem<T>& p) {
  const Problem<element_t<T>> problem = on_device(p);
  if (p.group_outputs >= 4) return launch_channels<8>(space, problem);
  if (p.y.stride != 1 || p.y.dilation != 1 || p.y.taps == 1) {
    return launch_channels<1>(space, problem);
  }
  const bool one_plane = p.group_inputs * p.outer_taps() == 1;
  if (one_plane && p.y.taps == 3 && p.x.taps == 3) return launch_march<3>(space, problem);
  if (one_plane && p.y.taps == 5 && p.x.taps == 5) return launch_march<5>(space, problem);
  launch_rows(space, problem);
}

}  // namespace tessera::kernels::convolution_detail

#undef TESSERA_UNROLL
