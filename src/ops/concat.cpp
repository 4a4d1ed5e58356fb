// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/axis.hpp"
#include "ops/operation.hpp"
#include "ops/view.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

int axis_of(const graph::Params& params, const Shape& first) {
  return axis_param(params, "axis", first.size());
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  graph::TensorInfo result = context.inputs[0];
  const int axis = axis_of(context.params, result.shape);
  for (std::size_t k = 1; k < context.inputs.size(); ++k) {
    const graph::TensorInfo& in = context.inputs[k];
    if (in.dtype != result.dtype) {
      throw Error(ErrorKind::graph, "the inputs have different element types")
          .expected("\"" + context.input_names[k] + "\" of type " +
                    std::string(name_of(result.dtype)) + ", as the first")
          .found(std::string(name_of(in.dtype)))
          .advice("convert it first with the operation \"cast\"");
    }
    bool fits = in.shape.size() == result.shape.size();
    for (int a = 0; fits && a < in.shape.size(); ++a) {
      fits = a == axis || in.shape[a] == result.shape[a];
    }
    if (!fits) {
      throw Error(ErrorKind::graph, "the shapes of the inputs don't fit together")
          .expected("\"" + context.input_names[k] + "\" with the extents of the first, " +
                    to_string(context.inputs[0].shape) + ", but along axis " + std::to_string(axis))
          .found("shape " + to_string(in.shape));
    }
    result.shape[axis] += in.shape[axis];
  }
  return {result};
}

/// The inputs' parts as they lie in the result.
std::vector<View> shifted_views(const std::vector<Layout>& inputs, int axis, Rank self) {
  std::vector<View> views;
  Index origin = Extents::filled(inputs.front().shape().size(), 0);
  for (const Layout& in : inputs) {
    views.push_back(shifted_view(in, origin, self));
    origin[axis] += in.shape()[axis];
  }
  return views;
}

Choice choice_for(const graph::Node& node, const std::vector<Layout>& inputs, const Layout& out,
                  int axis) {
  Choice choice;
  choice.inputs = inputs;
  choice.outputs = {out};
  const DType dtype = node.output_infos[0].dtype;
  const std::vector<View> views = shifted_views(inputs, axis, 0);
  const View target = own_view(out, 0);
  for (const View& view : views) {
    const MoveCost cost = move_cost(view, target, dtype);
    choice.message_bytes += cost.bytes;
    choice.messages += cost.messages;
  }
  choice.algorithm = choice.messages > 0 ? "exchange" : "local";
  choice.memory_bytes = 2.0 * static_cast<double>(out.max_local_elements() * size_of(dtype)) +
                        2.0 * choice.message_bytes;
  return choice;
}

/// The result replicated where all inputs are; else cut as an input is, or by rows.
std::vector<Layout> targets(const std::vector<Layout>& inputs, const Shape& shape, int ranks) {
  std::vector<Layout> result;
  const auto add = [&](const Layout& layout) {
    if (std::find(result.begin(), result.end(), layout) == result.end()) result.push_back(layout);
  };
  if (std::all_of(inputs.begin(), inputs.end(), [](const auto& in) { return in.is_replicated(); }))
    return {Layout::replicated(shape, ranks)};
  for (const Layout& in : inputs) {
    if (in.split_axis() >= 0) add(Layout::along(shape, in.split_axis(), ranks));
  }
  add(Layout::rows(shape, ranks));
  return result;
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const int axis = axis_of(node.params, node.input_infos[0].shape);
  std::vector<Layout> inputs;
  for (std::size_t k = 0; k < node.input_infos.size(); ++k) {
    const bool block = context.current[k].is_block();
    inputs.push_back(block ? context.current[k]
                           : Layout::rows(node.input_infos[k].shape, context.ranks));
  }
  std::vector<Choice> result;
  for (const Layout& out : targets(inputs, node.output_infos[0].shape, context.ranks)) {
    result.push_back(choice_for(node, inputs, out, axis));
  }
  return result;
}

void emit(const Step& step, Emitter& emitter) {
  std::vector<Layout> inputs;
  for (const Placed& in : step.inputs) inputs.push_back(in.layout);
  const int axis = axis_of(step.node.params, step.node.input_infos[0].shape);
  const std::vector<View> views = shifted_views(inputs, axis, emitter.rank());
  const Placed out = step.outputs[0];
  const View target = own_view(out.layout, emitter.rank());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    move(emitter, step.inputs[k], views[k], out, target, "concat " + std::to_string(k));
  }
}

}  // namespace

Operation concat_operation() {
  Operation operation;
  operation.signature.name = "concat";
  operation.signature.inputs = {.names = {"x"}, .variadic = true};
  operation.signature.params = {
      {.name = "axis",
       .type = graph::ParamType::integer,
       .doc = "the axis along which the inputs follow one another; a negative one counts from the "
              "end",
       .fallback = std::int64_t{0}}};
  operation.signature.infer = infer;
  operation.family = "data";
  operation.summary = "Tensors one after another along an axis.";
  operation.shape_rule = "the inputs', with the sum of their extents along the axis";
  operation.types = "any, all the same; the result has the inputs' type";
  operation.error_bound = "none: a copy";
  operation.rounding = "a copy; NaN keep their bits";
  operation.distributed =
      "local where the inputs are cut alike along another axis; else their parts are sent to where "
      "balanced blocks of the result want them";
  operation.example = R"({"op": "concat", "in": ["x", "y"], "axis": 0})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
