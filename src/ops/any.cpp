// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/mapped_reduction.hpp"

namespace tessera::ops {

Operation any_operation() {
  using kernels::Reduction;
  MappedReduction mapped;
  mapped.before = [](DType, Recipe) { return std::string("x != 0"); };
  mapped.what = [](DType, Recipe) { return Reduction::max; };
  mapped.result = [](DType) { return DType::uint8; };

  return mapped_reduction_operation(
      {
          .name = "any",
          .what = Reduction::max,
          .complex_numbers = true,
          .needs_elements = false,
          .summary =
              "1 where an element over all or given axes isn't zero, else 0; a NaN isn't zero.",
          .types = "Every type -> uint8.",
          .error_bound = "Exact.",
          .rounding = "Exact.",
          .source = "",
          .example = R"({"op": "any", "in": "x", "axes": [0]})",
      },
      std::move(mapped));
}

}  // namespace tessera::ops
