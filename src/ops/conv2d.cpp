// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_common.hpp"

namespace tessera::ops {

namespace {

using graph::InferContext;
using graph::Params;
using graph::TensorInfo;

constexpr const char* axis_names[] = {"rows", "columns"};

/// Images with channels, [..., C, H, W] and [O, C / groups, kh, kw], or without, [..., H, W] and
/// [kh, kw].
struct Tensors {
  Shape x;
  Shape weights;  ///< with channels
  bool channels = true;
};

/// One number for both axes, or two.
Extents pair_of(const Params& params, const std::string& name) {
  const std::vector<std::int64_t> given = params.integers(name);
  if (given.empty() || given.size() > 2) {
    throw Error(ErrorKind::graph, name + " has a wrong number of entries")
        .expected("one integer, or two: for rows and columns")
        .found(std::to_string(given.size()))
        .at(params.place(name));
  }
  return {given.front(), given.back()};
}

Tensors tensors_of(const std::vector<TensorInfo>& inputs) {
  Tensors result{inputs[0].shape, inputs[1].shape};
  const int axes = result.weights.size();
  if (axes != 4 && axes != 2) {
    throw Error(ErrorKind::graph, "the weights have a wrong number of axes")
        .expected("[O, C / groups, kh, kw], or [kh, kw] for images without channels")
        .found("shape " + to_string(result.weights));
  }
  result.channels = axes == 4;
  if (!result.channels) result.weights = {1, 1, result.weights[0], result.weights[1]};
  const int needed = result.channels ? 3 : 2;
  if (result.x.size() < needed || result.x.size() + (result.channels ? 0 : 1) > max_axes) {
    throw Error(ErrorKind::graph, "the images have a wrong number of axes")
        .expected(result.channels ? "[..., C, H, W], as the weights have 4 axes"
                                  : "[..., H, W] with up to 7 axes, as the weights have 2 axes")
        .found("shape " + to_string(result.x));
  }
  return result;
}

void check_channels(const Tensors& tensors, const InferContext& context) {
  const std::int64_t groups = context.params.integer("groups");
  const std::int64_t outputs = tensors.weights[0];
  const std::int64_t inputs = tensors.channels ? tensors.x[tensors.x.size() - 3] : 1;
  if (outputs % groups != 0) {
    throw Error(ErrorKind::graph, "groups doesn't divide the output channels")
        .expected("a divisor of " + std::to_string(outputs))
        .found(std::to_string(groups))
        .at(context.params.place("groups"));
  }
  if (tensors.weights[1] * groups != inputs) {
    throw Error(ErrorKind::graph, "the weights don't fit the channels of the images")
        .expected("C / groups times groups to be the " + std::to_string(inputs) +
                  " channels of the images")
        .found(std::to_string(tensors.weights[1]) + " times " + std::to_string(groups));
  }
  if (context.inputs.size() > 2 && context.inputs[2].shape != Shape{outputs}) {
    throw Error(ErrorKind::graph, "the bias doesn't fit the weights")
        .expected("shape " + to_string(Shape{outputs}) + ", one number per output channel")
        .found("shape " + to_string(context.inputs[2].shape));
  }
}

/// Zeros in front of and behind an axis.
struct Padding {
  std::int64_t before = 0;
  std::int64_t both = 0;
};

Padding padding_of(const Params& params, int s, std::int64_t taps, std::int64_t dilation) {
  if (!params.is_text("padding")) {
    const std::int64_t each = pair_of(params, "padding")[s];
    return {each, 2 * each};
  }
  if (params.text("padding") == "valid") return {};
  const std::int64_t both = (taps - 1) * dilation;
  return {both / 2, both};
}

ConvProblem problem_of(const std::vector<TensorInfo>& inputs, const Params& params) {
  const Tensors tensors = tensors_of(inputs);
  ConvProblem problem;
  problem.dtype = inputs[0].dtype;
  problem.in = tensors.x;
  problem.weights = tensors.weights;
  problem.form.stride = pair_of(params, "stride");
  problem.form.dilation = pair_of(params, "dilation");
  problem.form.groups = params.integer("groups");
  const int axes = tensors.x.size();
  for (int axis = 0; axis < axes; ++axis) {
    if (!tensors.channels && axis == axes - 2) problem.order.push_back(-1);
    problem.order.push_back(axis);
  }
  problem.out = tensors.x;
  if (tensors.channels) problem.out[axes - 3] = tensors.weights[0];
  for (const int s : {0, 1}) {
    const std::int64_t taps = tensors.weights[2 + s];
    const std::int64_t cells = tensors.x[axes - 2 + s];
    const std::int64_t dilation = problem.form.dilation[s];
    const Padding padding = padding_of(params, s, taps, dilation);
    problem.form.padding[s] = padding.before;
    problem.out[axes - 2 + s] =
        kernels::convolved_extent(cells, padding.both, taps, problem.form.stride[s], dilation);
    if (problem.out[axes - 2 + s] == 0) {
      throw Error(ErrorKind::graph, "the taps don't fit into the images")
          .expected("at most " + std::to_string(cells + padding.both) + " " + axis_names[s] +
                    ", the images' and the padding")
          .found(taps == 0 ? "no taps"
                           : std::to_string((taps - 1) * dilation + 1) + " under one window");
    }
  }
  return problem;
}

std::vector<TensorInfo> infer(const InferContext& context) {
  check_conv_types(context);
  check_channels(tensors_of(context.inputs), context);
  const ConvProblem problem = problem_of(context.inputs, context.params);
  const bool strided = problem.form.stride != Extents{1, 1};
  if (context.params.is_text("padding") && context.params.text("padding") == "same" && strided) {
    throw Error(ErrorKind::graph, "padding \"same\" is for stride 1")
        .found("stride " + to_string(problem.form.stride))
        .advice("give the number of zeros instead")
        .at(context.params.place("padding"));
  }
  return {{problem.dtype, problem.out}};
}

std::vector<graph::ParamSpec> param_specs() {
  using graph::NumberArray;
  using graph::ParamType;
  const auto one = [](double value) { return NumberArray{{1}, {value}}; };
  return {{.name = "stride",
           .type = ParamType::integers,
           .doc = "input cells from one output cell to the next; one number, or one for rows and "
                  "one for columns",
           .fallback = one(1),
           .minimum = 1},
          {.name = "padding",
           .type = ParamType::integers,
           .doc = "zeros on each side, one number or one for rows and one for columns; \"valid\": "
                  "none; \"same\": as many as give the input's extents, an odd one behind",
           .fallback = one(0),
           .choices = {"same", "valid"},
           .minimum = 0,
           .or_text = true},
          {.name = "dilation",
           .type = ParamType::integers,
           .doc = "input cells from one tap to the next",
           .fallback = one(1),
           .minimum = 1},
          {.name = "groups",
           .type = ParamType::integer,
           .doc = "input and output channels are cut into so many groups that don't mix",
           .fallback = std::int64_t{1},
           .minimum = 1}};
}

}  // namespace

Operation conv2d_operation() {
  Operation operation;
  operation.signature.name = "conv2d";
  operation.signature.inputs = {.names = {"x", "weights", "bias"}, .named = true, .optional = 1};
  operation.signature.params = param_specs();
  operation.signature.infer = infer;
  operation.family = "stencil";
  operation.summary =
      "Images correlated with small kernels, over channels, as torch's conv2d; without channels as "
      "scipy.signal.correlate2d.";
  operation.shape_rule =
      "[..., C, H, W] x [O, C / groups, kh, kw] (+ [O]) -> [..., O, H', W'], or [..., H, W] x "
      "[kh, kw] -> [..., H', W'], with H' = (H + zeros - (kh - 1) dilation - 1) / stride + 1, "
      "rounded down";
  operation.types = "float32, float64, complex64, complex128, one for all; stays";
  operation.error_bound =
      "(C / groups * kh * kw + 1) ULP of the sum of absolute values of the terms (complex: twice)";
  operation.rounding =
      "per element one chain of fused multiply-adds from the bias or +0: input channels ascending, "
      "for each the taps in row-major order; zeros of the padding are terms as others. Complex: as "
      "matmul, weights on the left. A NaN is stored as the positive quiet NaN. All recipes do the "
      "same";
  operation.distributed =
      "weights and bias on every rank. The result is cut along the axis that costs least: images, "
      "then nothing moves where the input is cut like it; rows, with the rows beyond a rank's own "
      "fetched from its neighbours; columns; or channels";
  operation.source =
      "register tiles over output channels and columns: E. Georganas et al., Anatomy of "
      "high-performance deep learning convolutions on SIMD architectures, SC 2018";
  operation.example = R"({"op": "conv2d", "in": ["x", "w"], "padding": "same"})";
  operation.choices = [](const graph::Node& node, const ChoiceContext& context) {
    return conv_choices(problem_of(node.input_infos, node.params), node, context);
  };
  operation.emit = [](const Step& step, Emitter& emitter) {
    emit_conv(problem_of(step.node.input_infos, step.node.params), step, emitter);
  };
  return operation;
}

}  // namespace tessera::ops
