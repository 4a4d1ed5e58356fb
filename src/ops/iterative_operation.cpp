// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// The description of an iterative solver: types and shapes, and the layouts that it can work in.
#include <algorithm>
#include <utility>

#include "ops/iterative.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

/// A layout of the systems' results beside x: without the axis of rows.
Layout beside(const Shape& shape, const Layout& x, int rows_axis, int trailing) {
  const int ranks = x.ranks();
  if (ranks == 1) return Layout::rows(shape, 1);
  if (x.is_replicated() || x.split_axis() == rows_axis) return Layout::replicated(shape, ranks);
  std::vector<layout::AxisSplit> splits = x.splits();
  splits.erase(splits.begin() + rows_axis);
  splits.resize(splits.size() + static_cast<std::size_t>(trailing));
  return {shape, std::move(splits), ranks};
}

/// Where A lies beside x.
Layout matrix_layout(const SystemShape& shape, const Layout& x) {
  const int ranks = x.ranks();
  if (ranks == 1) return Layout::rows(shape.a, 1);
  const int axis = x.split_axis();
  if (x.is_replicated() || axis > shape.rows_axis()) return Layout::replicated(shape.a, ranks);
  return Layout::along(shape.a, axis, ranks);
}

std::vector<Layout> cuts_of(const SystemShape& shape, int ranks) {
  if (ranks == 1) return {Layout::rows(shape.b, 1)};
  std::vector<Layout> cuts;
  // Every rank needs all systems' norms: they must be few enough to be given to all.
  if (element_count(shape.systems()) * 16 <= replicated_bytes) {
    cuts.push_back(Layout::along(shape.b, shape.rows_axis(), ranks));
  }
  for (int axis = 0; axis < shape.b.size(); ++axis) {
    if (axis != shape.rows_axis() && shape.b[axis] > 1) {
      cuts.push_back(Layout::along(shape.b, axis, ranks));
    }
  }
  cuts.push_back(Layout::replicated(shape.b, ranks));
  return cuts;
}

/// What the busiest rank does in so many iterations.
void add_costs(const SystemShape& shape, double turns, Choice& choice) {
  const Layout& x = choice.outputs[0];
  const auto size = static_cast<double>(size_of(shape.dtype));
  const auto a = static_cast<double>(choice.inputs[0].max_local_elements());
  const auto vector = static_cast<double>(x.max_local_elements());
  const auto columns = vector / std::max(1.0, a / std::max(1.0, static_cast<double>(shape.n())));
  choice.memory_bytes = (turns + 1) * size * (a + 12 * vector);
  choice.flops = (turns + 1) * (is_complex(shape.dtype) ? 8 : 2) * (a * columns + 6 * vector);
  choice.scratch_bytes = static_cast<std::int64_t>(4 * size * vector);
  if (x.ranks() == 1 || x.split_axis() != shape.rows_axis()) return;
  const auto others = static_cast<double>(x.ranks() - 1);
  const auto systems = static_cast<double>(element_count(shape.systems()));
  // x is gathered, and two reductions are shared, in every iteration.
  choice.message_bytes = turns * (size * vector * others + 2 * 2 * 8 * systems);
  choice.messages = turns * (others + 2 * 2 * others);
}

std::string algorithm_of(const SystemShape& shape, const Layout& x) {
  if (x.ranks() == 1) return "local";
  if (x.is_replicated()) return "every rank";
  if (x.split_axis() == shape.rows_axis()) return "rows, x gathered";
  return "a rank's own systems";
}

std::vector<Choice> choices(
    const graph::Node& node, const ChoiceContext& context,
    const std::function<double(const IterationLimits&, std::int64_t)>& turns) {
  const SystemShape shape = system_shape(node.input_infos);
  const IterationLimits limits = iteration_limits(node.params);
  const double expected = std::min(turns(limits, shape.n()), static_cast<double>(limits.most));
  std::vector<Choice> result;
  for (const Layout& x : cuts_of(shape, context.ranks)) {
    Choice choice;
    choice.algorithm = algorithm_of(shape, x);
    choice.inputs = {matrix_layout(shape, x), x};
    if (node.inputs.size() == 3) choice.inputs.push_back(x);
    const int axis = shape.rows_axis();
    choice.outputs = {x, beside(node.output_infos[1].shape, x, axis, 1),
                      beside(shape.systems(), x, axis, 0), beside(shape.systems(), x, axis, 0)};
    add_costs(shape, expected, choice);
    result.push_back(std::move(choice));
  }
  return result;
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const SystemShape shape = system_shape(context.inputs);
  Shape history = shape.systems();
  history.push_back(context.params.integer("max_iterations") + 1);
  return {context.inputs[1],
          {DType::float64, history},
          {DType::int64, shape.systems()},
          {DType::float64, shape.systems()}};
}

std::vector<graph::ParamSpec> params() {
  using graph::ParamType;
  using graph::ParamValue;
  return {{.name = "tolerance",
           .type = ParamType::real,
           .doc = "A system is solved when its relative residual |b - A x| / |b| is at most this.",
           .fallback = ParamValue{1e-5},
           .minimum = 0.0},
          {.name = "max_iterations",
           .type = ParamType::integer,
           .doc = "A system that takes more is not converged.",
           .fallback = ParamValue{std::int64_t{1000}},
           .minimum = 0.0,
           .maximum = 1e9},
          {.name = "allow_unconverged",
           .type = ParamType::boolean,
           .doc = "Go on with what was reached instead of ending the run with exit code 6; see the "
                  "output residual.",
           .fallback = ParamValue{false}}};
}

}  // namespace

SystemShape system_shape(const std::vector<graph::TensorInfo>& inputs) {
  const graph::TensorInfo& a = inputs[0];
  const graph::TensorInfo& b = inputs[1];
  if (is_integer(a.dtype) || a.dtype != b.dtype) {
    throw Error(ErrorKind::graph, "the matrix and the right-hand side need one floating-point type")
        .expected("float32, float64, complex64 or complex128, for both")
        .found(std::string(name_of(a.dtype)) + " and " + std::string(name_of(b.dtype)))
        .advice("use \"cast\" first");
  }
  const int axes = a.shape.size();
  if (axes < 2 || a.shape[axes - 1] != a.shape[axes - 2]) {
    throw Error(ErrorKind::graph, "the matrix isn't square")
        .expected("shape [..., n, n]")
        .found("shape " + to_string(a.shape));
  }
  SystemShape shape{a.dtype, a.shape, b.shape, b.shape.size() == axes - 1};
  bool fits = shape.vector || b.shape.size() == axes;
  for (int axis = 0; fits && axis <= shape.rows_axis(); ++axis) {
    fits = a.shape[axis] == b.shape[axis];
  }
  if (!fits) {
    throw Error(ErrorKind::graph, "the right-hand side doesn't fit the matrix")
        .expected("[..., n], or [..., n, m], for a matrix of shape " + to_string(a.shape))
        .found("shape " + to_string(b.shape));
  }
  if (inputs.size() == 3 && inputs[2] != b) {
    throw Error(ErrorKind::graph, "x0 doesn't fit the right-hand side")
        .expected(std::string(name_of(b.dtype)) + " " + to_string(b.shape))
        .found(std::string(name_of(inputs[2].dtype)) + " " + to_string(inputs[2].shape));
  }
  return shape;
}

Operation iterative_operation(const std::string& name,
                              std::function<double(const IterationLimits&, std::int64_t n)> turns,
                              std::function<void(const Step&, Emitter&)> emit) {
  Operation operation;
  operation.signature.name = name;
  operation.signature.inputs = {.names = {"a", "b", "x0"}, .named = true, .optional = 1};
  operation.signature.params = params();
  operation.signature.outputs = {"x", "history", "iterations", "residual"};
  operation.signature.infer = infer;
  operation.family = "linear algebra";
  operation.shape_rule =
      "a [..., n, n], b and x0 [..., n] or [..., n, m] -> x like b; iterations (int64) and "
      "residual "
      "(float64) [...] or [..., m]; history (float64) with one more axis of max_iterations + 1: "
      "the "
      "relative residual before the first iteration and after each, NaN after the last";
  operation.types = "float32, float64, complex64, complex128; one type for a, b, x0 and x";
  operation.distributed =
      "Rows of A and x on the ranks, x gathered and norms shared in every iteration; or whole "
      "systems, or columns of b, on the ranks, which then iterate on their own; small systems on "
      "every rank";
  operation.example = R"({"op": ")" + name + R"(", "in": ["a", "b"]})";
  operation.choices = [turns = std::move(turns)](const graph::Node& node,
                                                 const ChoiceContext& context) {
    return choices(node, context, turns);
  };
  operation.emit = std::move(emit);
  return operation;
}

}  // namespace tessera::ops
