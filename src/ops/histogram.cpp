// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "histogram.hpp"

#include <cmath>

#include "ops/compose.hpp"

namespace tessera::ops {

namespace {

using kernels::Bins;
using kernels::Reduction;
using layout::Layout;

std::int64_t bins_of(const graph::Params& params) { return params.integer("bins"); }

/// The range as given.
Bins given_bins(const graph::Params& params) {
  const graph::NumberArray& range = params.numbers("range");
  if (range.values.size() != 2 || range.shape.size() != 1 || !std::isfinite(range.values[0]) ||
      !std::isfinite(range.values[1]) || !(range.values[0] < range.values[1]) ||
      !std::isfinite(range.values[1] - range.values[0])) {
    throw Error(ErrorKind::graph, "the range isn't one")
        .expected("[low, high] with finite low < high")
        .found(graph::to_string(range))
        .at(params.place("range"));
  }
  return {bins_of(params), range.values[0], range.values[1]};
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::TensorInfo& x = context.inputs[0];
  if (is_complex(x.dtype)) {
    throw Error(ErrorKind::graph, "complex numbers have no order")
        .expected("real elements for histogram")
        .found(std::string(name_of(x.dtype)))
        .advice("take abs(x), or the real or imaginary part, made by \"map\"");
  }
  if (context.params.has("range")) {
    (void)given_bins(context.params);
  } else if (element_count(x.shape) == 0) {
    throw Error(ErrorKind::graph, "histogram of empty has no range of its own")
        .found("shape " + to_string(x.shape))
        .advice("give it with \"range\"");
  }
  const std::int64_t bins = bins_of(context.params);
  return {{DType::int64, {bins}}, {DType::float64, {bins + 1}}};
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const graph::TensorInfo& x = node.input_infos[0];
  const Layout in =
      context.current[0].is_block() ? context.current[0] : Layout::rows(x.shape, context.ranks);
  Choice choice;
  choice.inputs = {in};
  for (const graph::TensorInfo& info : node.output_infos) {
    choice.outputs.push_back(Layout::replicated(info.shape, context.ranks));
  }
  const bool sent = context.ranks > 1 && !in.is_replicated();
  const int passes = node.params.has("range") ? 1 : 3;
  const auto elements = static_cast<double>(in.max_local_elements());
  choice.algorithm = sent ? "counts all-reduced" : "local";
  choice.memory_bytes = passes * elements * static_cast<double>(size_of(x.dtype)) +
                        16.0 * static_cast<double>(bins_of(node.params));
  choice.flops = 8 * elements;
  if (sent) {
    choice.message_bytes = 16.0 * static_cast<double>(bins_of(node.params));
    choice.messages = 2.0 * (context.ranks - 1);
  }
  return {choice};
}

double read_real(RunContext& context, BufferId buffer) {
  double value = 0;
  device::copy(context.stream(), &value, context.data(buffer), sizeof value);
  device::fence(context.stream());
  return value;
}

/// From the smallest to the largest element, or half a unit around a single value, as numpy.
/// Throws where that is no range.
Bins bins_between(std::int64_t number, double low, double high, const std::string& step) {
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(high - low)) {
    throw Error(ErrorKind::numerical, "the elements have no finite range")
        .found("smallest " + graph::number_text(low) + ", largest " + graph::number_text(high))
        .advice("give it with \"range\"")
        .at({{}, 0, 0, step, {}});
  }
  return low == high ? Bins{number, low - 0.5, high + 0.5} : Bins{number, low, high};
}

void emit(const Step& step, Emitter& emitter) {
  Composition steps(step, emitter);
  const graph::Params& params = step.node.params;
  const Placed x = step.inputs[0];
  const Placed counts = step.outputs[0];
  const Placed edges = step.outputs[1];
  const std::string& name = step.node.name;
  const std::int64_t number = bins_of(params);
  const bool given = params.has("range");
  Placed low, high;
  if (!given) {
    AxisFlags all{};
    all.fill(true);
    // Both as float64 on every rank: all see the same range, and refuse it together.
    const Layout scalar = Layout::replicated({}, emitter.ranks());
    low = emitter.scratch(name + " low", DType::float64, scalar);
    high = emitter.scratch(name + " high", DType::float64, scalar);
    steps.evaluate("low", "float64(r)", {{"r", steps.reduce(Reduction::min, x, all, false)}}, low);
    steps.evaluate("high", "float64(r)", {{"r", steps.reduce(Reduction::max, x, all, false)}},
                   high);
  }
  const std::int64_t elements = x.layout.local_elements(emitter.rank());
  const int threads = emitter.threads();
  const BufferId scratch = emitter.scratch(
      name + " scratch", kernels::histogram_scratch_bytes(number, emitter.backend(), threads));
  const Bins fixed = given ? given_bins(params) : Bins{};
  std::vector<BufferId> reads = {x.buffer};
  if (!given) reads.insert(reads.end(), {low.buffer, high.buffer});
  emitter.launch(
      {name,
       reads,
       {counts.buffer, edges.buffer, scratch},
       static_cast<double>(elements * size_of(x.dtype)) + 16.0 * static_cast<double>(number),
       8.0 * static_cast<double>(elements),
       [=](RunContext& context) {
         const Bins bins = given ? fixed
                                 : bins_between(number, read_real(context, low.buffer),
                                                read_real(context, high.buffer), name);
         kernels::histogram(context.stream(), bins, x.dtype, context.data(x.buffer), elements,
                            reinterpret_cast<std::int64_t*>(context.data(counts.buffer)),
                            context.data(scratch), threads);
         kernels::histogram_edges(context.stream(), bins,
                                  reinterpret_cast<double*>(context.data(edges.buffer)));
       }});
  if (emitter.ranks() == 1 || x.layout.is_replicated()) return;
  emitter.collective({name + ": add counts",
                      {counts.buffer},
                      {counts.buffer},
                      16.0 * static_cast<double>(number),
                      2.0 * (emitter.ranks() - 1),
                      [=](RunContext& context) {
                        device::fence(context.stream());
                        context.communicator().all_reduce(context.data(counts.buffer), number,
                                                          DType::int64, comm::ReduceOp::sum);
                      }});
}

}  // namespace

Operation histogram_operation() {
  Operation operation;
  operation.signature.name = "histogram";
  operation.signature.inputs.names = {"x"};
  operation.signature.params = {
      {.name = "bins",
       .type = graph::ParamType::integer,
       .doc = "The number of bins of equal width.",
       .fallback = graph::ParamValue{std::int64_t{10}},
       .minimum = 1,
       .maximum = 1 << 26},
      {.name = "range",
       .type = graph::ParamType::numbers,
       .doc = "[low, high]: what lies outside isn't counted. From the smallest to the largest "
              "element when left out.",
       .optional = true}};
  operation.signature.outputs = {"counts", "edges"};
  operation.signature.infer = infer;
  operation.family = "reductions";
  operation.summary =
      "How many elements lie in each of a number of intervals, and the intervals' borders. The "
      "last "
      "interval has its upper border, others don't; NaN isn't counted, and is refused (exit 6) "
      "where "
      "the range is that of the elements.";
  operation.shape_rule = "counts: [bins]; edges: [bins + 1]";
  operation.types = "Every real type, compared as float64 -> int64 counts, float64 edges.";
  operation.error_bound = "Exact, given the edges.";
  operation.rounding =
      "edge i = low + i * ((high - low) / bins), each operation rounded, the last is high; an "
      "element is in the bin whose edges it lies between.";
  operation.distributed =
      "Every rank counts its elements, the integer counts are added up; all ranks have the result.";
  operation.example = R"({"op": "histogram", "in": "x", "bins": 20, "range": [0, 1]})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
