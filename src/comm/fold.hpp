// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/communicator.hpp"

namespace tessera::comm {

/// Throws Error(internal) for what no rank can compute: an order of complex numbers, the bits of a
/// floating-point number.
void check_op(DType dtype, ReduceOp op);

/// `into[i] = op(into[i], next[i])`. Folding the ranks' parts one after the other is our order of
/// rounding. Integer sums wrap at the width of their type.
void fold(void* into, const void* next, std::int64_t count, DType dtype, ReduceOp op);

}  // namespace tessera::comm
