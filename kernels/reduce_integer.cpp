// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "reduce_host_parts.hpp"

namespace tessera::kernels {

template void host_parts(const ReduceTask&, const PartView<std::uint8_t>&, std::int64_t*,
                         const Scratch&);
template void host_parts(const ReduceTask&, const PartView<std::int32_t>&, std::int64_t*,
                         const Scratch&);
template void host_parts(const ReduceTask&, const PartView<std::int64_t>&, std::int64_t*,
                         const Scratch&);

}  // namespace tessera::kernels
