// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <set>
#include <vector>

#include "elementwise_program.hpp"

namespace tessera::ops {

/// A value while a program is built: a number, an input or a register.
struct FormulaValue {
  DType type = DType::float64;
  bool weak = false;     ///< made of written numbers only: takes the type of what it meets
  bool known = false;    ///< `number` is the value
  bool logical = false;  ///< 0 or 1, of type uint8
  kernels::Constant number{};
  kernels::Operand operand{};
};

/// Appends instructions to an element-wise program: allots registers, folds what is known,
/// converts. A register's value may be used once. Throws Error(graph) when the program grows too
/// long.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::vector<DType> inputs);

  [[nodiscard]] FormulaValue input(int index) const;
  [[nodiscard]] static FormulaValue integer(std::int64_t value);
  [[nodiscard]] static FormulaValue real(double value);
  [[nodiscard]] static FormulaValue imaginary(double value);

  /// op(operands), which are of type `type` where the op doesn't say otherwise; result of type
  /// `to`.
  FormulaValue emit(kernels::ElementOp op, DType type, DType to, std::vector<FormulaValue> operands,
                    std::int32_t immediate = 0);
  FormulaValue convert(FormulaValue value, DType to);
  /// Notes NaNs in the value, which stays usable.
  void refuse_nan(const FormulaValue& value);
  /// The program that gives this value.
  kernels::Program finish(const FormulaValue& value);

  /// The type in which two values meet, as in numpy; a written number takes the other's type if it
  /// fits in.
  [[nodiscard]] static DType meet(const FormulaValue& a, const FormulaValue& b);

 private:
  kernels::Operand place(const FormulaValue& value);
  FormulaValue fold(kernels::Instruction instruction, const std::vector<FormulaValue>& operands);
  void append(const kernels::Instruction& instruction);
  int allot();

  kernels::Program program_;
  std::set<int> free_;
};

}  // namespace tessera::ops
