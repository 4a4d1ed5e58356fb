// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "reduce_instances.hpp"

namespace tessera::kernels {

template void ordered_parts(const device::Stream&, const ReduceTask&,
                            const PartView<std::complex<float>>&, std::int64_t*, Scratch);
template void ordered_parts(const device::Stream&, const ReduceTask&,
                            const PartView<std::complex<double>>&, std::int64_t*, Scratch);
template void fold_products<std::complex<float>>(const device::Stream&, const ReduceTask&,
                                                 const Gathered&);
template void fold_products<std::complex<double>>(const device::Stream&, const ReduceTask&,
                                                  const Gathered&);

}  // namespace tessera::kernels
