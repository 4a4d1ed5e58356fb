// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/compose.hpp"

#include "ops/elementwise.hpp"
#include "ops/formula.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

kernels::Program program_of(const std::string& formula,
                            const std::vector<Composition::Named>& inputs) {
  std::vector<std::string> names;
  std::vector<DType> types;
  for (const auto& [name, placed] : inputs) {
    names.push_back(name);
    types.push_back(placed.dtype);
  }
  return compile_formula(parse_formula(formula, names), types);
}

/// Whether every rank holds the same elements either way.
bool same_parts(const Layout& a, const Layout& b) {
  if (a == b) return true;
  if (!a.is_block() || !b.is_block()) return false;
  for (Rank rank = 0; rank < a.ranks(); ++rank) {
    if (a.box(rank) != b.box(rank)) return false;
  }
  return true;
}

}  // namespace

NanPolicy nan_policy(const graph::Params& params, DType dtype) {
  const std::string text =
      params.has("nan") && !is_integer(dtype) ? params.text("nan") : "propagate";
  return text == "ignore"  ? NanPolicy::ignore
         : text == "error" ? NanPolicy::error
                           : NanPolicy::propagate;
}

Placed Composition::beside(const Placed& placed, const Placed& output) {
  const Layout wanted = broadcast_layout(placed.layout.shape(), output.layout);
  if (same_parts(placed.layout, wanted)) return placed;
  const Placed moved = emitter_.scratch(step_.node.name + " spread", placed.dtype, wanted);
  emitter_.redistribute(placed, moved, step_.node.name + ": spread");
  return moved;
}

void Composition::evaluate(const std::string& label, const std::string& formula,
                           const std::vector<Named>& inputs, const Placed& output) {
  const kernels::Program program = program_of(formula, inputs);
  require(program.output() == output.dtype, "a formula has the type of its output");
  std::vector<Placed> placed;
  for (const auto& [name, input] : inputs) placed.push_back(beside(input, output));
  emit_program(step_.node.name + ": " + label, program, placed, output, BufferId(), emitter_);
}

Placed Composition::map(const std::string& label, const std::string& formula,
                        const std::vector<Named>& inputs) {
  const Placed output =
      emitter_.scratch(step_.node.name + " " + label, program_of(formula, inputs).output(),
                       inputs.front().second.layout);
  evaluate(label, formula, inputs, output);
  return output;
}

Placed Composition::reduce(kernels::Reduction what, const Placed& in, const AxisFlags& axes,
                           bool keepdims, NanPolicy policy) {
  ReductionPlan plan =
      plan_reduction(what, {in.dtype, in.layout.shape()}, axes, keepdims, emitter_.recipe());
  plan.ignore_nan = policy == NanPolicy::ignore;
  plan.refuse_nan = policy == NanPolicy::error;
  return reduce(plan, {in});
}

Placed Composition::dot(const Placed& a, const Placed& b, const AxisFlags& axes, bool keepdims) {
  return reduce(plan_reduction(kernels::Reduction::dot, {a.dtype, a.layout.shape()}, axes, keepdims,
                               emitter_.recipe()),
                {a, b});
}

Placed Composition::reduce(const ReductionPlan& plan, const std::vector<Placed>& inputs) {
  const Placed out =
      emitter_.scratch(step_.node.name + " reduced", kernels::reduced_dtype(plan.what, plan.dtype),
                       result_layout(plan, inputs.front().layout));
  emit_reduction(plan, {step_.node, step_.choice, inputs, {out}}, emitter_);
  return out;
}

}  // namespace tessera::ops
