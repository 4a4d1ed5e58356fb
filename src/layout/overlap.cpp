// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "layout/layout.hpp"

namespace tessera::layout {

namespace {

std::int64_t total(const std::vector<Transfer>& transfers) {
  std::int64_t elements = 0;
  for (const Transfer& transfer : transfers) elements += transfer.box.elements();
  return elements;
}

/// Appends the non-empty intersections of the two lists of boxes, ordered by the sender's box, then
/// by the receiver's, so that both ends list a pair's boxes alike.
template <class Append>
void each_intersection(const std::vector<Box>& held, const std::vector<Box>& wanted,
                       Append append) {
  for (const Box& a : held) {
    for (const Box& b : wanted) {
      const Box common = intersect(a, b);
      if (!common.empty()) append(common);
    }
  }
}

/// `held(rank)` and `wanted(rank)` list a rank's boxes.
template <class Held, class Wanted>
Overlap overlap_of(const Held& held, const Wanted& wanted, int ranks, bool held_by_all, Rank self) {
  Overlap result;
  const std::vector<Box> mine = held(self);
  const std::vector<Box> wish = wanted(self);
  each_intersection(mine, wish, [&](const Box& box) { result.copies.push_back(box); });
  if (held_by_all) return result;
  for (Rank peer = 0; peer < ranks; ++peer) {
    if (peer == self) continue;
    each_intersection(mine, wanted(peer), [&](const Box& box) {
      result.sends.push_back({peer, box});
    });
    each_intersection(held(peer), wish, [&](const Box& box) {
      result.receives.push_back({peer, box});
    });
  }
  return result;
}

}  // namespace

std::int64_t Overlap::sent_elements() const { return total(sends); }
std::int64_t Overlap::received_elements() const { return total(receives); }

Overlap overlap(const Layout& from, const Layout& to, Rank self) {
  require(from.shape() == to.shape() && from.ranks() == to.ranks(),
          "two layouts of one tensor have the same shape and rank count");
  return overlap_of([&](Rank rank) { return from.boxes(rank); },
                    [&](Rank rank) { return to.boxes(rank); }, from.ranks(), from.is_replicated(),
                    self);
}

Overlap overlap(const std::vector<Box>& held, const std::vector<Box>& wanted, bool held_by_all,
                Rank self) {
  require(held.size() == wanted.size(), "every rank holds a box and wants one");
  const auto one = [](const std::vector<Box>& boxes) {
    return [&boxes](Rank rank) { return std::vector<Box>{boxes[static_cast<std::size_t>(rank)]}; };
  };
  return overlap_of(one(held), one(wanted), static_cast<int>(held.size()), held_by_all, self);
}

}  // namespace tessera::layout
