// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/extents.hpp"
#include "data/attribute.hpp"

namespace tessera::data {

/// On each dataset: CRC-32 of its elements in row-major order, little-endian.
inline constexpr const char* checksum_attribute = "tessera_crc32";
/// On the root group: CRC-32 of the file's description.
inline constexpr const char* digest_attribute = "tessera_digest";

/// What the digest covers of a dataset.
struct DatasetSummary {
  std::string path;
  DType dtype = DType::float64;
  Shape shape;
  std::uint32_t checksum = 0;
};

/// The text that `tessera_digest` is the CRC-32 of, sorted by name:
///
///     tessera file 1
///     attribute NAME text|int64|float64 CRC       (of the value's bytes)
///     dataset PATH float64 [4, 6] CRC             (its tessera_crc32)
///
/// CRC are 8 lower-case hexadecimal digits.
[[nodiscard]] std::string description(std::vector<Attribute> attributes,
                                      std::vector<DatasetSummary> datasets);
[[nodiscard]] std::uint32_t digest_of(const std::string& description);

}  // namespace tessera::data
