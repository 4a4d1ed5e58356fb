// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/view.hpp"

#include <algorithm>

#include "pack.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

/// A box on its way between two ranks: where it lies in the buffer that it is sent from or received
/// into. Boxes that are contiguous in the tensor's own buffer travel from or to there, others
/// through a packed buffer.
struct Parcel {
  Box box;
  std::int64_t offset = 0;  ///< bytes
  bool packed = false;
};

struct Parcels {
  std::vector<Parcel> list;
  std::int64_t packed_bytes = 0;
};

/// Whether the elements of `box` follow one another where a part with these strides keeps them.
bool contiguous(const Box& box, const Strides& strides) {
  std::int64_t expected = 1;
  for (int axis = box.axes() - 1; axis >= 0; --axis) {
    if (box.extent[axis] == 1) continue;
    if (strides[axis] != expected) return false;
    expected *= box.extent[axis];
  }
  return true;
}

std::int64_t offset_of(const Box& box, const View& view, Rank self) {
  const Box& whole = view.boxes[static_cast<std::size_t>(self)];
  std::int64_t offset = view.offset;
  for (int axis = 0; axis < box.axes(); ++axis) {
    offset += (box.origin[axis] - whole.origin[axis]) * view.strides[axis];
  }
  return offset;
}

Parcels make_parcels(const std::vector<layout::Transfer>& transfers, const View& view, Rank self,
                     DType dtype) {
  Parcels result;
  for (const layout::Transfer& transfer : transfers) {
    Parcel parcel{transfer.box};
    if (contiguous(transfer.box, view.strides)) {
      parcel.offset = offset_of(transfer.box, view, self) * size_of(dtype);
    } else {
      parcel.packed = true;
      parcel.offset = result.packed_bytes;
      result.packed_bytes += transfer.box.elements() * size_of(dtype);
    }
    result.list.push_back(parcel);
  }
  return result;
}

std::vector<Piece> pieces_of(const std::vector<layout::Transfer>& transfers, const Parcels& parcels,
                             const Placed& placed, BufferId packed) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Parcel& parcel = parcels.list[i];
    pieces.push_back({transfers[i].peer, parcel.packed ? packed : placed.buffer, parcel.offset,
                      parcel.box.elements() * size_of(placed.dtype)});
  }
  return pieces;
}

Tile parcel_tile(std::byte* packed, const Parcel& parcel, DType dtype) {
  return dense_tile(packed + parcel.offset, dtype, parcel.box, parcel.box.extent);
}

/// Copies between this rank's part and the packed buffer, whichever way `kernels::copy_box` is
/// called by `copy`.
template <class Copy>
void emit_packing(Emitter& emitter, const std::string& label, BufferId read, BufferId written,
                  const Parcels& parcels, const Copy& copy) {
  if (parcels.packed_bytes == 0) return;
  emitter.launch({label,
                  {read},
                  {written},
                  2.0 * static_cast<double>(parcels.packed_bytes),
                  0,
                  [list = parcels.list, copy](RunContext& context) {
                    for (const Parcel& parcel : list) {
                      if (parcel.packed) copy(context, parcel);
                    }
                  }});
}

}  // namespace

View own_view(const Layout& layout, Rank self) {
  return shifted_view(layout, Extents::filled(layout.shape().size(), 0), self);
}

View shifted_view(const Layout& layout, const Index& origin, Rank self) {
  require(layout.is_block(), "tensors on the move are cut into blocks");
  View view;
  for (Rank rank = 0; rank < layout.ranks(); ++rank) {
    Box box = layout.box(rank);
    for (int axis = 0; axis < box.axes(); ++axis) box.origin[axis] += origin[axis];
    view.boxes.push_back(box);
  }
  view.strides = row_major_strides(layout.box(self).extent);
  view.replicated = layout.is_replicated();
  return view;
}

bool has_flat_view(const Layout& layout) {
  if (!layout.is_block()) return false;
  const Box whole = Box::whole(layout.shape());
  for (Rank rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    if (!box.empty() && !contiguous_in(box, whole)) return false;
  }
  return true;
}

View flat_view(const Layout& layout) {
  const Box whole = Box::whole(layout.shape());
  View view;
  for (Rank rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    const std::int64_t elements = box.elements();
    view.boxes.push_back({{elements == 0 ? 0 : offset_in(box, whole)}, {elements}});
  }
  view.strides = {1};
  view.replicated = layout.is_replicated();
  return view;
}

Tile view_tile(const View& view, DType dtype, Rank self, std::byte* data) {
  const Box& box = view.boxes[static_cast<std::size_t>(self)];
  return {data + view.offset * size_of(dtype), dtype, box, view.strides, box.extent};
}

void move(Emitter& emitter, const Placed& from, const View& from_view, const Placed& to,
          const View& to_view, const std::string& label) {
  start_move(emitter, from, from_view, to, to_view, label)();
}

std::function<void()> start_move(Emitter& emitter, const Placed& from, const View& from_view,
                                 const Placed& to, const View& to_view, const std::string& label) {
  const Rank self = emitter.rank();
  const DType dtype = from.dtype;
  const layout::Overlap overlap =
      layout::overlap(from_view.boxes, to_view.boxes, from_view.replicated, self);
  const Parcels out = make_parcels(overlap.sends, from_view, self, dtype);
  const Parcels in = make_parcels(overlap.receives, to_view, self, dtype);
  const BufferId out_buffer = emitter.scratch(label + " send", out.packed_bytes);
  const BufferId in_buffer = emitter.scratch(label + " receive", in.packed_bytes);
  const auto from_tile = [from, from_view, self](RunContext& context) {
    return view_tile(from_view, from.dtype, self, context.data(from.buffer));
  };
  const auto to_tile = [to, to_view, self](RunContext& context) {
    return view_tile(to_view, to.dtype, self, context.data(to.buffer));
  };

  emit_packing(emitter, label + " pack", from.buffer, out_buffer, out,
               [=](RunContext& context, const Parcel& parcel) {
                 kernels::copy_box(context.stream(), from_tile(context),
                                   parcel_tile(context.data(out_buffer), parcel, dtype),
                                   parcel.box);
               });
  const bool communicates = emitter.ranks() > 1 && !from_view.replicated;
  ExchangeId exchange;
  if (communicates) {
    exchange = emitter.start(label, pieces_of(overlap.sends, out, from, out_buffer),
                             pieces_of(overlap.receives, in, to, in_buffer));
  }
  std::int64_t kept = 0;
  for (const Box& box : overlap.copies) kept += box.elements() * size_of(dtype);
  if (kept > 0) {
    emitter.launch({label + " copy",
                    {from.buffer},
                    {to.buffer},
                    2.0 * static_cast<double>(kept),
                    0,
                    [from_tile, to_tile, copies = overlap.copies](RunContext& context) {
                      for (const Box& box : copies) {
                        kernels::copy_box(context.stream(), from_tile(context), to_tile(context),
                                          box);
                      }
                    }});
  }
  return [=, &emitter] {
    if (communicates) emitter.finish(exchange);
    emit_packing(emitter, label + " unpack", in_buffer, to.buffer, in,
                 [=](RunContext& context, const Parcel& parcel) {
                   kernels::copy_box(context.stream(),
                                     parcel_tile(context.data(in_buffer), parcel, dtype),
                                     to_tile(context), parcel.box);
                 });
  };
}

MoveCost move_cost(const View& from, const View& to, DType dtype) {
  MoveCost cost;
  const auto ranks = static_cast<Rank>(from.boxes.size());
  // Balanced blocks: the first rank, the last, and one between see every kind of overlap.
  for (const Rank rank : {0, ranks / 2, ranks - 1}) {
    const layout::Overlap overlap = layout::overlap(from.boxes, to.boxes, from.replicated, rank);
    cost.bytes = std::max(
        cost.bytes,
        static_cast<double>(size_of(dtype)) *
            static_cast<double>(std::max(overlap.sent_elements(), overlap.received_elements())));
    cost.messages =
        std::max(cost.messages,
                 static_cast<double>(std::max(overlap.sends.size(), overlap.receives.size())));
  }
  return cost;
}

}  // namespace tessera::ops
