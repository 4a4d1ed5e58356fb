// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/mapped_reduction.hpp"

#include "ops/compose.hpp"
#include "ops/formula.hpp"

namespace tessera::ops {

namespace {

ReductionPlan plan_of(const MappedReduction& mapped, const graph::Node& node, Recipe recipe) {
  const DType dtype = node.input_infos[0].dtype;
  ReductionPlan plan = plan_reduction(mapped.what(dtype, recipe), node, recipe);
  const std::string before = mapped.before(dtype, recipe);
  if (!before.empty()) {
    plan.dtype = compile_formula(parse_formula(before, {"x"}), {dtype}).output();
    plan.exact = plan.exact && !is_integer(plan.dtype);
  }
  return plan;
}

std::vector<Choice> choices(const MappedReduction& mapped, const graph::Node& node,
                            const ChoiceContext& context) {
  const DType dtype = node.input_infos[0].dtype;
  const ReductionPlan plan = plan_of(mapped, node, context.recipe);
  std::vector<Choice> result = reduction_choices(plan, context, 1);
  if (mapped.before(dtype, context.recipe).empty()) return result;
  for (Choice& choice : result) {
    const auto elements = static_cast<double>(choice.inputs[0].max_local_elements());
    choice.memory_bytes += elements * static_cast<double>(size_of(dtype) + size_of(plan.dtype));
    choice.flops += elements;
  }
  return result;
}

void emit(const MappedReduction& mapped, const Step& step, Emitter& emitter) {
  Composition steps(step, emitter);
  const graph::Params& params = step.node.params;
  Placed x = step.inputs[0];
  const Placed out = step.outputs[0];
  const NanPolicy policy = nan_policy(params, x.dtype);
  ReductionPlan plan = plan_of(mapped, step.node, emitter.recipe());
  const std::string before = mapped.before(x.dtype, emitter.recipe());
  if (!before.empty()) {
    // NaN are dealt with before the formula hides them.
    if (plan.refuse_nan) emit_nan_refusal(x, step.node.name, emitter);
    plan.refuse_nan = false;
    const bool hides = is_integer(plan.dtype);
    const std::string formula =
        hides && policy == NanPolicy::ignore ? "(" + before + ") * (x == x)" : before;
    if (hides) plan.ignore_nan = false;
    x = steps.map("mapped", formula, {{"x", x}});
  }
  if (mapped.after.empty()) {
    emit_reduction(plan, {step.node, step.choice, {x}, {out}}, emitter);
    return;
  }
  const Placed reduced = emitter.scratch(step.node.name + " reduced",
                                         kernels::reduced_dtype(plan.what, plan.dtype), out.layout);
  emit_reduction(plan, {step.node, step.choice, {x}, {reduced}}, emitter);
  steps.evaluate("finish", mapped.after, {{"r", reduced}}, out);
}

}  // namespace

Operation mapped_reduction_operation(ReductionSpec spec, MappedReduction mapped) {
  Operation operation = reduction_operation(spec);
  operation.signature.infer = [spec, mapped](const graph::InferContext& context) {
    std::vector<graph::TensorInfo> result = infer_reduction(spec, context);
    result[0].dtype = mapped.result(context.inputs[0].dtype);
    return result;
  };
  operation.choices = [mapped](const graph::Node& node, const ChoiceContext& context) {
    return choices(mapped, node, context);
  };
  operation.emit = [mapped](const Step& step, Emitter& emitter) { emit(mapped, step, emitter); };
  return operation;
}

}  // namespace tessera::ops
