// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <math.h>  // fma of float and double in the global namespace, as on a GPU

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/kokkos.hpp"
#include "stencil_geometry.hpp"

// The portable kernel: one thread per real number.
namespace tessera::kernels {

namespace {

using namespace stencil_detail;

constexpr int most_taps = 32;    // of one launch; longer chains go on in the next
constexpr int most_pieces = 27;  // own cells and ghost cells around them, on three axes

/// What `source_index` says, on a device.
KOKKOS_INLINE_FUNCTION std::int64_t inside(Boundary boundary, std::int64_t i, std::int64_t n) {
  if (i >= 0 && i < n) return i;
  if (boundary == Boundary::fixed || boundary == Boundary::constant) return -1;
  if (boundary == Boundary::nearest) return i < 0 ? 0 : n - 1;
  if (boundary == Boundary::mirror && n == 1) return 0;
  const std::int64_t period = boundary == Boundary::periodic  ? n
                              : boundary == Boundary::reflect ? 2 * n
                                                              : 2 * n - 2;
  std::int64_t at = i % period;
  if (at < 0) at += period;
  if (at < n) return at;
  return boundary == Boundary::reflect ? 2 * n - 1 - at : 2 * n - 2 - at;
}

/// An axis as a device sees it. The row is the last one.
struct PlainAxis {
  std::int64_t n = 1;
  std::int64_t radius = 0;
  Boundary boundary = Boundary::nearest;
  bool stencil = false;
};

struct PlainBlock {
  std::int64_t begin[max_axes] = {};
  std::int64_t end[max_axes] = {};
  std::int64_t stride[max_axes] = {};  ///< in numbers
};

template <class T>
struct PlainPiece {
  const T* data = nullptr;
  PlainBlock block;
};

template <class T>
struct PlainTap {
  std::int64_t offset[max_axes] = {};
  std::int64_t step = 0;  ///< in the first piece
  T weight = 0;
};

/// One launch: part of the chain of taps for every number of a region.
template <class T>
struct PlainSweep {
  int axes = 0;
  PlainAxis axis[max_axes];
  std::int64_t width = 1;
  bool is_complex = false;
  bool add_input = false;
  bool first = true;  ///< the chain starts here; else it goes on from the target
  T value = 0;
  T nan = 0;
  std::int64_t reach_begin[max_axes] = {};  ///< of all pieces together
  std::int64_t reach_end[max_axes] = {};
  int pieces = 0;
  PlainPiece<T> piece[most_pieces];
  T* target = nullptr;
  PlainBlock target_block;
  PlainBlock region;
  int taps = 0;
  PlainTap<T> tap[most_taps];

  KOKKOS_INLINE_FUNCTION std::int64_t offset_in(const PlainBlock& block,
                                                const std::int64_t* at) const {
    std::int64_t offset = 0;
    for (int a = 0; a < axes; ++a) offset += (at[a] - block.begin[a]) * block.stride[a];
    return offset;
  }

  KOKKOS_INLINE_FUNCTION T fetch(const std::int64_t* at, std::int64_t part) const {
    std::int64_t mapped[max_axes];
    for (int a = 0; a < axes; ++a) {
      const bool reached = at[a] >= reach_begin[a] && at[a] < reach_end[a];
      mapped[a] = reached ? at[a] : inside(axis[a].boundary, at[a], axis[a].n);
      if (mapped[a] < 0 && !reached) return is_complex && part % 2 != 0 ? T(0) : value;
    }
    for (int i = 0; i < pieces; ++i) {
      const PlainBlock& block = piece[i].block;
      bool holds = true;
      for (int a = 0; a < axes; ++a) {
        holds = holds && mapped[a] >= block.begin[a] && mapped[a] < block.end[a];
      }
      if (holds) return piece[i].data[offset_in(block, mapped) + part];
    }
    return nan;  // never: the source holds every cell that is read
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t number) const {
    std::int64_t at[max_axes];
    const std::int64_t part = number % width;
    std::int64_t rest = number / width;
    bool inner = true;  // all taps lie in the first piece
    bool kept = false;
    for (int a = axes - 1; a >= 0; --a) {
      const std::int64_t extent = region.end[a] - region.begin[a];
      at[a] = region.begin[a] + rest % extent;
      rest /= extent;
      const PlainAxis& along = axis[a];
      inner = inner && at[a] - along.radius >= piece[0].block.begin[a] &&
              at[a] + along.radius < piece[0].block.end[a];
      kept = kept || (along.stencil && along.boundary == Boundary::fixed &&
                      (at[a] < along.radius || at[a] >= along.n - along.radius));
    }
    T& out = target[offset_in(target_block, at) + part];
    if (kept) {
      out = fetch(at, part);
      return;
    }
    T sum = !first ? out : add_input ? fetch(at, part) : T(0);
    if (inner) {
      const T* from = piece[0].data + offset_in(piece[0].block, at) + part;
      for (int t = 0; t < taps; ++t) sum = fma(tap[t].weight, from[tap[t].step], sum);
    } else {
      for (int t = 0; t < taps; ++t) {
        std::int64_t tap_at[max_axes];
        for (int a = 0; a < axes; ++a) tap_at[a] = at[a] + tap[t].offset[a];
        sum = fma(tap[t].weight, fetch(tap_at, part), sum);
      }
    }
    out = sum == sum ? sum : nan;
  }
};

PlainBlock make_block(const Cells& cells, const std::vector<std::int64_t>& stride,
                      std::int64_t width) {
  PlainBlock block;
  const std::size_t outer = cells.outer.size();
  for (std::size_t a = 0; a < outer; ++a) {
    block.begin[a] = cells.outer[a].begin;
    block.end[a] = cells.outer[a].end;
    block.stride[a] = stride.empty() ? 0 : stride[a];
  }
  block.begin[outer] = cells.x.begin;
  block.end[outer] = cells.x.end;
  block.stride[outer] = width;
  return block;
}

template <class T>
void set_pieces(PlainSweep<T>& sweep, const Geometry& geometry, StencilSource source) {
  for (const Tile& tile : source) {
    if (tile.elements() == 0) continue;
    require(sweep.pieces < most_pieces, "a stencil's source has at most 27 tiles");
    const Piece<T> piece = make_piece<T>(geometry, tile);
    PlainPiece<T>& plain = sweep.piece[sweep.pieces];
    plain = {piece.data, make_block(piece.cells, piece.stride, geometry.width)};
    for (int a = 0; a < sweep.axes; ++a) {
      const bool first = sweep.pieces == 0;
      std::int64_t& begin = sweep.reach_begin[a];
      std::int64_t& end = sweep.reach_end[a];
      begin = first ? plain.block.begin[a] : std::min(begin, plain.block.begin[a]);
      end = first ? plain.block.end[a] : std::max(end, plain.block.end[a]);
    }
    ++sweep.pieces;
  }
}

template <class T>
PlainTap<T> plain_tap(const PlainSweep<T>& sweep, const Taps<T>& taps, const GeometryTap<T>& tap) {
  PlainTap<T> plain;
  const std::vector<std::int64_t>& row = taps.rows[static_cast<std::size_t>(tap.row)];
  for (std::size_t a = 0; a < row.size(); ++a) plain.offset[a] = row[a];
  plain.offset[row.size()] = tap.dx;
  plain.weight = tap.weight;
  for (int a = 0; a < sweep.axes; ++a) {
    plain.step += plain.offset[a] * sweep.piece[0].block.stride[a];
  }
  return plain;
}

template <class T>
PlainSweep<T> make_sweep(const Stencil& stencil, StencilSource source, const Tile& target,
                         const Box& region) {
  const Geometry geometry = make_geometry(stencil, target.dtype, target.global, region);
  PlainSweep<T> sweep;
  sweep.axes = static_cast<int>(geometry.outer.size()) + 1;
  for (int a = 0; a < sweep.axes; ++a) {
    const Axis& axis =
        a + 1 < sweep.axes ? geometry.outer[static_cast<std::size_t>(a)] : geometry.x;
    sweep.axis[a] = {axis.n, axis.radius, axis.boundary, axis.stencil};
  }
  sweep.width = geometry.width;
  sweep.is_complex = geometry.is_complex;
  sweep.add_input = stencil.add_input;
  sweep.value = static_cast<T>(stencil.value);
  sweep.nan = std::numeric_limits<T>::quiet_NaN();
  set_pieces(sweep, geometry, source);
  require(sweep.pieces > 0, "a stencil's source holds the cells that are read");
  const Piece<T> whole = make_piece<T>(geometry, target);
  sweep.target = whole.data;
  sweep.target_block = make_block(whole.cells, whole.stride, geometry.width);
  sweep.region = make_block(cells_of(geometry, region), {}, geometry.width);
  return sweep;
}

template <class T>
void sweep_plainly(const device::Stream& stream, const Stencil& stencil, StencilSource source,
                   const Tile& target, const Box& region) {
  PlainSweep<T> sweep = make_sweep<T>(stencil, source, target, region);
  const Taps<T> taps =
      make_taps<T>(stencil, make_geometry(stencil, target.dtype, target.global, region));
  const std::int64_t numbers = region.elements() * (sweep.is_complex ? 2 : 1);
  std::size_t next = 0;
  do {
    sweep.first = next == 0;
    for (sweep.taps = 0; sweep.taps < most_taps && next < taps.list.size(); ++next) {
      sweep.tap[sweep.taps++] = plain_tap(sweep, taps, taps.list[next]);
    }
    on_space(stream, [&](const auto& space) {
      Kokkos::parallel_for("tessera::apply_stencil_plainly", range(space, numbers), sweep);
    });
  } while (next < taps.list.size());
}

}  // namespace

void apply_stencil_plainly(const device::Stream& stream, const Stencil& stencil,
                           StencilSource source, const Tile& target, const Box& region) {
  if (region.empty()) return;
  if (real_of(target.dtype) == DType::float32) {
    sweep_plainly<float>(stream, stencil, source, target, region);
  } else {
    require(real_of(target.dtype) == DType::float64, "a stencil works on floating-point numbers");
    sweep_plainly<double>(stream, stencil, source, target, region);
  }
}

}  // namespace tessera::kernels
