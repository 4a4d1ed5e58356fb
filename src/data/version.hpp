// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera::data {

/// "HDF5 1.10.8": the library in use.
[[nodiscard]] std::string hdf5_version();

}  // namespace tessera::data
