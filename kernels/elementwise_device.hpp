// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elementwise_view.hpp"

namespace tessera::kernels {

/// `evaluate` with one thread per element: what GPUs do. On the host only for tests: the bits are
/// those of the vector loops.
void evaluate_by_element(const device::Stream& stream, Recipe recipe, const Program& program,
                         const std::vector<InputView>& inputs, const Tile& output,
                         std::int64_t* first_nan);

}  // namespace tessera::kernels
