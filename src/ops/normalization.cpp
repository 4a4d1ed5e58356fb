// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization.hpp"

#include <utility>

#include "ops/axis.hpp"
#include "ops/elementwise.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

int axis_of(const graph::Node& node) {
  return axis_param(node.params, "axis", node.input_infos[0].shape.size());
}

std::vector<graph::TensorInfo> infer(const std::string& name, const graph::InferContext& context) {
  const graph::TensorInfo& x = context.inputs[0];
  if (!is_real_floating(x.dtype)) {
    throw Error(ErrorKind::graph, name + " takes real floating-point numbers")
        .expected("float32 or float64")
        .found(std::string(name_of(x.dtype)))
        .advice(is_integer(x.dtype) ? "use \"cast\" first" : "use \"map\" with real, imag or abs");
  }
  const int axis = axis_param(context.params, "axis", x.shape.size());
  if (x.shape[axis] == 0) {
    throw Error(ErrorKind::graph, name + " along an empty axis")
        .expected("at least one element along axis " + std::to_string(axis))
        .found("shape " + to_string(x.shape));
  }
  for (std::size_t k = 1; k < context.inputs.size(); ++k) {
    const graph::TensorInfo expected{x.dtype, {x.shape[axis]}};
    if (context.inputs[k] == expected) continue;
    throw Error(ErrorKind::graph, "\"" + context.input_names[k] + "\" doesn't fit the axis")
        .expected(std::string(name_of(expected.dtype)) + to_string(expected.shape))
        .found(std::string(name_of(context.inputs[k].dtype)) + to_string(context.inputs[k].shape));
  }
  return {x};
}

/// The layout of a tensor of one axis beside x, whose axis `axis` it lies along.
Layout beside(const Layout& x, int axis) {
  const Shape shape = {x.shape()[axis]};
  if (x.is_replicated() || x.split_axis() != axis) return Layout::replicated(shape, x.ranks());
  return {shape, {x.splits()[static_cast<std::size_t>(axis)]}, x.ranks()};
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const ReductionPlan plan = plan_reduction(kernels::Reduction::sum, node.input_infos[0],
                                            normalized_axis(node), true, context.recipe);
  const std::vector<Layout> current = {context.current[0]};
  std::vector<Choice> result;
  for (Choice& choice : reduction_choices(
           plan, {context.ranks, context.recipe, context.machine, context.backend, current}, 1)) {
    const Layout x = choice.inputs[0];
    if (x.split_axis() == -2 || !x.is_block()) continue;
    choice.outputs = {x};
    for (std::size_t k = 1; k < node.inputs.size(); ++k) {
      choice.inputs.push_back(beside(x, axis_of(node)));
    }
    choice.memory_bytes *= 6;  // two reductions, and two formulas that read and write
    choice.message_bytes *= 2;
    choice.messages *= 2;
    choice.flops += 30 * static_cast<double>(x.max_local_elements());
    result.push_back(std::move(choice));
  }
  return result;
}

}  // namespace

AxisFlags normalized_axis(const graph::Node& node) {
  AxisFlags axes{};
  axes[static_cast<std::size_t>(axis_of(node))] = true;
  return axes;
}

Operation normalization_operation(std::string name,
                                  std::function<void(const Step&, Emitter&)> emit) {
  Operation operation;
  operation.signature.name = name;
  operation.signature.inputs.names = {"x"};
  operation.signature.params = {
      {.name = "axis",
       .type = graph::ParamType::integer,
       .doc = "The axis to normalise along; a negative one counts from the end.",
       .fallback = graph::ParamValue{std::int64_t{-1}}}};
  operation.signature.infer = [name](const graph::InferContext& context) {
    return infer(name, context);
  };
  operation.family = "normalisation";
  operation.shape_rule = "the input's";
  operation.distributed =
      "Taken as the input lies. Where the axis is cut the ranks' reductions are merged and every "
      "rank finishes its part.";
  operation.choices = choices;
  operation.emit = std::move(emit);
  operation.in_place = true;
  return operation;
}

}  // namespace tessera::ops
