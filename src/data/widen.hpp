// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera::data {

/// The float32 with the same value, for every float16: subnormals, infinities and NaN payloads
/// included.
[[nodiscard]] float widen_float16(std::uint16_t bits);
/// A bfloat16 is the upper half of a float32.
[[nodiscard]] float widen_bfloat16(std::uint16_t bits);

enum class HalfFormat : std::uint8_t { float16, bfloat16 };

/// `numbers` holds `count` 16-bit numbers in its *second* half and afterwards `count` float32.
void widen_in_place(float* numbers, std::int64_t count, HalfFormat format);

}  // namespace tessera::data
