// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

namespace tessera::ops {

Operation where_operation() {
  Operation operation = elementwise_operation("where", {{"condition", "a", "b"}}, {},
                                              [](const graph::Params&, const auto& /*names*/) {
                                                return std::string("where(condition, a, b)");
                                              });
  operation.summary = "Elements of a where the condition isn't zero, of b elsewhere.";
  operation.types =
      "condition: any (a NaN counts as true); a and b: any; the type to which numpy promotes a "
      "and b";
  operation.error_bound = "exact, but for the conversion to the common type";
  operation.rounding = "none but the conversion; a NaN is stored as the positive quiet NaN";
  operation.example = R"({"op": "where", "in": ["mask", "x", "y"]})";
  return operation;
}

}  // namespace tessera::ops
