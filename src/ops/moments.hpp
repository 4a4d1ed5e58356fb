// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduction.hpp"

namespace tessera::ops {

/// `var` and `std`.
[[nodiscard]] Operation moments_operation(ReductionSpec spec);

}  // namespace tessera::ops
