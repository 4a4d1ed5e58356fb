// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elementwise_program.hpp"

namespace tessera::kernels {

/// One instruction on a block of elements, all operands contiguous. `out` may be an operand itself.
struct BlockOperands {
  std::int64_t n = 0;
  void* out = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  std::int32_t immediate = 0;
};

using BlockLoop = void (*)(const BlockOperands&);

/// The vector loop of an instruction; null when it isn't defined for its type. Host only.
BlockLoop find_block_loop(const Instruction& instruction);

/// Parts of `find_block_loop`, by file.
BlockLoop find_arithmetic_loop(const Instruction& instruction);
BlockLoop find_logic_loop(const Instruction& instruction);
BlockLoop find_function_loop(const Instruction& instruction);
BlockLoop find_convert_loop(const Instruction& instruction);

}  // namespace tessera::kernels
