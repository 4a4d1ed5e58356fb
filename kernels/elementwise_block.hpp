// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "elementwise_loops.hpp"
#include "elementwise_view.hpp"

namespace tessera::kernels {

/// How blocks of the output are computed on the host: the program's loops, found once, and the
/// division of scratch memory into slots of one block each. Immutable; used by all threads.
class BlockPlan {
 public:
  BlockPlan(const Program& program, std::vector<InputView> inputs, bool canonical, bool streaming);

  /// Elements in a block: what keeps the slots in the first-level cache.
  [[nodiscard]] std::int64_t block() const { return block_; }
  [[nodiscard]] std::int64_t scratch_bytes() const { return slots_ * slot_bytes_; }

  /// Elements [first, first + count) into `output` (of all elements). `scratch` is aligned to 64
  /// bytes. Returns the lowest index at which a NaN was refused, or `no_nan`.
  std::int64_t run(std::int64_t first, std::int64_t count, void* output, std::byte* scratch) const;

 private:
  struct Pointers;
  std::byte* slot(std::byte* scratch, int number) const { return scratch + number * slot_bytes_; }
  void fill_constants(std::int64_t count, std::byte* scratch) const;
  std::int64_t run_block(std::int64_t first, std::int64_t count, void* output,
                         std::byte* scratch) const;
  const void* operand(Operand operand, std::int64_t first, std::byte* scratch) const;

  const Program& program_;
  std::vector<InputView> inputs_;
  std::vector<BlockLoop> loops_;
  bool canonical_;
  bool streaming_;
  bool through_slot_;  ///< the result passes through a slot and is stored from there
  int slots_ = 0;      ///< registers, constants, gathered inputs, the result
  std::int64_t slot_bytes_ = 0;
  std::int64_t block_ = 0;
};

/// Copies a block to memory. `canonical`: every NaN becomes the positive quiet one; `streaming`:
/// past the caches.
void store_block(DType dtype, const void* from, void* to, std::int64_t count, bool canonical,
                 bool streaming);

/// The constant as an element of its type.
void store_constant(const Constant& constant, void* value);

}  // namespace tessera::kernels
