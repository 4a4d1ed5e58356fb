// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/emitter.hpp"

namespace tessera::ops {

/// How the ranks' parts of a tensor lie in the index space of another tensor: of the slice that is
/// taken of it, of the whole that it becomes a part of, or of its own elements in row-major order.
/// Every part is one box there, and dense or strided in its rank's buffer.
struct View {
  std::vector<Box> boxes;   ///< per rank, in the other's global indices; may be empty
  Strides strides;          ///< of this rank's part, in elements
  std::int64_t offset = 0;  ///< of this rank's first element in its buffer, in elements
  bool replicated = false;  ///< every rank holds all of it
};

/// The tensor as it is. Demands a block layout, as the following do.
[[nodiscard]] View own_view(const layout::Layout& layout, Rank self);

/// The tensor moved by `origin` in a larger one.
[[nodiscard]] View shifted_view(const layout::Layout& layout, const Index& origin, Rank self);

/// Whether every rank's part is one range of the tensor's elements in row-major order.
[[nodiscard]] bool has_flat_view(const layout::Layout& layout);

/// The tensor's elements in row-major order, along one axis. Demands `has_flat_view`.
[[nodiscard]] View flat_view(const layout::Layout& layout);

/// The part as a tile in the view's index space, at `data`, the start of this rank's buffer.
[[nodiscard]] Tile view_tile(const View& view, DType dtype, Rank self, std::byte* data);

/// Emits pack, exchange, unpack: afterwards the part of `to` that `from` has is in `to`. Both views
/// are into one index space. Ranks send each other only what the other lacks.
void move(Emitter& emitter, const Placed& from, const View& from_view, const Placed& to,
          const View& to_view, const std::string& label);

/// The first half of a move: packs, sends, and copies what stays on the rank. The function that it
/// returns emits the second half, which waits and unpacks; it is called once, while the emitter
/// lives.
[[nodiscard]] std::function<void()> start_move(Emitter& emitter, const Placed& from,
                                               const View& from_view, const Placed& to,
                                               const View& to_view, const std::string& label);

/// What the busiest rank sends or receives in such a move, in bytes and messages.
struct MoveCost {
  double bytes = 0;
  double messages = 0;
};
[[nodiscard]] MoveCost move_cost(const View& from, const View& to, DType dtype);

}  // namespace tessera::ops
