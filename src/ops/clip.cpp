// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

namespace tessera::ops {

namespace {

std::string formula(const graph::Params& params, const std::vector<std::string>& /*names*/) {
  if (params.real("min") > params.real("max")) {
    throw Error(ErrorKind::graph, "the interval to clip to is empty")
        .expected("min <= max")
        .found("min " + graph::number_text(params.real("min")) + ", max " +
               graph::number_text(params.real("max")))
        .at(params.place("min"));
  }
  return "min(max(x, " + formula_number(params, "min") + "), " + formula_number(params, "max") +
         ")";
}

}  // namespace

Operation clip_operation() {
  Operation operation =
      elementwise_operation("clip", {{"x"}},
                            {{"min", graph::ParamType::real, "the smallest value of the result"},
                             {"max", graph::ParamType::real, "the largest value of the result"}},
                            formula);
  operation.summary = "Elements forced into an interval: min(max(x, min), max).";
  operation.types =
      "real; the type stays, but a fractional bound turns integers into float64, and a bound that "
      "the "
      "type can't hold takes the next larger type";
  operation.error_bound = "exact";
  operation.rounding =
      "bounds rounded to the tensor's type; NaN stays NaN, stored as the positive quiet NaN; "
      "-0 < +0";
  operation.example = R"({"op": "clip", "in": "x", "min": 0, "max": 1})";
  return operation;
}

}  // namespace tessera::ops
