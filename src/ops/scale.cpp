// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

namespace tessera::ops {

Operation scale_operation() {
  Operation operation =
      elementwise_operation("scale", {{"x"}}, {{"alpha", graph::ParamType::real, "the factor"}},
                            [](const graph::Params& params, const auto& /*names*/) {
                              return formula_number(params, "alpha") + " * x";
                            });
  operation.summary = "A tensor times a number: alpha x.";
  operation.types =
      "any; the type stays, but a fractional alpha turns integers into float64, and an alpha "
      "that the type can't hold takes the next larger type";
  operation.error_bound = "half an ULP";
  operation.rounding =
      "alpha rounded to the tensor's type, then alpha * x, rounded once; complex numbers "
      "part by part; a NaN is stored as the positive quiet NaN";
  operation.example = R"({"op": "scale", "in": "x", "alpha": 0.5})";
  return operation;
}

}  // namespace tessera::ops
