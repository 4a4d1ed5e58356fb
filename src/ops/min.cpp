// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

namespace tessera::ops {

Operation min_operation() {
  return reduction_operation({
      .name = "min",
      .what = kernels::Reduction::min,
      .complex_numbers = false,
      .needs_elements = true,
      .summary = "Smallest element over all or given axes; NaN if there is one, and -0 < +0.",
      .types = "Every real type; stays.",
      .error_bound = "Exact.",
      .rounding = "Exact: an element of the input.",
      .source = "",
      .example = R"({"op": "min", "in": "x"})",
  });
}

}  // namespace tessera::ops
