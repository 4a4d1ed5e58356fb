// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/mapped_reduction.hpp"

namespace tessera::ops {

Operation norminf_operation() {
  using kernels::Reduction;
  MappedReduction mapped;
  mapped.before = [](DType dtype, Recipe) -> std::string {
    if (is_integer(dtype)) return "float64(x)";
    return is_complex(dtype) ? "abs(x)" : "";
  };
  mapped.what = [](DType, Recipe) { return Reduction::norminf; };
  mapped.result = [](DType dtype) { return kernels::reduced_dtype(Reduction::norm2, dtype); };

  return mapped_reduction_operation(
      {
          .name = "norminf",
          .what = Reduction::norminf,
          .complex_numbers = true,
          .needs_elements = false,
          .summary =
              "Largest magnitude of the elements over all or given axes; 0 where there are none.",
          .types = "float32 and complex64 -> float32; float64, complex128 and integers (converted "
                   "to float64 first) -> float64.",
          .error_bound = "Exact; of complex numbers the magnitudes are within 1 ULP.",
          .rounding = "Exact, of magnitudes in the real type (complex: as abs of the formulas).",
          .source = "",
          .example = R"({"op": "norminf", "in": "x", "axes": [1]})",
      },
      std::move(mapped));
}

}  // namespace tessera::ops
