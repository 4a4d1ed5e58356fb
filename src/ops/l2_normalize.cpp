// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/axis.hpp"
#include "ops/reduction.hpp"

namespace tessera::ops {

namespace {

using kernels::ReduceTask;
using layout::Layout;

/// The norm along the axis as a reduction that keeps the axis.
ReductionPlan plan_norms(const graph::Node& node, Recipe recipe) {
  const graph::TensorInfo& x = node.input_infos[0];
  const int axis = axis_param(node.params, "axis", x.shape.size());
  ReductionPlan plan{};
  plan.what = kernels::Reduction::norm2;
  plan.dtype = x.dtype;
  plan.exact = recipe == Recipe::bitexact;
  plan.reduced[static_cast<std::size_t>(axis)] = true;
  plan.shape = x.shape;
  plan.result = shape_without(x.shape, plan.reduced, true);
  return plan;
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::TensorInfo& x = context.inputs[0];
  if (is_integer(x.dtype)) {
    throw Error(ErrorKind::graph, "l2_normalize divides")
        .expected("a floating-point or complex type")
        .found(std::string(name_of(x.dtype)))
        .advice("use \"cast\" first");
  }
  axis_param(context.params, "axis", x.shape.size());
  return {x};
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const ReductionPlan plan = plan_norms(node, context.recipe);
  std::vector<Choice> result = reduction_choices(plan, context, 1);
  for (Choice& choice : result) {
    // The elements are read twice and written once; all ranks that share a vector get its norm.
    choice.memory_bytes *= 3;
    if (choice.message_bytes > 0) choice.algorithm = "norms all-reduced";
    choice.outputs = choice.inputs;
  }
  return result;
}

/// What the emitted functions need, by value.
struct Work {
  ReduceTask task;
  double eps = 0;
  std::int64_t words = 0;
  std::int64_t block = 1;
  std::int64_t scratch_bytes = 0;
  int threads = 1;
  BufferId in, out, states, scratch, norms;
};

std::int64_t* states_of(RunContext& context, const Work& work) {
  return reinterpret_cast<std::int64_t*>(context.data(work.states));
}

void run_parts(RunContext& context, const Work& work, std::int64_t first, std::int64_t count) {
  kernels::reduce_parts(context.stream(), work.task, context.data(work.in), nullptr, first, count,
                        states_of(context, work),
                        {context.data(work.scratch), work.scratch_bytes, work.threads});
}

void run_norms(RunContext& context, const Work& work, std::int64_t first, std::int64_t count) {
  kernels::reduce_norms(context.stream(), work.task, first, count, states_of(context, work),
                        work.eps, reinterpret_cast<double*>(context.data(work.norms)));
}

void emit_combined_norms(const Work& work, const Step& step, double part_bytes, Emitter& emitter) {
  const std::string& name = step.node.name;
  const std::int64_t results = work.task.shape.results();
  const DType dtype = work.task.exact ? DType::int64 : DType::float64;
  for (std::int64_t first = 0; first < results; first += work.block) {
    const std::int64_t count = std::min(work.block, results - first);
    const double share = static_cast<double>(count) / static_cast<double>(results);
    const double bytes = 8.0 * static_cast<double>(count * work.words);
    emitter.launch({name + ": squares",
                    {work.in},
                    {work.states, work.scratch},
                    share * part_bytes,
                    0,
                    [=](RunContext& context) { run_parts(context, work, first, count); }});
    emitter.collective({name + ": merge",
                        {work.states},
                        {work.states},
                        2 * bytes,
                        2.0 * std::max(1, emitter.ranks() - 1),
                        [=](RunContext& context) {
                          context.communicator().all_reduce(states_of(context, work),
                                                            count * work.words, dtype,
                                                            comm::ReduceOp::sum);
                        }});
    emitter.launch({name + ": norms",
                    {work.states},
                    {work.states, work.norms},
                    bytes,
                    0,
                    [=](RunContext& context) { run_norms(context, work, first, count); }});
  }
}

void emit(const Step& step, Emitter& emitter) {
  const ReductionPlan plan = plan_norms(step.node, emitter.recipe());
  const Layout& layout = step.inputs[0].layout;
  const std::string& name = step.node.name;
  ReductionMode mode{};
  require(reduction_mode(plan, layout, mode), "a normalisation chose this layout");
  Work work;
  work.task = plan.task(plan.local_extent(layout, emitter.rank(), mode));
  work.eps = step.node.params.real("eps");
  work.words = kernels::reduce_words(work.task);
  const std::int64_t results = work.task.shape.results();
  work.block = std::max<std::int64_t>(1, std::min(results, state_block_bytes / (8 * work.words)));
  work.scratch_bytes =
      kernels::reduce_scratch_bytes(work.task, emitter.backend(), emitter.threads());
  work.in = step.inputs[0].buffer;
  work.out = step.outputs[0].buffer;
  work.states = emitter.scratch(name + " states", results == 0 ? 0 : 8 * work.words * work.block);
  work.threads = emitter.threads();
  work.scratch = emitter.scratch(name + " scratch", work.scratch_bytes);
  work.norms = emitter.scratch(name + " norms", 3 * 8 * results);
  const std::int64_t elements = layout.local_elements(emitter.rank());
  const double bytes = static_cast<double>(elements * size_of(plan.dtype));
  if (mode == ReductionMode::combined) {
    emit_combined_norms(work, step, bytes, emitter);
  } else {
    emitter.launch({name + ": norms",
                    {work.in},
                    {work.states, work.scratch, work.norms},
                    bytes,
                    2.0 * static_cast<double>(elements),
                    [=](RunContext& context) {
                      for (std::int64_t first = 0; first < results; first += work.block) {
                        const std::int64_t count = std::min(work.block, results - first);
                        run_parts(context, work, first, count);
                        run_norms(context, work, first, count);
                      }
                    }});
  }
  emitter.launch({name + ": divide",
                  {work.in, work.norms},
                  {work.out},
                  2 * bytes,
                  static_cast<double>(elements),
                  [=](RunContext& context) {
                    kernels::divide_by_norms(
                        context.stream(), work.task, context.data(work.in),
                        reinterpret_cast<const double*>(context.data(work.norms)),
                        context.data(work.out));
                  }});
}

}  // namespace

Operation l2_normalize_operation() {
  Operation op;
  op.signature.name = "l2_normalize";
  op.signature.inputs.names = {"x"};
  op.signature.params = {
      {.name = "axis",
       .type = graph::ParamType::integer,
       .doc = "The axis that the vectors lie along; a negative one counts from the end.",
       .fallback = graph::ParamValue{std::int64_t{-1}}},
      {.name = "eps",
       .type = graph::ParamType::real,
       .doc = "Norms below this count as this.",
       .fallback = graph::ParamValue{0.0},
       .minimum = 0.0}};
  op.signature.infer = infer;
  op.family = "normalisation";
  op.summary = "Vectors along an axis divided by their Euclidean norm; zero vectors stay zero.";
  op.shape_rule = "same as the input";
  op.types = "float32, float64, complex64, complex128; stays.";
  op.error_bound = "As norm2, and one division in float64.";
  op.rounding =
      "The norm as root * 2^e, 1 <= root < 2, from the exact sum of squares rounded to 53 bits and "
      "its "
      "square root; x * 2^-e divided by root in float64, rounded to the type. Nothing overflows or "
      "underflows on the way.";
  op.distributed =
      "Taken as the input lies. Where the axis is cut the ranks' sums of squares are merged and "
      "every rank divides its part.";
  op.source = "As norm2.";
  op.example = R"({"op": "l2_normalize", "in": "x", "axis": 1})";
  op.choices = choices;
  op.emit = emit;
  op.in_place = true;
  return op;
}

}  // namespace tessera::ops
