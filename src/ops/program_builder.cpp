// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/program_builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tessera::ops {

using kernels::Constant;
using kernels::ElementOp;
using kernels::Instruction;
using kernels::Operand;

namespace {

bool gives_truth(ElementOp op) { return op >= ElementOp::equal && op <= ElementOp::is_finite; }

[[noreturn]] void refuse_size(const char* what, int most) {
  throw Error(ErrorKind::graph, std::string("the formula needs too many ") + what)
      .expected("at most " + std::to_string(most))
      .advice("split it over several steps");
}

/// Bit for bit, so that -0 and 0, and NaNs, stay apart.
bool same(const Constant& a, const Constant& b) {
  return a.type == b.type && a.integer == b.integer &&
         std::bit_cast<std::uint64_t>(a.re) == std::bit_cast<std::uint64_t>(b.re) &&
         std::bit_cast<std::uint64_t>(a.im) == std::bit_cast<std::uint64_t>(b.im);
}

bool fits(std::int64_t value, DType dtype) {
  switch (dtype) {
    case DType::uint8:
      return value >= 0 && value <= 255;
    case DType::int32:
      return value >= std::numeric_limits<std::int32_t>::min() &&
             value <= std::numeric_limits<std::int32_t>::max();
    default:
      return true;
  }
}

bool overflows_float32(const Constant& number) {
  const auto over = [](double x) {
    return std::isfinite(x) && std::isinf(static_cast<double>(static_cast<float>(x)));
  };
  return over(number.re) || over(number.im);
}

/// The type of a written number beside a value of type `strong`.
DType meet_number(const FormulaValue& weak, DType strong) {
  if (is_integer(weak.type)) {
    if (!is_integer(strong) || !weak.known) return strong;
    for (const DType wider : {strong, DType::int32, DType::int64}) {
      if (wider >= strong && fits(weak.number.integer, wider)) return wider;
    }
    return DType::int64;
  }
  if (is_integer(strong)) return weak.type;
  const bool narrow =
      real_of(strong) == DType::float32 && !(weak.known && overflows_float32(weak.number));
  const DType part = narrow ? DType::float32 : DType::float64;
  return is_complex(strong) || is_complex(weak.type) ? complex_of(part) : part;
}

}  // namespace

ProgramBuilder::ProgramBuilder(std::vector<DType> inputs) {
  if (inputs.size() > kernels::max_program_inputs) {
    refuse_size("inputs", kernels::max_program_inputs);
  }
  program_.inputs = std::move(inputs);
}

FormulaValue ProgramBuilder::input(int index) const {
  FormulaValue value;
  value.type = program_.inputs[static_cast<std::size_t>(index)];
  value.operand = {Operand::Kind::input, static_cast<std::uint8_t>(index)};
  return value;
}

FormulaValue ProgramBuilder::integer(std::int64_t value) {
  FormulaValue result{DType::int64, true, true};
  result.number = {DType::int64, static_cast<double>(value), 0, value};
  return result;
}
FormulaValue ProgramBuilder::real(double value) {
  FormulaValue result{DType::float64, true, true};
  result.number = {DType::float64, value, 0, 0};
  return result;
}
FormulaValue ProgramBuilder::imaginary(double value) {
  FormulaValue result{DType::complex128, true, true};
  result.number = {DType::complex128, 0, value, 0};
  return result;
}

DType ProgramBuilder::meet(const FormulaValue& a, const FormulaValue& b) {
  if (a.weak == b.weak) return promote(a.type, b.type);
  return a.weak ? meet_number(a, b.type) : meet_number(b, a.type);
}

int ProgramBuilder::allot() {
  if (!free_.empty()) return free_.extract(free_.begin()).value();
  if (program_.registers == kernels::max_program_registers) {
    refuse_size("intermediate values at a time", kernels::max_program_registers);
  }
  return program_.registers++;
}

Operand ProgramBuilder::place(const FormulaValue& value) {
  if (!value.known) return value.operand;
  auto& constants = program_.constants;
  const auto found = std::find_if(constants.begin(), constants.end(),
                                  [&](const Constant& c) { return same(c, value.number); });
  if (found == constants.end() && constants.size() == kernels::max_program_constants) {
    refuse_size("numbers", kernels::max_program_constants);
  }
  const auto index = static_cast<std::uint8_t>(found - constants.begin());
  if (found == constants.end()) constants.push_back(value.number);
  return {Operand::Kind::constant, index};
}

void ProgramBuilder::append(const Instruction& instruction) {
  if (program_.code.size() == kernels::max_program_instructions) {
    refuse_size("operations", kernels::max_program_instructions);
  }
  program_.code.push_back(instruction);
}

FormulaValue ProgramBuilder::fold(Instruction instruction,
                                  const std::vector<FormulaValue>& operands) {
  kernels::Program program;
  program.registers = 1;
  Operand* const slots[] = {&instruction.a, &instruction.b, &instruction.c};
  FormulaValue result;
  result.weak = true;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    program.constants.push_back(operands[k].number);
    *slots[k] = {Operand::Kind::constant, static_cast<std::uint8_t>(k)};
    result.weak = result.weak && operands[k].weak;
  }
  program.code.push_back(instruction);
  result.known = true;
  result.type = instruction.to;
  result.number = kernels::evaluate_constant(program);
  return result;
}

FormulaValue ProgramBuilder::emit(ElementOp op, DType type, DType to,
                                  std::vector<FormulaValue> operands, std::int32_t immediate) {
  Instruction instruction{op, type, to, 0, {}, {}, {}, immediate};
  if (std::all_of(operands.begin(), operands.end(), [](const auto& v) { return v.known; })) {
    return fold(instruction, operands);
  }
  Operand* const slots[] = {&instruction.a, &instruction.b, &instruction.c};
  FormulaValue result;
  result.type = to;
  result.weak = true;
  std::vector<int> released;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const FormulaValue& value = operands[k];
    *slots[k] = place(value);
    result.weak = result.weak && value.weak;
    if (slots[k]->kind != Operand::Kind::reg) continue;
    // A block's result may overwrite an operand only element by element.
    if (size_of(value.type) == size_of(to)) {
      free_.insert(slots[k]->index);
    } else {
      released.push_back(slots[k]->index);
    }
  }
  instruction.target = static_cast<std::uint8_t>(allot());
  free_.insert(released.begin(), released.end());
  append(instruction);
  result.operand = {Operand::Kind::reg, instruction.target};
  result.logical = gives_truth(op);
  return result;
}

FormulaValue ProgramBuilder::convert(FormulaValue value, DType to) {
  if (value.type == to) return value;
  const bool weak = value.weak;
  const DType from = value.type;
  value = emit(ElementOp::convert, from, to, {std::move(value)});
  value.weak = weak;
  return value;
}

void ProgramBuilder::refuse_nan(const FormulaValue& value) {
  append({ElementOp::refuse_nan, value.type, value.type, 0, place(value), {}, {}, 0});
}

kernels::Program ProgramBuilder::finish(const FormulaValue& value) {
  if (value.known || value.operand.kind != Operand::Kind::reg) {
    append({ElementOp::convert,
            value.type,
            value.type,
            static_cast<std::uint8_t>(allot()),
            place(value),
            {},
            {},
            0});
  }
  return program_;
}

}  // namespace tessera::ops
