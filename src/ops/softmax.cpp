// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/axis.hpp"
#include "ops/normalization.hpp"

namespace tessera::ops {

namespace {

using kernels::Reduction;

void emit(const Step& step, Emitter& emitter) {
  Composition steps(step, emitter);
  const Placed x = step.inputs[0];
  const Placed out = step.outputs[0];
  const AxisFlags axes = normalized_axis(step.node);
  const Placed largest = steps.reduce(Reduction::max, x, axes, true);
  steps.evaluate("exponentials", "exp(x - m)", {{"x", x}, {"m", largest}}, out);
  const Placed total = steps.reduce(Reduction::sum, out, axes, true);
  steps.evaluate("divide", "e / s", {{"e", out}, {"s", total}}, out);
}

}  // namespace

Operation softmax_operation() {
  Operation operation = normalization_operation("softmax", emit);
  operation.summary =
      "exp(x) along an axis, divided by its sum; the largest element is subtracted first, so that "
      "nothing overflows. Along an axis of -inf alone the result is NaN.";
  operation.types = "float32, float64; stays";
  operation.error_bound =
      "3 ULP and |x - max| / 2 ULP from rounding x - max; the sum as that of sum";
  operation.rounding = "m as max, e = exp(x - m), s as sum of e, e / s; each rounded to the type";
  operation.example = R"({"op": "softmax", "in": "x", "axis": 1})";
  return operation;
}

}  // namespace tessera::ops
