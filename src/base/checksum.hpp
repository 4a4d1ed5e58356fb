// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// CRC-32 of a byte sequence (the one of zlib, PNG and Python's `zlib.crc32`), extendable and
/// combinable, so that ranks can sum their own parts and the total is that of the whole.
struct Checksum {
  std::uint32_t value = 0;
  std::int64_t bytes = 0;

  void append(const void* data, std::size_t size);
  /// As if `next`'s bytes had been appended.
  void append(const Checksum& next);
  friend bool operator==(const Checksum&, const Checksum&) = default;
};

}  // namespace tessera
