// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/moments.hpp"

#include "ops/compose.hpp"

namespace tessera::ops {

namespace {

using kernels::Reduction;

/// One pass over real elements; complex ones, and the recipe bitexact, take the mean first.
bool in_one_pass(DType dtype, Recipe recipe) {
  return recipe != Recipe::bitexact && !is_complex(dtype);
}

/// The plan by which layouts are chosen.
ReductionPlan outer_plan(Reduction what, const graph::Node& node, Recipe recipe) {
  const bool one_pass = in_one_pass(node.input_infos[0].dtype, recipe);
  ReductionPlan plan = plan_reduction(one_pass ? what : Reduction::norm2, node, recipe);
  if (is_integer(plan.dtype)) plan.dtype = DType::float64;
  plan.ddof = node.params.real("ddof");
  return plan;
}

std::vector<Choice> choices(Reduction what, const graph::Node& node, const ChoiceContext& context) {
  std::vector<Choice> result =
      reduction_choices(outer_plan(what, node, context.recipe), context, 1);
  if (in_one_pass(node.input_infos[0].dtype, context.recipe)) return result;
  for (Choice& choice : result) {
    choice.algorithm += ", mean first";
    choice.memory_bytes *= 4;  // mean, deviations read and written, their squares
    choice.message_bytes *= 2;
    choice.messages *= 2;
  }
  return result;
}

void emit(Reduction what, const Step& step, Emitter& emitter) {
  Composition steps(step, emitter);
  const graph::Params& params = step.node.params;
  Placed x = step.inputs[0];
  const Placed out = step.outputs[0];
  const NanPolicy policy = nan_policy(params, x.dtype);
  const bool one_pass = in_one_pass(x.dtype, emitter.recipe());
  const ReductionPlan plan = outer_plan(what, step.node, emitter.recipe());
  if (is_integer(x.dtype)) x = steps.map("as float64", "float64(x)", {{"x", x}});
  if (one_pass) {
    emit_reduction(plan, {step.node, step.choice, {x}, {out}}, emitter);
    return;
  }
  const Placed mean = steps.reduce(Reduction::mean, x, plan.reduced, true, policy);
  const Placed deviations = steps.map("deviations", "x - m", {{"x", x}, {"m", mean}});
  const NanPolicy later = policy == NanPolicy::ignore ? policy : NanPolicy::propagate;
  const bool keepdims = keeps_dims(params);
  const Placed norm = steps.reduce(Reduction::norm2, deviations, plan.reduced, keepdims, later);
  std::int64_t elements = 1;
  for (int axis = 0; axis < plan.shape.size(); ++axis) {
    if (plan.reduced[static_cast<std::size_t>(axis)]) elements *= plan.shape[axis];
  }
  // The squares' sum may leave the range where the variance doesn't.
  const std::string type(name_of(out.dtype));
  const std::string count = std::to_string(elements) + ".0 - " + graph::number_text(plan.ddof);
  const std::string freedom =
      policy == NanPolicy::ignore ? "(" + count + " - float64(c))" : "(" + count + ")";
  const std::string value = what == Reduction::var ? "float64(r) / " + freedom + " * float64(r)"
                                                   : "float64(r) / sqrt(" + freedom + ")";
  std::vector<Composition::Named> inputs = {{"r", norm}};
  if (policy == NanPolicy::ignore) {
    inputs.emplace_back("c", steps.reduce(Reduction::count_nan, x, plan.reduced, keepdims));
  }
  steps.evaluate("finish", type + "(where(" + freedom + " > 0, " + value + ", nan))", inputs, out);
}

}  // namespace

Operation moments_operation(ReductionSpec spec) {
  const Reduction what = spec.what;
  Operation operation;
  operation.signature.name = spec.name;
  operation.signature.inputs.names = {"x"};
  operation.signature.params = reduction_params(true);
  operation.signature.params.push_back(
      {.name = "ddof",
       .type = graph::ParamType::real,
       .doc = "Degrees of freedom taken off the number of elements in the divisor: 0 for the "
              "variance of the elements, 1 for the estimate of what they are a sample of.",
       .fallback = graph::ParamValue{0.0}});
  operation.signature.infer = [spec](const graph::InferContext& context) {
    return infer_reduction(spec, context);
  };
  operation.family = "reductions";
  operation.summary = spec.summary;
  operation.shape_rule = "the input's shape without the reduced axes (extent 1 with keepdims)";
  operation.types = spec.types;
  operation.error_bound = spec.error_bound;
  operation.rounding = spec.rounding;
  operation.distributed = reduction_distribution();
  operation.source = spec.source;
  operation.example = spec.example;
  operation.choices = [what](const graph::Node& node, const ChoiceContext& context) {
    return choices(what, node, context);
  };
  operation.emit = [what](const Step& step, Emitter& emitter) { emit(what, step, emitter); };
  return operation;
}

}  // namespace tessera::ops
