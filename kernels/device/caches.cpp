// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "device/caches.hpp"

#include <array>
#include <fstream>
#include <string>

namespace tessera::device {

namespace {

/// What Linux says of one cache of the first core. sysconf isn't asked: with glibc 2.36 it adds up
/// the third level of a whole AMD socket (320 MiB where a core sees 32).
struct Described {
  int level = 0;
  std::int64_t bytes = 0;
};

Described described(int index) {
  const std::string folder =
      "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
  std::string type;
  Described cache;
  std::int64_t size = 0;
  char unit = 0;
  if (!(std::ifstream(folder + "type") >> type) || type == "Instruction") return {};
  if (!(std::ifstream(folder + "level") >> cache.level)) return {};
  std::ifstream file(folder + "size");
  if (!(file >> size)) return {};
  file >> unit;
  cache.bytes = unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
  return cache;
}

std::array<std::int64_t, 4> find_all() {
  std::array<std::int64_t, 4> bytes = {0, 32 << 10, 512 << 10, 8 << 20};
  for (int index = 0; index < 8; ++index) {
    const Described cache = described(index);
    if (cache.level >= 1 && cache.level <= 3 && cache.bytes > 0) bytes[cache.level] = cache.bytes;
  }
  return bytes;
}

}  // namespace

std::int64_t cache_bytes(int level) {
  static const std::array<std::int64_t, 4> bytes = find_all();
  return level >= 1 && level <= 3 ? bytes[level] : 0;
}

}  // namespace tessera::device
