// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How reductions are launched on a backend: internal to the kernels.
#include "device/kokkos.hpp"

namespace tessera::kernels {

/// functor(i) for 0 <= i < n on the stream's backend. Few host tasks stay on the calling thread.
template <class Functor>
void for_each(const device::Stream& stream, const char* label, std::int64_t n,
              const Functor& functor) {
  constexpr std::int64_t alone_below = 4096;
  if (stream.backend == device::Backend::host && n < alone_below) {
    for (std::int64_t i = 0; i < n; ++i) functor(i);
    return;
  }
  on_space(stream,
           [&](const auto& space) { Kokkos::parallel_for(label, range(space, n), functor); });
}

}  // namespace tessera::kernels
