// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

namespace tessera::data {

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Throws Error(io): `"NAME": can't ACTION: <what errno means>`, and what to do about a full disk
/// or quota, a read-only file system, a lost file server.
[[noreturn]] void fail_with(int error, const std::string& action, const std::string& path);

/// Waits a second at most for a file that another process has just made to appear (network file
/// systems remember for a while that there was none).
[[nodiscard]] Descriptor open_existing(const std::string& path, int flags);

/// fsync, checked.
void sync_file(int fd, const std::string& path);
/// Makes the names in the folder of `path` durable.
void sync_folder_of(const std::string& path);
/// The folder of a path; "." where it names none.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace tessera::data
