// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

namespace tessera::ops {

Operation axpy_operation() {
  Operation operation =
      elementwise_operation("axpy", {{"x", "y"}}, {{"alpha", graph::ParamType::real, "the factor"}},
                            [](const graph::Params& params, const auto& /*names*/) {
                              return "fma(" + formula_number(params, "alpha") + ", x, y)";
                            });
  operation.summary = "A multiple of one tensor plus another: alpha x + y.";
  operation.types =
      "any; the type to which numpy promotes x and y; integers stay integers if alpha is whole, "
      "and wrap modulo 2^n";
  operation.error_bound = "half an ULP";
  operation.rounding =
      "alpha rounded to the type, then fma(alpha, x, y): one rounding, in every recipe; complex "
      "numbers part by part; a NaN is stored as the positive quiet NaN";
  operation.example = R"({"op": "axpy", "in": ["x", "y"], "alpha": 2})";
  return operation;
}

}  // namespace tessera::ops
