// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "factor.hpp"
#include "ops/factorization.hpp"
#include "ops/panels.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

struct Extent {
  std::int64_t rows;
  std::int64_t columns;
  [[nodiscard]] std::int64_t steps() const { return std::min(rows, columns); }
  /// Multiplications and additions of one factorisation.
  [[nodiscard]] double flops() const {
    const auto m = static_cast<double>(rows);
    const auto n = static_cast<double>(columns);
    const auto k = static_cast<double>(steps());
    return 2 * (m * n * k - (m + n) * k * k / 2 + k * k * k / 3);
  }
};

Extent extent_of(const Shape& stack) { return {stack[stack.size() - 2], stack.back()}; }

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::TensorInfo& a = context.inputs[0];
  refuse_non_matrices(a, "lu", false);
  const Extent extent = extent_of(a.shape);
  return {a,
          {DType::int64, leading(a.shape, {extent.steps()})},
          {DType::int64, leading(a.shape, {extent.rows})}};
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const graph::TensorInfo& a = node.input_infos[0];
  std::vector<Choice> result;
  for (const Layout& layout : whole_matrix_layouts(a.shape, context)) {
    Choice choice;
    choice.algorithm = whole_matrix_algorithm(layout);
    choice.inputs = {layout};
    for (const graph::TensorInfo& info : node.output_infos) {
      choice.outputs.push_back(beside(layout, info.shape));
    }
    choice.outputs[0] = layout;
    const Shape most = layout.local_extent(0);
    choice.memory_bytes = 4.0 * static_cast<double>(layout.max_local_elements() * size_of(a.dtype));
    choice.flops = products_of(a.dtype) * static_cast<double>(matrices_of(layout, 0)) *
                   extent_of(a.shape).flops();
    choice.scratch_bytes = kernels::lu_scratch_bytes(context.backend, a.dtype, most, 1);
    result.push_back(choice);
  }
  const double flops = products_of(a.dtype) * extent_of(a.shape).flops();
  if (auto choice = panels_choice(node, context, flops)) result.push_back(*choice);
  return result;
}

Error describe(const std::string& which, std::int64_t column, double /*value*/) {
  Error error(ErrorKind::numerical, which + " is singular");
  error.found("no pivot but zeros in column " + std::to_string(column));
  return error;
}

void emit(const Step& step, Emitter& emitter) {
  if (uses_panels(step.choice))
    return emit_panels(step, {step.inputs[0], step.outputs[0], step.outputs[1], step.outputs[2]},
                       describe, emitter);
  const Placed in = step.inputs[0];
  const Placed out = step.outputs[0];
  const Placed pivots = step.outputs[1];
  const Placed permutation = step.outputs[2];
  const std::string& name = step.node.name;
  const Shape local = out.layout.local_extent(emitter.rank());
  const Extent extent = extent_of(out.layout.shape());
  const std::int64_t batches = matrices_of(out.layout, emitter.rank());
  const std::int64_t bytes = element_count(local) * size_of(out.dtype);
  const FaultBoard board(step, out.layout, out.layout.shape().back(), describe, emitter);
  const BufferId scratch = emitter.scratch(
      name + " scratch",
      kernels::lu_scratch_bytes(emitter.backend(), out.dtype, local, emitter.threads()));
  emitter.launch(
      {name,
       {in.buffer},
       {out.buffer, pivots.buffer, permutation.buffer, scratch, board.failures(), board.faults()},
       4.0 * static_cast<double>(bytes),
       products_of(out.dtype) * static_cast<double>(batches) * extent.flops(),
       [=](RunContext& context) {
         const device::Stream stream = context.stream();
         board.clear(context, stream);
         if (!board.finite(context, stream, 0, false) || board.matrices() == 0) return;
         if (in.buffer != out.buffer) {
           device::copy(stream, context.data(out.buffer), context.data(in.buffer), bytes);
         }
         auto* steps = reinterpret_cast<std::int64_t*>(context.data(pivots.buffer));
         kernels::lu(stream, context.tile(out), steps, board.failures(context),
                     context.data(scratch));
         board.collect(context, stream);
         kernels::permutation_of(stream, batches, extent.rows, extent.steps(), steps,
                                 reinterpret_cast<std::int64_t*>(context.data(permutation.buffer)));
       }});
  board.emit_check(emitter);
}

}  // namespace

Operation lu_operation() {
  Operation operation;
  operation.signature.name = "lu";
  operation.signature.inputs.names = {"a"};
  operation.signature.outputs = {"lu", "pivots", "permutation"};
  operation.signature.infer = infer;
  operation.family = "linear algebra";
  operation.summary =
      "P A = L U with partial pivoting, of a matrix or of each of a stack; ends with exit code 6 "
      "where one is singular. L, whose diagonal of ones isn't stored, lies below U in the result; "
      "\"pivots\" are the rows that changed places with rows 0, 1, ..., as scipy's lu_factor gives "
      "them; \"permutation\" makes a[permutation] = L U.";
  operation.shape_rule =
      "[..., m, n] -> [..., m, n], pivots [..., min(m, n)], permutation [..., m]";
  operation.types = "float32, float64, complex64, complex128; pivots and permutation int64";
  operation.error_bound =
      "|L U - P A| <= gamma(min(m, n)) |L| |U|, element by element, gamma(k) = k u / (1 - k u) "
      "(Higham, Accuracy and Stability of Numerical Algorithms, theorem 9.3); complex: a small "
      "multiple of it";
  operation.rounding =
      "every element is one chain of fused multiply-adds a = fma(-l, u, a), k ascending (complex "
      "as in matmul), below the diagonal divided by the pivot (complex: Smith's algorithm); the "
      "pivot is the first element of the largest magnitude (complex: |re| + |im|). All recipes use "
      "this order";
  operation.distributed = whole_matrix_distribution() + panels_distribution();
  operation.source =
      "Toledo, SIAM J. Matrix Anal. Appl. 18 (1997); Golub, Van Loan, Matrix Computations, 3.4";
  operation.example = R"({"op": "lu", "in": "a"})";
  operation.choices = choices;
  operation.emit = emit;
  operation.in_place = true;
  return operation;
}

}  // namespace tessera::ops
