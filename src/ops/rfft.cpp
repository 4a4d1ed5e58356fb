// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft_common.hpp"

namespace tessera::ops {

Operation rfft_operation() {
  Operation operation = fft_family_operation(FftVariant::rfft, "rfft");
  operation.summary =
      "Discrete Fourier transform of real data over one to three axes: the n / 2 + 1 coefficients "
      "along the last of axes that determine the others.";
  operation.shape_rule = "the extent n of the last of axes becomes n / 2 + 1";
  operation.types = "float32 -> complex64; float64 -> complex128";
  operation.example = R"({"op": "rfft", "in": "x"})";
  return operation;
}

}  // namespace tessera::ops
