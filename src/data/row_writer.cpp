// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/row_writer.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "data/hdf5_call.hpp"
#include "data/hdf5_type.hpp"

namespace tessera::data {

void write_box(const Handle& dataset, DType dtype, const Box& box, const void* data,
               const std::string& subject) {
  const Handle file_space = h5::space_of(dataset, subject);
  h5::select(file_space, box.origin, Extents::filled(box.axes(), 1), box.extent, subject);
  h5::write(dataset, memory_type(dtype), h5::space(box.extent, subject), file_space, data, subject);
}

Shape default_chunk(const Shape& shape, DType dtype) {
  constexpr std::int64_t chunk_bytes = 1 << 20;
  Shape chunk = shape;
  for (int axis = 0; axis < chunk.size(); ++axis) {
    const std::int64_t bytes = element_count(chunk) * size_of(dtype);
    if (bytes <= chunk_bytes) break;
    const std::int64_t entry_bytes = bytes / chunk[axis];
    chunk[axis] = std::max<std::int64_t>(chunk_bytes / entry_bytes, 1);
  }
  return chunk;
}

RowWriter::RowWriter(Handle dataset, DType dtype, const Shape& shape, std::int64_t chunk_rows,
                     std::string subject)
    : dataset_(std::move(dataset)),
      dtype_(dtype),
      shape_(shape),
      chunk_rows_(chunk_rows),
      subject_(std::move(subject)),
      row_bytes_(element_count(shape) / shape[0] * size_of(dtype)) {}

void RowWriter::put(std::int64_t rows, const void* data) {
  Box box = Box::whole(shape_);
  box.origin[0] = stored_;
  box.extent[0] = rows;
  write_box(dataset_, dtype_, box, data, subject_);
  stored_ += rows;
}

void RowWriter::write(std::int64_t first_row, std::int64_t rows, const void* data) {
  require(first_row == given_ && rows >= 0 && rows <= shape_[0] - given_,
          "rows are written in order, without gaps");
  sum_.append(data, static_cast<std::size_t>(rows * row_bytes_));
  const char* next = static_cast<const char*>(data);
  while (rows > 0) {
    const std::int64_t wanted = std::min(chunk_rows_, shape_[0] - stored_);
    const std::int64_t taken = std::min(rows, wanted - (given_ - stored_));
    given_ += taken;
    rows -= taken;
    if (taken == wanted) {
      put(wanted, next);
    } else {
      waiting_.insert(waiting_.end(), next, next + taken * row_bytes_);
      if (given_ - stored_ == wanted) {
        put(wanted, waiting_.data());
        waiting_.clear();
      }
    }
    next += taken * row_bytes_;
  }
}

void RowWriter::close() {
  require(complete(), "all rows of a compressed dataset are written");
  h5::close(dataset_, subject_);
}

}  // namespace tessera::data
