// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/slab_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "base/error.hpp"

namespace tessera::data {
namespace {

static_assert(std::endian::native == std::endian::little,
              "files are written as memory holds the numbers");

// Linux transfers at most 2 GiB - 4 KiB per call.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;
constexpr std::size_t reread_bytes = std::size_t{8} << 20;

/// Fills `buffer` from the file; a file that ends early is an error.
void read_fully(int fd, char* buffer, std::size_t bytes, off_t offset, const std::string& path) {
  while (bytes > 0) {
    const ssize_t got = ::pread(fd, buffer, std::min(bytes, largest_transfer), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with(errno, "read back", path);
    if (got == 0)
      throw Error(ErrorKind::io,
                  "\"" + path + "\": the file ends before the data that was written");
    buffer += got;
    offset += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace

SlabWriter::SlabWriter(std::string path, std::vector<Slab> slabs, WriteCall write_call)
    : path_(std::move(path)), slabs_(std::move(slabs)), write_call_(std::move(write_call)) {
  if (!write_call_) write_call_ = ::pwrite;
  file_ = open_existing(path_, O_RDWR);
}

off_t SlabWriter::position(std::size_t slab, std::int64_t first, std::int64_t elements) const {
  require(slab < slabs_.size(), "a slab's number is below their count");
  const Slab& target = slabs_[slab];
  require(target.offset >= 0, "a dataset that is written by position has storage");
  require(first >= 0 && elements >= 0 && first <= target.elements - elements,
          "a write stays inside its dataset");
  return static_cast<off_t>(target.offset + first * size_of(target.dtype));
}

void SlabWriter::write(std::size_t slab, std::int64_t first, std::int64_t elements,
                       const void* data) {
  if (elements == 0) return;
  off_t offset = position(slab, first, elements);
  const char* next = static_cast<const char*>(data);
  auto left = static_cast<std::size_t>(elements * size_of(slabs_[slab].dtype));
  while (left > 0) {
    const ssize_t written = write_call_(file_.fd(), next, std::min(left, largest_transfer), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with(errno, "write dataset \"" + slabs_[slab].dataset + "\"", path_);
    if (written == 0) fail_with(ENOSPC, "write dataset \"" + slabs_[slab].dataset + "\"", path_);
    next += written;
    offset += written;
    left -= static_cast<std::size_t>(written);
  }
}

void SlabWriter::sync() { sync_file(file_.fd(), path_); }

Checksum SlabWriter::reread(std::size_t slab, std::int64_t first, std::int64_t elements) const {
  Checksum sum;
  if (elements == 0) return sum;
  off_t offset = position(slab, first, elements);
  auto left = static_cast<std::size_t>(elements * size_of(slabs_[slab].dtype));
  // Clean pages are dropped, so the next read asks the disk or the server; where it is ignored
  // nothing is lost.
  ::posix_fadvise(file_.fd(), offset, static_cast<off_t>(left), POSIX_FADV_DONTNEED);
  std::vector<char> buffer(std::min(left, reread_bytes));
  while (left > 0) {
    const std::size_t bytes = std::min(left, buffer.size());
    read_fully(file_.fd(), buffer.data(), bytes, offset, path_);
    sum.append(buffer.data(), bytes);
    offset += static_cast<off_t>(bytes);
    left -= bytes;
  }
  return sum;
}

}  // namespace tessera::data
