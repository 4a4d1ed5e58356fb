// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera::device {

/// Bytes of the data cache of this level that a core of the host sees (level 3: shared with its
/// neighbours); a cautious guess where the system doesn't say.
[[nodiscard]] std::int64_t cache_bytes(int level);

}  // namespace tessera::device
