// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <numbers>

#include "ops/formula.hpp"
#include "ops/program_builder.hpp"

namespace tessera::ops {

namespace {

using kernels::ElementOp;
using Value = FormulaValue;

constexpr std::int64_t longest_chain = 64;  ///< largest exponent that is multiplied out

/// Walks the tree; each node becomes a value of the builder.
class Compiler {
 public:
  Compiler(const Formula& formula, const std::vector<DType>& types)
      : formula_(formula), builder_(types) {}

  kernels::Program program() { return builder_.finish(value(formula_.root)); }

 private:
  const FormulaNode& node(int number) const {
    return formula_.nodes[static_cast<std::size_t>(number)];
  }

  Value value(int number) {
    const FormulaNode& n = node(number);
    switch (n.kind) {
      case FormulaNode::Kind::number:
        return n.integral ? ProgramBuilder::integer(n.integer) : ProgramBuilder::real(n.real);
      case FormulaNode::Kind::input:
        return builder_.input(n.input);
      case FormulaNode::Kind::constant:
        return constant(n);
      case FormulaNode::Kind::unary:
        return unary(n, value(n.children[0]));
      case FormulaNode::Kind::binary:
        return n.text == "^" ? power(n) : binary(n, value(n.children[0]), value(n.children[1]));
      default:
        return call(n);
    }
  }

  static Value constant(const FormulaNode& n) {
    if (n.text == "pi") return ProgramBuilder::real(std::numbers::pi);
    if (n.text == "e") return ProgramBuilder::real(std::numbers::e);
    if (n.text == "inf") return ProgramBuilder::real(HUGE_VAL);
    if (n.text == "nan") return ProgramBuilder::real(std::nan(""));
    return ProgramBuilder::imaginary(1);
  }

  /// No operation of this name for this type.
  [[noreturn]] void refuse(const FormulaNode& n, DType type, const std::string& expected,
                           const std::string& advice = "") const {
    Error error = formula_error(formula_, n.position, "\"" + n.text + "\" isn't defined here");
    error.expected(expected).found(std::string(name_of(type)));
    if (!advice.empty()) error.advice(advice);
    throw error;
  }

  void need_real(const FormulaNode& n, DType type, const std::string& advice = "") const {
    if (is_complex(type)) refuse(n, type, "real numbers", advice);
  }

  Value same_type(ElementOp op, Value a) {
    const DType type = a.type;
    return builder_.emit(op, type, type, {std::move(a)});
  }

  Value truth(Value a) {
    if (a.logical) return a;
    const DType type = a.type;
    return builder_.emit(ElementOp::truth, type, DType::uint8, {std::move(a)});
  }

  Value unary(const FormulaNode& n, Value a) {
    if (n.text == "-") return same_type(ElementOp::negate, std::move(a));
    if (n.text == "+") return a;
    return builder_.emit(ElementOp::logical_not, DType::uint8, DType::uint8, {truth(std::move(a))});
  }

  /// op(a, b) with both in the type where they meet.
  Value met(ElementOp op, Value a, Value b, std::optional<DType> to = {}) {
    const DType type = ProgramBuilder::meet(a, b);
    Value left = builder_.convert(std::move(a), type);
    Value right = builder_.convert(std::move(b), type);
    return builder_.emit(op, type, to.value_or(type), {std::move(left), std::move(right)});
  }

  Value logical(ElementOp op, Value a, Value b) {
    Value left = truth(std::move(a));
    Value right = truth(std::move(b));
    return builder_.emit(op, DType::uint8, DType::uint8, {std::move(left), std::move(right)});
  }

  /// z * r or z / r of a complex z and a real r.
  Value by_real(ElementOp op, Value z, Value r) {
    const DType type = ProgramBuilder::meet(z, r);
    Value complex = builder_.convert(std::move(z), type);
    Value real = builder_.convert(std::move(r), real_of(type));
    return builder_.emit(op, type, type, {std::move(complex), std::move(real)});
  }

  Value product(Value a, Value b) {
    if (is_complex(a.type) == is_complex(b.type)) {
      return met(ElementOp::multiply, std::move(a), std::move(b));
    }
    if (!is_complex(a.type)) std::swap(a, b);
    return by_real(ElementOp::scale, std::move(a), std::move(b));
  }

  Value quotient(Value a, Value b) {
    if (is_complex(a.type) && !is_complex(b.type)) {
      return by_real(ElementOp::unscale, std::move(a), std::move(b));
    }
    if (is_integer(a.type) && is_integer(b.type)) {
      a = floating(std::move(a));
      b = floating(std::move(b));
    }
    return met(ElementOp::divide, std::move(a), std::move(b));
  }

  Value comparison(const FormulaNode& n, Value a, Value b) {
    if (n.text == "==") return met(ElementOp::equal, std::move(a), std::move(b), DType::uint8);
    if (n.text == "!=") return met(ElementOp::not_equal, std::move(a), std::move(b), DType::uint8);
    need_real(n, a.type, "compare abs(), real() or imag()");
    need_real(n, b.type, "compare abs(), real() or imag()");
    if (n.text[0] == '>') std::swap(a, b);
    const ElementOp op = n.text.size() == 1 ? ElementOp::less : ElementOp::less_equal;
    return met(op, std::move(a), std::move(b), DType::uint8);
  }

  Value binary(const FormulaNode& n, Value a, Value b) {
    if (n.text == "+") return met(ElementOp::add, std::move(a), std::move(b));
    if (n.text == "-") return met(ElementOp::subtract, std::move(a), std::move(b));
    if (n.text == "*") return product(std::move(a), std::move(b));
    if (n.text == "/") return quotient(std::move(a), std::move(b));
    if (n.text == "&&") return logical(ElementOp::logical_and, std::move(a), std::move(b));
    if (n.text == "||") return logical(ElementOp::logical_or, std::move(a), std::move(b));
    return comparison(n, std::move(a), std::move(b));
  }

  /// Integers become float64.
  Value floating(Value a) {
    return is_integer(a.type) ? builder_.convert(std::move(a), DType::float64) : a;
  }

  Value power(const FormulaNode& n) {
    const FormulaNode& base_node = node(n.children[0]);
    Value exponent = value(n.children[1]);
    const bool integral = exponent.known && is_integer(exponent.type);
    const double number = exponent.number.re;
    const bool whole = exponent.known && !is_complex(exponent.type) && exponent.weak &&
                       number == std::floor(number) && std::fabs(number) <= longest_chain;
    if (base_node.kind == FormulaNode::Kind::call && base_node.text == "abs" && whole &&
        number == 2) {
      Value inner = value(base_node.children[0]);
      if (is_complex(inner.type)) {
        return builder_.emit(ElementOp::norm, inner.type, real_of(inner.type), {std::move(inner)});
      }
      return integer_power(n, same_type(ElementOp::abs, std::move(inner)), 2, integral);
    }
    Value base = value(n.children[0]);
    if (whole && (number >= 0 || number == -1 || is_complex(base.type) || is_integer(base.type))) {
      return integer_power(n, std::move(base), static_cast<int>(number), integral);
    }
    if (is_complex(base.type) || is_complex(exponent.type)) {
      refuse(n, is_complex(base.type) ? base.type : exponent.type,
             "of complex numbers only powers with a written integer exponent from -64 to 64");
    }
    base = floating(std::move(base));
    if (exponent.known && exponent.weak && number == 0.5) {
      return same_type(ElementOp::sqrt, std::move(base));
    }
    if (is_integer(exponent.type) && !exponent.weak) exponent = floating(std::move(exponent));
    return met(ElementOp::power, std::move(base), std::move(exponent));
  }

  Value integer_power(const FormulaNode& n, Value base, int exponent, bool integral) {
    if (is_integer(base.type) && !integral) base = floating(std::move(base));
    if (is_integer(base.type) && exponent < 0) {
      formula_refuse_negative(n, base.type);
    }
    const DType type = base.type;
    if (exponent == 1) return base;
    if (exponent == 2) return same_type(ElementOp::square, std::move(base));
    if (exponent != -1) {
      base = builder_.emit(ElementOp::power_integer, type, type, {std::move(base)},
                           std::abs(exponent));
    }
    if (exponent >= 0) return base;
    return met(ElementOp::divide, ProgramBuilder::real(1), std::move(base));
  }

  [[noreturn]] void formula_refuse_negative(const FormulaNode& n, DType type) const {
    refuse(n, type, "floating-point numbers under a negative power", "write 1 / x^n");
  }

  Value call(const FormulaNode& n) {
    if (const auto dtype = dtype_named(n.text)) return cast(n, value(n.children[0]), *dtype);
    if (n.text == "where") return choice(n);
    if (n.text == "min" || n.text == "max") return extreme(n);
    if (n.text == "fma") return fused(n);
    Value a = value(n.children[0]);
    if (n.text == "abs") {
      const DType type = a.type;
      return builder_.emit(ElementOp::abs, type, real_of(type), {std::move(a)});
    }
    if (n.text == "real" || n.text == "imag" || n.text == "conj") return part(n, std::move(a));
    if (n.text == "isnan" || n.text == "isfinite") {
      const ElementOp op = n.text == "isnan" ? ElementOp::is_nan : ElementOp::is_finite;
      const DType type = a.type;
      return builder_.emit(op, type, DType::uint8, {std::move(a)});
    }
    static const std::map<std::string, ElementOp> roundings = {{"floor", ElementOp::floor},
                                                               {"ceil", ElementOp::ceil},
                                                               {"round", ElementOp::round},
                                                               {"sign", ElementOp::sign}};
    if (const auto found = roundings.find(n.text); found != roundings.end()) {
      need_real(n, a.type);
      if (is_integer(a.type) && found->second != ElementOp::sign) return a;
      return same_type(found->second, std::move(a));
    }
    static const std::map<std::string, ElementOp> functions = {
        {"exp", ElementOp::exp}, {"log", ElementOp::log}, {"sqrt", ElementOp::sqrt},
        {"sin", ElementOp::sin}, {"cos", ElementOp::cos}, {"tanh", ElementOp::tanh}};
    need_real(n, a.type, "use abs(), real() or imag()");
    return same_type(functions.at(n.text), floating(std::move(a)));
  }

  Value cast(const FormulaNode& n, Value a, DType to) {
    if (is_complex(a.type) && !is_complex(to)) refuse(n, a.type, "real numbers", "use real()");
    if (is_integer(to) && is_real_floating(a.type)) {
      if (a.known && std::isnan(a.number.re)) refuse(n, a.type, "a number", "NaN is no integer");
      if (!a.known) builder_.refuse_nan(a);
    }
    a = builder_.convert(std::move(a), to);
    a.weak = false;
    return a;
  }

  Value choice(const FormulaNode& n) {
    Value condition = truth(value(n.children[0]));
    Value a = value(n.children[1]);
    Value b = value(n.children[2]);
    const DType type = ProgramBuilder::meet(a, b);
    const bool weak = a.weak && b.weak;
    a = builder_.convert(std::move(a), type);
    b = builder_.convert(std::move(b), type);
    Value result = builder_.emit(ElementOp::select, type, type,
                                 {std::move(condition), std::move(a), std::move(b)});
    result.weak = weak;
    return result;
  }

  Value extreme(const FormulaNode& n) {
    const ElementOp op = n.text == "min" ? ElementOp::min : ElementOp::max;
    Value result = value(n.children[0]);
    need_real(n, result.type);
    for (std::size_t k = 1; k < n.children.size(); ++k) {
      Value next = value(n.children[k]);
      need_real(n, next.type);
      result = met(op, std::move(result), std::move(next));
    }
    return result;
  }

  Value fused(const FormulaNode& n) {
    Value a = value(n.children[0]);
    Value b = value(n.children[1]);
    Value c = value(n.children[2]);
    need_real(n, a.type, "the first argument of fma must be real");
    Value sum;  // stands for b and c
    sum.type = ProgramBuilder::meet(b, c);
    sum.weak = b.weak && c.weak;
    const DType type = ProgramBuilder::meet(a, sum);
    a = builder_.convert(std::move(a), real_of(type));
    b = builder_.convert(std::move(b), type);
    c = builder_.convert(std::move(c), type);
    return builder_.emit(ElementOp::fma, type, type, {std::move(a), std::move(b), std::move(c)});
  }

  Value part(const FormulaNode& n, Value a) {
    if (is_complex(a.type)) {
      const DType type = a.type;
      if (n.text == "conj") return same_type(ElementOp::conj, std::move(a));
      const ElementOp op = n.text == "real" ? ElementOp::real : ElementOp::imag;
      return builder_.emit(op, type, real_of(type), {std::move(a)});
    }
    if (n.text != "imag") return a;
    Value zero = builder_.convert(ProgramBuilder::integer(0), a.type);
    zero.weak = a.weak;
    return zero;
  }

  const Formula& formula_;
  ProgramBuilder builder_;
};

}  // namespace

kernels::Program compile_formula(const Formula& formula, const std::vector<DType>& types) {
  return Compiler(formula, types).program();
}

}  // namespace tessera::ops
