// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ops/reduction.hpp"

namespace tessera::ops {

/// What becomes of NaN in a part of a composed operation.
enum class NanPolicy { propagate, ignore, error };
[[nodiscard]] NanPolicy nan_policy(const graph::Params& params, DType dtype);

/// A step emitted as a sequence of formulas and reductions of tensors in one layout.
class Composition {
 public:
  /// A tensor under the name that it has in a formula.
  using Named = std::pair<std::string, Placed>;

  Composition(const Step& step, Emitter& emitter) : step_(step), emitter_(emitter) {}

  /// output = formula of tensors that broadcast to it; where one lies otherwise it is brought
  /// there.
  void evaluate(const std::string& label, const std::string& formula,
                const std::vector<Named>& inputs, const Placed& output);
  /// As above into a tensor of its own, of the formula's type and the shape and layout of the first
  /// input.
  [[nodiscard]] Placed map(const std::string& label, const std::string& formula,
                           const std::vector<Named>& inputs);
  /// A reduction over the axes. The layout must be one that `reduction_mode` takes.
  [[nodiscard]] Placed reduce(kernels::Reduction what, const Placed& in, const AxisFlags& axes,
                              bool keepdims, NanPolicy policy = NanPolicy::propagate);
  /// The sum of conj(a) * b over the axes, for tensors of one type, shape and layout.
  [[nodiscard]] Placed dot(const Placed& a, const Placed& b, const AxisFlags& axes, bool keepdims);

 private:
  [[nodiscard]] Placed reduce(const ReductionPlan& plan, const std::vector<Placed>& inputs);
  [[nodiscard]] Placed beside(const Placed& placed, const Placed& output);

  const Step& step_;
  Emitter& emitter_;
};

}  // namespace tessera::ops
