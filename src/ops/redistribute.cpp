// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/redistribute.hpp"

#include <algorithm>

#include "pack.hpp"

namespace tessera::ops {

namespace {

/// A box on its way: a range of the tensor's own storage where it lies there in one piece, else a
/// part of the packing buffer.
struct Parcel {
  Box box;
  std::int64_t offset = 0;  ///< bytes, in the buffer that it is sent from or received into
  bool packed = false;
};

struct Parcels {
  std::vector<Parcel> list;
  std::int64_t packed_bytes = 0;
};

Parcels make_parcels(const std::vector<layout::Transfer>& transfers, const Box& tile, DType dtype) {
  Parcels result;
  for (const layout::Transfer& transfer : transfers) {
    Parcel parcel{transfer.box};
    if (contiguous_in(transfer.box, tile)) {
      parcel.offset = offset_in(transfer.box, tile) * size_of(dtype);
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

Tile parcel_tile(std::byte* packed, const Parcel& parcel, const Placed& placed) {
  return dense_tile(packed + parcel.offset, placed.dtype, parcel.box, placed.layout.shape());
}

}  // namespace

void redistribute(Emitter& emitter, const Placed& from, const Placed& to,
                  const std::string& label) {
  require(from.layout.is_block() && to.layout.is_block(),
          "tensors on the move are cut into blocks");
  const Rank self = emitter.rank();
  const layout::Overlap overlap = layout::overlap(from.layout, to.layout, self);
  const Parcels out = make_parcels(overlap.sends, from.layout.box(self), from.dtype);
  const Parcels in = make_parcels(overlap.receives, to.layout.box(self), to.dtype);
  const BufferId out_buffer = emitter.scratch(label + " send", out.packed_bytes);
  const BufferId in_buffer = emitter.scratch(label + " receive", in.packed_bytes);

  if (out.packed_bytes > 0) {
    emitter.launch({label + " pack",
                    {from.buffer},
                    {out_buffer},
                    2.0 * static_cast<double>(out.packed_bytes),
                    0,
                    [from, out, out_buffer](RunContext& context) {
                      for (const Parcel& parcel : out.list) {
                        if (!parcel.packed) continue;
                        kernels::copy_box(context.stream(), context.tile(from),
                                          parcel_tile(context.data(out_buffer), parcel, from),
                                          parcel.box);
                      }
                    }});
  }
  const bool communicates = emitter.ranks() > 1 && !from.layout.is_replicated();
  ExchangeId exchange;
  if (communicates) {
    exchange = emitter.start(label, pieces_of(overlap.sends, out, from, out_buffer),
                             pieces_of(overlap.receives, in, to, in_buffer));
  }
  std::int64_t kept = 0;
  for (const Box& box : overlap.copies) kept += box.elements() * size_of(from.dtype);
  if (kept > 0) {
    emitter.launch({label + " copy",
                    {from.buffer},
                    {to.buffer},
                    2.0 * static_cast<double>(kept),
                    0,
                    [from, to, copies = overlap.copies](RunContext& context) {
                      for (const Box& box : copies) {
                        kernels::copy_box(context.stream(), context.tile(from), context.tile(to),
                                          box);
                      }
                    }});
  }
  if (communicates) emitter.finish(exchange);
  if (in.packed_bytes > 0) {
    emitter.launch({label + " unpack",
                    {in_buffer},
                    {to.buffer},
                    2.0 * static_cast<double>(in.packed_bytes),
                    0,
                    [to, in, in_buffer](RunContext& context) {
                      for (const Parcel& parcel : in.list) {
                        if (!parcel.packed) continue;
                        kernels::copy_box(context.stream(),
                                          parcel_tile(context.data(in_buffer), parcel, to),
                                          context.tile(to), parcel.box);
                      }
                    }});
  }
}

}  // namespace tessera::ops
