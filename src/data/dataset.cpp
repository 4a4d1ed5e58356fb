// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.hpp"

#include "data/hdf5_call.hpp"
#include "data/widen.hpp"

namespace tessera::data {
namespace {

/// Where a box of the selected tensor lies in the dataset, per axis of the dataset.
struct Hyperslab {
  Index start;
  Extents step;
  Extents count;
};

Hyperslab hyperslab_of(const Box& box, const Selection::Resolved& selection) {
  Hyperslab slab{selection.start, selection.step, Extents::filled(selection.start.size(), 1)};
  for (int axis = 0; axis < box.axes(); ++axis) {
    const int stored_axis = selection.kept[static_cast<std::size_t>(axis)];
    slab.start[stored_axis] += box.origin[axis] * selection.step[stored_axis];
    slab.count[stored_axis] = box.extent[axis];
  }
  return slab;
}

void check_below_2_63(const void* values, std::int64_t count, const std::string& subject) {
  const auto* integers = static_cast<const std::int64_t*>(values);
  for (std::int64_t i = 0; i < count; ++i) {
    if (integers[i] < 0) {
      throw Error(ErrorKind::graph, subject + " holds an unsigned integer that doesn't fit int64")
          .expected("values below 9223372036854775808")
          .found(std::to_string(static_cast<std::uint64_t>(integers[i])))
          .advice("convert the dataset to float64 or scale it down");
    }
  }
}

void check_boolean(const void* values, std::int64_t count, const std::string& subject) {
  const auto* bytes = static_cast<const std::uint8_t*>(values);
  for (std::int64_t i = 0; i < count; ++i) {
    if (bytes[i] > 1) {
      throw Error(ErrorKind::graph, subject + " holds a boolean that is neither true nor false")
          .expected("0 or 1")
          .found(std::to_string(bytes[i]));
    }
  }
}

/// `count` real numbers (two for a complex one) lie in `values`, half numbers in its second half.
void finish_values(AfterRead after, void* values, std::int64_t count, const std::string& subject) {
  switch (after) {
    case AfterRead::nothing:
      return;
    case AfterRead::check_below_2_63:
      return check_below_2_63(values, count, subject);
    case AfterRead::check_boolean:
      return check_boolean(values, count, subject);
    case AfterRead::widen_float16:
      return widen_in_place(static_cast<float*>(values), count, HalfFormat::float16);
    case AfterRead::widen_bfloat16:
      return widen_in_place(static_cast<float*>(values), count, HalfFormat::bfloat16);
  }
}

bool widens(AfterRead after) {
  return after == AfterRead::widen_float16 || after == AfterRead::widen_bfloat16;
}

void read_slab(const Handle& dataset, const Handle& type, const Hyperslab& slab, void* destination,
               const std::string& subject) {
  const Handle file_space = h5::space_of(dataset, subject);
  h5::select(file_space, slab.start, slab.step, slab.count, subject);
  h5::read(dataset, type, h5::space(slab.count, subject), file_space, destination, subject);
}

}  // namespace

Selection::Resolved everything(const Shape& shape) {
  Selection::Resolved selection{
      Extents::filled(shape.size(), 0), Extents::filled(shape.size(), 1), shape, {}, shape};
  for (int axis = 0; axis < shape.size(); ++axis) selection.kept.push_back(axis);
  return selection;
}

void Dataset::read(const Box& box, const Selection::Resolved& selection, void* destination) const {
  if (box.empty()) return;
  const std::string subject = h5::subject(info_.file, info_.dataset);
  const std::int64_t numbers = box.elements() * (is_complex(info_.dtype) ? 2 : 1);
  // Half numbers come into the second half of the destination and are widened from there.
  char* raw = static_cast<char*>(destination) + (widens(type_.after) ? 2 * numbers : 0);
  read_slab(handle_, type_.memory, hyperslab_of(box, selection), raw, subject);
  finish_values(type_.after, destination, numbers, subject);
}

void Dataset::read(const Box& box, void* destination) const {
  read(box, everything(info_.shape), destination);
}

void Dataset::read_stored(const Box& box, void* destination) const {
  if (box.empty()) return;
  read_slab(handle_, type_.stored, hyperslab_of(box, everything(info_.shape)), destination,
            h5::subject(info_.file, info_.dataset));
}

}  // namespace tessera::data
