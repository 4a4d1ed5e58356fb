// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "elementwise_loop_templates.hpp"

namespace tessera::kernels {

namespace {

using namespace element_ops;

BlockLoop select_block(DType dtype) {
  return select_loop<Types::all>(dtype, [](auto tag) {
    return BlockLoop(ternary_loop<Select, std::uint8_t, typename decltype(tag)::type>);
  });
}

}  // namespace

BlockLoop find_logic_loop(const Instruction& instruction) {
  const DType type = instruction.type;
  switch (instruction.op) {
    case ElementOp::equal:
      return binary<Equal, Types::all>(type);
    case ElementOp::not_equal:
      return binary<NotEqual, Types::all>(type);
    case ElementOp::less:
      return binary<Less, Types::real>(type);
    case ElementOp::less_equal:
      return binary<LessEqual, Types::real>(type);
    case ElementOp::truth:
      return unary<Truth, Types::all>(type);
    case ElementOp::logical_not:
      return unary_loop<LogicalNot, std::uint8_t>;
    case ElementOp::logical_and:
      return binary_loop<LogicalAnd, std::uint8_t>;
    case ElementOp::logical_or:
      return binary_loop<LogicalOr, std::uint8_t>;
    case ElementOp::is_nan:
      return unary<IsNan, Types::all>(type);
    case ElementOp::is_finite:
      return unary<IsFinite, Types::all>(type);
    case ElementOp::select:
      return select_block(type);
    case ElementOp::min:
      return binary<Min, Types::real>(type);
    case ElementOp::max:
      return binary<Max, Types::real>(type);
    case ElementOp::sign:
      return unary<Sign, Types::real>(type);
    case ElementOp::floor:
      return unary<Floor, Types::real_floating>(type);
    case ElementOp::ceil:
      return unary<Ceil, Types::real_floating>(type);
    case ElementOp::round:
      return unary<Round, Types::real_floating>(type);
    default:
      return nullptr;
  }
}

}  // namespace tessera::kernels
