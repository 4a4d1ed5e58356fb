// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/checksum.hpp"
#include "data/dataset.hpp"

namespace tessera::data {

/// The checksum of all elements as they are stored, in row-major order. Bounded memory.
[[nodiscard]] Checksum stored_checksum(const Dataset& dataset);

}  // namespace tessera::data
