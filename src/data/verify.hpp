// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera::data {

/// What became of an output file since it was written.
struct Verification {
  std::vector<std::string> datasets;  ///< checked
  std::vector<std::string>
      problems;  ///< one line each, naming the dataset; empty: all is as it was written
};

/// Recomputes the checksum of every dataset and that of the file's description, and compares them
/// with the ones in the file. Bounded memory. Throws Error(io) for a file that can't be opened, a
/// partial file, or one that carries no checksums.
[[nodiscard]] Verification verify(const std::string& file);

}  // namespace tessera::data
