// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elementwise_loops.hpp"
#include "elementwise_ops.hpp"

// Vector loops over functors. The loops have no dependences between iterations: an output that is
// an operand's memory is so element by element.
namespace tessera::kernels {

template <class F, class T>
void unary_loop(const BlockOperands& block) {
  using Result = decltype(F::of(T()));
  auto* out = static_cast<Result*>(block.out);
  const auto* a = static_cast<const T*>(block.a);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < block.n; ++i) out[i] = F::of(a[i]);
}

template <class F, class A, class B = A>
void binary_loop(const BlockOperands& block) {
  using Result = decltype(F::of(A(), B()));
  auto* out = static_cast<Result*>(block.out);
  const auto* a = static_cast<const A*>(block.a);
  const auto* b = static_cast<const B*>(block.b);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < block.n; ++i) out[i] = F::of(a[i], b[i]);
}

template <class F, class A, class B>
void ternary_loop(const BlockOperands& block) {
  using Result = decltype(F::of(A(), B(), B()));
  auto* out = static_cast<Result*>(block.out);
  const auto* a = static_cast<const A*>(block.a);
  const auto* b = static_cast<const B*>(block.b);
  const auto* c = static_cast<const B*>(block.c);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < block.n; ++i) out[i] = F::of(a[i], b[i], c[i]);
}

/// As `visit`, with the types by which kernels handle elements, among the types asked for.
template <Types types, class F>
BlockLoop select_loop(DType dtype, F&& f) {
  return visit(dtype, [&](auto tag) -> BlockLoop {
    using T = element_t<typename decltype(tag)::type>;
    if constexpr (is_among<types, T>) {
      return f(std::type_identity<T>());
    } else {
      return nullptr;
    }
  });
}

template <class F, Types types>
BlockLoop unary(DType dtype) {
  return select_loop<types>(
      dtype, [](auto tag) { return BlockLoop(unary_loop<F, typename decltype(tag)::type>); });
}
template <class F, Types types>
BlockLoop binary(DType dtype) {
  return select_loop<types>(
      dtype, [](auto tag) { return BlockLoop(binary_loop<F, typename decltype(tag)::type>); });
}

}  // namespace tessera::kernels
