// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

namespace tessera::ops {

Operation sum_operation() {
  return reduction_operation({
      .name = "sum",
      .what = kernels::Reduction::sum,
      .complex_numbers = true,
      .needs_elements = false,
      .summary = "Sum of the elements over all or given axes.",
      .types = "Integers -> int64 (an overflow is refused, never wrapped); floating-point and "
               "complex types stay.",
      .error_bound = "Accumulated in float64: |error| <= (4096 + log2(n)) u64 sum|x|, then one "
                     "rounding to the type.",
      .rounding = "The exact real sum, rounded once (to nearest, ties to even); real and imaginary "
                  "parts on their own. All elements -0 give -0.",
      .source = "Exact sums by integer digits: R. Collange, D. Defour, S. Graillat, R. Iakymchuk, "
                "Numerical reproducibility for the parallel reduction on multi- and many-core "
                "architectures, Parallel Computing 49, 2015.",
      .example = R"({"op": "sum", "in": "x", "axes": [0]})",
  });
}

}  // namespace tessera::ops
