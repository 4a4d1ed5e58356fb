// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "solve.hpp"

#include <algorithm>

#include "ops/factorization.hpp"
#include "ops/panels.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

/// b has an axis of right-hand sides, or is a vector per matrix.
bool has_columns(const Shape& a, const Shape& b) { return a.size() == b.size(); }

std::int64_t columns_of(const Shape& a, const Shape& b) { return has_columns(a, b) ? b.back() : 1; }

kernels::SolveMethod method_of(const graph::Params& params) {
  return {.cholesky = params.text("method") == "cholesky", .refine = params.flag("refine")};
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::TensorInfo& a = context.inputs[0];
  const graph::TensorInfo& b = context.inputs[1];
  refuse_non_matrices(a, "solve", true);
  if (a.dtype != b.dtype) {
    throw Error(ErrorKind::graph, "the inputs have two element types")
        .expected("one type")
        .found(std::string(name_of(a.dtype)) + " and " + std::string(name_of(b.dtype)))
        .advice("cast one of them first");
  }
  Shape expected = leading(a.shape, {a.shape.back()});
  if (has_columns(a.shape, b.shape)) expected.push_back(b.shape.back());
  if (b.shape != expected) {
    throw Error(ErrorKind::graph, "b doesn't fit a")
        .expected("shape " + to_string(leading(a.shape, {a.shape.back()})) +
                  ", or right-hand sides along one more axis")
        .found("shapes " + to_string(a.shape) + " and " + to_string(b.shape));
  }
  if (context.params.flag("refine") && size_of(real_of(a.dtype)) == 4) {
    throw Error(ErrorKind::graph, "refine factors in float32 what is given in float64")
        .expected("float64 or complex128")
        .found(std::string(name_of(a.dtype)))
        .at(context.params.place("refine"));
  }
  const graph::TensorInfo report{DType::float64, leading(a.shape, {})};
  return {b, report, report, report};
}

/// Additions and multiplications for one system.
double flops_of(std::int64_t n, std::int64_t columns, const kernels::SolveMethod& method) {
  const auto size = static_cast<double>(n);
  const double factors = size * size * size * (method.cholesky ? 1.0 : 2.0) / 3;
  // Two substitutions and a residual per column, ten substitutions for the condition.
  const double rounds = method.refine ? 3 : 1;
  return factors + size * size * (4 * rounds * static_cast<double>(columns) + 20);
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const graph::TensorInfo& a = node.input_infos[0];
  const graph::TensorInfo& b = node.input_infos[1];
  const kernels::SolveMethod method = method_of(node.params);
  const std::int64_t columns = columns_of(a.shape, b.shape);
  std::vector<Choice> result;
  for (const Layout& layout : whole_matrix_layouts(a.shape, context)) {
    Choice choice;
    choice.algorithm = whole_matrix_algorithm(layout);
    const Layout right = beside(layout, b.shape);
    const Layout report = beside(layout, leading(a.shape, {}));
    choice.inputs = {layout, right};
    choice.outputs = {right, report, report, report};
    const std::int64_t matrices = matrices_of(layout, 0);
    choice.memory_bytes = static_cast<double>(size_of(a.dtype)) *
                          (6.0 * static_cast<double>(layout.max_local_elements()) +
                           3.0 * static_cast<double>(right.max_local_elements()));
    choice.flops = products_of(a.dtype) * static_cast<double>(matrices) *
                   flops_of(a.shape.back(), columns, method);
    choice.scratch_bytes = kernels::solve_scratch_bytes(
        a.dtype, leading(a.shape, {a.shape.back(), a.shape.back()}), columns, method, 1);
    result.push_back(choice);
  }
  const double flops = products_of(a.dtype) * flops_of(a.shape.back(), 0, method);
  if (method.refine) return result;
  if (auto choice = panels_choice(node, context, flops)) {
    // Rank 0 substitutes.
    const Layout right = Layout::single(b.shape, context.ranks);
    const Layout report = Layout::replicated({}, context.ranks);
    choice->inputs = {choice->inputs[0], right};
    choice->outputs = {right, report, report, report};
    choice->flops += products_of(a.dtype) * (flops_of(a.shape.back(), columns, method) -
                                             flops_of(a.shape.back(), 0, method));
    // The factors and a go to rank 0.
    const double others = 1 - 1.0 / context.ranks;
    choice->message_bytes +=
        2 * others * static_cast<double>(element_count(a.shape) * size_of(a.dtype));
    result.push_back(*choice);
  }
  return result;
}

Error describe(const kernels::SolveMethod& method, std::int64_t n, const std::string& which,
               std::int64_t failure, double residual) {
  if (failure == n) {
    Error error(ErrorKind::numerical, "the refinement of " + which + " didn't converge");
    error.expected("a residual of rounding errors after " +
                   std::to_string(kernels::refinement_rounds) + " rounds at most");
    error.found("a scaled residual of " + graph::number_text(residual));
    error.advice("leave \"refine\" out");
    return error;
  }
  Error error(ErrorKind::numerical,
              which + (method.cholesky ? " is not positive definite" : " is singular"));
  error.found((method.cholesky ? "no positive pivot in column " : "no pivot but zeros in column ") +
              std::to_string(failure));
  return error;
}

FaultBoard::Describe describer(const kernels::SolveMethod& method, std::int64_t n) {
  return [method, n](const std::string& which, std::int64_t failure, double residual) {
    return describe(method, n, which, failure, residual);
  };
}

/// The report's numbers as outputs 1, 2 and 3, for this rank's matrices.
void hand_out(RunContext& context, const std::vector<Placed>& out,
              const kernels::SolveReport* reports, std::int64_t matrices) {
  const auto numbers = [&](std::size_t which) {
    return reinterpret_cast<double*>(context.data(out[which].buffer));
  };
  for (std::int64_t i = 0; i < matrices; ++i) {
    numbers(1)[i] = reports[i].residual;
    numbers(2)[i] = reports[i].growth;
    numbers(3)[i] = reports[i].condition;
  }
}

/// Scalars lie on every rank: those of a matrix that only rank 0 has are sent to the others.
void emit_spreading(const Step& step, Emitter& emitter) {
  if (emitter.ranks() == 1 || !step.outputs[1].layout.shape().empty()) return;
  std::vector<BufferId> buffers;
  for (std::size_t which = 1; which < 4; ++which) buffers.push_back(step.outputs[which].buffer);
  emitter.collective({step.node.name + ": spread reports", buffers, buffers, 24,
                      static_cast<double>(emitter.ranks() - 1), [buffers](RunContext& context) {
                        for (const BufferId buffer : buffers) {
                          context.communicator().broadcast(context.data(buffer), 8, 0);
                        }
                      }});
}

/// All ranks factor, rank 0 substitutes.
void emit_with_panels(const Step& step, Emitter& emitter) {
  const Placed a = step.inputs[0];
  const Placed b = step.inputs[1];
  const std::vector<Placed> out = step.outputs;
  const std::string& name = step.node.name;
  const kernels::SolveMethod method = method_of(step.node.params);
  const Shape& shape = a.layout.shape();
  const std::int64_t n = shape.back();
  const std::int64_t columns = columns_of(shape, b.layout.shape());
  const int threads = emitter.threads();
  const Layout single = Layout::single(shape, emitter.ranks());
  const Placed factors = emitter.scratch(name + " factors", a.dtype, single);
  PanelTensors tensors{a, factors};
  if (!method.cholesky) {
    tensors.pivots =
        emitter.scratch(name + " pivots", DType::int64, Layout::replicated({n}, emitter.ranks()));
  }
  emit_panels(step, tensors, describer(method, n), emitter);
  const Placed whole = emitter.scratch(name + " whole", a.dtype, single);
  emitter.redistribute(a, whole, name + ": gather a");
  if (emitter.rank() == 0) {
    const BufferId scratch = emitter.scratch(
        name + " scratch", kernels::solve_factored_bytes(a.dtype, n, columns, method, threads));
    std::vector<BufferId> reads = {whole.buffer, factors.buffer, b.buffer};
    if (tensors.pivots) reads.push_back(tensors.pivots->buffer);
    std::vector<BufferId> writes = {scratch};
    for (const Placed& placed : out) writes.push_back(placed.buffer);
    Launch launch;
    launch.label = name + ": substitute";
    launch.reads = reads;
    launch.writes = writes;
    launch.bytes = 12.0 * static_cast<double>(n * n * size_of(a.dtype));
    launch.flops = products_of(a.dtype) * (flops_of(n, columns, method) - flops_of(n, 0, method) +
                                           20.0 * static_cast<double>(n * n));
    launch.run = [=](RunContext& context) {
      const auto right = [&](const Placed& placed) {
        return dense_tile(context.data(placed.buffer), placed.dtype, Box::whole({n, columns}),
                          {n, columns});
      };
      kernels::KnownFactors known{context.data(factors.buffer), nullptr};
      if (tensors.pivots) {
        known.pivots = reinterpret_cast<std::int64_t*>(context.data(tensors.pivots->buffer));
      }
      kernels::SolveReport report;
      kernels::solve_factored(context.tile(whole), known, right(b), right(out[0]), method, threads,
                              report, context.data(scratch));
      hand_out(context, out, &report, 1);
    };
    emitter.launch(std::move(launch));
  }
  emit_spreading(step, emitter);
}

void emit(const Step& step, Emitter& emitter) {
  if (uses_panels(step.choice)) return emit_with_panels(step, emitter);
  const Placed a = step.inputs[0];
  const Placed b = step.inputs[1];
  const std::vector<Placed> out = step.outputs;
  const std::string& name = step.node.name;
  const kernels::SolveMethod method = method_of(step.node.params);
  const std::int64_t n = a.layout.shape().back();
  const std::int64_t columns = columns_of(a.layout.shape(), b.layout.shape());
  const int threads = emitter.threads();
  const FaultBoard board(step, a.layout, n, describer(method, n), emitter);
  const std::int64_t matrices = board.matrices();
  const std::int64_t room = matrices == 0 ? 0
                                          : kernels::solve_scratch_bytes(a.dtype, {matrices, n, n},
                                                                         columns, method, threads);
  const BufferId scratch = emitter.scratch(name + " scratch", room);
  const BufferId reports = emitter.scratch(
      name + " reports", matrices * static_cast<std::int64_t>(sizeof(kernels::SolveReport)));
  std::vector<BufferId> writes = {scratch, reports, board.failures(), board.faults()};
  for (const Placed& placed : out) writes.push_back(placed.buffer);
  const auto elements = static_cast<double>(matrices * n);
  Launch launch;
  launch.label = name;
  launch.reads = {a.buffer, b.buffer};
  launch.writes = writes;
  launch.bytes =
      static_cast<double>(size_of(a.dtype)) * elements * static_cast<double>(6 * n + 3 * columns);
  launch.flops =
      products_of(a.dtype) * static_cast<double>(matrices) * flops_of(n, columns, method);
  launch.on_host = true;
  launch.run = [=](RunContext& context) {
    const device::Stream host;
    board.clear(context, host);
    const bool finite =
        board.finite(context, host, 0, method.cholesky) && board.finite(context, host, 1, false);
    if (!finite || matrices == 0) return;
    const auto stack = [&](const Placed& placed, std::int64_t width) {
      const Shape shape{matrices, n, width};
      return dense_tile(context.data(placed.buffer), placed.dtype, Box::whole(shape), shape);
    };
    auto* report = reinterpret_cast<kernels::SolveReport*>(context.data(reports));
    kernels::solve(host, stack(a, n), stack(b, columns), stack(out[0], columns), method, threads,
                   report, board.failures(context), context.data(scratch));
    hand_out(context, out, report, matrices);
    board.collect(context, host, reinterpret_cast<const double*>(context.data(out[1].buffer)));
  };
  emitter.launch(std::move(launch));
  board.emit_check(emitter);
  if (!a.layout.is_replicated()) emit_spreading(step, emitter);
}

}  // namespace

Operation solve_operation() {
  Operation operation;
  operation.signature.name = "solve";
  operation.signature.inputs.names = {"a", "b"};
  operation.signature.params = {
      {.name = "method",
       .type = graph::ParamType::text,
       .doc = "\"lu\" with partial pivoting, or \"cholesky\" for a Hermitian positive definite a, "
              "of which the lower triangle is read.",
       .fallback = graph::ParamValue{std::string("lu")},
       .choices = {"lu", "cholesky"}},
      {.name = "refine",
       .type = graph::ParamType::boolean,
       .doc = "Factor in float32 and refine x to float64; a refinement that doesn't converge ends "
              "the run.",
       .fallback = graph::ParamValue{false}}};
  operation.signature.outputs = {"x", "residual", "growth", "condition"};
  operation.signature.infer = infer;
  operation.family = "linear algebra";
  operation.summary =
      "The x of a x = b, for one or many right-hand sides, of a system or of each of a stack; ends "
      "with exit code 6 where a is singular or not positive definite. \"residual\" is HPL's, "
      "|b - a x| / (n u (|a| |x| + |b|)) in the largest norm, and at most 16 for a good solution; "
      "\"growth\" is max |u| / max |a|; \"condition\" an estimate of the condition in the 1-norm.";
  operation.shape_rule =
      "[..., n, n] and [..., n] or [..., n, r] -> as b; residual, growth, condition [...]";
  operation.types = "float32, float64, complex64, complex128, one for both; the reports float64";
  operation.error_bound =
      "(a + E) x = b with |E| <= gamma(3 n) |L| |U|, element by element, gamma(k) = k u / (1 - k "
      "u) (Higham, Accuracy and Stability of Numerical Algorithms, theorem 9.4); refined: "
      "|b - a x| <= sqrt(n) u |a| |x| in the largest norm";
  operation.rounding =
      "the factors as in lu and cholesky; every unknown is one chain of fused multiply-adds from "
      "its right-hand side, k ascending with L and descending with an upper triangle, then divided "
      "by the diagonal (complex: Smith's algorithm). Sums in the reports: float64, 16 interleaved "
      "lanes folded pairwise. All recipes use this order";
  operation.distributed = whole_matrix_distribution() + panels_distribution() +
                          ", and rank 0, to which the factors go, substitutes";
  operation.source =
      "Higham, ACM TOMS 14 (1988) and the book above, algorithm 15.4 (condition); Buttari, "
      "Dongarra "
      "et al., ACM TOMS 34 (2008) (refinement); Petitet et al., HPL (residual)";
  operation.example = R"({"op": "solve", "in": ["a", "b"]})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
