// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/tile.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

/// Axis i of `out` is axis `axes[i]` of `in`: out[j_0, j_1, ...] = in[..., j_i at axes[i], ...].
/// `axes` is a permutation; the extents of `out` are those of `in`, permuted; the tiles have one
/// element type and don't overlap. Any strides; global indices don't matter.
void transpose(const device::Stream& stream, const Tile& in, const Tile& out, const Extents& axes);

}  // namespace tessera::kernels
