// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/scan_operation.hpp"

namespace tessera::ops {

Operation cumsum_operation() {
  Operation operation = scan_operation("cumsum", false);
  operation.summary = "Running sums along an axis.";
  operation.error_bound =
      "|error| <= (4096 + n / 4096) u64 sum|x| up to the element, then one rounding to the type";
  operation.rounding =
      "In float64, by tiles of 4096 elements of the whole axis: the sum of the tiles before, left "
      "to "
      "right, plus the sum from the start of the tile on, left to right; rounded to the type. "
      "Complex numbers part by part; a NaN is stored as the positive quiet NaN.";
  operation.distributed =
      "Local where another axis is cut. Where the axis itself is, ranks have whole tiles, every "
      "tile's total goes to all ranks, and each adds up those before its own.";
  operation.source = "reduce-then-scan: G. E. Blelloch, Prefix sums and their applications, 1990";
  operation.example = R"({"op": "cumsum", "in": "x", "axis": 0})";
  return operation;
}

}  // namespace tessera::ops
