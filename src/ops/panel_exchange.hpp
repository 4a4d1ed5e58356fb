// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "ops/emitter.hpp"

namespace tessera::ops {

struct KRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Where a panel of an operand lies: a box inside a dense tile in a buffer.
struct PanelSource {
  BufferId buffer;
  DType dtype = DType::float64;
  Shape global;
  Box stored;  ///< what the buffer holds
  Box box;     ///< the panel
  [[nodiscard]] Tile tile(RunContext& context) const {
    return dense_tile(context.data(buffer), dtype, stored, global).sub(box);
  }
};

/// Brings panel after panel of an operand to the ranks that need it, two panels at a time: one is
/// used while the next is under way. A panel that a rank holds itself stays where it is.
class PanelExchange {
 public:
  /// What a rank needs for a panel; the same answer on every rank.
  using Need = std::function<Box(Rank, const KRange&)>;

  PanelExchange(Emitter& emitter, Placed operand, std::string label,
                const std::vector<KRange>& panels, const Need& need);

  /// In this order for each panel; `pack`, `add_pieces` of panel p + 1 may come before `assemble`
  /// of panel p.
  void pack(std::size_t panel);
  void add_pieces(std::size_t panel, std::vector<Piece>& sends, std::vector<Piece>& receives) const;
  void assemble(std::size_t panel);
  [[nodiscard]] PanelSource source(std::size_t panel) const;

 private:
  struct Parcel {
    Rank peer = 0;
    Box box;
    std::int64_t offset = 0;  ///< bytes
    bool packed = false;      ///< in the packing or unpacking buffer, not where it belongs
    bool first = true;        ///< not the repetition of a box for another rank
  };
  struct Panel {
    Box box;
    Box kept;  ///< what this rank holds of it
    bool in_place = false;
    std::vector<Parcel> sends;
    std::vector<Parcel> receives;
    std::int64_t packed_bytes = 0;
    std::int64_t unpacked_bytes = 0;
  };

  Panel plan(const KRange& range, const Need& need) const;
  [[nodiscard]] BufferId of(const std::array<BufferId, 2>& buffers, std::size_t panel) const {
    return buffers[panel % 2];
  }

  Emitter& emitter_;
  Placed operand_;
  std::string label_;
  Box mine_;
  std::vector<Panel> panels_;
  std::array<BufferId, 2> panel_buffers_;
  std::array<BufferId, 2> send_buffers_;
  std::array<BufferId, 2> receive_buffers_;
};

}  // namespace tessera::ops
