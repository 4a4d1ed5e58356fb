// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

namespace tessera::ops {

Operation mul_operation() {
  Operation operation = elementwise_operation(
      "mul", {{"a", "b"}}, {},
      [](const graph::Params&, const auto& /*names*/) { return std::string("a * b"); });
  operation.summary = "The product of two tensors, element by element.";
  operation.types =
      "any; the result has the type to which numpy promotes the two (an integer and a float32 that "
      "isn't uint8: float64); integers wrap modulo 2^n";
  operation.error_bound = "real: half an ULP; complex: 2 units of roundoff of |a| |b|";
  operation.rounding =
      "real: a * b, rounded once; complex: (fma(a.re, b.re, -(a.im * b.im)), "
      "fma(a.re, b.im, a.im * b.re)); a complex and a real number: part by part; "
      "a NaN is stored as the positive quiet NaN";
  operation.example = R"({"op": "mul", "in": ["x", "y"]})";
  return operation;
}

}  // namespace tessera::ops
