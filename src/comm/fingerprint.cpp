// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "comm/fingerprint.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace tessera::comm {

namespace {

constexpr std::size_t record_bytes = 512;
constexpr std::size_t longest_build = 300;

/// A line break would end the field.
std::string field(std::string text, std::size_t longest) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text.substr(0, longest);
}

}  // namespace

Fingerprint Fingerprint::of_process(std::string build, std::string recipe) {
  utsname system{};
  const bool known = uname(&system) == 0;
  return {known ? system.machine : "unknown",
          std::endian::native == std::endian::little ? "little" : "big",
          static_cast<int>(sizeof(void*)) * CHAR_BIT,
          std::numeric_limits<long double>::digits,
          field(std::move(build), longest_build),
          field(std::move(recipe), 32)};
}

std::string to_bytes(const Fingerprint& fingerprint) {
  std::string text = field(fingerprint.architecture, 32) + '\n' + fingerprint.byte_order + '\n' +
                     std::to_string(fingerprint.pointer_bits) + '\n' +
                     std::to_string(fingerprint.long_double_bits) + '\n' +
                     field(fingerprint.build, longest_build) + '\n' +
                     field(fingerprint.recipe, 32) + '\n';
  text.resize(record_bytes, '\0');
  return text;
}

Fingerprint fingerprint_of(const std::string& bytes) {
  std::istringstream in(bytes);
  Fingerprint result;
  std::string pointer;
  std::string mantissa;
  std::getline(in, result.architecture);
  std::getline(in, result.byte_order);
  std::getline(in, pointer);
  std::getline(in, mantissa);
  std::getline(in, result.build);
  std::getline(in, result.recipe);
  result.pointer_bits = std::atoi(pointer.c_str());
  result.long_double_bits = std::atoi(mantissa.c_str());
  return result;
}

std::optional<AgreedError> mismatch(std::span<const Fingerprint> of_ranks) {
  for (std::size_t r = 1; r < of_ranks.size(); ++r) {
    const Fingerprint& first = of_ranks[0];
    const Fingerprint& other = of_ranks[r];
    if (other == first) continue;
    const auto text = [&](const char* what, const std::string& a, const std::string& b) {
      return "the ranks of this job don't fit together: rank 0 has " + std::string(what) + " \"" +
             a + "\", rank " + std::to_string(r) + " has \"" + b +
             "\"; start the same program on like machines";
    };
    std::string message;
    if (other.architecture != first.architecture) {
      message = text("architecture", first.architecture, other.architecture);
    } else if (other.byte_order != first.byte_order) {
      message = text("byte order", first.byte_order, other.byte_order);
    } else if (other.pointer_bits != first.pointer_bits) {
      message = text("pointer bits", std::to_string(first.pointer_bits),
                     std::to_string(other.pointer_bits));
    } else if (other.long_double_bits != first.long_double_bits) {
      message = text("long double bits", std::to_string(first.long_double_bits),
                     std::to_string(other.long_double_bits));
    } else if (other.build != first.build) {
      message = text("build", first.build, other.build);
    } else {
      message = text("recipe", first.recipe, other.recipe);
    }
    return AgreedError(ErrorKind::communicator, message, 0, static_cast<int>(of_ranks.size()));
  }
  return std::nullopt;
}

void require_same(Communicator& world, const Fingerprint& mine) {
  const std::string record = to_bytes(mine);
  std::string all(record_bytes * static_cast<std::size_t>(world.size()), '\0');
  const std::vector<std::int64_t> bytes(static_cast<std::size_t>(world.size()), record_bytes);
  world.all_gather(record.data(), bytes, all.data());
  std::vector<Fingerprint> of_ranks;
  for (std::size_t begin = 0; begin < all.size(); begin += record_bytes) {
    of_ranks.push_back(fingerprint_of(all.substr(begin, record_bytes)));
  }
  if (const std::optional<AgreedError> error = mismatch(of_ranks)) throw AgreedError(*error);
}

}  // namespace tessera::comm
