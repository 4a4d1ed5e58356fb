// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/panel_exchange.hpp"

#include <algorithm>
#include <utility>

#include "pack.hpp"

namespace tessera::ops {

PanelExchange::PanelExchange(Emitter& emitter, Placed operand, std::string label,
                             const std::vector<KRange>& panels, const Need& need)
    : emitter_(emitter),
      operand_(std::move(operand)),
      label_(std::move(label)),
      mine_(operand_.layout.box(emitter.rank())) {
  std::array<std::int64_t, 2> panel_bytes{}, send_bytes{}, receive_bytes{};
  for (const KRange& range : panels) {
    const std::size_t side = panels_.size() % 2;
    panels_.push_back(plan(range, need));
    const Panel& panel = panels_.back();
    if (!panel.in_place) {
      panel_bytes[side] =
          std::max(panel_bytes[side], panel.box.elements() * size_of(operand_.dtype));
    }
    send_bytes[side] = std::max(send_bytes[side], panel.packed_bytes);
    receive_bytes[side] = std::max(receive_bytes[side], panel.unpacked_bytes);
  }
  for (std::size_t side = 0; side < 2; ++side) {
    panel_buffers_[side] = emitter_.scratch(label_, panel_bytes[side]);
    send_buffers_[side] = emitter_.scratch(label_ + ", packed", send_bytes[side]);
    receive_buffers_[side] = emitter_.scratch(label_ + ", received", receive_bytes[side]);
  }
}

PanelExchange::Panel PanelExchange::plan(const KRange& range, const Need& need) const {
  const Rank self = emitter_.rank();
  const std::int64_t size = size_of(operand_.dtype);
  Panel panel;
  panel.box = need(self, range);
  panel.kept = intersect(panel.box, mine_);
  panel.in_place = panel.box.empty() || panel.kept == panel.box;
  if (operand_.layout.is_replicated()) return panel;
  for (Rank peer = 0; peer < emitter_.ranks(); ++peer) {
    if (peer == self) continue;
    const Box in = intersect(panel.box, operand_.layout.box(peer));
    if (!in.empty()) {
      Parcel parcel{peer, in, offset_in(in, panel.box) * size, !contiguous_in(in, panel.box)};
      if (parcel.packed) {
        parcel.offset = panel.unpacked_bytes;
        panel.unpacked_bytes += in.elements() * size;
      }
      panel.receives.push_back(parcel);
    }
    const Box out = intersect(need(peer, range), mine_);
    if (out.empty()) continue;
    const auto twin = std::find_if(panel.sends.begin(), panel.sends.end(),
                                   [&](const Parcel& other) { return other.box == out; });
    if (twin != panel.sends.end()) {
      Parcel parcel = *twin;
      parcel.peer = peer;
      parcel.first = false;
      panel.sends.push_back(parcel);
      continue;
    }
    Parcel parcel{peer, out, offset_in(out, mine_) * size, !contiguous_in(out, mine_)};
    if (parcel.packed) {
      parcel.offset = panel.packed_bytes;
      panel.packed_bytes += out.elements() * size;
    }
    panel.sends.push_back(parcel);
  }
  return panel;
}

void PanelExchange::pack(std::size_t which) {
  const Panel& panel = panels_[which];
  if (panel.packed_bytes == 0) return;
  const BufferId buffer = of(send_buffers_, which);
  emitter_.launch({"pack " + label_,
                   {operand_.buffer},
                   {buffer},
                   2.0 * static_cast<double>(panel.packed_bytes),
                   0,
                   [operand = operand_, sends = panel.sends, buffer](RunContext& context) {
                     for (const Parcel& parcel : sends) {
                       if (!parcel.packed || !parcel.first) continue;
                       kernels::copy_box(
                           context.stream(), context.tile(operand),
                           dense_tile(context.data(buffer) + parcel.offset, operand.dtype,
                                      parcel.box, operand.layout.shape()),
                           parcel.box);
                     }
                   }});
}

void PanelExchange::add_pieces(std::size_t which, std::vector<Piece>& sends,
                               std::vector<Piece>& receives) const {
  const Panel& panel = panels_[which];
  const std::int64_t size = size_of(operand_.dtype);
  for (const Parcel& parcel : panel.sends) {
    sends.push_back({parcel.peer, parcel.packed ? of(send_buffers_, which) : operand_.buffer,
                     parcel.offset, parcel.box.elements() * size});
  }
  for (const Parcel& parcel : panel.receives) {
    receives.push_back({parcel.peer,
                        parcel.packed ? of(receive_buffers_, which) : of(panel_buffers_, which),
                        parcel.offset, parcel.box.elements() * size});
  }
}

void PanelExchange::assemble(std::size_t which) {
  const Panel& panel = panels_[which];
  if (panel.in_place || (panel.kept.empty() && panel.unpacked_bytes == 0)) return;
  const BufferId from = of(receive_buffers_, which);
  const BufferId to = of(panel_buffers_, which);
  Launch launch;
  launch.label = "assemble " + label_;
  if (!panel.kept.empty()) launch.reads.push_back(operand_.buffer);
  if (panel.unpacked_bytes > 0) launch.reads.push_back(from);
  launch.writes = {to};
  launch.bytes = 2.0 * static_cast<double>(panel.kept.elements() * size_of(operand_.dtype) +
                                           panel.unpacked_bytes);
  launch.run = [operand = operand_, panel, from, to](RunContext& context) {
    const Shape& global = operand.layout.shape();
    const Tile target = dense_tile(context.data(to), operand.dtype, panel.box, global);
    if (!panel.kept.empty()) {
      kernels::copy_box(context.stream(), context.tile(operand), target, panel.kept);
    }
    for (const Parcel& parcel : panel.receives) {
      if (!parcel.packed) continue;
      const Tile received =
          dense_tile(context.data(from) + parcel.offset, operand.dtype, parcel.box, global);
      kernels::copy_box(context.stream(), received, target, parcel.box);
    }
  };
  emitter_.launch(std::move(launch));
}

PanelSource PanelExchange::source(std::size_t which) const {
  const Panel& panel = panels_[which];
  return {panel.in_place ? operand_.buffer : of(panel_buffers_, which), operand_.dtype,
          operand_.layout.shape(), panel.in_place ? mine_ : panel.box, panel.box};
}

}  // namespace tessera::ops
