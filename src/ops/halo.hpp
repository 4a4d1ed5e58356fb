// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops/emitter.hpp"
#include "stencil.hpp"

namespace tessera::ops {

/// Which cells around its own a rank wants to read.
struct HaloSpec {
  std::vector<int> axes;                    ///< of the tensor, ascending
  Extents depth;                            ///< cells on both sides, per axis of `axes`
  std::vector<kernels::Boundary> boundary;  ///< per axis of `axes`
  bool corners = true;  ///< also those that lie beyond the own cells along two axes or more
};

/// Cells that one rank sends another (or itself, around a periodic axis).
struct HaloMessage {
  Rank peer = 0;
  Box source;     ///< as the sender knows them
  Box cells;      ///< where the receiver wants them: beyond the ends along periodic axes
  int ghost = 0;  ///< index into the receiver's Halo::ghosts
};

/// What one rank sends and receives so that it can read its neighbours' cells.
///
///   own rows of rank 1        |  ghosts below: the last rows of rank 0, and, where its slab is
///   ghosts [b-d, b)  [e, e+d) |  thinner than the depth, rows of the ranks before it
///
/// Only axes that the layout cuts have ghost cells; the kernels know what lies beyond the ends of
/// the others. Every ghost cell is in exactly one message. Sends to a peer are in the order of the
/// peer's receives.
struct Halo {
  Box own;
  std::vector<Box> ghosts;  ///< disjoint, around the own cells
  std::vector<HaloMessage> sends;
  std::vector<HaloMessage> receives;
};

/// Pure arithmetic. The layout is a block layout.
[[nodiscard]] Halo plan_halo(const layout::Layout& layout, const HaloSpec& spec, Rank self);

/// Whether ranks have to send each other anything.
[[nodiscard]] bool needs_halo(const layout::Layout& layout, const HaloSpec& spec);

/// The exchange of halos of tensors that lie in one layout, again and again: ghost cells are
/// received in scratch tiles around the tensor's own, which stays where it is. Boxes that are
/// contiguous where they lie are sent and received without packing.
class HaloExchange {
 public:
  HaloExchange(Emitter& emitter, const layout::Layout& layout, DType dtype, const HaloSpec& spec,
               const std::string& label);

  [[nodiscard]] const Halo& halo() const { return parts_->halo; }
  /// Emits the sending of `tensor`'s cells. All ranks call it alike.
  [[nodiscard]] ExchangeId start(Emitter& emitter, const Placed& tensor) const;
  /// Emits the waiting; afterwards the ghost cells are there.
  void finish(Emitter& emitter, ExchangeId exchange) const;
  /// What a launch that reads ghost cells declares.
  [[nodiscard]] BufferId ghosts() const { return ghosts_; }
  /// In a launch: the tensor's own tile, then the ghost tiles.
  [[nodiscard]] std::function<std::vector<Tile>(RunContext&, const Placed&)> tiles() const;

 private:
  /// A message with its place: in the tensor or ghost tile itself, or packed.
  struct Parcel {
    HaloMessage message;
    std::int64_t offset = 0;  ///< bytes
    std::int64_t bytes = 0;
    bool packed = false;
  };
  struct Parts {
    Halo halo;
    DType dtype = DType::float64;
    Shape global;
    std::vector<std::int64_t> ghost_offset;  ///< bytes, per ghost
    std::int64_t ghost_bytes = 0;
    std::vector<Parcel> sends, receives;
    std::int64_t sends_packed = 0, receives_packed = 0;  ///< bytes
  };
  static std::shared_ptr<const Parts> make_parts(const layout::Layout& layout, DType dtype,
                                                 const HaloSpec& spec, Rank self);
  void emit_pack(Emitter& emitter, const Placed& tensor) const;
  void emit_unpack(Emitter& emitter) const;

  std::string label_;
  std::shared_ptr<const Parts> parts_;  ///< shared with the emitted functions
  BufferId ghosts_, outgoing_, incoming_;
};

}  // namespace tessera::ops
