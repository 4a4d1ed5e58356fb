// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/mapped_reduction.hpp"

namespace tessera::ops {

Operation norm1_operation() {
  using kernels::Reduction;
  MappedReduction mapped;
  mapped.before = [](DType dtype, Recipe recipe) -> std::string {
    if (is_integer(dtype)) return "abs(float64(x))";
    return is_complex(dtype) || recipe == Recipe::bitexact ? "abs(x)" : "";
  };
  // The exact sum knows no magnitudes.
  mapped.what = [](DType, Recipe recipe) {
    return recipe == Recipe::bitexact ? Reduction::sum : Reduction::norm1;
  };
  mapped.result = [](DType dtype) { return kernels::reduced_dtype(Reduction::norm2, dtype); };

  return mapped_reduction_operation(
      {
          .name = "norm1",
          .what = Reduction::norm1,
          .complex_numbers = true,
          .needs_elements = false,
          .summary = "Sum of the magnitudes of the elements over all or given axes.",
          .types = "float32 and complex64 -> float32; float64, complex128 and integers (converted "
                   "to float64 first) -> float64.",
          .error_bound = "As sum; of complex numbers the magnitudes are within 1 ULP first.",
          .rounding = "Magnitudes in the real type (complex: as abs of the formulas), then as sum.",
          .source = "",
          .example = R"({"op": "norm1", "in": "x"})",
      },
      std::move(mapped));
}

}  // namespace tessera::ops
