// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/machine.hpp"
#include "layout/layout.hpp"
#include "ops/operation.hpp"

namespace tessera::plan {

/// Predicted seconds of a kernel: the longer of its memory traffic and its arithmetic.
[[nodiscard]] double launch_seconds(const Machine& machine, double bytes, double flops,
                                    DType dtype);
/// Predicted seconds of messages sent one after another.
[[nodiscard]] double message_seconds(const Machine& machine, double bytes, double messages);
/// Predicted seconds of bringing a tensor from one layout to another, on the busiest rank.
[[nodiscard]] double redistribution_seconds(const Machine& machine, DType dtype,
                                            const layout::Layout& from, const layout::Layout& to);
/// Predicted seconds of a choice, its inputs' redistribution left out.
[[nodiscard]] double choice_seconds(const Machine& machine, const ops::Choice& choice, DType dtype);

}  // namespace tessera::plan
