// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "data/posix_file.hpp"

namespace tessera::data {

/// Keeps a second run from writing the same output: a lock on a file TARGET.lock beside it, which
/// names the process and host for messages. Where the file system has no locks the name alone
/// decides: the run is refused while that process lives on this host, or whenever it was another
/// host.
///
/// The lock isn't on the partial file itself because HDF5 locks that one, on network file systems
/// with locks that would collide with ours.
class PublicationLock {
 public:
  PublicationLock() = default;
  ~PublicationLock() { release(); }
  PublicationLock(const PublicationLock&) = delete;
  PublicationLock& operator=(const PublicationLock&) = delete;

  /// Throws Error(io) when another process has it.
  void acquire(const std::string& target);
  /// Removes the lock file.
  void release() noexcept;
  [[nodiscard]] bool held() const { return file_.is_open(); }

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace tessera::data
