// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "transpose.hpp"

#include <vector>

#include "ops/operation.hpp"

namespace tessera::ops {

namespace {

using layout::AxisSplit;
using layout::Layout;

/// The permutation: `axes`, where negative numbers count from the end, or all axes reversed.
Extents permutation(const Shape& shape, const graph::Params& params) {
  const int axes = shape.size();
  Extents result;
  if (!params.has("axes")) {
    for (int axis = axes - 1; axis >= 0; --axis) result.push_back(axis);
    return result;
  }
  const std::vector<std::int64_t> given = params.integers("axes");
  std::vector<bool> seen(static_cast<std::size_t>(axes), false);
  bool good = static_cast<int>(given.size()) == axes;
  std::string text;
  for (const std::int64_t number : given) {
    text += (text.empty() ? "[" : ", ") + std::to_string(number);
    const std::int64_t axis = number < 0 ? number + axes : number;
    good = good && axis >= 0 && axis < axes && !seen[static_cast<std::size_t>(axis)];
    if (!good) continue;
    seen[static_cast<std::size_t>(axis)] = true;
    result.push_back(axis);
  }
  if (!good) {
    throw Error(ErrorKind::graph, "axes isn't a permutation of the input's axes")
        .expected("each of 0 to " + std::to_string(axes - 1) + " once")
        .found(text.empty() ? "[]" : text + "]")
        .at(params.place("axes"));
  }
  return result;
}

Shape permuted(const Shape& shape, const Extents& axes) {
  Shape result;
  for (const std::int64_t axis : axes) result.push_back(shape[static_cast<int>(axis)]);
  return result;
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::TensorInfo& in = context.inputs[0];
  return {{in.dtype, permuted(in.shape, permutation(in.shape, context.params))}};
}

/// The input's layout with permuted axes, where that keeps every rank's part on the rank: at most
/// one axis is cut, as a grid of several axes numbers its ranks in the order of the axes.
bool permute_layout(const Layout& in, const Extents& axes, Layout& out) {
  const Shape shape = permuted(in.shape(), axes);
  if (in.is_replicated()) {
    out = Layout::replicated(shape, in.ranks());
    return true;
  }
  if (!in.is_block()) return false;
  std::vector<AxisSplit> splits;
  for (const std::int64_t axis : axes)
    splits.push_back(in.splits()[static_cast<std::size_t>(axis)]);
  out = Layout(shape, splits, in.ranks());
  for (Rank rank = 0; rank < in.ranks(); ++rank) {
    const Box from = in.box(rank);
    const Box to = out.box(rank);
    if (from.empty() && to.empty()) continue;
    if (permuted(from.extent, axes) != to.extent || permuted(from.origin, axes) != to.origin) {
      return false;
    }
  }
  return true;
}

Choice choice_for(const Layout& in, const Layout& out, DType dtype) {
  Choice choice;
  choice.algorithm = "local";
  choice.inputs = {in};
  choice.outputs = {out};
  choice.memory_bytes = 2.0 * static_cast<double>(in.max_local_elements() * size_of(dtype));
  return choice;
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const graph::TensorInfo& in = node.input_infos[0];
  const Extents axes = permutation(in.shape, node.params);
  std::vector<Choice> result;
  Layout out;
  if (permute_layout(context.current[0], axes, out)) {
    result.push_back(choice_for(context.current[0], out, in.dtype));
  } else {
    const Layout rows = Layout::rows(in.shape, context.ranks);
    require(permute_layout(rows, axes, out), "a cut along one axis can be permuted");
    result.push_back(choice_for(rows, out, in.dtype));
  }
  return result;
}

void emit(const Step& step, Emitter& emitter) {
  const Placed in = step.inputs[0];
  const Placed out = step.outputs[0];
  const Extents axes = permutation(in.layout.shape(), step.node.params);
  const auto bytes =
      static_cast<double>(in.layout.local_elements(emitter.rank()) * size_of(in.dtype));
  emitter.launch(
      {"transpose", {in.buffer}, {out.buffer}, 2 * bytes, 0, [in, out, axes](RunContext& context) {
         kernels::transpose(context.stream(), context.tile(in), context.tile(out), axes);
       }});
}

}  // namespace

Operation transpose_operation() {
  Operation operation;
  operation.signature.name = "transpose";
  operation.signature.inputs.names = {"x"};
  operation.signature.params = {
      {.name = "axes",
       .type = graph::ParamType::integers,
       .doc = "axis i of the result is axis axes[i] of x; all axes reversed when left out",
       .optional = true}};
  operation.signature.infer = infer;
  operation.family = "linear algebra";
  operation.summary = "A tensor with its axes in another order.";
  operation.shape_rule = "the input's extents, permuted";
  operation.types = "any; the result has the input's type";
  operation.error_bound = "none: a copy";
  operation.rounding = "a copy; NaN keep their bits";
  operation.distributed =
      "local: the result is cut along the image of the axis that the input is cut along; whoever "
      "needs it otherwise redistributes it";
  operation.example = R"({"op": "transpose", "in": "x", "axes": [1, 0]})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
