// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera {

/// Rates of one rank's share of a machine, from which seconds are predicted.
struct MachineRates {
  double copy_bytes_per_second = 10e9;  ///< bytes read + written by a copy out of cache, one rank
  double flops_float64_per_second = 10e9;  ///< fused multiply-adds count two
  double flops_float32_per_second = 20e9;
  double message_bytes_per_second = 4e9;  ///< between two ranks, one direction
  double message_seconds = 2e-6;          ///< latency of one message
  double file_read_bytes_per_second = 1e9;
  double file_write_bytes_per_second = 0.5e9;
  double upload_bytes_per_second = 20e9;  ///< between host memory and a GPU's, one direction
};

struct Machine : MachineRates {
  std::string name = "assumed";  ///< host name, or "assumed" when nothing was measured
};

}  // namespace tessera
