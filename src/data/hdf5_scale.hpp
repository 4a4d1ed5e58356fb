// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "data/hdf5_handle.hpp"

namespace tessera::data::h5 {

/// HDF5's dimension scales: datasets that say what the indices along an axis mean.
struct Scale {
  std::string path;
  std::string name;
};

/// The scales attached to one axis of a dataset.
[[nodiscard]] std::vector<Scale> scales_of(const Handle& dataset, int axis,
                                           const std::string& subject);
void make_scale(const Handle& dataset, const std::string& name, const std::string& subject);
void attach_scale(const Handle& dataset, const Handle& scale, int axis, const std::string& subject);

}  // namespace tessera::data::h5
