// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors of the width that the compiled instruction set has, for register tiles. Host only: GCC
// and Clang vector extensions, and one intrinsic each for the fused multiply-add, because compilers
// turn a loop of std::fma over lanes into one instruction only now and then.
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tessera::kernels::matmul_detail {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr bool many_registers = true;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
inline constexpr bool many_registers = false;
#elif defined(__aarch64__)
inline constexpr int vector_bytes = 16;
inline constexpr bool many_registers = true;
#else
inline constexpr int vector_bytes = 16;
inline constexpr bool many_registers = false;
#endif

template <class R>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(R));

/// R is float, double, std::uint32_t or std::uint64_t.
template <class R>
struct Vector {
  typedef R type __attribute__((vector_size(vector_bytes)));
  type value;

  static inline __attribute__((always_inline)) Vector zero() { return {type{}}; }
  static inline __attribute__((always_inline)) Vector load(const R* from) {
    Vector result;
    std::memcpy(&result.value, from, sizeof(type));
    return result;
  }
  static inline __attribute__((always_inline)) Vector splat(R scalar) {
    return splat_to(scalar, std::make_index_sequence<lanes<R>>{});
  }
  inline __attribute__((always_inline)) void store(R* to) const {
    std::memcpy(to, &value, sizeof(type));
  }

 private:
  template <std::size_t... lane>
  static inline __attribute__((always_inline)) Vector splat_to(R scalar,
                                                               std::index_sequence<lane...>) {
    return {type{(static_cast<void>(lane), scalar)...}};  // one broadcast
  }
};

/// sum = a b + sum, rounded once; integers wrap, as numpy's do.
inline __attribute__((always_inline)) void accumulate(Vector<double>& sum, const Vector<double>& a,
                                                      const Vector<double>& b) {
#if defined(__AVX512F__)
  sum.value =
      (Vector<double>::type)_mm512_fmadd_pd((__m512d)a.value, (__m512d)b.value, (__m512d)sum.value);
#elif defined(__AVX2__)
  sum.value =
      (Vector<double>::type)_mm256_fmadd_pd((__m256d)a.value, (__m256d)b.value, (__m256d)sum.value);
#elif defined(__aarch64__)
  sum.value = (Vector<double>::type)vfmaq_f64((float64x2_t)sum.value, (float64x2_t)a.value,
                                              (float64x2_t)b.value);
#else
  for (int i = 0; i < lanes<double>; ++i) {
    sum.value[i] = __builtin_fma(a.value[i], b.value[i], sum.value[i]);
  }
#endif
}

inline __attribute__((always_inline)) void accumulate(Vector<float>& sum, const Vector<float>& a,
                                                      const Vector<float>& b) {
#if defined(__AVX512F__)
  sum.value =
      (Vector<float>::type)_mm512_fmadd_ps((__m512)a.value, (__m512)b.value, (__m512)sum.value);
#elif defined(__AVX2__)
  sum.value =
      (Vector<float>::type)_mm256_fmadd_ps((__m256)a.value, (__m256)b.value, (__m256)sum.value);
#elif defined(__aarch64__)
  sum.value = (Vector<float>::type)vfmaq_f32((float32x4_t)sum.value, (float32x4_t)a.value,
                                             (float32x4_t)b.value);
#else
  for (int i = 0; i < lanes<float>; ++i) {
    sum.value[i] = __builtin_fmaf(a.value[i], b.value[i], sum.value[i]);
  }
#endif
}

template <class R>
inline __attribute__((always_inline)) void accumulate(Vector<R>& sum, const Vector<R>& a,
                                                      const Vector<R>& b) {
  static_assert(std::is_unsigned_v<R>);
  sum.value = a.value * b.value + sum.value;
}

/// sum = -a b + sum, rounded once.
template <class R>
inline __attribute__((always_inline)) void subtract(Vector<R>& sum, const Vector<R>& a,
                                                    const Vector<R>& b) {
  accumulate(sum, Vector<R>{-a.value}, b);
}

/// Every NaN becomes the positive quiet one without payload: the sign and payload of a NaN that
/// arithmetic makes differ between processors.
template <class R>
inline __attribute__((always_inline)) Vector<R> canonical(const Vector<R>& x) {
  if constexpr (std::is_floating_point_v<R>) {
    const Vector<R> nan = Vector<R>::splat(std::numeric_limits<R>::quiet_NaN());
    return {x.value == x.value ? x.value : nan.value};
  } else {
    return x;
  }
}

}  // namespace tessera::kernels::matmul_detail
