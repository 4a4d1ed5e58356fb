// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

namespace tessera::ops {

Operation norm2_operation() {
  return reduction_operation({
      .name = "norm2",
      .what = kernels::Reduction::norm2,
      .complex_numbers = true,
      .needs_elements = false,
      .summary = "Euclidean norm sqrt(sum |x|^2) over all or given axes (Frobenius norm of a "
                 "matrix); never overflows or underflows on the way.",
      .types = "float32 and complex64 -> float32; float64, complex128 and integers (converted to "
               "float64 first) -> float64.",
      .error_bound =
          "Squares in float64, scaled by powers of two where they would leave its range: relative "
          "error <= (4096 + log2(n)) u64, then one rounding to the type.",
      .rounding = "s = the exact sum of the squares, rounded to 53 bits with unbounded exponent; "
                  "then sqrt(s), rounded to 53 bits, and to the type.",
      .source = "Ordered: J. L. Blue, A portable Fortran program to find the Euclidean norm of a "
                "vector, ACM TOMS 4, 1978. Bitexact: as sum.",
      .example = R"({"op": "norm2", "in": "x"})",
  });
}

}  // namespace tessera::ops
