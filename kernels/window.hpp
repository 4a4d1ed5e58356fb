// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/dtype.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

/// A window of `length` samples, symmetric about its middle, or periodic: a symmetric one of
/// length + 1 samples without the last.
struct WindowTask {
  enum class Kind : std::uint8_t { cosines, bartlett, kaiser };
  static constexpr int max_terms = 5;

  Kind kind = Kind::cosines;
  std::int64_t length = 0;
  bool symmetric = false;
  int terms = 0;  ///< cosines
  double
      coefficient[max_terms]{};  ///< cosines: w(t) = sum of (-1)^k c_k cos(2 pi k t), 0 <= t <= 1
  double beta = 0;               ///< kaiser
};

/// out[j] = the window's sample `first + j`, for j < count; `real` is float32 or float64. Computed
/// in float64; cosines are summed in the order of their coefficients, Bessel's function by its
/// power series.
void fill_window(const device::Stream& stream, const WindowTask& task, std::int64_t first,
                 std::int64_t count, DType real, void* out);

}  // namespace tessera::kernels
