// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace tessera {

/// An integer that can't be mixed with another kind of id.
template <class Tag>
struct Id {
  std::int32_t value = -1;
  [[nodiscard]] constexpr bool valid() const { return value >= 0; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using StepId = Id<struct StepTag>;          ///< a step of the graph, in execution order
using TensorId = Id<struct TensorTag>;      ///< a value that flows through the graph
using BufferId = Id<struct BufferTag>;      ///< a piece of a rank's arena
using ExchangeId = Id<struct ExchangeTag>;  ///< messages under way
using Rank = int;                           ///< 0-based number of a process of the job

}  // namespace tessera

template <class Tag>
struct std::hash<tessera::Id<Tag>> {
  std::size_t operator()(tessera::Id<Tag> id) const noexcept {
    return std::hash<std::int32_t>{}(id.value);
  }
};
