// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/publication_lock.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>

#include "base/error.hpp"

namespace tessera::data {
namespace {

struct Owner {
  long process = 0;
  std::string host;
};

std::string this_host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Who the lock file names; process 0 when it names nobody.
Owner owner_in(int fd) {
  std::array<char, 512> text{};
  if (::pread(fd, text.data(), text.size() - 1, 0) <= 0) return {};
  std::istringstream words(text.data());
  Owner owner;
  words >> owner.process >> owner.host;
  return owner;
}

void name_owner(int fd, const std::string& path) {
  const std::string text = std::to_string(::getpid()) + " " + this_host() + "\n";
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    ::unlink(path.c_str());
    fail_with(error, "write", path);
  }
}

bool may_be_alive(const Owner& owner) {
  if (owner.process == 0) return false;
  return owner.host != this_host() || ::kill(static_cast<pid_t>(owner.process), 0) == 0 ||
         errno == EPERM;
}

/// False when the name leads to another file by now: the former owner removed ours while we waited.
bool is_current(int fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

[[noreturn]] void refuse(const std::string& target, const std::string& lock, const Owner& owner) {
  throw Error(ErrorKind::io, "\"" + target + "\" is being written by another run")
      .found("process " + std::to_string(owner.process) + " on " +
             (owner.host.empty() ? "an unknown host" : owner.host))
      .advice("wait for it; if it doesn't exist any more, remove \"" + lock + "\"");
}

enum class Attempt { taken, again };

/// `fresh`: the lock file was made by this call.
Attempt try_lock(int fd, bool fresh, const std::string& target, const std::string& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0)
    return is_current(fd, path) ? Attempt::taken : Attempt::again;
  if (errno == EWOULDBLOCK || errno == EINTR) refuse(target, path, owner_in(fd));
  // No locks on this file system: whoever made the file has it.
  if (fresh) return Attempt::taken;
  if (may_be_alive(owner_in(fd))) refuse(target, path, owner_in(fd));
  ::unlink(path.c_str());
  return Attempt::again;
}

}  // namespace

void PublicationLock::acquire(const std::string& target) {
  const std::string path = target + ".lock";
  for (int attempt = 0; attempt < 100; ++attempt) {
    int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const bool fresh = fd >= 0;
    if (!fresh && errno == EEXIST) fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) continue;
    if (fd < 0) fail_with(errno, "create", path);
    Descriptor file(fd);
    if (try_lock(fd, fresh, target, path) == Attempt::again) continue;
    name_owner(fd, path);
    file_ = std::move(file);
    path_ = path;
    return;
  }
  throw Error(ErrorKind::io, "\"" + path + "\" keeps changing hands").advice("run again");
}

void PublicationLock::release() noexcept {
  if (!file_.is_open()) return;
  ::unlink(path_.c_str());
  file_ = Descriptor();
}

}  // namespace tessera::data
