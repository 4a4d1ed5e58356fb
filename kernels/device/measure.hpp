// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/device.hpp"

namespace tessera::device {

/// Bytes read + written per second by a plain copy of `bytes` (well over the caches) on the
/// stream's backend with all its threads: the best of a few repetitions.
[[nodiscard]] double measure_copy(const Stream& stream, std::int64_t bytes);

/// Bytes per second from pinned host memory to the memory where the stream's kernels work.
[[nodiscard]] double measure_upload(const Stream& stream, std::int64_t bytes);

/// Fused multiply-adds per second times two, float64, in registers, with all threads of the host.
[[nodiscard]] double measure_flops(const Stream& stream);

}  // namespace tessera::device
