// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/widen.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tessera::data {
namespace {

template <class Widen>
void widen_blocks(float* numbers, std::int64_t count, Widen widen) {
  // Block k is read before it is overwritten: its result ends at or before the first unread half
  // number.
  std::array<std::uint16_t, 1024> block;
  const char* halves = reinterpret_cast<const char*>(numbers) + 2 * count;
  for (std::int64_t begin = 0; begin < count; begin += 1024) {
    const std::int64_t size = std::min<std::int64_t>(1024, count - begin);
    std::memcpy(block.data(), halves + 2 * begin, static_cast<std::size_t>(2 * size));
    for (std::int64_t i = 0; i < size; ++i)
      numbers[begin + i] = widen(block[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

float widen_float16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
  // The bits in place, read as float32, are the value times 2^-112: also for subnormals, exactly.
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const bool finite = (bits & 0x7c00u) != 0x7c00u;
  const std::uint32_t result =
      finite ? std::bit_cast<std::uint32_t>(scaled) : (magnitude | 0x7f800000u);
  return std::bit_cast<float>(result | sign);
}

float widen_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

void widen_in_place(float* numbers, std::int64_t count, HalfFormat format) {
  if (format == HalfFormat::float16) {
    widen_blocks(numbers, count, widen_float16);
  } else {
    widen_blocks(numbers, count, widen_bfloat16);
  }
}

}  // namespace tessera::data
