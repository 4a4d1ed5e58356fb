// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/stored_checksum.hpp"

#include <vector>

#include "data/blocks.hpp"

namespace tessera::data {

Checksum stored_checksum(const Dataset& dataset) {
  constexpr std::int64_t block_bytes = 8 << 20;
  const std::int64_t element_bytes = dataset.stored_element_bytes();
  Checksum sum;
  std::vector<char> buffer;
  for_each_block(dataset.info().shape, block_bytes / element_bytes, [&](const Box& box) {
    buffer.resize(static_cast<std::size_t>(box.elements() * element_bytes));
    dataset.read_stored(box, buffer.data());
    sum.append(buffer.data(), buffer.size());
  });
  return sum;
}

}  // namespace tessera::data
