// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "elementwise_loop_templates.hpp"

namespace tessera::kernels {

namespace {

using namespace element_ops;

/// integer_power with the loop over the exponent's bits outside, so that the inner loops are vector
/// loops.
template <class T>
void integer_power_loop(const BlockOperands& block) {
  using Chain = PowerChain<T>;
  constexpr std::int64_t piece = 64;
  const auto* x = static_cast<const T*>(block.a);
  auto* out = static_cast<T*>(block.out);
  const std::int32_t n = block.immediate;
  for (std::int64_t first = 0; first < block.n; first += piece) {
    const std::int64_t length = block.n - first < piece ? block.n - first : piece;
    typename Chain::State state[piece];
    for (std::int64_t i = 0; i < length; ++i) state[i] = Chain::begin(x[first + i]);
    for (std::int32_t bit = math::second_bit(n); bit != 0; bit /= 2) {
      for (std::int64_t i = 0; i < length; ++i) state[i] = Chain::squared(state[i]);
      if ((n & bit) == 0) continue;
      for (std::int64_t i = 0; i < length; ++i) state[i] = Chain::times(state[i], x[first + i]);
    }
    for (std::int64_t i = 0; i < length; ++i) out[first + i] = n == 0 ? T(1) : Chain::end(state[i]);
  }
}

BlockLoop find_integer_power(DType dtype) {
  return select_loop<Types::all>(
      dtype, [](auto tag) { return BlockLoop(integer_power_loop<typename decltype(tag)::type>); });
}

/// The vector loop needs near angles; a block with others is computed element by element.
template <class Near, class Any, class T>
void angle_loop(const BlockOperands& block) {
  const auto* x = static_cast<const T*>(block.a);
  int far = 0;
  for (std::int64_t i = 0; i < block.n; ++i) {
    far |= math::is_near_angle(static_cast<double>(x[i])) ? 0 : 1;
  }
  if (far == 0) {
    unary_loop<Near, T>(block);
  } else {
    unary_loop<Any, T>(block);
  }
}

template <class Near, class Any>
BlockLoop find_angle_loop(DType dtype) {
  return select_loop<Types::real_floating>(dtype, [](auto tag) {
    return BlockLoop(angle_loop<Near, Any, typename decltype(tag)::type>);
  });
}

}  // namespace

BlockLoop find_function_loop(const Instruction& instruction) {
  const DType type = instruction.type;
  switch (instruction.op) {
    case ElementOp::power_integer:
      return find_integer_power(type);
    case ElementOp::sqrt:
      return unary<Sqrt, Types::real_floating>(type);
    case ElementOp::exp:
      return unary<Exp, Types::real_floating>(type);
    case ElementOp::log:
      return unary<Log, Types::real_floating>(type);
    case ElementOp::tanh:
      return unary<Tanh, Types::real_floating>(type);
    case ElementOp::sin:
      return find_angle_loop<SinNear, Sin>(type);
    case ElementOp::cos:
      return find_angle_loop<CosNear, Cos>(type);
    case ElementOp::power:
      return binary<Power, Types::real_floating>(type);
    default:
      return nullptr;
  }
}

}  // namespace tessera::kernels
