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

}  // namespace

BlockLoop find_function_loop(const Instruction& instruction) {
  const DType type = instruction.type;
  switch (instruction.op) {
    case ElementOp::power_integer:
      return find_integer_power(type);
    case ElementOp::sqrt:
      return unary<Sqrt, Types::real_floating>(type);
    default:
      return nullptr;
  }
}

}  // namespace tessera::kernels
