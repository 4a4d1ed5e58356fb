// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/carry.hpp"

#include "data/blocks.hpp"
#include "data/hdf5_call.hpp"
#include "data/hdf5_type.hpp"
#include "data/row_writer.hpp"

namespace tessera::data {
namespace {

constexpr std::int64_t block_elements = 1 << 20;

/// Copies all values, block by block.
Checksum copy_values(const Dataset& from, const Handle& to, const std::string& subject) {
  Checksum sum;
  std::vector<char> buffer;
  const DatasetInfo& info = from.info();
  for_each_block(info.shape, block_elements, [&](const Box& box) {
    buffer.resize(static_cast<std::size_t>(box.elements() * size_of(info.dtype)));
    from.read(box, buffer.data());
    write_box(to, info.dtype, box, buffer.data(), subject);
    sum.append(buffer.data(), buffer.size());
  });
  return sum;
}

}  // namespace

void create_groups(const Handle& file, const std::string& dataset, const std::string& subject) {
  for (std::size_t slash = dataset.find('/', 1); slash != std::string::npos;
       slash = dataset.find('/', slash + 1)) {
    const std::string group = dataset.substr(0, slash);
    if (!h5::link_exists(file, group)) h5::create_group(file, group, subject);
  }
}

Carry::Carry(const Handle& file, std::string file_name, std::set<std::string> taken)
    : file_(file), file_name_(std::move(file_name)), taken_(std::move(taken)) {}

const InputFile& Carry::source(const std::string& path) {
  return sources_.try_emplace(path, path).first->second;
}

std::string Carry::free_path(const std::string& wanted) {
  const auto is_free = [&](const std::string& path) {
    return !taken_.contains(path) && !h5::link_exists(file_, path);
  };
  std::string path = wanted;
  for (int number = 2; !is_free(path); ++number) path = wanted + "_" + std::to_string(number);
  taken_.insert(path);
  return path;
}

Handle Carry::copy(const InputFile& from, const h5::Scale& scale) {
  const Dataset original = from.open(scale.path);
  const DatasetInfo& info = original.info();
  const std::string path = free_path(scale.path);
  const std::string subject = h5::subject(file_name_, path);
  create_groups(file_, path, subject);
  Handle made = h5::create_dataset(file_, path, file_type(info.dtype),
                                   h5::space(info.shape, subject), {}, subject);
  const Checksum sum = copy_values(original, made, subject);
  h5::copy_attributes(original.handle(), made, subject);
  h5::make_scale(made, scale.name, subject);
  h5::write_checksum(made, checksum_attribute, sum.value, subject);
  summaries_.push_back({path, info.dtype, info.shape, sum.value});
  return made;
}

const Handle& Carry::copy_of(const InputFile& from, const h5::Scale& scale) {
  const auto [place, is_new] = copies_.try_emplace({from.path(), scale.path});
  if (is_new) {
    try {
      place->second = copy(from, scale);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::graph) throw;  // a type that isn't ours: stays behind
    }
  }
  return place->second;
}

void Carry::apply(const OutputDataset& output, const Handle& dataset) {
  const InputFile& from = source(output.carry->file);
  const Dataset original = from.open(output.carry->dataset);
  if (original.info().shape != output.shape) return;
  const std::string subject = h5::subject(file_name_, output.path);
  h5::copy_attributes(original.handle(), dataset, subject);
  for (int axis = 0; axis < output.shape.size(); ++axis) {
    for (const h5::Scale& scale : h5::scales_of(original.handle(), axis, subject)) {
      const Handle& copied = copy_of(from, scale);
      if (copied.is_open()) h5::attach_scale(dataset, copied, axis, subject);
    }
  }
}

void Carry::close() {
  for (auto& [origin, scale] : copies_) h5::close(scale, h5::subject(file_name_, origin.second));
}

}  // namespace tessera::data
