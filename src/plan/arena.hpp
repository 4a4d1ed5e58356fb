// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace tessera::plan {

/// Writes the first and last action that uses each buffer on this side (both: on any). A buffer
/// that a loop's body uses lives for the whole loop, since it may carry a value from one turn to
/// the next.
void find_lifetimes(const std::vector<const std::vector<ops::Action>*>& phases,
                    std::vector<Buffer>& buffers, ops::Side side = ops::Side::both);

/// Gives every used buffer an offset so that buffers alive at the same time don't overlap. Greedy
/// placement into the lowest gap, in several orders; the best is kept. Returns the arena's size.
std::int64_t place_buffers(std::vector<Buffer>& buffers);

/// An independent check of `place_buffers`: throws an internal error when two live buffers overlap.
void verify_placement(const std::vector<Buffer>& buffers, std::int64_t arena_bytes);

/// The largest sum of the bytes alive at one time: no placement can need less.
[[nodiscard]] std::int64_t live_bytes_bound(const std::vector<Buffer>& buffers);

}  // namespace tessera::plan
