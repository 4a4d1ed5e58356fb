// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/publication.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "data/carry.hpp"
#include "data/hdf5_call.hpp"
#include "data/hdf5_type.hpp"
#include "data/output_space.hpp"
#include "data/row_writer.hpp"
#include "data/stored_checksum.hpp"

namespace tessera::data {
namespace {

Shape chunk_of(const OutputDataset& dataset) {
  Shape chunk = dataset.compression->chunk;
  if (chunk.empty()) return default_chunk(dataset.shape, dataset.dtype);
  if (chunk.size() != dataset.shape.size()) {
    throw Error(ErrorKind::graph,
                "the chunk of output \"" + dataset.path + "\" has the wrong number of axes")
        .expected(std::to_string(dataset.shape.size()))
        .found(to_string(chunk));
  }
  for (int axis = 0; axis < chunk.size(); ++axis) {
    chunk[axis] = std::clamp<std::int64_t>(chunk[axis], 1, dataset.shape[axis]);
  }
  return chunk;
}

bool is_compressed(const OutputDataset& dataset) {
  return dataset.compression && !dataset.shape.empty() && element_count(dataset.shape) > 0;
}

Handle create_output(const Handle& file, const OutputDataset& dataset, const std::string& subject) {
  create_groups(file, dataset.path, subject);
  std::optional<h5::Chunking> chunking;
  if (is_compressed(dataset))
    chunking = h5::Chunking{chunk_of(dataset), dataset.compression->level};
  Handle made = h5::create_dataset(file, dataset.path, file_type(dataset.dtype),
                                   h5::space(dataset.shape, subject), chunking, subject);
  // The place is made now and filled by `finish`, which then moves nothing.
  h5::write_checksum(made, checksum_attribute, 0, subject);
  return made;
}

Slab slab_of(const OutputDataset& dataset, const Handle& made) {
  return {dataset.path, dataset.dtype, element_count(dataset.shape), h5::storage_offset(made)};
}

}  // namespace

Publication::Publication(OutputFile output)
    : output_(std::move(output)),
      partial_(output_.target + ".partial"),
      written_(output_.datasets.size()) {}

Publication::~Publication() { abandon(); }

bool Publication::compressed(std::size_t dataset) const {
  return is_compressed(output_.datasets[dataset]);
}

void Publication::check() const {
  check_paths(output_);
  check_target(output_, partial_);
}

void Publication::create() {
  check();
  lock_.acquire(output_.target);
  try {
    ::unlink(partial_.c_str());  // of a run that ended without cleaning up: its lock is gone
    created_ = true;
    lay_out();
    reserve_space(partial_);
  } catch (...) {
    abandon();
    throw;
  }
}

void Publication::lay_out() {
  Handle file = h5::create_file(partial_);
  lay_out_datasets(file);
  const std::string subject = h5::subject(partial_);
  Handle root = h5::root_group(file, subject);
  for (const Attribute& attribute : output_.provenance) {
    h5::write_attribute(root, attribute, subject);
  }
  h5::write_checksum(root, digest_attribute, 0, subject);
  h5::close(root, subject);
  h5::flush(file, subject);
  h5::close(file, subject);
}

void Publication::lay_out_datasets(const Handle& file) {
  std::set<std::string> paths;
  for (const OutputDataset& dataset : output_.datasets) paths.insert(dataset.path);
  Carry carry(file, partial_, std::move(paths));
  for (const OutputDataset& dataset : output_.datasets) {
    const std::string subject = h5::subject(partial_, dataset.path);
    Handle made = create_output(file, dataset, subject);
    slabs_.push_back(slab_of(dataset, made));
    if (dataset.carry) carry.apply(dataset, made);
    h5::close(made, subject);
  }
  carry.close();
  scales_ = carry.scales();
}

void Publication::write_rows(std::size_t dataset, std::int64_t first_row, std::int64_t rows,
                             const void* data) {
  require(created_ && compressed(dataset),
          "rows are written to a compressed dataset of a created file");
  const OutputDataset& output = output_.datasets[dataset];
  const std::string subject = h5::subject(partial_, output.path);
  if (!file_.is_open()) file_ = h5::open_file_for_update(partial_);
  if (!rows_) {
    rows_ = std::make_unique<RowWriter>(h5::open_dataset(file_, output.path, subject), output.dtype,
                                        output.shape, chunk_of(output)[0], subject);
    rows_of_ = dataset;
  }
  require(rows_of_ == dataset, "a compressed dataset is completed before the next is begun");
  rows_->write(first_row, rows, data);
  written_[dataset] = rows_->sum();
  if (rows_->complete()) {
    rows_->close();
    rows_.reset();
  }
}

void Publication::seal(const std::vector<Checksum>& checksums,
                       const std::vector<Attribute>& later) {
  if (!file_.is_open()) file_ = h5::open_file_for_update(partial_);
  std::vector<DatasetSummary> summaries = scales_;
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    const OutputDataset& output = output_.datasets[i];
    const std::string subject = h5::subject(partial_, output.path);
    require(checksums[i].bytes == slabs_[i].elements * size_of(output.dtype),
            "a checksum is over the whole dataset");
    Handle dataset = h5::open_dataset(file_, output.path, subject);
    h5::write_checksum(dataset, checksum_attribute, checksums[i].value, subject);
    h5::close(dataset, subject);
    summaries.push_back({output.path, output.dtype, output.shape, checksums[i].value});
  }
  const std::string subject = h5::subject(partial_);
  Handle root = h5::root_group(file_, subject);
  std::vector<Attribute> attributes = output_.provenance;
  for (const Attribute& attribute : later) {
    h5::write_attribute(root, attribute, subject);
    attributes.push_back(attribute);
  }
  h5::write_checksum(root, digest_attribute, digest_of(description(attributes, summaries)),
                     subject);
  h5::close(root, subject);
  h5::flush(file_, subject);
  h5::close(file_, subject);
  sync_file(open_existing(partial_, O_RDWR).fd(), partial_);
}

void Publication::check_compressed(const std::vector<Checksum>& checksums) const {
  const InputFile file(partial_);
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    if (!compressed(i)) continue;
    if (stored_checksum(file.open(output_.datasets[i].path)) == checksums[i]) continue;
    throw Error(ErrorKind::io, h5::subject(partial_, output_.datasets[i].path) +
                                   " doesn't read back as it was written")
        .advice("run again; if it happens again, look at the system's log for disk errors");
  }
}

void Publication::finish(const std::vector<Checksum>& checksums,
                         const std::vector<Attribute>& later) {
  require(created_ && !rows_, "a file is created and its rows are complete before it is finished");
  require(checksums.size() == output_.datasets.size(), "there is one checksum for each dataset");
  try {
    seal(checksums, later);
    check_compressed(checksums);
    move_to_target(partial_, output_.target, output_.overwrite);
    created_ = false;
    lock_.release();
  } catch (...) {
    abandon();
    throw;
  }
}

void Publication::abandon() noexcept {
  rows_.reset();
  file_ = Handle();
  if (created_) ::unlink(partial_.c_str());
  created_ = false;
  lock_.release();
}

}  // namespace tessera::data
