// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduction.hpp"

namespace tessera::ops {

/// A reduction of a formula of the elements, such as any: the maximum of x != 0.
struct MappedReduction {
  /// The formula of x; empty where elements of this type are reduced as they are.
  std::function<std::string(DType, Recipe)> before;
  /// What is reduced then, by element type and recipe.
  std::function<kernels::Reduction(DType, Recipe)> what;
  std::string after;  ///< the formula of the reduced value r; empty for none
  DType (*result)(DType) = nullptr;
};

[[nodiscard]] Operation mapped_reduction_operation(ReductionSpec spec, MappedReduction mapped);

}  // namespace tessera::ops
