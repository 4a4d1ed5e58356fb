// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operation.hpp"

namespace tessera::ops {

/// `cumsum` or `cumprod`; the caller fills in what its page says.
[[nodiscard]] Operation scan_operation(const std::string& name, bool product);

}  // namespace tessera::ops
