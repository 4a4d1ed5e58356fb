// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies of a convolution's operands in the order in which register tiles read them. Host only.
#include <cstring>

#include "convolution_blocks.hpp"

namespace tessera::kernels::convolution_detail {

/// The cells [0, n) of a class, of which [begin, end) exist: cell i at from[i * step].
template <class T>
struct Line {
  const T* from = nullptr;
  std::int64_t step = 1;
  std::int64_t n = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The cells first, first + stride, ... of an axis as a line of `n`; `from` is the axis' cell 0.
template <class T>
Line<T> line_of(const Axis& axis, std::int64_t first, std::int64_t n, const T* from) {
  const std::int64_t stride = axis.stride;
  Line<T> line;
  line.n = n;
  line.begin = std::clamp<std::int64_t>(first >= 0 ? 0 : (-first + stride - 1) / stride, 0, n);
  const std::int64_t left = axis.input - first;
  line.end = std::clamp<std::int64_t>(left <= 0 ? 0 : (left + stride - 1) / stride, line.begin, n);
  line.step = stride * axis.input_step;
  // Only cells of [begin, end) are read, so that is where the pointer may point.
  line.from =
      line.begin < line.end ? from + first * axis.input_step + line.begin * line.step : from;
  return line;
}

template <class T>
void copy_line(const Line<T>& line, part_t<T>* to, std::int64_t apart) {
  using R = part_t<T>;
  const std::int64_t n = line.end - line.begin;
  const R* from = reinterpret_cast<const R*>(line.from);
  for (int part = 0; part < parts<T>; ++part, to += apart, ++from) {
    std::fill_n(to, line.begin, R{});
    R* at = to + line.begin;
    if (parts<T> == 1 && line.step == 1) {
      std::copy_n(from, n, at);
    } else {
      const std::int64_t step = line.step * parts<T>;
      if (step == 2) {  // known to the compiler: a few shuffles
        for (std::int64_t i = 0; i < n; ++i) at[i] = from[2 * i];
      } else {
        for (std::int64_t i = 0; i < n; ++i) at[i] = from[i * step];
      }
    }
    std::fill_n(to + line.end, line.n - line.end, R{});
  }
}

/// A block of the output: the indices of its outer axes, and where it begins along y and x.
struct BlockPlace {
  std::int64_t outer[most_outer_axes] = {};
  std::int64_t segment = 0;
  std::int64_t first_y = 0;
  std::int64_t rows = 0;
  std::int64_t first_x = 0;
  std::int64_t columns = 0;
};

/// The first cell of a plane of the input, null where it is outside: `plane` counts the taps of
/// the outer axes, then the channels.
template <class T>
const T* plane_of(const Problem<T>& p, const BlockPlace& place, const T* group,
                  std::int64_t plane) {
  const T* result = group;
  for (int a = p.outers - 1; a >= 0; --a) {
    const Axis& axis = p.outer[a];
    const std::int64_t tap = plane % axis.taps;
    plane /= axis.taps;
    const std::int64_t cell = axis.first + place.outer[a] * axis.stride + tap * axis.dilation;
    if (cell < 0 || cell >= axis.input) return nullptr;
    result += cell * axis.input_step;
  }
  return result + plane * p.input_step;
}

/// The input of the planes [begin, end) under all windows of a block; zeros where there is none.
template <class T>
void pack_cells(const Problem<T>& p, const Blocking<T>& b, const BlockPlace& place, const T* group,
                std::int64_t begin, std::int64_t end, part_t<T>* to) {
  using R = part_t<T>;
  const std::int64_t apart = b.row / parts<T>;
  for (std::int64_t plane = begin; plane < end; ++plane, to += b.plane) {
    const T* cells = plane_of(p, place, group, plane);
    for (std::int64_t phase_y = 0; phase_y < b.y.count; ++phase_y) {
      const std::int64_t first_y =
          p.y.first + place.first_y * p.y.stride + Phases::distance(p.y, phase_y);
      for (std::int64_t i = 0; i < place.rows + b.y.reach; ++i) {
        const std::int64_t y = first_y + i * p.y.stride;
        R* row = to + (phase_y * b.y.length + i) * b.row;
        if (cells == nullptr || y < 0 || y >= p.y.input) {
          std::fill_n(row, b.row, R{});
          continue;
        }
        for (std::int64_t phase_x = 0; phase_x < b.x.count; ++phase_x) {
          const std::int64_t first_x =
              p.x.first + place.first_x * p.x.stride + Phases::distance(p.x, phase_x);
          copy_line(line_of(p.x, first_x, b.x.length, cells + y * p.y.input_step),
                    row + phase_x * b.x.length, apart);
        }
      }
    }
  }
}

/// Per plane and tap of y and x, in the order of the chains, the weights of `rows` output channels
/// from `first`.
template <class T>
void pack_weights(const Problem<T>& p, std::int64_t first, std::int64_t rows, T* to) {
  const std::int64_t outer_taps = p.outer_taps();
  for (std::int64_t plane = 0; plane < p.group_inputs * outer_taps; ++plane) {
    const T* weights = p.weights + first * p.weight_outer + plane / outer_taps * p.weight_inner;
    std::int64_t rest = plane % outer_taps;
    for (int a = p.outers - 1; a >= 0; --a) {
      weights += rest % p.outer[a].taps * p.outer[a].tap_step;
      rest /= p.outer[a].taps;
    }
    for (std::int64_t y = 0; y < p.y.taps; ++y) {
      for (std::int64_t x = 0; x < p.x.taps; ++x) {
        const T* tap = weights + y * p.y.tap_step + x * p.x.tap_step;
        for (std::int64_t i = 0; i < rows; ++i) *to++ = tap[i * p.weight_outer];
      }
    }
  }
}

/// Where the taps of the planes of a block lie in the copied input, from the first window's first
/// cell.
template <class T>
void list_offsets(const Problem<T>& p, const Blocking<T>& b, std::int64_t* to) {
  for (std::int64_t plane = 0; plane < b.planes; ++plane) {
    for (std::int64_t y = 0; y < p.y.taps; ++y) {
      for (std::int64_t x = 0; x < p.x.taps; ++x) {
        *to++ = plane * b.plane + b.y.position(p.y, y) * b.row + b.x.position(p.x, x);
      }
    }
  }
}

}  // namespace tessera::kernels::convolution_detail
