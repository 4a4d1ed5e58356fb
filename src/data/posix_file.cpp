// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/posix_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.hpp"

namespace tessera::data {
namespace {

const char* advice_for(int error) {
  switch (error) {
    case ENOSPC:
      return "the disk is full: free space or write elsewhere";
    case EDQUOT:
      return "your disk quota is used up: free space or write elsewhere";
    case EROFS:
      return "the file system is mounted read-only: write elsewhere";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and its folder";
    case EIO:
      return "the disk or the file server failed: look at the system's log";
    case ESTALE:
      return "the file server lost the file: run again";
    default:
      return "";
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

void fail_with(int error, const std::string& action, const std::string& path) {
  throw Error(ErrorKind::io, "\"" + path + "\": can't " + action + ": " + std::strerror(error))
      .advice(advice_for(error));
}

Descriptor open_existing(const std::string& path, int flags) {
  constexpr int attempts = 10;
  for (int attempt = 1;; ++attempt) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
    if (fd >= 0) return Descriptor(fd);
    const bool may_appear = errno == ENOENT || errno == ESTALE || errno == EINTR;
    if (!may_appear || attempt == attempts) fail_with(errno, "open", path);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void sync_file(int fd, const std::string& path) {
  while (::fsync(fd) != 0) {
    if (errno != EINTR) fail_with(errno, "force to disk", path);
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

void sync_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  const Descriptor descriptor = open_existing(folder, O_RDONLY | O_DIRECTORY);
  // Some network file systems can't sync a folder and have made the name durable already.
  if (::fsync(descriptor.fd()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EINTR) {
    fail_with(errno, "force to disk", folder);
  }
}

}  // namespace tessera::data
