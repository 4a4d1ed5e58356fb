// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft_common.hpp"

namespace tessera::ops {

Operation ifft_operation() {
  Operation operation = fft_family_operation(FftVariant::ifft, "ifft");
  operation.summary =
      "Inverse discrete Fourier transform over one to three axes: y_j = 1/N sum_k x_k exp(+2 pi i "
      "j k / n), any length.";
  operation.shape_rule = "same as the input";
  operation.types = "float32, complex64 -> complex64; float64, complex128 -> complex128";
  operation.example = R"({"op": "ifft", "in": "x", "axes": [0, 1]})";
  return operation;
}

}  // namespace tessera::ops
