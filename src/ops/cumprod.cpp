// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/scan_operation.hpp"

namespace tessera::ops {

Operation cumprod_operation() {
  Operation operation = scan_operation("cumprod", true);
  operation.summary = "Running products along an axis.";
  operation.error_bound = "n u64 relative, then one rounding to the type";
  operation.rounding =
      "In float64, one chain of products from the start of the axis on; rounded to the type. "
      "Complex numbers as mul says; a NaN is stored as the positive quiet NaN.";
  operation.distributed =
      "Local; the axis is never cut, so that a tensor of one axis goes to one rank.";
  operation.example = R"({"op": "cumprod", "in": "x", "axis": 0, "exclusive": true})";
  return operation;
}

}  // namespace tessera::ops
