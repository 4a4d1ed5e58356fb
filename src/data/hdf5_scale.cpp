// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5_scale.hpp"

#include <hdf5_hl.h>

#include "data/hdf5_call.hpp"

namespace tessera::data::h5 {
namespace {

/// What the visitor may touch; it is called from C and must not throw.
struct Found {
  std::vector<Handle> scales;
};

herr_t keep_scale(hid_t, unsigned, hid_t scale, void* found) {
  // The identifier belongs to the iteration: a second reference outlives it.
  if (H5Iinc_ref(scale) < 0) return -1;
  static_cast<Found*>(found)->scales.emplace_back(scale, H5Dclose);
  return 0;
}

std::string name_of_scale(const Handle& scale, const std::string& subject) {
  const std::int64_t length =
      check(H5DSget_scale_name(scale.id(), nullptr, 0), "H5DSget_scale_name", subject);
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  check(H5DSget_scale_name(scale.id(), name.data(), name.size()), "H5DSget_scale_name", subject);
  name.pop_back();
  return name;
}

}  // namespace

std::vector<Scale> scales_of(const Handle& dataset, int axis, const std::string& subject) {
  std::vector<Scale> scales;
  if (check(H5DSget_num_scales(dataset.id(), static_cast<unsigned>(axis)), "H5DSget_num_scales",
            subject) == 0)
    return scales;
  Found found;
  check(H5DSiterate_scales(dataset.id(), static_cast<unsigned>(axis), nullptr, keep_scale, &found),
        "H5DSiterate_scales", subject);
  for (const Handle& scale : found.scales)
    scales.push_back({path_of(scale, subject), name_of_scale(scale, subject)});
  return scales;
}

void make_scale(const Handle& dataset, const std::string& name, const std::string& subject) {
  check(H5DSset_scale(dataset.id(), name.c_str()), "H5DSset_scale", subject);
}

void attach_scale(const Handle& dataset, const Handle& scale, int axis,
                  const std::string& subject) {
  check(H5DSattach_scale(dataset.id(), scale.id(), static_cast<unsigned>(axis)), "H5DSattach_scale",
        subject);
}

}  // namespace tessera::data::h5
