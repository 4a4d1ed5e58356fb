// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/operation.hpp"
#include "ops/view.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

/// The shape asked for, with its -1 filled in.
Shape new_shape(const Shape& old, const graph::Params& params) {
  const std::vector<std::int64_t> asked = params.integers("shape");
  const auto refuse = [&](const std::string& expected) {
    throw Error(ErrorKind::graph, "the tensor doesn't fit the new shape")
        .expected(expected)
        .found("shape " + to_string(Extents(asked)) + " for the " +
               std::to_string(element_count(old)) + " elements of " + to_string(old))
        .at(params.place("shape"));
  };
  if (static_cast<int>(asked.size()) > max_axes) {
    throw Error(ErrorKind::graph, "a tensor has at most 8 axes")
        .found(std::to_string(asked.size()) + " extents")
        .at(params.place("shape"));
  }
  Shape shape{Extents(asked)};
  int open = -1;
  Shape given;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == -1 && open < 0) {
      open = axis;
      continue;
    }
    if (shape[axis] < 0) refuse("extents of at least 0, and at most one -1");
    given.push_back(shape[axis]);
  }
  const std::int64_t elements = element_count(old);
  if (open >= 0) {
    const std::int64_t others = element_count(given);
    if (others == 0) refuse("no -1 beside an extent of 0, which leaves it open");
    if (elements % others != 0) refuse("extents whose product divides the number of elements");
    shape[open] = elements / others;
  }
  if (element_count(shape) != elements) refuse("as many elements as the input has");
  return shape;
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::TensorInfo& in = context.inputs[0];
  return {{in.dtype, new_shape(in.shape, context.params)}};
}

/// Cut along the first axis that isn't of extent 1: every rank has a range of the elements.
Layout leading(const Shape& shape, int ranks) {
  int axis = 0;
  while (axis + 1 < shape.size() && shape[axis] == 1) ++axis;
  return shape.empty() ? Layout::replicated(shape, ranks) : Layout::along(shape, axis, ranks);
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const graph::TensorInfo& info = node.input_infos[0];
  const Shape& shape = node.output_infos[0].shape;
  const Layout& current = context.current[0];
  const Layout in = has_flat_view(current) ? current : leading(info.shape, context.ranks);
  std::vector<Layout> targets = {leading(shape, context.ranks)};
  if (in.is_replicated()) targets = {Layout::replicated(shape, context.ranks)};
  if (!in.is_replicated() && targets[0] != Layout::rows(shape, context.ranks))
    targets.push_back(Layout::rows(shape, context.ranks));
  std::vector<Choice> result;
  for (const Layout& out : targets) {
    const MoveCost cost = move_cost(flat_view(in), flat_view(out), info.dtype);
    Choice choice;
    choice.algorithm = cost.messages > 0 ? "exchange" : "local";
    choice.inputs = {in};
    choice.outputs = {out};
    choice.message_bytes = cost.bytes;
    choice.messages = cost.messages;
    choice.memory_bytes = 2.0 * static_cast<double>(out.max_local_elements() * size_of(info.dtype));
    result.push_back(std::move(choice));
  }
  return result;
}

void emit(const Step& step, Emitter& emitter) {
  const Placed in = step.inputs[0];
  const Placed out = step.outputs[0];
  move(emitter, in, flat_view(in.layout), out, flat_view(out.layout), "reshape");
}

}  // namespace

Operation reshape_operation() {
  Operation operation;
  operation.signature.name = "reshape";
  operation.signature.inputs.names = {"x"};
  operation.signature.params = {
      {.name = "shape",
       .type = graph::ParamType::integers,
       .doc = "the new extents; one of them may be -1 and takes what the others leave"}};
  operation.signature.infer = infer;
  operation.family = "data";
  operation.summary = "The same elements, in row-major order, in another shape.";
  operation.shape_rule = "as given";
  operation.types = "any; the result has the input's type";
  operation.error_bound = "none: a copy";
  operation.rounding = "a copy; NaN keep their bits";
  operation.distributed =
      "every rank has a range of the elements in row-major order before and after; ranks send what "
      "lies beyond their new borders";
  operation.example = R"({"op": "reshape", "in": "x", "shape": [-1]})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
