// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
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

/// How the factorisations of a rank's matrices ended. Collected on the rank, told by `emit_check`.
/// Functions of a launch take its stream.
class FaultBoard {
 public:
  /// The error of a matrix ("the matrix", "matrix (2, 0)") whose failure this is; `value` is what
  /// `collect` was given for it.
  using Describe =
      std::function<Error(const std::string& which, std::int64_t failure, double value)>;

  /// `layout` of the stack; failures are numbers from 0 to `most`.
  FaultBoard(const Step& step, const layout::Layout& layout, std::int64_t most, Describe describe,
             Emitter& emitter);

  [[nodiscard]] BufferId failures() const { return failures_; }
  [[nodiscard]] BufferId faults() const { return faults_; }
  [[nodiscard]] std::int64_t* failures(RunContext& context) const {
    return reinterpret_cast<std::int64_t*>(context.data(failures_));
  }
  /// Of this rank.
  [[nodiscard]] std::int64_t matrices() const { return matrices_; }

  /// To be called first: nothing went wrong so far.
  void clear(RunContext& context, const device::Stream& stream) const;
  /// Notes the first element of the rank's part of an input that isn't finite; false if there is
  /// one. `lower`: at and below the diagonals only.
  [[nodiscard]] bool finite(RunContext& context, const device::Stream& stream, int input,
                            bool lower) const;
  /// Notes the first matrix whose factorisation failed, and its value of `values` if given.
  void collect(RunContext& context, const device::Stream& stream,
               const double* values = nullptr) const;
  /// All ranks learn of the lowest element that isn't finite, of the first input that has one, or
  /// else of the lowest matrix that failed, and end.
  void emit_check(Emitter& emitter) const;

 private:
  struct Faults {
    std::int64_t not_finite[2];  ///< elements of the inputs
    std::int64_t failed;         ///< matrix and failure
    double value;
  };
  [[nodiscard]] std::optional<Error> error_of(const Faults& faults) const;

  std::string name_;
  std::vector<std::string> input_names_;
  std::vector<Placed> inputs_;
  layout::Layout layout_;
  int ranks_;
  std::int64_t matrices_;
  std::int64_t most_;
  Describe describe_;
  BufferId failures_;
  BufferId faults_;
};

}  // namespace tessera::ops
