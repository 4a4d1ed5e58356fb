// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/checksum.hpp"
#include "base/dtype.hpp"
#include "base/extents.hpp"
#include "data/hdf5_handle.hpp"
#include "data/publication_lock.hpp"
#include "data/slab_writer.hpp"

namespace tessera::data {

/// gzip after a byte shuffle.
struct Compression {
  int level = 4;  ///< 1 (fast) to 9 (small)
  Shape chunk;    ///< empty: chosen from shape and type, about 1 MiB
};

/// A dataset in some file.
struct DatasetName {
  std::string file;
  std::string dataset;
};

/// One dataset of an output file.
struct OutputDataset {
  std::string path;  ///< absolute; groups on the way are made
  DType dtype = DType::float64;
  Shape shape;
  std::optional<DatasetName>
      carry;  ///< attributes and dimension scales come from here if the shape is its
  std::optional<Compression>
      compression;  ///< written by `Publication::write_rows`, not by positional writes
};

/// An attribute of the root group.
struct Attribute {
  std::string name;
  std::variant<std::string, std::int64_t, double> value;
};

struct OutputFile {
  std::string target;
  bool overwrite = false;
  std::vector<OutputDataset> datasets;
  std::vector<Attribute> provenance;
};

/// Makes an output file appear at once and complete, or not at all. One process (rank 0) has it:
///
///   create()        lay out TARGET.partial, all metadata and the room for all data
///   slabs()         hand the positions to whoever writes (SlabWriter), or write_rows() where
///   compressed finish(sums)    seal with the checksums, force to disk, rename to TARGET
///
/// The file's bytes depend only on the description, the data and the HDF5 and zlib versions: not on
/// how many processes wrote, when, or in what pieces.
class Publication {
 public:
  explicit Publication(OutputFile output);
  /// Abandons what was not finished.
  ~Publication();
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  /// Throws Error(io) unless the output could be created now: the target is there and may not be
  /// replaced, no folder, not writable, not enough free space. Error(graph) for dataset paths that
  /// collide.
  void check() const;
  /// Throws Error(io), also when another process is writing the same output.
  void create();
  [[nodiscard]] const std::string& partial() const { return partial_; }
  /// One per dataset of the description, in its order.
  [[nodiscard]] const std::vector<Slab>& slabs() const { return slabs_; }

  /// Writes rows (entries along axis 0; a scalar has one) of a compressed dataset. Rows come in
  /// ascending order without gaps, and a dataset is completed before the next is begun; the pieces
  /// may be any.
  void write_rows(std::size_t dataset, std::int64_t first_row, std::int64_t rows, const void* data);
  /// The checksum of what `write_rows` was given.
  [[nodiscard]] Checksum written(std::size_t dataset) const;

  /// `checksums[i]` is that of dataset i's elements in row-major order, `later` are attributes that
  /// were not known before. Afterwards the file is at its target and safe on disk. Throws
  /// Error(io); the partial file is then removed.
  void finish(const std::vector<Checksum>& checksums, const std::vector<Attribute>& later = {});
  /// Removes the partial file. Does nothing after `finish`.
  void abandon() noexcept;

 private:
  struct Rows;  // a compressed dataset that is being written

  void lay_out();
  void reserve();
  void seal(const std::vector<Checksum>& checksums, const std::vector<Attribute>& later);
  void move_to_target();
  Rows& rows_of(std::size_t dataset);

  OutputFile output_;
  std::string partial_;
  std::vector<Slab> slabs_;
  PublicationLock lock_;
  Handle file_;  // open only while compressed datasets are written
  std::vector<Rows> rows_;
  bool created_ = false;  // the partial file is ours to remove
};

}  // namespace tessera::data
