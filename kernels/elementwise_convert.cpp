// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "elementwise_convert.hpp"

#include "elementwise_loop_templates.hpp"

namespace tessera::kernels {

namespace {

template <class From>
BlockLoop convert_from(DType to) {
  return visit(to, [](auto tag) -> BlockLoop {
    using To = element_t<typename decltype(tag)::type>;
    if constexpr (element_ops::is_convertible<From, To>) {
      return unary_loop<element_ops::Convert<To>, From>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace

BlockLoop find_convert_loop(const Instruction& instruction) {
  if (instruction.op != ElementOp::convert) return nullptr;
  return select_loop<Types::all>(instruction.type, [&](auto tag) {
    return convert_from<typename decltype(tag)::type>(instruction.to);
  });
}

}  // namespace tessera::kernels
