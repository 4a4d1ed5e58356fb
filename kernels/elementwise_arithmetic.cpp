// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "elementwise_loop_templates.hpp"

namespace tessera::kernels {

namespace {

using namespace element_ops;

/// Complex numbers and reals of the same precision.
template <class F>
BlockLoop by_real(DType dtype) {
  return select_loop<Types::complex>(dtype, [](auto tag) {
    using T = typename decltype(tag)::type;
    return BlockLoop(binary_loop<F, T, real_part_t<T>>);
  });
}

BlockLoop fma_loop(DType dtype) {
  return select_loop<Types::all>(dtype, [](auto tag) {
    using T = typename decltype(tag)::type;
    return BlockLoop(ternary_loop<Fma, real_part_t<T>, T>);
  });
}

}  // namespace

BlockLoop find_arithmetic_loop(const Instruction& instruction) {
  const DType type = instruction.type;
  switch (instruction.op) {
    case ElementOp::negate:
      return unary<Negate, Types::all>(type);
    case ElementOp::add:
      return binary<Add, Types::all>(type);
    case ElementOp::subtract:
      return binary<Subtract, Types::all>(type);
    case ElementOp::multiply:
      return binary<Multiply, Types::all>(type);
    case ElementOp::divide:
      return binary<Divide, Types::floating>(type);
    case ElementOp::scale:
      return by_real<Scale>(type);
    case ElementOp::unscale:
      return by_real<Unscale>(type);
    case ElementOp::fma:
      return fma_loop(type);
    case ElementOp::square:
      return unary<Square, Types::all>(type);
    case ElementOp::norm:
      return unary<Norm, Types::complex>(type);
    case ElementOp::abs:
      return unary<Abs, Types::all>(type);
    case ElementOp::real:
      return unary<Real, Types::complex>(type);
    case ElementOp::imag:
      return unary<Imag, Types::complex>(type);
    case ElementOp::conj:
      return unary<Conj, Types::complex>(type);
    default:
      return nullptr;
  }
}

}  // namespace tessera::kernels
