// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"
#include "ops/formula.hpp"

namespace tessera::ops {

Operation map_operation() {
  Operation operation = elementwise_operation(
      "map", {{"x"}, true, true},
      {{"formula", graph::ParamType::text,
        "an expression of the inputs' names; x stands for an only input. Operators: + - * / ^ "
        "(power), < <= > >= == !=, && || !. Functions: " +
            formula_functions() +
            ". Constants: pi, e, i (the imaginary unit), inf, nan. A tensor whose name isn't a "
            "word is named in \"in\": {\"word\": \"tensor\"}"}},
      [](const graph::Params& params, const auto& /*names*/) { return params.text("formula"); });
  operation.summary = "A formula of one or more tensors, element by element, in one pass.";
  operation.types =
      "any; operators promote as numpy's; written numbers take the type of what they meet, but a "
      "fractional number turns integers into float64; / and functions turn integers into float64; "
      "comparisons and logic give uint8; abs, real and imag of complex numbers are real; integers "
      "wrap modulo 2^n; type names convert as cast does";
  operation.error_bound =
      "+ - * / sqrt fma: half an ULP each; functions and powers of float64: 1 ULP, of float32 "
      "half an ULP; complex: see mul and div";
  operation.rounding =
      "the formula as written, one rounding per operator or function in the type of its operands; "
      "x^2 = x * x, abs(z)^2 of a complex z is fma(re, re, im * im), x^n for whole n up to 64 is "
      "a chain of multiplications, x^0.5 = sqrt(x); complex numbers as mul and div say; a NaN is "
      "stored as the positive quiet NaN";
  operation.example = R"({"op": "map", "in": "x", "formula": "abs(x)^2"})";
  return operation;
}

}  // namespace tessera::ops
