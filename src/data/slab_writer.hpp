// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "base/dtype.hpp"
#include "data/posix_file.hpp"

namespace tessera::data {

/// Where the elements of one dataset lie in a file: dense, row-major, little-endian.
struct Slab {
  std::string dataset;
  DType dtype = DType::float64;
  std::int64_t elements = 0;
  std::int64_t offset =
      -1;  ///< of the first byte; -1: no storage of its own (empty, or compressed)
};

/// Writes parts of datasets by position into a file that `Publication::create` laid out. Any number
/// of processes may write disjoint parts at the same time; nothing is locked and no HDF5 call is
/// made.
class SlabWriter {
 public:
  /// The signature of pwrite; tests pass one that fails.
  using WriteCall =
      std::function<ssize_t(int fd, const void* data, std::size_t bytes, off_t offset)>;

  /// Opens the file for writing. Throws Error(io).
  SlabWriter(std::string path, std::vector<Slab> slabs, WriteCall write_call = {});
  /// Writes `elements` elements of slab number `slab` from element `first` (row-major) on. Short
  /// and interrupted writes go on; a full disk, a full quota and any other failure is an Error(io).
  void write(std::size_t slab, std::int64_t first, std::int64_t elements, const void* data);
  /// Forces what was written to the disk or the file server and reports what failed on the way: a
  /// network file system may accept writes that it can't keep, and says so only here.
  void sync();
  /// Reads the elements back, past the page cache where the system obliges, and returns their
  /// checksum. Call after every writer's `sync`. Bounded memory.
  [[nodiscard]] Checksum reread(std::size_t slab, std::int64_t first, std::int64_t elements) const;

 private:
  [[nodiscard]] off_t position(std::size_t slab, std::int64_t first, std::int64_t elements) const;

  std::string path_;
  std::vector<Slab> slabs_;
  WriteCall write_call_;
  Descriptor file_;
};

}  // namespace tessera::data
