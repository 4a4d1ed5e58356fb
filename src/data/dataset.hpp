// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/box.hpp"
#include "base/dtype.hpp"
#include "base/selection.hpp"
#include "data/hdf5_handle.hpp"
#include "data/hdf5_type.hpp"

namespace tessera::data {

/// What is known of a dataset without reading its values.
struct DatasetInfo {
  std::string file;
  std::string dataset;
  DType dtype = DType::float64;  ///< in memory
  Shape shape;
  std::string stored;             ///< for people: "float16, big-endian"
  std::string storage;            ///< for people: "contiguous", "chunked [100, 7], gzip", "virtual"
  std::int64_t stored_bytes = 0;  ///< in the file; 0 where nothing was ever written
};

/// A dataset that is open for reading. Move-only. HDF5 isn't thread-safe: one thread of a process
/// at a time may use this folder's classes.
class Dataset {
 public:
  [[nodiscard]] const DatasetInfo& info() const { return info_; }
  [[nodiscard]] const Handle& handle() const { return handle_; }

  /// Reads `box` (in coordinates of the selected tensor) into `destination`, dense and row-major,
  /// as `info().dtype`. An empty box reads nothing. Throws Error(io) when the file can't be read (a
  /// damaged chunk, a network file system that went away), Error(graph) when a value doesn't fit
  /// (an unsigned 64-bit integer above 2^63 - 1: refused, never clamped).
  void read(const Box& box, const Selection::Resolved& selection, void* destination) const;
  /// As above without a selection: `box` is in coordinates of the dataset.
  void read(const Box& box, void* destination) const;
  /// The elements as they are stored, not converted: what a checksum is over.
  void read_stored(const Box& box, void* destination) const;
  [[nodiscard]] std::int64_t stored_element_bytes() const { return type_.bytes; }

 private:
  friend class InputFile;
  Dataset(Handle dataset, DatasetInfo info, StoredType type)
      : handle_(std::move(dataset)), info_(std::move(info)), type_(std::move(type)) {}

  Handle handle_;
  DatasetInfo info_;
  StoredType type_;
};

/// The selection that takes a whole dataset.
[[nodiscard]] Selection::Resolved everything(const Shape& shape);

/// An HDF5 file that is open for reading, through the serial driver: its locks are respected, and
/// it is never opened for writing.
class InputFile {
 public:
  /// Throws Error(graph) when there is no such file (naming what lies beside it) or it isn't HDF5;
  /// Error(io) when it is open for writing elsewhere, can't be locked, is truncated or damaged.
  explicit InputFile(std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Opens a dataset; links are followed. Throws Error(graph) when there is none (naming what there
  /// is), a link dangles, it holds no data (null dataspace), its element type isn't one of ours, a
  /// filter that it needs isn't there, or a source of a virtual dataset is missing.
  [[nodiscard]] Dataset open(const std::string& dataset) const;
  [[nodiscard]] DatasetInfo probe(const std::string& dataset) const { return open(dataset).info(); }
  /// The paths of all datasets that belong to this file (hard links, each once), sorted.
  [[nodiscard]] std::vector<std::string> datasets() const;
  [[nodiscard]] Handle root() const;

 private:
  std::string path_;
  Handle file_;
};

/// Type and shape of one dataset, or the reason why it can't be an input.
[[nodiscard]] DatasetInfo probe(const std::string& file, const std::string& dataset);

}  // namespace tessera::data
