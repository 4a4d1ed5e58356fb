// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/dtype.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

enum class Distribution : std::uint8_t { uniform, normal };

struct RandomTask {
  Distribution distribution = Distribution::uniform;
  std::uint64_t seed = 0;    ///< Philox' key
  std::uint64_t stream = 0;  ///< the upper half of Philox' counter
  double a = 0;              ///< uniform: the lowest value; normal: the mean
  double b = 1;              ///< uniform: the border that isn't reached; normal: the deviation
};

/// out[j] = number `first + j` of the endless sequence that the task describes, for j < count;
/// float32 or float64. Numbers depend on nothing else: not on threads, ranks or the backend.
///
/// Counter m of the stream gives four words w0..w3: numbers 2m and 2m + 1 in float64, from w0 +
/// 2^32 w1 and w2 + 2^32 w3, or 4m to 4m + 3 in float32. Uniform: the top 53 (24) bits as a
/// fraction u, then fma(b - a, u, a), and the number below b where that rounds to b. Normal: pairs
/// (x, y) of such words by G. E. P. Box and M. E. Muller (1958): with u and v = (X + 1) 2^-p, where
/// X are the top p = 53 bits of a word (in float32 all 32), r = sqrt(-2 ln u), fma(b, r cos(2 pi
/// v), a) and fma(b, r sin(2 pi v), a); in float64, rounded at last.
void random(const device::Stream& stream, const RandomTask& task, std::int64_t first,
            std::int64_t count, DType dtype, void* out);

}  // namespace tessera::kernels
