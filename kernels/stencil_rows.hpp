// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One row of a sweep on the host, in vector instructions: internal to the stencil family.
#include <cstdint>
#include <cstring>
#include <limits>

#if defined(__AVX512F__) || defined(__AVX__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace tessera::kernels::stencil_detail {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class T>
struct VectorOf;
template <>
struct VectorOf<double> {
  using type = double __attribute__((vector_size(vector_bytes)));
};
template <>
struct VectorOf<float> {
  using type = float __attribute__((vector_size(vector_bytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/// The positive quiet NaN without payload in place of any NaN.
template <class T>
inline T settled(T x) {
  return x == x ? x : std::numeric_limits<T>::quiet_NaN();
}

template <class T>
inline __attribute__((always_inline)) Vector<T> splat(T value) {
  return value - Vector<T>{};
}

template <class T>
inline __attribute__((always_inline)) Vector<T> load(const T* from) {
  Vector<T> result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}

// a * b + c, one rounding per lane. As intrinsics: GCC 12 turns the loop over lanes into one
// instruction only where few of them are in flight.
#if defined(__AVX512F__)
inline __attribute__((always_inline)) Vector<double> fused(const Vector<double>& a,
                                                           const Vector<double>& b,
                                                           const Vector<double>& c) {
  return reinterpret_cast<Vector<double>>(_mm512_fmadd_pd(
      reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
}
inline __attribute__((always_inline)) Vector<float> fused(const Vector<float>& a,
                                                          const Vector<float>& b,
                                                          const Vector<float>& c) {
  return reinterpret_cast<Vector<float>>(_mm512_fmadd_ps(
      reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
}
#elif defined(__AVX__) && defined(__FMA__)
inline __attribute__((always_inline)) Vector<double> fused(const Vector<double>& a,
                                                           const Vector<double>& b,
                                                           const Vector<double>& c) {
  return reinterpret_cast<Vector<double>>(_mm256_fmadd_pd(
      reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
}
inline __attribute__((always_inline)) Vector<float> fused(const Vector<float>& a,
                                                          const Vector<float>& b,
                                                          const Vector<float>& c) {
  return reinterpret_cast<Vector<float>>(_mm256_fmadd_ps(
      reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
inline __attribute__((always_inline)) Vector<double> fused(const Vector<double>& a,
                                                           const Vector<double>& b,
                                                           const Vector<double>& c) {
  return reinterpret_cast<Vector<double>>(vfmaq_f64(reinterpret_cast<float64x2_t>(c),
                                                    reinterpret_cast<float64x2_t>(a),
                                                    reinterpret_cast<float64x2_t>(b)));
}
inline __attribute__((always_inline)) Vector<float> fused(const Vector<float>& a,
                                                          const Vector<float>& b,
                                                          const Vector<float>& c) {
  return reinterpret_cast<Vector<float>>(vfmaq_f32(reinterpret_cast<float32x4_t>(c),
                                                   reinterpret_cast<float32x4_t>(a),
                                                   reinterpret_cast<float32x4_t>(b)));
}
#else
template <class V>
inline __attribute__((always_inline)) V fused(const V& a, const V& b, const V& c) {
  V result;
  for (std::size_t i = 0; i < vector_bytes / sizeof(result[0]); ++i) {
    result[i] = fused(a[i], b[i], c[i]);
  }
  return result;
}
#endif

/// `streaming`: past the caches, to an address that is a multiple of the vector.
template <bool streaming, class T>
inline __attribute__((always_inline)) void store(T* to, const Vector<T>& value) {
#if defined(__AVX512F__)
  if constexpr (streaming) {
    __m512i bits;
    std::memcpy(&bits, &value, sizeof(bits));
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), bits);
    return;
  }
#elif defined(__AVX__)
  if constexpr (streaming) {
    __m256i bits;
    std::memcpy(&bits, &value, sizeof(bits));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), bits);
    return;
  }
#endif
  std::memcpy(to, &value, sizeof(value));
}

/// Makes streamed stores visible to other threads.
inline void end_streaming() {
#if defined(__AVX__)
  _mm_sfence();
#endif
}

/// A row of one sweep: out[i] = add[i] + sum over t of weight[t] * from[t][i], for 0 <= i < n.
template <class T>
struct Row {
  const T* const* from = nullptr;
  const T* weight = nullptr;
  int taps = 0;
  const T* add = nullptr;  ///< null: the chain starts from +0
  T* out = nullptr;
  std::int64_t n = 0;
  const char* ahead = nullptr;  ///< asked for from memory along with element 0, and so on; or null
};

template <class T>
inline T chain(const Row<T>& row, std::int64_t i) {
  T sum = row.add != nullptr ? row.add[i] : T(0);
  for (int t = 0; t < row.taps; ++t) sum = fused(row.weight[t], row.from[t][i], sum);
  return settled(sum);
}

/// The same for `U` vectors of neighbours.
template <int U, bool streaming, class T>
inline __attribute__((always_inline)) void chain_vectors(const Row<T>& row, std::int64_t i) {
  Vector<T> sum[U] = {};
  if (row.ahead != nullptr) {
    for (int u = 0; u < U; ++u) {
      __builtin_prefetch(row.ahead + (i + u * lanes<T>)*static_cast<std::int64_t>(sizeof(T)), 0, 2);
    }
  }
  if (row.add != nullptr) {
    for (int u = 0; u < U; ++u) sum[u] = load(row.add + i + u * lanes<T>);
  }
#pragma GCC unroll 16
  for (int t = 0; t < row.taps; ++t) {
    const Vector<T> weight = splat(row.weight[t]);
    const T* from = row.from[t] + i;
    for (int u = 0; u < U; ++u) {
      sum[u] = fused(weight, load(from + u * lanes<T>), sum[u]);
    }
  }
  const Vector<T> nan = splat(std::numeric_limits<T>::quiet_NaN());
  for (int u = 0; u < U; ++u) {
    store<streaming>(row.out + i + u * lanes<T>, sum[u] == sum[u] ? sum[u] : nan);
  }
}

/// `N` taps, or any number for N = 0.
template <int N, bool streaming, class T>
void compute_row_of(const Row<T>& given) {
  // A known number of taps is copied to where no store can change it, so that it stays in
  // registers.
  const T* from[N > 0 ? N : 1];
  T weight[N > 0 ? N : 1];
  Row<T> row = given;
  if constexpr (N > 0) {
    for (int t = 0; t < N; ++t) from[t] = given.from[t];
    for (int t = 0; t < N; ++t) weight[t] = given.weight[t];
    row.from = from;
    row.weight = weight;
    row.taps = N;
  }
  constexpr int unroll = N > 0 ? 2 : 4;
  std::int64_t i = 0;
  if constexpr (streaming) {
    const auto over =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(row.out) % vector_bytes);
    const std::int64_t head =
        over == 0 ? 0 : (vector_bytes - over) / static_cast<std::int64_t>(sizeof(T));
    for (; i < head && i < row.n; ++i) row.out[i] = chain(row, i);
  }
  for (; i + unroll * lanes<T> <= row.n; i += unroll * lanes<T>) {
    chain_vectors<unroll, streaming>(row, i);
  }
  for (; i + lanes<T> <= row.n; i += lanes<T>) chain_vectors<1, streaming>(row, i);
  for (; i < row.n; ++i) row.out[i] = chain(row, i);
}

template <bool streaming, class T>
void compute_row(const Row<T>& row) {
  switch (row.taps) {
    case 3:
      return compute_row_of<3, streaming>(row);
    case 5:
      return compute_row_of<5, streaming>(row);
    case 7:
      return compute_row_of<7, streaming>(row);
    case 9:
      return compute_row_of<9, streaming>(row);
    default:
      return compute_row_of<0, streaming>(row);
  }
}

}  // namespace tessera::kernels::stencil_detail
