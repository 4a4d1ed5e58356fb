// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

namespace tessera::ops {

Operation mean_operation() {
  return reduction_operation({
      .name = "mean",
      .what = kernels::Reduction::mean,
      .complex_numbers = true,
      .needs_elements = true,
      .summary = "Arithmetic mean over all or given axes.",
      .types = "Integers -> float64, from the exact sum; floating-point and complex types stay.",
      .error_bound = "As sum, and one division in float64.",
      .rounding = "The exact real sum divided by the number of elements, rounded once; with "
                  "\"nan\": \"ignore\" by the number that aren't NaN.",
      .source = "Exact sums by integer digits: R. Collange, D. Defour, S. Graillat, R. Iakymchuk, "
                "Numerical reproducibility for the parallel reduction on multi- and many-core "
                "architectures, Parallel Computing 49, 2015.",
      .example = R"({"op": "mean", "in": "x", "axes": [-1]})",
  });
}

}  // namespace tessera::ops
