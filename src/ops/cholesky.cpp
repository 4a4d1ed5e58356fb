// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "factor.hpp"
#include "ops/factorization.hpp"
#include "ops/panels.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

/// Multiplications and additions of one factorisation.
double flops_of(const Shape& stack) {
  const auto n = static_cast<double>(stack.back());
  return n * n * n / 3 + n * n;
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  refuse_non_matrices(context.inputs[0], "cholesky", true);
  return {context.inputs[0]};
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const graph::TensorInfo& a = node.input_infos[0];
  std::vector<Choice> result;
  for (const Layout& layout : whole_matrix_layouts(a.shape, context)) {
    Choice choice;
    choice.algorithm = whole_matrix_algorithm(layout);
    choice.inputs = {layout};
    choice.outputs = {layout};
    const Shape most = layout.local_extent(0);
    choice.memory_bytes = 4.0 * static_cast<double>(layout.max_local_elements() * size_of(a.dtype));
    choice.flops =
        products_of(a.dtype) * static_cast<double>(matrices_of(layout, 0)) * flops_of(a.shape);
    choice.scratch_bytes = kernels::cholesky_scratch_bytes(context.backend, a.dtype, most, 1);
    result.push_back(choice);
  }
  const double flops = products_of(a.dtype) * flops_of(a.shape);
  if (auto choice = panels_choice(node, context, flops)) result.push_back(*choice);
  return result;
}

Error describe(const std::string& which, std::int64_t column, double /*value*/) {
  Error error(ErrorKind::numerical, which + " is not positive definite");
  error.found("no positive pivot in column " + std::to_string(column));
  return error;
}

void emit(const Step& step, Emitter& emitter) {
  if (uses_panels(step.choice))
    return emit_panels(step, {step.inputs[0], step.outputs[0]}, describe, emitter);
  const Placed in = step.inputs[0];
  const Placed out = step.outputs[0];
  const std::string& name = step.node.name;
  const Shape local = out.layout.local_extent(emitter.rank());
  const std::int64_t bytes = element_count(local) * size_of(out.dtype);
  const FaultBoard board(step, out.layout, out.layout.shape().back(), describe, emitter);
  const BufferId scratch = emitter.scratch(
      name + " scratch",
      kernels::cholesky_scratch_bytes(emitter.backend(), out.dtype, local, emitter.threads()));
  emitter.launch(
      {name,
       {in.buffer},
       {out.buffer, scratch, board.failures(), board.faults()},
       4.0 * static_cast<double>(bytes),
       products_of(out.dtype) * static_cast<double>(matrices_of(out.layout, emitter.rank())) *
           flops_of(out.layout.shape()),
       [=](RunContext& context) {
         const device::Stream stream = context.stream();
         board.clear(context, stream);
         if (!board.finite(context, stream, 0, true) || board.matrices() == 0) return;
         if (in.buffer != out.buffer) {
           device::copy(stream, context.data(out.buffer), context.data(in.buffer), bytes);
         }
         kernels::cholesky(stream, context.tile(out), board.failures(context),
                           context.data(scratch));
         board.collect(context, stream);
       }});
  board.emit_check(emitter);
}

}  // namespace

Operation cholesky_operation() {
  Operation operation;
  operation.signature.name = "cholesky";
  operation.signature.inputs.names = {"a"};
  operation.signature.infer = infer;
  operation.family = "linear algebra";
  operation.summary =
      "The lower triangle L of A = L L^H, of a Hermitian matrix or of each of a stack, with zeros "
      "above; ends with exit code 6 where one isn't positive definite. Only the lower triangle of "
      "A is read.";
  operation.shape_rule = "[..., n, n] -> [..., n, n]";
  operation.types = "float32, float64, complex64, complex128";
  operation.error_bound =
      "|L L^H - A| <= gamma(n + 1) |L| |L^H|, element by element, gamma(k) = k u / (1 - k u) "
      "(Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.3); complex: a small "
      "multiple of it";
  operation.rounding =
      "every element is one chain of fused multiply-adds a = fma(-l, conj(l), a), k ascending "
      "(complex as in matmul), then the root of its real part on the diagonal, divided by that "
      "root below it. All recipes use this order";
  operation.distributed = whole_matrix_distribution() + panels_distribution();
  operation.source =
      "Gustavson, IBM J. Res. Dev. 41 (1997); Golub, Van Loan, Matrix Computations, 4.2";
  operation.example = R"({"op": "cholesky", "in": "a"})";
  operation.choices = choices;
  operation.emit = emit;
  operation.in_place = true;
  return operation;
}

}  // namespace tessera::ops
