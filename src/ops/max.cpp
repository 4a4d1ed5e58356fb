// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction.hpp"

namespace tessera::ops {

Operation max_operation() {
  return reduction_operation({
      .name = "max",
      .what = kernels::Reduction::max,
      .complex_numbers = false,
      .needs_elements = true,
      .summary = "Largest element over all or given axes; NaN if there is one, and -0 < +0.",
      .types = "Every real type; stays.",
      .error_bound = "Exact.",
      .rounding = "Exact: an element of the input.",
      .source = "",
      .example = R"({"op": "max", "in": "x", "axes": [0], "keepdims": true})",
  });
}

}  // namespace tessera::ops
