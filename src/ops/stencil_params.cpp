// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/stencil_params.hpp"

#include <algorithm>
#include <cmath>

#include "ops/stencil_weights.hpp"

namespace tessera::ops {

namespace {

using kernels::Boundary;
using kernels::Stencil;

Boundary boundary_named(const std::string& name) {
  const std::vector<std::string>& names = stencil_boundary_names();
  const auto found = std::find(names.begin(), names.end(), name);
  const auto i = static_cast<std::uint8_t>(found - names.begin());
  return name == "zero" ? Boundary::constant : static_cast<Boundary>(i);
}

const NamedWeights* named_weights(const graph::Params& params) {
  if (!params.is_text("weights")) return nullptr;
  for (const NamedWeights& named : all_named_weights()) {
    if (named.name == params.text("weights")) return &named;
  }
  return nullptr;
}

Error refusal(const graph::Params& params, const std::string& param, const std::string& message) {
  Error error(ErrorKind::graph, message);
  error.at(params.place(param));
  return error;
}

/// The tensor axis of each axis of the weights, in their order.
std::vector<int> read_axes(const graph::Params& params, int weights_axes, int tensor_axes) {
  std::vector<int> axes;
  if (!params.has("axes")) {
    if (tensor_axes < weights_axes) {
      throw refusal(params, "weights", "the stencil has more axes than the tensor")
          .expected("a tensor of at least " + std::to_string(weights_axes) + " axes")
          .found(std::to_string(tensor_axes));
    }
    for (int a = 0; a < weights_axes; ++a) axes.push_back(tensor_axes - weights_axes + a);
    return axes;
  }
  for (const std::int64_t given : params.integers("axes")) {
    const std::int64_t axis = given < 0 ? given + tensor_axes : given;
    if (axis < 0 || axis >= tensor_axes) {
      throw refusal(params, "axes", "the tensor has no such axis")
          .expected("an axis from " + std::to_string(-tensor_axes) + " to " +
                    std::to_string(tensor_axes - 1))
          .found(std::to_string(given));
    }
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      throw refusal(params, "axes", "an axis is named twice").found(std::to_string(given));
    }
    axes.push_back(static_cast<int>(axis));
  }
  if (std::ssize(axes) != weights_axes) {
    throw refusal(params, "axes", "the number of axes differs from that of the weights")
        .expected(std::to_string(weights_axes))
        .found(std::to_string(axes.size()));
  }
  return axes;
}

void check_weights(const graph::Params& params, const Shape& shape,
                   const std::vector<double>& values) {
  if (shape.size() < 1 || shape.size() > 3) {
    throw refusal(params, "weights", "a stencil has 1 to 3 axes")
        .expected("numbers in one to three nested lists")
        .found(std::to_string(shape.size()) + " levels of lists");
  }
  for (const std::int64_t extent : shape) {
    if (extent % 2 == 0) {
      throw refusal(params, "weights", "the weights have no centre")
          .expected("an odd number of weights along each axis")
          .found(to_string(shape));
    }
  }
  if (!std::all_of(values.begin(), values.end(), [](double w) { return std::isfinite(w); })) {
    throw refusal(params, "weights", "a weight is not finite");
  }
  if (!std::isfinite(params.real("scale"))) {
    throw refusal(params, "scale", "the scale is not finite");
  }
}

/// The boundaries in the order of the weights' axes.
std::vector<Boundary> read_boundaries(const graph::Params& params, int weights_axes) {
  const std::vector<std::string>& names = params.texts("boundary");
  if (names.size() != 1 && std::ssize(names) != weights_axes) {
    throw refusal(params, "boundary", "a boundary is given for all axes or for each of them")
        .expected("1 or " + std::to_string(weights_axes) + " boundaries")
        .found(std::to_string(names.size()));
  }
  std::vector<Boundary> result;
  for (int a = 0; a < weights_axes; ++a) {
    result.push_back(boundary_named(names[names.size() == 1 ? 0 : static_cast<std::size_t>(a)]));
  }
  const bool constant = std::find(names.begin(), names.end(), "constant") != names.end();
  if (params.has("value") && !constant) {
    throw refusal(params, "value", "a value is for the boundary \"constant\" only");
  }
  return result;
}

/// Taps in the order of rounding: by offset along the tensor's axes, the last axis fastest. Weights
/// of zero are left out.
std::vector<Stencil::Tap> make_taps(const Shape& shape, const std::vector<double>& values,
                                    double scale, const std::vector<int>& rank_of_axis) {
  std::vector<Stencil::Tap> taps;
  const Strides strides = row_major_strides(shape);
  for (std::size_t place = 0; place < values.size(); ++place) {
    if (values[place] == 0) continue;
    Stencil::Tap tap{Extents::filled(shape.size(), 0), scale * values[place]};
    for (int a = 0; a < shape.size(); ++a) {
      const std::int64_t i = static_cast<std::int64_t>(place) / strides[a] % shape[a];
      tap.offset[rank_of_axis[static_cast<std::size_t>(a)]] = i - shape[a] / 2;
    }
    taps.push_back(tap);
  }
  std::sort(taps.begin(), taps.end(), [](const Stencil::Tap& a, const Stencil::Tap& b) {
    return std::lexicographical_compare(a.offset.begin(), a.offset.end(), b.offset.begin(),
                                        b.offset.end());
  });
  return taps;
}

}  // namespace

Stencil read_stencil(const graph::Params& params, int tensor_axes) {
  const NamedWeights* named = named_weights(params);
  const Shape& shape = named != nullptr ? named->shape : params.numbers("weights").shape;
  const std::vector<double>& values =
      named != nullptr ? named->values : params.numbers("weights").values;
  check_weights(params, shape, values);
  const std::vector<int> axes = read_axes(params, shape.size(), tensor_axes);
  const std::vector<Boundary> boundaries = read_boundaries(params, shape.size());
  Stencil stencil;
  stencil.axes = axes;
  std::sort(stencil.axes.begin(), stencil.axes.end());
  stencil.radius = Extents::filled(shape.size(), 0);
  stencil.boundary.resize(axes.size());
  std::vector<int> rank_of_axis;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto found = std::find(stencil.axes.begin(), stencil.axes.end(), axes[a]);
    const auto rank = static_cast<int>(found - stencil.axes.begin());
    rank_of_axis.push_back(rank);
    stencil.radius[rank] = shape[static_cast<int>(a)] / 2;
    stencil.boundary[static_cast<std::size_t>(rank)] = boundaries[a];
  }
  stencil.taps = make_taps(shape, values, params.real("scale"), rank_of_axis);
  stencil.add_input =
      params.has("add_input") ? params.flag("add_input") : named != nullptr && named->add_input;
  stencil.value = params.has("value") ? params.real("value") : 0;
  return stencil;
}

const std::vector<std::string>& stencil_boundary_names() {
  static const std::vector<std::string> names = {"fixed",   "periodic", "reflect", "mirror",
                                                 "nearest", "constant", "zero"};
  return names;
}

}  // namespace tessera::ops
