// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The product on a GPU: a team computes a tile of C from tiles of A and B in its scratch memory; a
// thread holds a square of elements in registers.
#include <math.h>  // fma of float and double in the global namespace, as on a GPU

#include <cstdint>
#include <limits>
#include <type_traits>

#include "device/kokkos.hpp"
#include "matmul_host.hpp"

namespace tessera::kernels::matmul_detail {

/// sum = a b + sum as the header of matmul.hpp defines it.
template <class T>
KOKKOS_INLINE_FUNCTION void multiply_add(T& sum, const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    sum = fma(a, b, sum);
  } else {
    sum += a * b;
  }
}
template <class R>
KOKKOS_INLINE_FUNCTION void multiply_add(Kokkos::complex<R>& sum, const Kokkos::complex<R>& a,
                                         const Kokkos::complex<R>& b) {
  R re = fma(a.real(), b.real(), sum.real());
  R im = fma(a.real(), b.imag(), sum.imag());
  re = fma(-a.imag(), b.imag(), re);
  im = fma(a.imag(), b.real(), im);
  sum = Kokkos::complex<R>(re, im);
}

template <class T>
KOKKOS_INLINE_FUNCTION T signed_copy(const T& x, bool negate, bool) {
  return negate ? -x : x;
}
template <class R>
KOKKOS_INLINE_FUNCTION Kokkos::complex<R> signed_copy(const Kokkos::complex<R>& x, bool negate,
                                                      bool conjugate) {
  return {negate ? -x.real() : x.real(), negate != conjugate ? -x.imag() : x.imag()};
}

template <class T>
KOKKOS_INLINE_FUNCTION T canonical_number(const T& x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x == x ? x : std::numeric_limits<T>::quiet_NaN();
  } else {
    return x;
  }
}
template <class R>
KOKKOS_INLINE_FUNCTION Kokkos::complex<R> canonical_number(const Kokkos::complex<R>& x) {
  return {canonical_number(x.real()), canonical_number(x.imag())};
}

/// Sizes for one element type: a team of `side` x `side` threads with `each` x `each` elements
/// each.
template <class T>
struct DeviceTile {
  static constexpr int side = 16;
  static constexpr int each = sizeof(T) == 4 ? 8 : 4;
  static constexpr int edge = side * each;
  static constexpr int depth = sizeof(T) == 16 ? 8 : 16;
  static constexpr int threads = side * side;
  /// One spare element per row, so that threads that write a column hit different banks.
  static constexpr int pitch = edge + 1;
  static constexpr int scratch_bytes = 2 * depth * pitch * static_cast<int>(sizeof(T));
};

/// Offsets of the batches: `count` of them on a grid of extents, with a stride (0: shared) per
/// axis.
struct Batches {
  int axes = 0;
  std::int64_t count = 1;
  std::int64_t extent[8] = {};
  std::int64_t a[8] = {};
  std::int64_t b[8] = {};
  std::int64_t c[8] = {};
};

KOKKOS_INLINE_FUNCTION std::int64_t batch_offset(const Batches& batches,
                                                 const std::int64_t* strides, std::int64_t batch) {
  std::int64_t offset = 0;
  for (int axis = batches.axes - 1; axis >= 0; --axis) {
    offset += batch % batches.extent[axis] * strides[axis];
    batch /= batches.extent[axis];
  }
  return offset;
}

/// One team's work: the tile of C at (tile_m, tile_n) of one batch.
template <class T, class Space>
struct DeviceProduct {
  using Size = DeviceTile<T>;
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;

  std::int64_t m, n, k;
  Matrix<const T> a, b;
  Matrix<T> c;
  bool conjugate_a, conjugate_b, negate_a, onto_c;
  Batches batches;
  std::int64_t tiles_n, tiles;

  /// Fills `tile[kk][i]` with line i of a matrix at kk; lines outside are zeros. Neighbouring
  /// threads read neighbouring addresses, whichever axis that is.
  KOKKOS_INLINE_FUNCTION void load(T* tile, const T* data, std::int64_t across, std::int64_t along,
                                   std::int64_t lines, int depth, int thread, bool negate,
                                   bool conjugate) const {
    const bool lines_first = across <= along;
    for (int at = thread; at < Size::edge * Size::depth; at += Size::threads) {
      const int i = lines_first ? at % Size::edge : at / Size::depth;
      const int kk = lines_first ? at / Size::edge : at % Size::depth;
      if (kk < depth) {
        tile[kk * Size::pitch + i] =
            i < lines ? signed_copy(data[i * across + kk * along], negate, conjugate) : T();
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    constexpr int each = Size::each;
    constexpr int side = Size::side;
    constexpr int scratch_bytes = Size::scratch_bytes;  // passed by reference
    T* tile_a = static_cast<T*>(team.team_shmem().get_shmem(scratch_bytes));
    T* tile_b = tile_a + Size::depth * Size::pitch;
    const std::int64_t batch = team.league_rank() / tiles;
    const std::int64_t tile = team.league_rank() % tiles;
    const std::int64_t first_m = tile / tiles_n * Size::edge;
    const std::int64_t first_n = tile % tiles_n * Size::edge;
    const T* from_a = a.data + batch_offset(batches, batches.a, batch) + first_m * a.row;
    const T* from_b = b.data + batch_offset(batches, batches.b, batch) + first_n * b.column;
    T* to = c.data + batch_offset(batches, batches.c, batch) + first_m * c.row + first_n * c.column;
    const int thread = team.team_rank();
    const int row = thread / side;
    const int column = thread % side;

    T sum[each][each];
    for (int i = 0; i < each; ++i) {
      for (int j = 0; j < each; ++j) {
        const std::int64_t at_m = row + i * side;
        const std::int64_t at_n = column + j * side;
        const bool inside = first_m + at_m < m && first_n + at_n < n;
        sum[i][j] = onto_c && inside ? to[at_m * c.row + at_n * c.column] : T();
      }
    }
    for (std::int64_t begin = 0; begin < k; begin += Size::depth) {
      const int depth = static_cast<int>(k - begin < Size::depth ? k - begin : Size::depth);
      load(tile_a, from_a + begin * a.column, a.row, a.column, m - first_m, depth, thread, negate_a,
           conjugate_a);
      load(tile_b, from_b + begin * b.row, b.column, b.row, n - first_n, depth, thread, false,
           conjugate_b);
      team.team_barrier();
      for (int kk = 0; kk < depth; ++kk) {
        T left[each];
        T right[each];
        for (int i = 0; i < each; ++i) left[i] = tile_a[kk * Size::pitch + row + i * side];
        for (int j = 0; j < each; ++j) right[j] = tile_b[kk * Size::pitch + column + j * side];
        for (int i = 0; i < each; ++i) {
          for (int j = 0; j < each; ++j) multiply_add(sum[i][j], left[i], right[j]);
        }
      }
      team.team_barrier();
    }
    for (int i = 0; i < each; ++i) {
      for (int j = 0; j < each; ++j) {
        const std::int64_t at_m = row + i * side;
        const std::int64_t at_n = column + j * side;
        if (first_m + at_m < m && first_n + at_n < n) {
          to[at_m * c.row + at_n * c.column] = canonical_number(sum[i][j]);
        }
      }
    }
  }
};

/// Launches the product of every batch.
template <class T, class Space>
void multiply_on_device(const Space& space, const Product<T>& p, const Batches& batches) {
  using E = element_t<T>;
  using Size = DeviceTile<E>;
  const std::int64_t tiles_m = (p.m + Size::edge - 1) / Size::edge;
  const std::int64_t tiles_n = (p.n + Size::edge - 1) / Size::edge;
  const std::int64_t teams = batches.count * tiles_m * tiles_n;
  if (teams == 0) return;
  DeviceProduct<E, Space> product{p.m,
                                  p.n,
                                  p.k,
                                  {reinterpret_cast<const E*>(p.a.data), p.a.row, p.a.column},
                                  {reinterpret_cast<const E*>(p.b.data), p.b.row, p.b.column},
                                  {reinterpret_cast<E*>(p.c.data), p.c.row, p.c.column},
                                  p.conjugate_a,
                                  p.conjugate_b,
                                  p.negate_a,
                                  p.onto_c,
                                  batches,
                                  tiles_n,
                                  tiles_m * tiles_n};
  Kokkos::TeamPolicy<Space> policy(space, static_cast<int>(teams), Size::threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Size::scratch_bytes));
  Kokkos::parallel_for("tessera::matmul", policy, product);
}

}  // namespace tessera::kernels::matmul_detail
