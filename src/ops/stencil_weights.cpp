// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/stencil_weights.hpp"

namespace tessera::ops {

namespace {

/// Calls `f(place, offset)` for every cell of a cube of this radius, in row-major order.
template <class F>
void each_offset(int axes, std::int64_t radius, F&& f) {
  Index offset = Extents::filled(axes, -radius);
  for (std::size_t place = 0;; ++place) {
    f(place, offset);
    int axis = axes - 1;
    for (; axis >= 0; --axis) {
      if (++offset[axis] <= radius) break;
      offset[axis] = -radius;
    }
    if (axis < 0) return;
  }
}

Shape cube(int axes, std::int64_t radius) { return Extents::filled(axes, 2 * radius + 1); }

/// The sum over the axes of the second difference `half` (centre, neighbour, second neighbour, ...)
/// / `divisor`.
std::vector<double> star(int axes, const std::vector<double>& half, double divisor) {
  std::vector<double> values;
  each_offset(axes, static_cast<std::int64_t>(half.size()) - 1, [&](std::size_t, const Index& at) {
    int moved = 0;
    std::int64_t distance = 0;
    for (const std::int64_t step : at) {
      if (step == 0) continue;
      ++moved;
      distance = step < 0 ? -step : step;
    }
    double weight = 0;
    if (moved == 0) weight = static_cast<double>(axes) * half[0];
    if (moved == 1) weight = half[static_cast<std::size_t>(distance)];
    values.push_back(weight / divisor);
  });
  return values;
}

/// Radius 1; the weight depends on how many axes a neighbour lies along.
std::vector<double> shells(int axes, const std::vector<double>& weights, double divisor) {
  std::vector<double> values;
  each_offset(axes, 1, [&](std::size_t, const Index& at) {
    std::size_t moved = 0;
    for (const std::int64_t step : at) moved += step != 0 ? 1 : 0;
    values.push_back(weights[moved] / divisor);
  });
  return values;
}

std::string axes_text(int axes) { return std::to_string(axes) + "d"; }

std::vector<NamedWeights> make_all() {
  std::vector<NamedWeights> all;
  const auto add = [&](std::string name, std::string doc, int axes, std::int64_t radius,
                       std::vector<double> values, bool add_input) {
    all.push_back(
        {std::move(name), std::move(doc), cube(axes, radius), std::move(values), add_input});
  };
  const char* points[] = {"", "3", "5", "7"};
  for (int axes = 1; axes <= 3; ++axes) {
    add("laplace" + axes_text(axes),
        std::string(points[axes]) + "-point Laplacian of second order, grid spacing 1", axes, 1,
        star(axes, {-2, 1}, 1), true);
  }
  add("laplace2d9", "9-point Laplacian [1 4 1; 4 -20 4; 1 4 1] / 6", 2, 1,
      shells(2, {-20, 4, 1}, 6), true);
  add("laplace3d27", "27-point Laplacian: centre -128, faces 14, edges 3, corners 1, over 30", 3, 1,
      shells(3, {-128, 14, 3, 1}, 30), true);
  for (int axes = 1; axes <= 3; ++axes) {
    add("laplace" + axes_text(axes) + "_order4",
        "Laplacian of fourth order, radius 2: (-1, 16, -30, 16, -1) / 12 along each axis", axes, 2,
        star(axes, {-30, 16, -1}, 12), true);
  }
  for (int axes = 1; axes <= 3; ++axes) {
    add("laplace" + axes_text(axes) + "_order8",
        "Laplacian of eighth order, radius 4: (-9, 128, -1008, 8064, -14350, ...) / 5040 along "
        "each axis",
        axes, 4, star(axes, {-14350, 8064, -1008, 128, -9}, 5040), true);
  }
  add("gradient1d", "central difference (-1, 0, 1) / 2", 1, 1, {-0.5, 0, 0.5}, false);
  add("sobel2d_rows", "Sobel derivative along the first axis, [-1 -2 -1; 0 0 0; 1 2 1]", 2, 1,
      {-1, -2, -1, 0, 0, 0, 1, 2, 1}, false);
  add("sobel2d_columns", "Sobel derivative along the second axis, [-1 0 1; -2 0 2; -1 0 1]", 2, 1,
      {-1, 0, 1, -2, 0, 2, -1, 0, 1}, false);
  const double cells[] = {1, 3, 9, 27};
  for (int axes = 1; axes <= 3; ++axes) {
    add("box" + axes_text(axes), "mean of the cells within 1", axes, 1,
        shells(axes, std::vector<double>(4, 1.0), cells[axes]), false);
  }
  const double quarters[] = {1, 4, 16, 64};
  for (int axes = 1; axes <= 3; ++axes) {
    std::vector<double> halving;  // (1, 2, 1) along every axis
    for (int moved = 0; moved <= axes; ++moved) halving.push_back(double(1 << (axes - moved)));
    add("blur" + axes_text(axes), "binomial blur, (1, 2, 1) / 4 along each axis", axes, 1,
        shells(axes, halving, quarters[axes]), false);
  }
  return all;
}

}  // namespace

const std::vector<NamedWeights>& all_named_weights() {
  static const std::vector<NamedWeights> all = make_all();
  return all;
}

}  // namespace tessera::ops
