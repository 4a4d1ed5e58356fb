// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/box.hpp"
#include "base/checksum.hpp"
#include "base/dtype.hpp"
#include "data/hdf5_handle.hpp"

namespace tessera::data {

/// Writes a box of a dataset from dense memory, checked.
void write_box(const Handle& dataset, DType dtype, const Box& box, const void* data,
               const std::string& subject);

/// About 1 MiB: whole rows where they are short, parts of one row where they are long.
[[nodiscard]] Shape default_chunk(const Shape& shape, DType dtype);

/// Writes a compressed dataset row after row. Rows are gathered until a whole row of chunks is
/// there, so that chunks are written once each and in one order, whatever pieces the rows come in:
/// the file's bytes don't depend on them.
class RowWriter {
 public:
  RowWriter(Handle dataset, DType dtype, const Shape& shape, std::int64_t chunk_rows,
            std::string subject);

  void write(std::int64_t first_row, std::int64_t rows, const void* data);
  [[nodiscard]] bool complete() const { return given_ == shape_[0]; }
  [[nodiscard]] const Checksum& sum() const { return sum_; }
  /// Checked; all rows must have been given.
  void close();

 private:
  void put(std::int64_t rows, const void* data);

  Handle dataset_;
  DType dtype_;
  Shape shape_;
  std::int64_t chunk_rows_;
  std::string subject_;
  std::int64_t row_bytes_;
  std::int64_t given_ = 0;   ///< rows
  std::int64_t stored_ = 0;  ///< rows
  std::vector<char> waiting_;
  Checksum sum_;
};

}  // namespace tessera::data
