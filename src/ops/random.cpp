// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "random.hpp"

#include <algorithm>
#include <cmath>

#include "ops/generator.hpp"

namespace tessera::ops {

namespace {

using kernels::Distribution;

/// The two numbers of the distribution: each has parameters of its own.
void refuse_foreign_params(const graph::Params& params, const std::string& distribution,
                           const std::vector<std::string>& foreign) {
  for (const std::string& name : foreign) {
    if (!params.has(name)) continue;
    throw Error(ErrorKind::graph,
                "\"" + name + "\" isn't a parameter of the " + distribution + " distribution")
        .advice(distribution == "uniform" ? "it has \"low\" and \"high\""
                                          : "it has \"mean\" and \"deviation\"")
        .at(params.place(name));
  }
}

double real_or(const graph::Params& params, const std::string& name, double fallback) {
  return params.has(name) ? params.real(name) : fallback;
}

kernels::RandomTask task_of(const graph::Params& params) {
  kernels::RandomTask task;
  const bool uniform = params.text("distribution") == "uniform";
  task.distribution = uniform ? Distribution::uniform : Distribution::normal;
  task.seed = static_cast<std::uint64_t>(params.integer("seed"));
  task.stream = static_cast<std::uint64_t>(params.integer("stream"));
  task.a = uniform ? real_or(params, "low", 0) : real_or(params, "mean", 0);
  task.b = uniform ? real_or(params, "high", 1) : real_or(params, "deviation", 1);
  return task;
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::Params& params = context.params;
  const kernels::RandomTask task = task_of(params);
  const DType dtype = *dtype_named(params.text("dtype"));
  const double largest = dtype == DType::float32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
  const auto fits = [&](double value) { return std::fabs(value) <= largest; };
  if (task.distribution == Distribution::uniform) {
    refuse_foreign_params(params, "uniform", {"mean", "deviation"});
    if (!fits(task.a) || !fits(task.b) || !fits(task.b - task.a) || task.a > task.b) {
      throw Error(ErrorKind::graph, "the range isn't one")
          .expected("finite numbers low <= high of type " + std::string(name_of(dtype)))
          .found("low " + graph::number_text(task.a) + ", high " + graph::number_text(task.b))
          .at(params.place(params.has("low") ? "low" : "high"));
    }
  } else {
    refuse_foreign_params(params, "normal", {"low", "high"});
    if (!fits(task.a) || !fits(task.b) || task.b < 0) {
      throw Error(ErrorKind::graph, "the distribution isn't one")
          .expected("a finite mean and a finite deviation of at least 0")
          .found("mean " + graph::number_text(task.a) + ", deviation " + graph::number_text(task.b))
          .at(params.place(params.has("deviation") ? "deviation" : "mean"));
    }
  }
  return {{dtype, shape_param(params)}};
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const bool uniform = node.params.text("distribution") == "uniform";
  return generator_choices(node, context, uniform ? 20 : 60);
}

void emit(const Step& step, Emitter& emitter) {
  const Placed out = step.outputs[0];
  const kernels::RandomTask task = task_of(step.node.params);
  const layout::Layout& layout = out.layout;
  const Box box = layout.box(emitter.rank());
  const std::int64_t count = box.elements();
  const std::int64_t first = count == 0 ? 0 : offset_in(box, Box::whole(layout.shape()));
  emitter.launch({"random",
                  {},
                  {out.buffer},
                  static_cast<double>(count * size_of(out.dtype)),
                  step.choice.flops,
                  [out, task, first, count](RunContext& context) {
                    kernels::RandomTask mine = task;
                    mine.stream |= static_cast<std::uint64_t>(context.item()) << 32;
                    kernels::random(context.stream(), mine, first, count, out.dtype,
                                    context.data(out.buffer));
                  }});
}

}  // namespace

Operation random_operation() {
  Operation operation;
  operation.signature.name = "random";
  operation.signature.params = {
      shape_spec(),
      {.name = "seed",
       .type = graph::ParamType::integer,
       .doc = "which sequence of numbers: equal seeds give equal numbers",
       .fallback = std::int64_t{0}},
      {.name = "stream",
       .type = graph::ParamType::integer,
       .doc = "an independent sequence of the same seed",
       .fallback = std::int64_t{0},
       .minimum = 0,
       .maximum = 4294967295.0},
      {.name = "distribution",
       .type = graph::ParamType::text,
       .doc = "uniform in [low, high), or normal",
       .fallback = std::string("uniform"),
       .choices = {"uniform", "normal"}},
      {.name = "low", .doc = "uniform: the lowest number; 0 when left out", .optional = true},
      {.name = "high",
       .doc = "uniform: the border that no number reaches; 1 when left out",
       .optional = true},
      {.name = "mean", .doc = "normal: the mean; 0 when left out", .optional = true},
      {.name = "deviation",
       .doc = "normal: the standard deviation; 1 when left out",
       .optional = true},
      {.name = "dtype",
       .type = graph::ParamType::text,
       .doc = "the element type of the result",
       .fallback = std::string("float64"),
       .choices = {"float32", "float64"}}};
  operation.signature.infer = infer;
  operation.family = "data";
  operation.summary =
      "Random numbers that depend on the seed and on their index alone; in a batched graph also on "
      "the item's number.";
  operation.shape_rule = "as given";
  operation.types = "float32 or float64";
  operation.error_bound =
      "uniform: multiples of 2^-53 (float32: 2^-24) of the range; normal: 2 ULP of float64, up to "
      "8.6 (float32: 6.7) deviations from the mean";
  operation.rounding =
      "counter m = index / 2 (float32: / 4) of Philox4x32-10 gives the bits, lowest word first; "
      "uniform: u = top bits 2^-53, fma(high - low, u, low), the number below high where that "
      "rounds to high; normal: r = sqrt(-2 ln u), fma(deviation, r cos(2 pi v), mean) and the same "
      "with the sine, in float64";
  operation.distributed = "every rank computes its rows; nothing is sent";
  operation.source =
      "J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC11; G. E. P. Box, M. E. "
      "Muller, Ann. Math. Statist. 29 (1958)";
  operation.example = R"({"op": "random", "shape": [3, 4], "seed": 7, "distribution": "normal"})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
