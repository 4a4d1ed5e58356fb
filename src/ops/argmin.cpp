// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

namespace tessera::ops {

Operation argmin_operation() {
  return reduction_operation({
      .name = "argmin",
      .what = kernels::Reduction::argmin,
      .complex_numbers = false,
      .needs_elements = true,
      .summary = "Index of the smallest element in the flattened reduced axes (along one axis: the "
                 "index on it). The lowest index wins ties, the first NaN wins over all.",
      .types = "Every real type -> int64.",
      .error_bound = "Exact.",
      .rounding = "Exact.",
      .source = "",
      .example = R"({"op": "argmin", "in": "x"})",
  });
}

}  // namespace tessera::ops
