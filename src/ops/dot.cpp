// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

namespace tessera::ops {

Operation dot_operation() {
  return reduction_operation({
      .name = "dot",
      .what = kernels::Reduction::dot,
      .complex_numbers = true,
      .needs_elements = false,
      .summary =
          "Sum of conj(a) * b over all elements, as numpy.vdot: the first input is conjugated.",
      .types = "Two tensors of one type; integers -> int64, exact (an overflow is refused).",
      .error_bound = "Products and sums in float64: |error| <= (4097 + log2(n)) u64 sum|a b|, then "
                     "one rounding to the type.",
      .rounding = "The exact sum of the exact products, rounded once; real and imaginary parts on "
                  "their own.",
      .source = "Exact sums by integer digits: R. Collange, D. Defour, S. Graillat, R. Iakymchuk, "
                "Numerical reproducibility for the parallel reduction on multi- and many-core "
                "architectures, Parallel Computing 49, 2015.",
      .example = R"({"op": "dot", "in": ["x", "y"]})",
  });
}

}  // namespace tessera::ops
