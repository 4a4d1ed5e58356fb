// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/operation.hpp"

// What the factorisations and the solver share: stacks of matrices, the last two axes of a tensor.
namespace tessera::ops {

/// Throws Error(graph) where the input isn't a stack of (square) matrices of floating-point or
/// complex numbers.
void refuse_non_matrices(const graph::TensorInfo& a, const std::string& operation, bool square);

/// The layouts in which every matrix of the stack lies whole on a rank: as it lies, cut along one
/// of the leading axes, all on rank 0.
[[nodiscard]] std::vector<layout::Layout> whole_matrix_layouts(const Shape& stack,
                                                               const ChoiceContext& context);

/// The layout of a tensor with the stack's leading axes and others behind them.
[[nodiscard]] layout::Layout beside(const layout::Layout& stack, const Shape& shape);

/// The shape of the leading axes, and `last` behind them.
[[nodiscard]] Shape leading(const Shape& stack, const Shape& last);

/// How many matrices the rank holds.
[[nodiscard]] std::int64_t matrices_of(const layout::Layout& layout, Rank rank);

/// "local", "one matrix a rank at a time", ... for the plan.
[[nodiscard]] std::string whole_matrix_algorithm(const layout::Layout& layout);
/// How whole matrices are distributed, for the operations' pages.
[[nodiscard]] std::string whole_matrix_distribution();

/// 4 for complex numbers, 1 for real ones: multiplications per product.
[[nodiscard]] double products_of(DType dtype);

/// How the factorisation of a rank's matrices ended. Collected on the rank, told by
/// `emit_fault_check`.
class FaultBoard {
 public:
  /// `layout` of the stack; `what` ends the sentence "the matrix is ..." ("singular").
  FaultBoard(const Step& step, const layout::Layout& layout, std::string what, std::string why,
             Emitter& emitter);

  [[nodiscard]] BufferId failures() const { return failures_; }
  [[nodiscard]] BufferId faults() const { return faults_; }
  [[nodiscard]] std::int64_t* failures(RunContext& context) const {
    return reinterpret_cast<std::int64_t*>(context.data(failures_));
  }

  /// Notes the first element of the rank's tile that isn't finite. False if there is one, or if the
  /// rank has no matrix: nothing is to be computed.
  bool all_finite(RunContext& context, const Placed& stack, bool lower) const;
  /// Notes the first matrix whose factorisation failed.
  void collect(RunContext& context) const;
  /// All ranks learn of the lowest element that isn't finite or else the lowest matrix that failed,
  /// and end.
  void emit_check(Emitter& emitter) const;

 private:
  [[nodiscard]] std::optional<Error> error_of(std::int64_t not_finite, std::int64_t failure) const;

  std::string name_;
  std::string what_;
  std::string why_;
  layout::Layout layout_;
  int ranks_;
  std::int64_t matrices_;  ///< of this rank
  std::int64_t columns_;
  BufferId failures_;
  BufferId faults_;
};

}  // namespace tessera::ops
