// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "data/hdf5_call.hpp"

namespace tessera::data {

/// HDF5 reads the part of a virtual dataset whose source is missing as fill values and reports
/// success. So every source is opened beforehand. Throws Error(graph) naming the first that isn't
/// there or can't be opened (also when it is open for writing elsewhere). Sources named by a
/// pattern ("part%b.h5") have no known number and aren't checked; a part without a source is fill
/// values by definition.
void refuse_missing_sources(const Handle& file, const std::string& file_path,
                            const std::vector<h5::VirtualSource>& sources,
                            const std::string& subject);

}  // namespace tessera::data
