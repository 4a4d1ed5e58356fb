// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors whose lanes are independent lines. Host only: GCC and Clang vector
// extensions.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "fft_butterflies.hpp"

namespace tessera::kernels::fft_detail {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

using VectorDouble = double __attribute__((vector_size(vector_bytes)));
using VectorFloat = float __attribute__((vector_size(vector_bytes)));
using MaskDouble = std::int64_t __attribute__((vector_size(vector_bytes)));
using MaskFloat = std::int32_t __attribute__((vector_size(vector_bytes)));

template <class T>
struct vector_of;
template <>
struct vector_of<double> {
  using type = VectorDouble;
  using mask = MaskDouble;
};
template <>
struct vector_of<float> {
  using type = VectorFloat;
  using mask = MaskFloat;
};
template <class T>
using vector_t = typename vector_of<T>::type;
template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

// Compilers turn these loops into one vector instruction.
template <>
struct arithmetic<VectorDouble> {
  using lane = double;
  static inline __attribute__((always_inline)) VectorDouble splat(double value) {
    VectorDouble result;
    for (int i = 0; i < lanes<double>; ++i) result[i] = value;
    return result;
  }
  static inline __attribute__((always_inline)) VectorDouble fused(const VectorDouble& a,
                                                                  const VectorDouble& b,
                                                                  const VectorDouble& c) {
    VectorDouble result;
    for (int i = 0; i < lanes<double>; ++i) result[i] = __builtin_fma(a[i], b[i], c[i]);
    return result;
  }
};
template <>
struct arithmetic<VectorFloat> {
  using lane = float;
  static inline __attribute__((always_inline)) VectorFloat splat(float value) {
    VectorFloat result;
    for (int i = 0; i < lanes<float>; ++i) result[i] = value;
    return result;
  }
  static inline __attribute__((always_inline)) VectorFloat fused(const VectorFloat& a,
                                                                 const VectorFloat& b,
                                                                 const VectorFloat& c) {
    VectorFloat result;
    for (int i = 0; i < lanes<float>; ++i) result[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return result;
  }
};

template <class T>
inline __attribute__((always_inline)) vector_t<T> load_vector(const T* from) {
  vector_t<T> result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}
template <class T>
inline __attribute__((always_inline)) void store_vector(T* to, const vector_t<T>& value) {
  std::memcpy(to, &value, sizeof(value));
}

/// Picks lane `Pattern::at(i)` of the concatenation of a and b for lane i.
template <class T, class Pattern, std::size_t... I>
inline __attribute__((always_inline)) vector_t<T> shuffle(const vector_t<T>& a,
                                                          const vector_t<T>& b,
                                                          std::index_sequence<I...>) {
  using Mask = typename vector_of<T>::mask;
  return __builtin_shuffle(a, b, Mask{Pattern::at(static_cast<int>(I))...});
}
template <class T, class Pattern>
inline __attribute__((always_inline)) vector_t<T> shuffle(const vector_t<T>& a,
                                                          const vector_t<T>& b) {
  return shuffle<T, Pattern>(a, b, std::make_index_sequence<lanes<T>>{});
}

template <int Parity>
struct EveryOther {
  static constexpr int at(int i) { return 2 * i + Parity; }
};
template <int W, int Upper>
struct Interleave {
  static constexpr int at(int i) { return (i + Upper * W) / 2 + (i % 2) * W; }
};
template <int W, int H, int Upper>
struct Exchange {  // one stage of a transposition: swaps blocks of H lanes
  static constexpr int at(int i) {
    return Upper == 0 ? ((i & H) == 0 ? i : i - H + W) : ((i & H) == 0 ? i + H : i + W);
  }
};

template <class T, int H>
inline __attribute__((always_inline)) void transpose_stage(vector_t<T>* v) {
  constexpr int w = lanes<T>;
  for (int i = 0; i < w; ++i) {
    if ((i & H) != 0) continue;
    const vector_t<T> low = shuffle<T, Exchange<w, H, 0>>(v[i], v[i + H]);
    v[i + H] = shuffle<T, Exchange<w, H, 1>>(v[i], v[i + H]);
    v[i] = low;
  }
}

/// A square of lanes x lanes values, in place.
template <class T>
inline __attribute__((always_inline)) void transpose(vector_t<T>* v) {
  if constexpr (lanes<T> >= 16) transpose_stage<T, 8>(v);
  if constexpr (lanes<T> >= 8) transpose_stage<T, 4>(v);
  if constexpr (lanes<T> >= 4) transpose_stage<T, 2>(v);
  transpose_stage<T, 1>(v);
}

}  // namespace tessera::kernels::fft_detail
