// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "base/dtype.hpp"
#include "base/extents.hpp"
#include "data/attribute.hpp"
#include "data/digest.hpp"
#include "data/hdf5_handle.hpp"
#include "data/publication_lock.hpp"
#include "data/slab_writer.hpp"

namespace tessera::data {

class RowWriter;

/// gzip after a byte shuffle. Empty and scalar datasets are never compressed.
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
  /// Attributes and dimension scales come from here if the shape is the same.
  std::optional<DatasetName> carry = {};
  /// Written by `Publication::write_rows`, not by position.
  std::optional<Compression> compression = {};
};

struct OutputFile {
  std::string target;
  bool overwrite = false;
  std::vector<OutputDataset> datasets;
  std::vector<Attribute> provenance = {};
};

/// Makes an output file appear at once and complete, or not at all. One process (rank 0) has it:
///
///     create()        lay out TARGET.partial: all metadata, and room for all data
///     slabs()         tell those who write where to (SlabWriter); write_rows() where compressed
///     finish(sums)    seal with the checksums, force to disk, rename to TARGET
///
/// The file's bytes depend only on the description, the data, and the versions of HDF5 and zlib:
/// not on how many processes wrote, when, or in which pieces.
class Publication {
 public:
  explicit Publication(OutputFile output);
  /// Abandons what isn't finished.
  ~Publication();
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  /// Throws Error(io) unless the output could be created now: the target is there and may not be
  /// replaced, there is no folder, it isn't writable, the disk is too full. Error(graph) for
  /// dataset paths that can't be in one file.
  void check() const;
  /// Throws as `check`, and Error(io) when another process is writing the same output.
  void create();
  [[nodiscard]] const std::string& partial() const { return partial_; }
  /// One per dataset of the description, in its order. After `create`.
  [[nodiscard]] const std::vector<Slab>& slabs() const { return slabs_; }

  /// Writes rows (entries along axis 0) of a compressed dataset: in ascending order without gaps,
  /// and one dataset is completed before the next is begun. The pieces may be any.
  void write_rows(std::size_t dataset, std::int64_t first_row, std::int64_t rows, const void* data);
  /// The checksum of what `write_rows` was given.
  [[nodiscard]] Checksum written(std::size_t dataset) const { return written_[dataset]; }

  /// `checksums[i]` is that of dataset i's elements in row-major order; `later` are attributes that
  /// were not known before. Compressed datasets are read back and compared. Afterwards the file is
  /// at its target and safe on disk. Throws Error(io); nothing is then left behind.
  void finish(const std::vector<Checksum>& checksums, const std::vector<Attribute>& later = {});
  /// Removes the partial file. Does nothing after `finish`.
  void abandon() noexcept;

 private:
  void lay_out();
  void lay_out_datasets(const Handle& file);
  void seal(const std::vector<Checksum>& checksums, const std::vector<Attribute>& later);
  void check_compressed(const std::vector<Checksum>& checksums) const;
  [[nodiscard]] bool compressed(std::size_t dataset) const;

  OutputFile output_;
  std::string partial_;
  std::vector<Slab> slabs_;
  std::vector<DatasetSummary> scales_;  ///< carried over, written by `create`
  std::vector<Checksum> written_;
  PublicationLock lock_;
  Handle file_;  ///< open while compressed datasets are written
  std::unique_ptr<RowWriter> rows_;
  std::size_t rows_of_ = 0;
  bool created_ = false;  ///< the partial file is ours to remove
};

}  // namespace tessera::data
