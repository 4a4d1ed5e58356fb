// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "reduce_instances.hpp"

namespace tessera::kernels {

template void ordered_parts(const device::Stream&, const ReduceTask&, const PartView<float>&,
                            std::int64_t*, Scratch);
template void ordered_parts(const device::Stream&, const ReduceTask&, const PartView<double>&,
                            std::int64_t*, Scratch);
template void fold_products<float>(const device::Stream&, const ReduceTask&, const Gathered&);
template void fold_products<double>(const device::Stream&, const ReduceTask&, const Gathered&);

}  // namespace tessera::kernels
