// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

#include <algorithm>

namespace tessera::ops {

namespace {

using kernels::Reduction;
using layout::AxisSplit;
using layout::Layout;

bool has_axes(Reduction what) { return what != Reduction::dot; }

/// The splits that the kept axes have.
std::vector<AxisSplit> kept_splits(const ReductionPlan& plan, const Layout& layout) {
  std::vector<AxisSplit> splits;
  const bool keepdims = plan.result.size() == plan.shape.size();
  for (int axis = 0; axis < plan.shape.size(); ++axis) {
    if (!plan.reduced[axis]) splits.push_back(layout.splits()[axis]);
    if (plan.reduced[axis] && keepdims) splits.push_back({});
  }
  return splits;
}

/// Where the results of combined states go: to all ranks, or in contiguous pieces where they are
/// many.
Layout combined_layout(const ReductionPlan& plan, int ranks) {
  const std::int64_t bytes =
      plan.results() * size_of(kernels::reduced_dtype(plan.what, plan.dtype));
  for (int axis = 0; axis < plan.result.size() && bytes > replicated_bytes; ++axis) {
    if (plan.result[axis] > 1) return Layout::along(plan.result, axis, ranks);
  }
  return Layout::replicated(plan.result, ranks);
}

Choice make_choice(const ReductionPlan& plan, const Layout& layout, ReductionMode mode,
                   int inputs) {
  const int ranks = layout.ranks();
  Choice choice;
  choice.inputs.assign(inputs, layout);
  choice.outputs = {result_layout(plan, layout)};
  const double elements = static_cast<double>(layout.max_local_elements());
  choice.memory_bytes = elements * static_cast<double>(size_of(plan.dtype)) * inputs;
  choice.flops =
      elements * (is_complex(plan.dtype) ? 2 : 1) * (plan.what == Reduction::norm2 ? 2 : inputs);
  const kernels::ReduceTask task = plan.task(plan.local_extent(layout, 0, mode));
  const std::int64_t state_bytes = 8 * kernels::reduce_words(task);
  const double results = static_cast<double>(task.shape.results());
  const double result_bytes = results * static_cast<double>(state_bytes);
  choice.scratch_bytes = std::min(task.shape.results() * state_bytes, state_block_bytes);
  if (mode == ReductionMode::local) {
    choice.algorithm = layout.is_replicated() && ranks > 1 ? "every rank" : "local";
    return choice;
  }
  const bool scattered = !choice.outputs[0].is_replicated();
  choice.algorithm = std::string(plan.exact ? "exact limbs" : "partial results") +
                     (scattered ? ", reduce-scatter" : ", all-reduce");
  choice.memory_bytes += 3 * result_bytes;
  choice.message_bytes = (scattered ? 1 : 2) * result_bytes;
  choice.messages = 2.0 * std::max(1.0, static_cast<double>(ranks - 1));
  return choice;
}

}  // namespace

std::vector<graph::ParamSpec> reduction_params(bool with_axes) {
  std::vector<graph::ParamSpec> params;
  if (with_axes) {
    params.push_back(
        {.name = "axes",
         .type = graph::ParamType::integers,
         .doc = "The axes that are reduced; negative ones count from the end. All when left out.",
         .optional = true});
    params.push_back({.name = "keepdims",
                      .type = graph::ParamType::boolean,
                      .doc = "Keep the reduced axes with extent 1.",
                      .fallback = graph::ParamValue{false}});
  }
  params.push_back(
      {.name = "nan",
       .type = graph::ParamType::text,
       .doc = "NaN among the elements: make the result NaN, are left out, or end the run.",
       .fallback = graph::ParamValue{std::string("propagate")},
       .choices = {"propagate", "ignore", "error"}});
  return params;
}

bool keeps_dims(const graph::Params& params) {
  return params.has("keepdims") && params.flag("keepdims");
}

std::vector<graph::TensorInfo> infer_reduction(const ReductionSpec& spec,
                                               const graph::InferContext& context) {
  const graph::TensorInfo& x = context.inputs[0];
  if (is_complex(x.dtype) && !spec.complex_numbers) {
    throw Error(ErrorKind::graph, "complex numbers have no order")
        .expected("real elements for " + spec.name)
        .found(std::string(name_of(x.dtype)))
        .advice("reduce abs(x), or the real or imaginary part, made by \"map\"");
  }
  if (context.inputs.size() == 2 && context.inputs[1] != x) {
    const graph::TensorInfo& y = context.inputs[1];
    throw Error(ErrorKind::graph, spec.name + " takes two tensors of one type and shape")
        .expected(std::string(name_of(x.dtype)) + to_string(x.shape))
        .found(std::string(name_of(y.dtype)) + to_string(y.shape));
  }
  const AxisFlags reduced = reduced_axes(context.params, x.shape.size());
  std::int64_t elements = 1;
  for (int axis = 0; axis < x.shape.size(); ++axis) {
    if (reduced[axis]) elements *= x.shape[axis] == 0 ? 0 : 1;
  }
  if (elements == 0 && spec.needs_elements) {
    throw Error(ErrorKind::graph, spec.name + " of empty")
        .expected("at least one element along the reduced axes")
        .found("shape " + to_string(x.shape));
  }
  return {{kernels::reduced_dtype(spec.what, x.dtype),
           shape_without(x.shape, reduced, keeps_dims(context.params))}};
}

AxisFlags reduced_axes(const graph::Params& params, int axes) {
  AxisFlags reduced{};
  if (!params.has("axes")) {
    std::fill_n(reduced.begin(), axes, true);
    return reduced;
  }
  for (const std::int64_t given : params.integers("axes")) {
    const std::int64_t axis = given < 0 ? given + axes : given;
    if (axis < 0 || axis >= axes) {
      throw Error(ErrorKind::graph, "no such axis")
          .expected("axes from " + std::to_string(-axes) + " to " + std::to_string(axes - 1))
          .found(std::to_string(given))
          .at(params.place("axes"));
    }
    if (reduced[static_cast<std::size_t>(axis)]) {
      throw Error(ErrorKind::graph, "an axis is named twice in \"axes\"")
          .found(std::to_string(given))
          .at(params.place("axes"));
    }
    reduced[static_cast<std::size_t>(axis)] = true;
  }
  return reduced;
}

Shape shape_without(const Shape& shape, const AxisFlags& reduced, bool keepdims) {
  Shape result;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (!reduced[static_cast<std::size_t>(axis)])
      result.push_back(shape[axis]);
    else if (keepdims)
      result.push_back(1);
  }
  return result;
}

Shape ReductionPlan::local_extent(const Layout& layout, Rank rank, ReductionMode mode) const {
  Shape extent = layout.local_extent(rank);
  for (int axis = 0; axis < shape.size() && mode == ReductionMode::combined; ++axis) {
    if (!reduced[static_cast<std::size_t>(axis)]) extent[axis] = shape[axis];
  }
  return extent;
}

kernels::ReduceTask ReductionPlan::task(const Shape& extent) const {
  return {what, dtype, exact, ignore_nan, ddof, kernels::ReduceShape::of(extent, reduced.data())};
}

ReductionPlan plan_reduction(Reduction what, const graph::Node& node, Recipe recipe) {
  const std::string policy = node.params.has("nan") ? node.params.text("nan") : "propagate";
  const graph::TensorInfo& x = node.input_infos[0];
  ReductionPlan plan = plan_reduction(what, x, reduced_axes(node.params, x.shape.size()),
                                      keeps_dims(node.params), recipe);
  plan.ignore_nan = policy == "ignore" && !is_integer(x.dtype);
  plan.refuse_nan = policy == "error" && !is_integer(x.dtype);
  return plan;
}

ReductionPlan plan_reduction(Reduction what, const graph::TensorInfo& x, const AxisFlags& reduced,
                             bool keepdims, Recipe recipe) {
  const bool summed = what == Reduction::sum || what == Reduction::mean || what == Reduction::dot ||
                      what == Reduction::norm2;
  ReductionPlan plan{};
  plan.what = what;
  plan.dtype = x.dtype;
  plan.exact =
      recipe == Recipe::bitexact && summed && (!is_integer(x.dtype) || what == Reduction::norm2);
  plan.uncut = recipe == Recipe::bitexact && what == Reduction::prod && !is_integer(x.dtype);
  plan.reduced = reduced;
  plan.shape = x.shape;
  plan.result = shape_without(x.shape, reduced, keepdims);
  return plan;
}

bool reduction_mode(const ReductionPlan& plan, const Layout& layout, ReductionMode& mode) {
  mode = ReductionMode::local;
  if (layout.is_replicated()) return true;
  bool kept_cut = false;
  bool reduced_cut = false;
  for (int axis = 0; axis < plan.shape.size(); ++axis) {
    if (layout.splits()[axis].parts > 1) {
      (plan.reduced[static_cast<std::size_t>(axis)] ? reduced_cut : kept_cut) = true;
    }
  }
  // A scalar is everywhere, so that one that is made by a single rank has to be handed out.
  if (!reduced_cut && (!plan.result.empty() || layout.ranks() == 1)) return true;
  mode = ReductionMode::combined;
  if (kept_cut || !layout.is_block()) return false;
  return !(reduced_cut && plan.uncut);
}

Layout result_layout(const ReductionPlan& plan, const Layout& layout) {
  ReductionMode mode{};
  require(reduction_mode(plan, layout, mode), "a reduction takes this layout");
  if (mode == ReductionMode::combined) return combined_layout(plan, layout.ranks());
  if (layout.is_replicated()) return Layout::replicated(plan.result, layout.ranks());
  return {plan.result, kept_splits(plan, layout), layout.ranks()};
}

std::vector<Choice> reduction_choices(const ReductionPlan& plan, const ChoiceContext& context,
                                      int inputs) {
  std::vector<Layout> candidates(context.current.begin(), context.current.end());
  candidates.push_back(Layout::rows(plan.shape, context.ranks));
  for (int axis = 0; axis < plan.shape.size(); ++axis) {
    if (!plan.reduced[static_cast<std::size_t>(axis)] && plan.shape[axis] >= context.ranks) {
      candidates.push_back(Layout::along(plan.shape, axis, context.ranks));
    }
  }
  candidates.push_back(Layout::single(plan.shape, context.ranks));
  std::vector<Choice> choices;
  for (auto layout = candidates.begin(); layout != candidates.end(); ++layout) {
    ReductionMode mode{};
    const bool seen = std::find(candidates.begin(), layout, *layout) != layout;
    if (!seen && reduction_mode(plan, *layout, mode)) {
      choices.push_back(make_choice(plan, *layout, mode, inputs));
    }
  }
  return choices;
}

std::string reduction_distribution() {
  return "Taken as the input lies. Where no reduced axis is cut nothing is sent and the result "
         "stays "
         "cut as the input was. Otherwise every rank reduces its part, and the parts' states are "
         "merged in rank order: a result of at most 1 MiB goes to all ranks, a larger one is "
         "spread "
         "along its first axis.";
}

Operation reduction_operation(ReductionSpec spec) {
  const Reduction what = spec.what;
  const bool two = what == Reduction::dot;
  Operation op;
  op.signature.name = spec.name;
  op.signature.inputs.names =
      two ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"x"};
  op.signature.params = reduction_params(has_axes(what));
  op.signature.infer = [spec](const graph::InferContext& context) {
    return infer_reduction(spec, context);
  };
  op.family = "reductions";
  op.summary = spec.summary;
  op.shape_rule = two ? "two tensors of one shape -> a scalar"
                      : "the input's shape without the reduced axes (extent 1 with keepdims)";
  op.types = spec.types;
  op.error_bound = spec.error_bound;
  op.rounding = spec.rounding;
  op.distributed = reduction_distribution();
  op.source = spec.source;
  op.example = spec.example;
  op.choices = [what, two](const graph::Node& node, const ChoiceContext& context) {
    return reduction_choices(plan_reduction(what, node, context.recipe), context, two ? 2 : 1);
  };
  op.emit = [what](const Step& step, Emitter& emitter) {
    emit_reduction(plan_reduction(what, step.node, emitter.recipe()), step, emitter);
  };
  return op;
}

}  // namespace tessera::ops
