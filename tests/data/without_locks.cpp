// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Tests on a file system without locks: this program's own flock, which the HDF5 library calls too,
// always fails.
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "data/dataset.hpp"
#include "data/publication_lock.hpp"
#include "data/temp_folder.hpp"

namespace {
int flock_error = 0;
}

extern "C" int flock(int, int) noexcept {
  if (flock_error == 0) return 0;
  errno = flock_error;
  return -1;
}

namespace tessera::data {
namespace {

TEST(WithoutLocks, ReadingSaysWhatToDo) {
  for (const int error : {ENOLCK, 524}) {
    flock_error = error;
    const std::string number = "errno = " + std::to_string(error);
    expect_error(ErrorKind::io, number, [] { InputFile file(example("types.h5")); });
    expect_error(ErrorKind::io, "HDF5_USE_FILE_LOCKING=FALSE",
                 [] { InputFile file(example("types.h5")); });
  }
  flock_error = EAGAIN;
  expect_error(ErrorKind::io, "open for writing elsewhere (errno 11)",
               [] { InputFile file(example("types.h5")); });
  flock_error = 0;
  const InputFile readable(example("types.h5"));
}

TEST(WithoutLocks, TheNameInTheLockFileDecides) {
  flock_error = ENOLCK;
  const TempFolder folder;
  const std::string target = folder / "out.h5";
  PublicationLock first;
  first.acquire(target);
  PublicationLock second;
  expect_error(ErrorKind::io, "is being written by another run", [&] { second.acquire(target); });
  first.release();
  second.acquire(target);
  second.release();
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(WithoutLocks, DeadOwnersAreReplacedOtherHostsAreNot) {
  flock_error = ENOLCK;
  const TempFolder folder;
  const std::string target = folder / "out.h5";
  std::string host(256, '\0');
  ::gethostname(host.data(), host.size() - 1);
  const std::string dead = "2147483647 " + std::string(host.c_str());
  std::ofstream(target + ".lock") << dead;
  PublicationLock lock;
  lock.acquire(target);
  lock.release();
  std::ofstream(target + ".lock") << "1 elsewhere";
  expect_error(ErrorKind::io, "process 1 on elsewhere; wait for it", [&] { lock.acquire(target); });
}

}  // namespace
}  // namespace tessera::data
