// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/version.hpp"
#include "commands.hpp"
#include "device/device.hpp"

namespace tessera::apps {

std::string version_text() {
  return std::string("tessera ") + TESSERA_VERSION + " (Kokkos " + device::kokkos_version() + ": " +
         device::built_in_backends() + "; " + data::hdf5_version() + ")";
}

}  // namespace tessera::apps
