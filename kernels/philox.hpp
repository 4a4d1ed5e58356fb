// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/function.hpp"

namespace tessera::kernels {

/// Philox4x32-10: a bijection of 128-bit counters, chosen by a 64-bit key, whose outputs pass as
/// random numbers (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as
/// easy as 1, 2, 3", SC11). Every output stands for itself, so that any thread of any rank computes
/// the ones that it needs. Lane l has the counter (word[0][l], ..., word[3][l]), which its output
/// replaces; the loops over the lanes are vector loops.
template <int lanes>
struct Philox {
  std::uint32_t word[4][lanes];

  TESSERA_FORCEINLINE_FUNCTION void round(std::uint32_t key0, std::uint32_t key1) {
    for (int l = 0; l < lanes; ++l) {
      const std::uint64_t product0 = std::uint64_t{0xd2511f53} * word[0][l];
      const std::uint64_t product1 = std::uint64_t{0xcd9e8d57} * word[2][l];
      word[0][l] = static_cast<std::uint32_t>(product1 >> 32) ^ word[1][l] ^ key0;
      word[1][l] = static_cast<std::uint32_t>(product1);
      word[2][l] = static_cast<std::uint32_t>(product0 >> 32) ^ word[3][l] ^ key1;
      word[3][l] = static_cast<std::uint32_t>(product0);
    }
  }

  TESSERA_FORCEINLINE_FUNCTION void run(std::uint64_t key) {
    auto key0 = static_cast<std::uint32_t>(key);
    auto key1 = static_cast<std::uint32_t>(key >> 32);
    for (int i = 0; i < 10; ++i) {
      round(key0, key1);
      key0 += 0x9e3779b9;
      key1 += 0xbb67ae85;
    }
  }
};

}  // namespace tessera::kernels
