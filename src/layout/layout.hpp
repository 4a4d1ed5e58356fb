// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/box.hpp"
#include "base/ids.hpp"

namespace tessera::layout {

/// How one axis is cut: into `parts` pieces, block by default, block-cyclic when `block` > 0.
struct AxisSplit {
  std::int64_t parts = 1;
  std::int64_t block =
      0;  ///< 0: balanced contiguous blocks; > 0: blocks of this many, dealt in turn
  friend bool operator==(const AxisSplit&, const AxisSplit&) = default;
};

/// Which rank holds which part of a tensor: pure arithmetic on numbers, no communicator.
///
/// The ranks form a row-major process grid with `splits[axis].parts` ranks along each axis; ranks
/// beyond the grid hold nothing. A replicated layout holds the whole tensor on every rank; a
/// scalar's layout always is. Balanced blocks: the first `extent % parts` ranks hold one more than
/// the others. A rank's elements are stored row-major, in the order of their global indices along
/// each axis.
class Layout {
 public:
  Layout() = default;
  Layout(Shape shape, std::vector<AxisSplit> splits, int ranks);

  /// Cut along axis 0 over all ranks: the default, and what files are read and written in.
  static Layout rows(const Shape& shape, int ranks);
  /// Cut along `axis` over all ranks.
  static Layout along(const Shape& shape, int axis, int ranks);
  /// Every rank holds the whole tensor.
  static Layout replicated(const Shape& shape, int ranks);
  /// Rank 0 holds the whole tensor.
  static Layout single(const Shape& shape, int ranks);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const std::vector<AxisSplit>& splits() const { return splits_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] bool is_replicated() const { return replicated_; }
  /// True where every rank's part is one box.
  [[nodiscard]] bool is_block() const;
  /// The only axis that is cut; -1 if none is, -2 if several are.
  [[nodiscard]] int split_axis() const;

  /// The process grid's coordinates of `rank`; empty extents for a rank beyond the grid.
  [[nodiscard]] Index coordinates(Rank rank) const;
  /// The box that `rank` holds (empty for an idle rank). Demands `is_block()`.
  [[nodiscard]] Box box(Rank rank) const;
  /// All boxes that `rank` holds, in storage order of their origins; one for a block layout.
  [[nodiscard]] std::vector<Box> boxes(Rank rank) const;
  /// The extents of `rank`'s local storage.
  [[nodiscard]] Shape local_extent(Rank rank) const;
  [[nodiscard]] std::int64_t local_elements(Rank rank) const {
    return element_count(local_extent(rank));
  }
  [[nodiscard]] std::int64_t max_local_elements() const;
  /// The lowest rank that holds the element.
  [[nodiscard]] Rank owner(const Index& global) const;
  /// Where the element with this global index lies in its owner's storage, per axis.
  [[nodiscard]] Index local_index(const Index& global) const;

  /// For people: "rows/4", "axis 1/4", "grid 2x2", "replicated", "rank 0".
  [[nodiscard]] std::string describe() const;
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  Shape shape_;
  std::vector<AxisSplit> splits_;
  int ranks_ = 1;
  bool replicated_ = false;
};

/// The first index of piece `part` when `extent` is cut into `parts` balanced pieces
/// (`part == parts` gives `extent`).
[[nodiscard]] std::int64_t balanced_begin(std::int64_t extent, std::int64_t parts,
                                          std::int64_t part);

/// The piece that index `i` falls into.
[[nodiscard]] std::int64_t balanced_owner(std::int64_t extent, std::int64_t parts, std::int64_t i);

/// One block of global indices that two ranks hand over.
struct Transfer {
  Rank peer = 0;
  Box box;
};

/// What `self` sends, receives and keeps when a tensor goes from one layout to another.
struct Overlap {
  std::vector<Transfer> sends;  ///< ordered by peer, then by box
  std::vector<Transfer>
      receives;             ///< ordered by peer, then by box: the same order as the peer's sends
  std::vector<Box> copies;  ///< stays on this rank
  [[nodiscard]] std::int64_t sent_elements() const;
  [[nodiscard]] std::int64_t received_elements() const;
};

/// Both layouts must have the same shape and rank count. From a replicated layout nothing is sent.
[[nodiscard]] Overlap overlap(const Layout& from, const Layout& to, Rank self);

/// As above for parts that are one box per rank in common global indices, however they came about:
/// rank r holds `held[r]` and wants `wanted[r]`. `held_by_all`: what a rank wants it holds itself.
[[nodiscard]] Overlap overlap(const std::vector<Box>& held, const std::vector<Box>& wanted,
                              bool held_by_all, Rank self);

}  // namespace tessera::layout
