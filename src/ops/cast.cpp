// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

namespace tessera::ops {

Operation cast_operation() {
  Operation operation = elementwise_operation(
      "cast", {{"x"}},
      {{.name = "to",
        .type = graph::ParamType::text,
        .doc = "the element type of the result",
        .choices = {"uint8", "int32", "int64", "float32", "float64", "complex64", "complex128"}}},
      [](const graph::Params& params, const auto& /*names*/) { return params.text("to") + "(x)"; });
  operation.summary = "A tensor converted to another element type.";
  operation.types = "any to any, but complex to real (use map with real(x) or abs(x))";
  operation.error_bound = "half an ULP of the new type";
  operation.rounding =
      "to floating-point: nearest, ties to even; floating-point to integer: toward zero, "
      "saturating at the type's limits, NaN is refused with exit code 6 and the lowest index of "
      "a failing rank; integer to integer: saturating; a NaN that stays is stored as the positive "
      "quiet NaN";
  operation.distributed += "; where NaN can be refused, all ranks agree once afterwards";
  operation.example = R"({"op": "cast", "in": "x", "to": "float32"})";
  return operation;
}

}  // namespace tessera::ops
