// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/halo.hpp"

#include <algorithm>

#include "pack.hpp"

namespace tessera::ops {

namespace {

using kernels::Interval;

/// Part of an interval that one place of the process grid holds.
struct Segment {
  Interval cells;         ///< as the receiver counts
  std::int64_t from = 0;  ///< the first of them as the sender counts
  std::int64_t place = 0;
};

/// The place along an axis that holds index `i`, and where its part ends.
Segment holder(const layout::AxisSplit& split, std::int64_t n, std::int64_t i) {
  Segment segment;
  segment.from = i;
  if (split.block > 0 && split.parts > 1) {
    segment.place = i / split.block;
    segment.cells.end = std::min((segment.place + 1) * split.block, n);
  } else {
    segment.place = layout::balanced_owner(n, split.parts, i);
    segment.cells.end = layout::balanced_begin(n, split.parts, segment.place + 1);
  }
  return segment;
}

/// How one axis is seen by a rank: its own cells and the ghosts on both sides.
struct AxisHalo {
  Interval part[3];              ///< below, own, above
  std::vector<Segment> held[3];  ///< who holds them
};

AxisHalo axis_halo(const layout::Layout& layout, int axis, Interval own, std::int64_t place,
                   std::int64_t depth, kernels::Boundary boundary) {
  const std::int64_t n = layout.shape()[axis];
  const Interval wide = kernels::widened(boundary, own, depth, n);
  AxisHalo result;
  result.part[0] = {wide.begin, own.begin};
  result.part[1] = own;
  result.part[2] = {own.end, wide.end};
  for (const int side : {0, 2}) {
    for (std::int64_t i = result.part[side].begin; i < result.part[side].end;) {
      Segment segment = holder(layout.splits()[static_cast<std::size_t>(axis)], n,
                               kernels::source_index(boundary, i, n));
      const std::int64_t length = segment.cells.end - segment.from;
      segment.cells = {i, std::min(i + length, result.part[side].end)};
      i = segment.cells.end;
      result.held[side].push_back(segment);
    }
  }
  result.held[1] = {{own, own.begin, place}};
  return result;
}

Rank rank_at(const layout::Layout& layout, const Index& place) {
  std::int64_t rank = 0;
  for (int axis = 0; axis < place.size(); ++axis) {
    rank = rank * layout.splits()[static_cast<std::size_t>(axis)].parts + place[axis];
  }
  return static_cast<Rank>(rank);
}

/// The ghosts of one rank and the messages that fill them.
class GhostPlanner {
 public:
  GhostPlanner(const layout::Layout& layout, const HaloSpec& spec, Rank rank)
      : layout_(layout), spec_(spec) {
    halo_.own = layout.box(rank);
    if (halo_.own.empty()) return;
    const Index place = layout.coordinates(rank);
    for (int axis = 0; axis < halo_.own.axes(); ++axis) {
      const Interval own{halo_.own.origin[axis], halo_.own.end(axis)};
      const auto found = std::find(spec.axes.begin(), spec.axes.end(), axis);
      const bool cut = layout.splits()[static_cast<std::size_t>(axis)].parts > 1;
      const auto s = static_cast<int>(found - spec.axes.begin());
      const bool wanted = found != spec.axes.end() && cut;
      axes_.push_back(axis_halo(
          layout, axis, own, place[axis], wanted ? spec.depth[s] : 0,
          wanted ? spec.boundary[static_cast<std::size_t>(s)] : kernels::Boundary::nearest));
    }
    sides_.assign(axes_.size(), 1);
    add_ghosts(0, 0);
  }

  Halo take() { return std::move(halo_); }

 private:
  /// All combinations of below, own and above along the axes from `axis` on.
  void add_ghosts(std::size_t axis, int beyond) {
    if (axis == axes_.size()) {
      if (beyond > 0) add_ghost();
      return;
    }
    for (const int side : {0, 1, 2}) {
      if (axes_[axis].held[side].empty()) continue;
      if (side != 1 && beyond == 1 && !spec_.corners) continue;
      sides_[axis] = side;
      add_ghosts(axis + 1, beyond + (side == 1 ? 0 : 1));
    }
  }

  void add_ghost() {
    Box ghost;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const Interval& part = axes_[a].part[sides_[a]];
      ghost.origin.push_back(part.begin);
      ghost.extent.push_back(part.end - part.begin);
    }
    halo_.ghosts.push_back(ghost);
    add_messages(0, {}, {});
  }

  void add_messages(std::size_t axis, HaloMessage message, const Index& place) {
    if (axis == axes_.size()) {
      message.ghost = static_cast<int>(halo_.ghosts.size()) - 1;
      message.peer = rank_at(layout_, place);
      halo_.receives.push_back(message);
      return;
    }
    for (const Segment& segment : axes_[axis].held[sides_[axis]]) {
      HaloMessage next = message;
      const std::int64_t extent = segment.cells.end - segment.cells.begin;
      next.cells.origin.push_back(segment.cells.begin);
      next.cells.extent.push_back(extent);
      next.source.origin.push_back(segment.from);
      next.source.extent.push_back(extent);
      Index there = place;
      there.push_back(segment.place);
      add_messages(axis + 1, next, there);
    }
  }

  const layout::Layout& layout_;
  const HaloSpec& spec_;
  Halo halo_;
  std::vector<AxisHalo> axes_;
  std::vector<int> sides_;
};

constexpr std::int64_t alignment = 64;

std::int64_t rounded(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

bool needs_halo(const layout::Layout& layout, const HaloSpec& spec) {
  if (layout.is_replicated()) return false;
  for (std::size_t s = 0; s < spec.axes.size(); ++s) {
    const auto axis = static_cast<std::size_t>(spec.axes[s]);
    if (layout.splits()[axis].parts > 1 && spec.depth[static_cast<int>(s)] > 0) return true;
  }
  return false;
}

Halo plan_halo(const layout::Layout& layout, const HaloSpec& spec, Rank self) {
  Halo halo = GhostPlanner(layout, spec, self).take();
  if (!needs_halo(layout, spec) || halo.own.empty()) return halo;
  for (Rank rank = 0; rank < layout.ranks(); ++rank) {
    const Halo other = rank == self ? halo : GhostPlanner(layout, spec, rank).take();
    for (HaloMessage message : other.receives) {
      if (message.peer != self) continue;
      message.peer = rank;
      halo.sends.push_back(message);
    }
  }
  return halo;
}

HaloExchange::HaloExchange(Emitter& emitter, const layout::Layout& layout, DType dtype,
                           const HaloSpec& spec, const std::string& label)
    : label_(label), parts_(make_parts(layout, dtype, spec, emitter.rank())) {
  ghosts_ = emitter.scratch(label + " ghost cells", parts_->ghost_bytes);
  outgoing_ = emitter.scratch(label + " send", parts_->sends_packed);
  incoming_ = emitter.scratch(label + " receive", parts_->receives_packed);
}

std::shared_ptr<const HaloExchange::Parts> HaloExchange::make_parts(const layout::Layout& layout,
                                                                    DType dtype,
                                                                    const HaloSpec& spec,
                                                                    Rank self) {
  auto parts = std::make_shared<Parts>();
  parts->halo = plan_halo(layout, spec, self);
  parts->dtype = dtype;
  parts->global = layout.shape();
  for (const Box& ghost : parts->halo.ghosts) {
    parts->ghost_offset.push_back(parts->ghost_bytes);
    parts->ghost_bytes += rounded(ghost.elements() * size_of(dtype));
  }
  const auto parcel = [&](const HaloMessage& message, const Box& part, const Box& tile,
                          std::int64_t tile_offset, std::int64_t& packed) {
    Parcel result{message, 0, part.elements() * size_of(dtype), !contiguous_in(part, tile)};
    result.offset = result.packed ? packed : tile_offset + offset_in(part, tile) * size_of(dtype);
    if (result.packed) packed += rounded(result.bytes);
    return result;
  };
  for (const HaloMessage& message : parts->halo.sends) {
    parts->sends.push_back(
        parcel(message, message.source, parts->halo.own, 0, parts->sends_packed));
  }
  for (const HaloMessage& message : parts->halo.receives) {
    const auto ghost = static_cast<std::size_t>(message.ghost);
    parts->receives.push_back(parcel(message, message.cells, parts->halo.ghosts[ghost],
                                     parts->ghost_offset[ghost], parts->receives_packed));
  }
  return parts;
}

ExchangeId HaloExchange::start(Emitter& emitter, const Placed& tensor) const {
  emit_pack(emitter, tensor);
  std::vector<Piece> sends;
  std::vector<Piece> receives;
  for (const Parcel& parcel : parts_->sends) {
    sends.push_back({parcel.message.peer, parcel.packed ? outgoing_ : tensor.buffer, parcel.offset,
                     parcel.bytes});
  }
  for (const Parcel& parcel : parts_->receives) {
    receives.push_back(
        {parcel.message.peer, parcel.packed ? incoming_ : ghosts_, parcel.offset, parcel.bytes});
  }
  return emitter.start(label_, std::move(sends), std::move(receives));
}

void HaloExchange::finish(Emitter& emitter, ExchangeId exchange) const {
  emitter.finish(exchange);
  emit_unpack(emitter);
}

void HaloExchange::emit_pack(Emitter& emitter, const Placed& tensor) const {
  if (parts_->sends_packed == 0) return;
  emitter.launch({label_ + " pack",
                  {tensor.buffer},
                  {outgoing_},
                  2.0 * static_cast<double>(parts_->sends_packed),
                  0,
                  [parts = parts_, tensor, outgoing = outgoing_](RunContext& context) {
                    for (const Parcel& parcel : parts->sends) {
                      if (!parcel.packed) continue;
                      kernels::copy_box(
                          context.stream(), context.tile(tensor),
                          dense_tile(context.data(outgoing) + parcel.offset, parts->dtype,
                                     parcel.message.source, parts->global),
                          parcel.message.source);
                    }
                  }});
}

void HaloExchange::emit_unpack(Emitter& emitter) const {
  if (parts_->receives_packed == 0) return;
  emitter.launch({label_ + " unpack",
                  {incoming_},
                  {ghosts_},
                  2.0 * static_cast<double>(parts_->receives_packed),
                  0,
                  [parts = parts_, incoming = incoming_, ghosts = ghosts_](RunContext& context) {
                    for (const Parcel& parcel : parts->receives) {
                      if (!parcel.packed) continue;
                      const auto ghost = static_cast<std::size_t>(parcel.message.ghost);
                      kernels::copy_box(
                          context.stream(),
                          dense_tile(context.data(incoming) + parcel.offset, parts->dtype,
                                     parcel.message.cells, parts->global),
                          dense_tile(context.data(ghosts) + parts->ghost_offset[ghost],
                                     parts->dtype, parts->halo.ghosts[ghost], parts->global),
                          parcel.message.cells);
                    }
                  }});
}

std::function<std::vector<Tile>(RunContext&, const Placed&)> HaloExchange::tiles() const {
  return [parts = parts_, ghosts = ghosts_](RunContext& context, const Placed& tensor) {
    std::vector<Tile> tiles{context.tile(tensor)};
    for (std::size_t i = 0; i < parts->halo.ghosts.size(); ++i) {
      tiles.push_back(dense_tile(context.data(ghosts) + parts->ghost_offset[i], parts->dtype,
                                 parts->halo.ghosts[i], parts->global));
    }
    return tiles;
  };
}

}  // namespace tessera::ops
