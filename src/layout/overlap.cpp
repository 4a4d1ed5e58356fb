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

}  // namespace

std::int64_t Overlap::sent_elements() const { return total(sends); }
std::int64_t Overlap::received_elements() const { return total(receives); }

Overlap overlap(const Layout& from, const Layout& to, Rank self) {
  require(from.shape() == to.shape() && from.ranks() == to.ranks(),
          "two layouts of one tensor have the same shape and rank count");
  Overlap result;
  const std::vector<Box> held = from.boxes(self);
  const std::vector<Box> wanted = to.boxes(self);
  each_intersection(held, wanted, [&](const Box& box) { result.copies.push_back(box); });
  if (from.is_replicated()) return result;
  for (Rank peer = 0; peer < from.ranks(); ++peer) {
    if (peer == self) continue;
    each_intersection(held, to.boxes(peer), [&](const Box& box) {
      result.sends.push_back({peer, box});
    });
    each_intersection(from.boxes(peer), wanted, [&](const Box& box) {
      result.receives.push_back({peer, box});
    });
  }
  return result;
}

}  // namespace tessera::layout
