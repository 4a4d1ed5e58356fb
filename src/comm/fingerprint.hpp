// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace tessera::comm {

/// What all ranks of a job must have in common for their numbers to fit together. A library may
/// carry a mix of machines without complaint and add their numbers up wrongly.
struct Fingerprint {
  std::string architecture;  ///< "x86_64"
  std::string byte_order;    ///< "little" or "big"
  int pointer_bits = 0;
  int long_double_bits = 0;  ///< of its mantissa: 64 on x86, 113 on Arm
  std::string build;         ///< identifies the program's version and build
  std::string recipe;

  /// Of this process.
  static Fingerprint of_process(std::string build, std::string recipe);
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// One fixed-size line of characters, and back: the form in which ranks exchange it.
[[nodiscard]] std::string to_bytes(const Fingerprint& fingerprint);
[[nodiscard]] Fingerprint fingerprint_of(const std::string& bytes);

/// The Error for ranks that don't match rank 0, naming the first such rank and what differs.
[[nodiscard]] std::optional<AgreedError> mismatch(std::span<const Fingerprint> of_ranks);

/// Collective; every rank throws the same Error(communicator) unless all ranks match.
void require_same(Communicator& world, const Fingerprint& mine);

}  // namespace tessera::comm
