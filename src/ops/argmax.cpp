// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

namespace tessera::ops {

Operation argmax_operation() {
  return reduction_operation({
      .name = "argmax",
      .what = kernels::Reduction::argmax,
      .complex_numbers = false,
      .needs_elements = true,
      .summary = "Index of the largest element in the flattened reduced axes (along one axis: the "
                 "index on it). The lowest index wins ties, the first NaN wins over all.",
      .types = "Every real type -> int64.",
      .error_bound = "Exact.",
      .rounding = "Exact.",
      .source = "",
      .example = R"({"op": "argmax", "in": "x", "axes": [1]})",
  });
}

}  // namespace tessera::ops
