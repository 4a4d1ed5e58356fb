// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/moments.hpp"

namespace tessera::ops {

Operation var_operation() {
  return moments_operation({
      .name = "var",
      .what = kernels::Reduction::var,
      .complex_numbers = true,
      .needs_elements = true,
      .summary = "Variance over all or given axes: the mean of |x - mean|^2.",
      .types = "float32 and complex64 -> float32; float64, complex128 and integers (converted to "
               "float64 first) -> float64.",
      .error_bound =
          "Moments in float64: relative error of the variance <= (4096 + log2(n)) u64 kappa, "
          "kappa^2 = sum |x|^2 / sum |x - mean|^2, then one rounding to the type. Fewer "
          "elements than ddof + 1 give NaN.",
      .rounding =
          "m as mean; d = x - m in the elements' type; r as norm2 of d; r / (n - ddof) * r in "
          "float64, n the number of elements; rounded to the type.",
      .source = "Ordered: T. F. Chan, G. H. Golub, R. J. LeVeque, Updating formulae and a pairwise "
                "algorithm for computing sample variances, 1979. Bitexact: as sum.",
      .example = R"({"op": "var", "in": "x", "axes": [0], "ddof": 1})",
  });
}

}  // namespace tessera::ops
