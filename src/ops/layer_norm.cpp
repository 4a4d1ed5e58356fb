// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/axis.hpp"
#include "ops/normalization.hpp"

namespace tessera::ops {

namespace {

using kernels::Reduction;

/// A tensor of one axis as one that broadcasts along axis `axis` of x: axes of extent 1 behind.
Placed along_axis(const Placed& placed, const Placed& x, int axis) {
  Shape shape = Extents::filled(x.layout.shape().size() - axis, 1);
  shape[0] = placed.layout.shape()[0];
  if (placed.layout.is_replicated()) {
    return {placed.buffer, placed.dtype, layout::Layout::replicated(shape, placed.layout.ranks())};
  }
  std::vector<layout::AxisSplit> splits(static_cast<std::size_t>(shape.size()));
  splits[0] = placed.layout.splits()[0];
  return {placed.buffer, placed.dtype, {shape, splits, placed.layout.ranks()}};
}

void emit(const Step& step, Emitter& emitter) {
  Composition steps(step, emitter);
  const Placed x = step.inputs[0];
  const Placed out = step.outputs[0];
  const AxisFlags axes = normalized_axis(step.node);
  const int axis = axis_param(step.node.params, "axis", x.layout.shape().size());
  const std::string count = std::to_string(x.layout.shape()[axis]) + ".0";
  const double eps = step.node.params.real("eps");

  const Placed mean = steps.reduce(Reduction::mean, x, axes, true);
  steps.evaluate("deviations", "x - m", {{"x", x}, {"m", mean}}, out);
  const Placed norm = steps.reduce(Reduction::norm2, out, axes, true);
  // Beyond 1e150 the square would overflow, and eps counts for nothing.
  const std::string plain = "float64(r) / sqrt(" + count + ")";
  const std::string with_eps = "where(float64(r) > 1e150, " + plain +
                               ", sqrt(float64(r) * float64(r) / " + count + " + " +
                               graph::number_text(eps) + "))";
  const Placed deviation =
      steps.map("standard deviation", eps == 0 ? plain : with_eps, {{"r", norm}});

  std::string formula = "float64(d) / s";
  std::vector<Composition::Named> inputs = {{"d", out}, {"s", deviation}};
  for (std::size_t k = 1; k < step.inputs.size(); ++k) {
    const std::string& name = step.node.input_names[k];
    formula += name == "scale" ? " * scale" : " + shift";
    inputs.emplace_back(name, along_axis(step.inputs[k], x, axis));
  }
  steps.evaluate("scale", std::string(name_of(out.dtype)) + "(" + formula + ")", inputs, out);
}

}  // namespace

Operation layer_norm_operation() {
  Operation operation = normalization_operation("layer_norm", emit);
  operation.signature.inputs = {.names = {"x", "scale", "shift"}, .named = true, .optional = 2};
  operation.signature.params.push_back({.name = "eps",
                                        .type = graph::ParamType::real,
                                        .doc = "Added to the variance.",
                                        .fallback = graph::ParamValue{1e-5},
                                        .minimum = 0.0});
  operation.summary =
      "(x - mean) / sqrt(variance + eps) * scale + shift along an axis; scale and shift, of the "
      "axis' extent, may be left out.";
  operation.types = "float32, float64; stays";
  operation.error_bound =
      "a few ULP of the type, times 1 + |mean| / (standard deviation) from rounding x - mean";
  operation.rounding =
      "m as mean, d = x - m in the type, r as norm2 of d; then in float64 s = sqrt(r r / n + eps), "
      "d / s * scale + shift, each rounded; rounded to the type at last";
  operation.example = R"({"op": "layer_norm", "in": "x", "axis": 1})";
  return operation;
}

}  // namespace tessera::ops
