// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/recipe.hpp"
#include "base/tile.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

/// What one instruction of an element-wise program does with its operands a, b, c. Each result is
/// rounded once to its type; the precise definitions stand in kernels/math.
enum class ElementOp : std::uint8_t {
  // Arithmetic. Integers wrap modulo 2^n, as numpy's do.
  negate,
  add,
  subtract,
  multiply,
  divide,   ///< floating-point and complex only
  scale,    ///< complex a times real b, component by component
  unscale,  ///< complex a divided by real b, component by component
  fma,      ///< a * b + c, rounded once; of complex b and c, with a real a, component by component
  square,   ///< a * a
  norm,     ///< |a|^2 of a complex a: fma(re, re, im * im); real result
  power_integer,  ///< a to the power of `immediate`, by a fixed multiplication chain
  power,          ///< a to the power of b, real
  // Parts of complex numbers, absolute values.
  abs,
  real,
  imag,
  conj,
  // Comparisons and logic: uint8 results, 0 or 1. A NaN is true and compares unequal.
  equal,
  not_equal,
  less,
  less_equal,
  truth,  ///< a != 0
  logical_not,
  logical_and,
  logical_or,
  is_nan,
  is_finite,
  // Choice. min and max: any NaN wins, -0 < +0.
  select,  ///< uint8 a ? b : c
  min,
  max,
  sign,
  floor,
  ceil,
  round,  ///< half to even
  // Functions of kernels/math.
  exp,
  log,
  sqrt,
  sin,
  cos,
  tanh,
  // Types.
  convert,    ///< to type `to`; floating-point to integer: toward zero, saturating, NaN gives 0
  refuse_nan  ///< no result: notes the index of a NaN in a (see `evaluate`)
};

/// Where an instruction finds an operand, or puts its result.
struct Operand {
  enum class Kind : std::uint8_t { none, input, constant, reg };
  Kind kind = Kind::none;
  std::uint8_t index = 0;
  friend bool operator==(const Operand&, const Operand&) = default;
};

/// One instruction: target = op(a, b, c), all operands of type `type` unless the op says otherwise.
/// The last instruction of a program gives the result, whatever its target.
struct Instruction {
  ElementOp op = ElementOp::convert;
  DType type = DType::float64;  ///< of the operands; of b and c where a is a condition or a factor
  DType to = DType::float64;    ///< of the result
  std::uint8_t target = 0;      ///< register
  Operand a;
  Operand b;
  Operand c;
  std::int32_t immediate = 0;
};

/// A number as an operand: of a complex type (re, im), of a floating type `re`, else `integer`.
struct Constant {
  DType type = DType::float64;
  double re = 0;
  double im = 0;
  std::int64_t integer = 0;
};

/// A formula as plain data: straight-line code on registers, run for every element.
struct Program {
  std::vector<DType> inputs;
  std::vector<Constant> constants;
  std::vector<Instruction> code;
  int registers = 0;

  [[nodiscard]] DType output() const { return code.back().to; }
};

inline constexpr int max_program_inputs = 16;
inline constexpr int max_program_constants = 32;
inline constexpr int max_program_registers = 16;
inline constexpr int max_program_instructions = 128;

/// The value that `evaluate` leaves in `first_nan` where there was no NaN.
inline constexpr std::int64_t no_nan = INT64_MAX;

/// output[i] = program(inputs[..][i]) for every element. The inputs broadcast to the output's shape
/// as in numpy: aligned at the last axis, extents of 1 and missing leading axes repeat. The output
/// must be dense; it may be the very memory of an input of the same type and shape. `first_nan`
/// (8 bytes of the stream's memory, may be null without refuse_nan instructions) gets the lowest
/// row-major index in `output` at which a refuse_nan saw a NaN, or `no_nan`.
/// In the recipe bitexact every NaN is stored as the positive quiet NaN without payload.
void evaluate(const device::Stream& stream, Recipe recipe, const Program& program,
              const std::vector<Tile>& inputs, const Tile& output, std::int64_t* first_nan);

/// The program's value for constants only; needs no runtime. A NaN refused is left as 0.
Constant evaluate_constant(const Program& program);

/// Additions, multiplications, divisions and square roots per element, functions counted by their
/// polynomials.
[[nodiscard]] double flops_per_element(const Program& program);

}  // namespace tessera::kernels
