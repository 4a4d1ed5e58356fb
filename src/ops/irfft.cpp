// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft_common.hpp"

namespace tessera::ops {

Operation irfft_operation() {
  Operation operation = fft_family_operation(FftVariant::irfft, "irfft");
  operation.summary =
      "Inverse of rfft: real data of length n along the last of axes from n / 2 + 1 coefficients; "
      "the imaginary parts of coefficient 0, and of n / 2 for even n, are ignored.";
  operation.shape_rule = "the extent n / 2 + 1 of the last of axes becomes n";
  operation.types = "complex64 -> float32; complex128 -> float64";
  operation.example = R"({"op": "irfft", "in": "X", "n": 5})";
  return operation;
}

}  // namespace tessera::ops
