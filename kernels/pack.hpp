// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/tile.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

/// Copies the elements with global indices in `box` from one tile to another of the same type:
/// packing, unpacking and moving between layouts. The box must lie inside both tiles, which must
/// not overlap.
void copy_box(const device::Stream& stream, const Tile& from, const Tile& to, const Box& box);

/// Sets bytes.
void fill_bytes(const device::Stream& stream, void* data, std::int64_t bytes, unsigned char value);

}  // namespace tessera::kernels
