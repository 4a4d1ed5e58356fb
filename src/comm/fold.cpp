// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "comm/fold.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace tessera::comm {

namespace {

template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;  // signed overflow is undefined, unsigned wraps
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    // The sign and payload of a NaN depend on the processor and on which operand comes first.
    const T sum = a + b;
    return std::isnan(sum) ? std::numeric_limits<T>::quiet_NaN() : sum;
  }
}

template <class T>
T smaller_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

template <class T>
T larger_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

template <class T>
void fold_as(T* into, const T* next, std::int64_t count, ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      for (std::int64_t i = 0; i < count; ++i) into[i] = sum_of(into[i], next[i]);
      return;
    case ReduceOp::min:
      for (std::int64_t i = 0; i < count; ++i) into[i] = smaller_of(into[i], next[i]);
      return;
    case ReduceOp::max:
      for (std::int64_t i = 0; i < count; ++i) into[i] = larger_of(into[i], next[i]);
      return;
    case ReduceOp::bit_or:
      if constexpr (std::is_integral_v<T>) {
        for (std::int64_t i = 0; i < count; ++i) into[i] = static_cast<T>(into[i] | next[i]);
      }
      return;
  }
}

}  // namespace

void check_op(DType dtype, ReduceOp op) {
  require(op != ReduceOp::bit_or || is_integer(dtype), "only integers have bits to combine");
  require(op == ReduceOp::sum || !is_complex(dtype), "complex numbers have no order");
}

void fold(void* into, const void* next, std::int64_t count, DType dtype, ReduceOp op) {
  check_op(dtype, op);
  const std::int64_t numbers =
      is_complex(dtype) ? 2 * count : count;  // a complex sum is two real ones
  visit(real_of(dtype), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_arithmetic_v<T>) {
      fold_as(static_cast<T*>(into), static_cast<const T*>(next), numbers, op);
    }
  });
}

}  // namespace tessera::comm
