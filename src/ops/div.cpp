// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

namespace tessera::ops {

Operation div_operation() {
  Operation operation = elementwise_operation(
      "div", {{"a", "b"}}, {},
      [](const graph::Params&, const auto& /*names*/) { return std::string("a / b"); });
  operation.summary = "The quotient of two tensors, element by element.";
  operation.types =
      "any; of two integers float64, otherwise the type to which numpy promotes the two";
  operation.error_bound =
      "real: half an ULP; complex: 4 units of roundoff of |a / b|, without inner overflow";
  operation.rounding =
      "real: a / b, rounded once; complex128: a and b scaled by powers of two, then "
      "fma(a.re, b.re, a.im * b.im) / d and fma(a.im, b.re, -(a.re * b.im)) / d with "
      "d = fma(b.re, b.re, b.im * b.im), scaled back; complex64: the same in float64 without "
      "scaling, rounded at the end; by a real number: part by part; a NaN is stored as the "
      "positive quiet NaN";
  operation.example = R"({"op": "div", "in": ["x", "y"]})";
  return operation;
}

}  // namespace tessera::ops
