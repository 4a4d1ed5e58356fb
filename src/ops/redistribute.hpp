// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ops/emitter.hpp"

namespace tessera::ops {

/// Emits what brings a tensor from one block layout to another: boxes that are contiguous where
/// they lie are sent as they are, others are packed into scratch; what stays on the rank is copied
/// while the messages are under way. All ranks call it alike.
void redistribute(Emitter& emitter, const Placed& from, const Placed& to, const std::string& label);

}  // namespace tessera::ops
