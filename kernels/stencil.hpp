// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/tile.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

/// What lies beyond the ends of an axis, for the axis a b c d.
enum class Boundary : std::uint8_t {
  fixed,     ///< nothing: cells within the radius of an end keep their values
  periodic,  ///< c d | a b c d | a b
  reflect,   ///< b a | a b c d | d c
  mirror,    ///< c b | a b c d | c b
  nearest,   ///< a a | a b c d | d d
  constant   ///< a given value
};

/// The index of 0..n-1 whose value stands at `i`, which may lie beyond the ends; -1 where there is
/// none (`fixed`, `constant`).
[[nodiscard]] std::int64_t source_index(Boundary boundary, std::int64_t i, std::int64_t n);

/// One sweep: out[i] = sum over the taps t of weight[t] * in[i + offset[t]], plus in[i] if
/// `add_input`.
///
/// Order of rounding: the chain starts from in[i] (`add_input`) or +0 and goes through the taps in
/// their order, one fused multiply-add each. Weights are rounded to the elements' real type before;
/// complex elements are two real ones. A NaN is stored as the positive quiet NaN.
struct Stencil {
  struct Tap {
    Extents offset;  ///< per stencil axis
    double weight = 0;
  };
  std::vector<int> axes;           ///< of the tensor, ascending; the others are a batch
  Extents radius;                  ///< per stencil axis: no tap reaches further
  std::vector<Boundary> boundary;  ///< per stencil axis
  std::vector<Tap> taps;           ///< by offset, the last axis fastest
  bool add_input = false;
  double value = 0;  ///< beyond the ends of a `constant` axis
};

/// A half-open range of indices of one axis.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The indices that `depth` more cells on both sides come to: beyond the ends only where the axis
/// is periodic, because elsewhere what stands there lies within the depth on the inside.
[[nodiscard]] Interval widened(Boundary boundary, Interval cells, std::int64_t depth,
                               std::int64_t n);

/// Where the tensor lies that a sweep reads: dense tiles of one type that don't overlap, the one
/// with most cells first. Along a periodic axis boxes may begin below 0 or end above n (ghost
/// cells); cells that no tile holds under that index are looked for under `source_index`.
using StencilSource = std::span<const Tile>;

/// What one call computes.
struct StencilPass {
  Box region;      ///< cells of the target that are written; all of a batch axis
  int sweeps = 1;  ///< applied one after another; a GPU takes one at a time
  int threads = 1;
  std::byte* scratch = nullptr;  ///< as many bytes as `stencil_scratch_bytes` says for this pass
};

/// Applies the sweeps and writes the cells of the pass's region to `target`, a dense tile that must
/// not overlap the source. The source must hold all cells within sweeps * radius of the region. On
/// the host several sweeps go through the caches together, in tiles that overlap.
void apply_stencil(const device::Stream& stream, const Stencil& stencil, StencilSource source,
                   const Tile& target, const StencilPass& pass);

/// Bytes of host memory that a pass over a tensor of this type and shape needs; 0 for one sweep.
[[nodiscard]] std::int64_t stencil_scratch_bytes(const Stencil& stencil, DType dtype,
                                                 const Shape& global, const StencilPass& pass);

/// The same result by the plain kernel that GPUs run, on any backend: one sweep.
void apply_stencil_plainly(const device::Stream& stream, const Stencil& stencil,
                           StencilSource source, const Tile& target, const Box& region);

}  // namespace tessera::kernels
