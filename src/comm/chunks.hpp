// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.hpp"

namespace tessera::comm {

/// What a message library carries in one call: its counts are 32-bit.
inline constexpr std::int64_t default_chunk_bytes = std::int64_t{1} << 30;

/// A piece of a message.
struct Chunk {
  std::int64_t begin = 0;
  std::int64_t size = 0;
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

/// `total` bytes or elements, cut into consecutive pieces of `limit` (the last may be shorter);
/// none when `total` is 0. Both ends of a message cut it alike.
[[nodiscard]] inline std::vector<Chunk> chunks(std::int64_t total, std::int64_t limit) {
  require(total >= 0 && limit > 0, "a message has a size and a chunk is at least one byte");
  std::vector<Chunk> result;
  result.reserve(static_cast<std::size_t>(total / limit + 1));
  for (std::int64_t begin = 0; begin < total; begin += limit) {
    result.push_back({begin, std::min(limit, total - begin)});
    if (begin > total - limit) break;  // the next begin might not fit 63 bits
  }
  return result;
}

/// How many elements of `element_bytes` go into one chunk; at least one.
[[nodiscard]] inline std::int64_t chunk_elements(std::int64_t chunk_bytes,
                                                 std::int64_t element_bytes) {
  return std::max<std::int64_t>(chunk_bytes / element_bytes, 1);
}

}  // namespace tessera::comm
