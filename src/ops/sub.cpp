// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

namespace tessera::ops {

Operation sub_operation() {
  Operation operation = elementwise_operation(
      "sub", {{"a", "b"}}, {},
      [](const graph::Params&, const auto& /*names*/) { return std::string("a - b"); });
  operation.summary = "The difference of two tensors, element by element.";
  operation.types =
      "any; the result has the type to which numpy promotes the two (an integer and a float32 that "
      "isn't uint8: float64); integers wrap modulo 2^n";
  operation.error_bound = "each real part is rounded once: half an ULP";
  operation.rounding =
      "a - b, rounded once; complex numbers part by part; a NaN is stored as the positive quiet "
      "NaN";
  operation.example = R"({"op": "sub", "in": ["x", "y"]})";
  return operation;
}

}  // namespace tessera::ops
