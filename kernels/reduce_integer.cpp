// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "reduce_instances.hpp"

namespace tessera::kernels {

template void ordered_parts(const device::Stream&, const ReduceTask&, const PartView<std::uint8_t>&,
                            std::int64_t*, Scratch);
template void ordered_parts(const device::Stream&, const ReduceTask&, const PartView<std::int32_t>&,
                            std::int64_t*, Scratch);
template void ordered_parts(const device::Stream&, const ReduceTask&, const PartView<std::int64_t>&,
                            std::int64_t*, Scratch);
template void fold_products<std::uint8_t>(const device::Stream&, const ReduceTask&,
                                          const Gathered&);
template void fold_products<std::int32_t>(const device::Stream&, const ReduceTask&,
                                          const Gathered&);
template void fold_products<std::int64_t>(const device::Stream&, const ReduceTask&,
                                          const Gathered&);

}  // namespace tessera::kernels
