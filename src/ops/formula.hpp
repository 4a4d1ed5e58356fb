// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "elementwise_program.hpp"

namespace tessera::ops {

/// A formula as written: an expression tree whose nodes know where they stand in the text.
///
/// Grammar, loosest first, all left to right but `^`:
///   either     := both ("||" both)*
///   both       := comparison ("&&" comparison)*
///   comparison := sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
///   sum        := product (("+" | "-") product)*
///   product    := signed (("*" | "/") signed)*
///   signed     := ("-" | "+" | "!") signed | power
///   power      := atom ["^" signed]
///   atom       := number | name | name "(" either ("," either)* ")" | "(" either ")"
/// As in Python, -x^2 is -(x^2) and 2^-1 is allowed. Comparisons aren't chained.
struct FormulaNode {
  enum class Kind { number, input, constant, unary, binary, call };
  Kind kind = Kind::number;
  int position = 0;       ///< of the operator or the first character, from 1, in characters
  std::string text;       ///< operator, function or constant
  bool integral = false;  ///< a number without point and exponent
  std::int64_t integer = 0;
  double real = 0;
  int input = 0;
  std::vector<int> children;  ///< numbers of nodes
};

struct Formula {
  std::string text;
  std::vector<FormulaNode> nodes;
  int root = 0;
};

/// Formulas have at most this many characters, and this depth of nesting.
inline constexpr int max_formula_length = 4096;
inline constexpr int max_formula_depth = 64;

/// Reads a formula of inputs with these names. A name hides a constant (pi, e, i, inf, nan); with
/// exactly one input, `x` stands for it too. Throws Error(graph) with the position, what was
/// expected and what was found; also for an input that isn't used.
Formula parse_formula(const std::string& text, const std::vector<std::string>& names);

/// `outer` with its input `which` replaced by the formula `inner`, whose result has type `type`.
/// The result's inputs are those of `outer` but for that one, then those of `inner`.
Formula substitute(const Formula& outer, int which, const Formula& inner, DType type);

/// The formula with input k called `numbers[k]`.
Formula renumber(Formula formula, const std::vector<int>& numbers);

/// How often a formula names its input `which`.
int uses_of(const Formula& formula, int which);

/// The formula as a program for inputs of these types. Numbers take the type of what they meet
/// (see the page of `map`). Throws Error(graph) for types that an operation isn't defined for.
kernels::Program compile_formula(const Formula& formula, const std::vector<DType>& types);

/// An error at a position of a formula.
Error formula_error(const Formula& formula, int position, const std::string& message);

/// The functions that a formula may call, with the number of their arguments: "exp(x), log(x),
/// ...".
std::string formula_functions();

}  // namespace tessera::ops
