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

struct PlainQuotient {
  template <class T>
  static T of(T a, T b) {
    return math::plain_quotient(a, b);
  }
};

/// A vector loop, and another look where a quotient came out as NaN.
template <class T>
void complex_divide_loop(const BlockOperands& block) {
  constexpr std::int64_t piece = 64;
  const auto* a = static_cast<const T*>(block.a);
  const auto* b = static_cast<const T*>(block.b);
  auto* out = static_cast<T*>(block.out);
  for (std::int64_t first = 0; first < block.n; first += piece) {
    const std::int64_t length = block.n - first < piece ? block.n - first : piece;
    T quotients[piece];
    binary_loop<PlainQuotient, T>({length, quotients, a + first, b + first, nullptr, 0});
    int nan = 0;
    for (std::int64_t i = 0; i < length; ++i) nan |= IsNan::of(quotients[i]);
    for (std::int64_t i = 0; i < length && nan != 0; ++i) {
      quotients[i] = math::divide(a[first + i], b[first + i]);
    }
    for (std::int64_t i = 0; i < length; ++i) out[first + i] = quotients[i];
  }
}

BlockLoop divide_loop(DType dtype) {
  if (!is_complex(dtype)) return binary<Divide, Types::real_floating>(dtype);
  return select_loop<Types::complex>(
      dtype, [](auto tag) { return BlockLoop(complex_divide_loop<typename decltype(tag)::type>); });
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
      return divide_loop(type);
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
