// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

namespace tessera::ops {

Operation prod_operation() {
  return reduction_operation({
      .name = "prod",
      .what = kernels::Reduction::prod,
      .complex_numbers = true,
      .needs_elements = false,
      .summary = "Product of the elements over all or given axes; 1 for none.",
      .types = "Integers -> int64, exact (an overflow is refused); floating-point and complex "
               "types stay.",
      .error_bound =
          "Multiplied in float64: relative error <= n u64, then one rounding to the type.",
      .rounding = "In float64: leaves of 4096 elements by their index in the flattened reduced "
                  "axes, element r of a leaf in lane r mod 8, lanes folded 4, 2, 1, leaves folded "
                  "as a binary counter; one rounding to the type. Complex numbers as mul says. A "
                  "rank computes a product whole.",
      .source = "",
      .example = R"({"op": "prod", "in": "x"})",
  });
}

}  // namespace tessera::ops
