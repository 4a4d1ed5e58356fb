// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "transpose.hpp"

#include <algorithm>
#include <cstring>

#include "device/kokkos.hpp"
#include "fft_simd.hpp"
#include "pack.hpp"

namespace tessera::kernels {

namespace {

/// A permutation as a set of planes: axis x is contiguous in the output, axis y in the input, and
/// `axes` others are walked one by one. Strides in elements. Plain arrays, for device lambdas.
struct Planes {
  std::int64_t x_extent = 1, x_in = 0;
  std::int64_t y_extent = 1, y_out = 0;
  int axes = 0;
  std::int64_t count = 1;
  std::int64_t extent[max_axes] = {};
  std::int64_t in[max_axes] = {};
  std::int64_t out[max_axes] = {};
};

struct Offsets {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

KOKKOS_INLINE_FUNCTION Offsets offsets_of(const Planes& planes, std::int64_t plane) {
  Offsets offsets;
  for (int axis = planes.axes - 1; axis >= 0; --axis) {
    const std::int64_t index = plane % planes.extent[axis];
    plane /= planes.extent[axis];
    offsets.in += index * planes.in[axis];
    offsets.out += index * planes.out[axis];
  }
  return offsets;
}

/// Finds x and y; false where one axis is contiguous in both or none is in one.
bool find_planes(const Tile& in, const Tile& out, Planes& planes) {
  int x = -1;
  int y = -1;
  const int axes = out.box.axes();
  for (int axis = 0; axis < axes; ++axis) {
    if (out.extent()[axis] == 1) continue;
    if (out.strides[axis] == 1) x = axis;
    if (in.strides[axis] == 1) y = axis;
  }
  if (x < 0 || y < 0 || x == y) return false;
  planes.x_extent = out.extent()[x];
  planes.x_in = in.strides[x];
  planes.y_extent = out.extent()[y];
  planes.y_out = out.strides[y];
  for (int axis = 0; axis < axes; ++axis) {
    const std::int64_t extent = out.extent()[axis];
    if (axis == x || axis == y || extent == 1) continue;
    planes.extent[planes.axes] = extent;
    planes.in[planes.axes] = in.strides[axis];
    planes.out[planes.axes] = out.strides[axis];
    planes.count *= extent;
    ++planes.axes;
  }
  return true;
}

/// One block of a plane: out[y * y_out + x] = in[x * x_in + y].
template <class Word>
struct Block {
  const Word* in;
  std::int64_t x_in;
  Word* out;
  std::int64_t y_out;
};

template <class Word>
void transpose_plain(const Block<Word>& b, std::int64_t nx, std::int64_t ny) {
  for (std::int64_t y = 0; y < ny; ++y) {
    for (std::int64_t x = 0; x < nx; ++x) b.out[y * b.y_out + x] = b.in[x * b.x_in + y];
  }
}

/// Squares of one vector by one vector in registers: whole cache lines are read and written.
template <class Real>
void transpose_squares(const Block<Real>& b, std::int64_t nx, std::int64_t ny) {
  using namespace fft_detail;
  constexpr int w = lanes<Real>;
  const std::int64_t whole_x = nx / w * w;
  const std::int64_t whole_y = ny / w * w;
  for (std::int64_t y = 0; y < whole_y; y += w) {
    for (std::int64_t x = 0; x < whole_x; x += w) {
      vector_t<Real> square[w];
      const Real* from = b.in + x * b.x_in + y;
      for (int i = 0; i < w; ++i) square[i] = load_vector<Real>(from + i * b.x_in);
      fft_detail::transpose<Real>(square);
      Real* to = b.out + y * b.y_out + x;
      for (int i = 0; i < w; ++i) store_vector<Real>(to + i * b.y_out, square[i]);
    }
  }
  if (whole_x < nx) {
    transpose_plain<Real>({b.in + whole_x * b.x_in, b.x_in, b.out + whole_x, b.y_out}, nx - whole_x,
                          whole_y);
  }
  if (whole_y < ny) {
    transpose_plain<Real>({b.in + whole_y, b.x_in, b.out + whole_y * b.y_out, b.y_out}, nx,
                          ny - whole_y);
  }
}

/// A complex128, or any 16 bytes.
struct alignas(8) Pair {
  double re, im;
};

void transpose_block(const Block<std::uint8_t>& b, std::int64_t nx, std::int64_t ny) {
  transpose_plain(b, nx, ny);
}
void transpose_block(const Block<float>& b, std::int64_t nx, std::int64_t ny) {
  transpose_squares(b, nx, ny);
}
void transpose_block(const Block<double>& b, std::int64_t nx, std::int64_t ny) {
  transpose_squares(b, nx, ny);
}
void transpose_block(const Block<Pair>& b, std::int64_t nx, std::int64_t ny) {
  constexpr std::int64_t line = 4;  // a cache line of the output at a time
  for (std::int64_t y = 0; y < ny; y += line) {
    for (std::int64_t x = 0; x < nx; x += line) {
      transpose_plain<Pair>({b.in + x * b.x_in + y, b.x_in, b.out + y * b.y_out + x, b.y_out},
                            std::min(line, nx - x), std::min(line, ny - y));
    }
  }
}

/// A task is a block of one plane. `Word` only carries bits.
template <class Word>
void transpose_on_host(const Planes& planes, const Word* in, Word* out) {
  // Blocks of 512 bytes by 512 bytes: few pages at a time, and edges stay in the first cache.
  constexpr std::int64_t edge = std::min<std::int64_t>(512 / sizeof(Word), 128);
  const std::int64_t blocks_x = (planes.x_extent + edge - 1) / edge;
  const std::int64_t blocks_y = (planes.y_extent + edge - 1) / edge;
  Kokkos::parallel_for(
      "tessera::transpose", range(HostSpace(), planes.count * blocks_x * blocks_y),
      [=](const std::int64_t task) {
        const Offsets at = offsets_of(planes, task / (blocks_x * blocks_y));
        const std::int64_t x = task / blocks_y % blocks_x * edge;
        const std::int64_t y = task % blocks_y * edge;
        transpose_block(Block<Word>{in + at.in + x * planes.x_in + y, planes.x_in,
                                    out + at.out + y * planes.y_out + x, planes.y_out},
                        std::min(edge, planes.x_extent - x), std::min(edge, planes.y_extent - y));
      });
}

/// A team brings a square through its scratch memory, so that its threads read and write
/// neighbouring addresses.
template <class Word, class Space>
void transpose_on_device(const Space& space, const Planes& planes, const Word* in, Word* out) {
  constexpr int edge = 32;
  constexpr int rows = 8;          // of threads
  constexpr int pitch = edge + 1;  // columns of the square lie in different banks
  constexpr int bytes = edge * pitch * static_cast<int>(sizeof(Word));
  const std::int64_t blocks_x = (planes.x_extent + edge - 1) / edge;
  const std::int64_t blocks_y = (planes.y_extent + edge - 1) / edge;
  using Policy = Kokkos::TeamPolicy<Space>;
  Policy policy(space, static_cast<int>(planes.count * blocks_x * blocks_y), edge * rows);
  policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
  Kokkos::parallel_for(
      "tessera::transpose", policy, KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        Word* square = static_cast<Word*>(team.team_shmem().get_shmem(bytes));
        const std::int64_t task = team.league_rank();
        const Offsets at = offsets_of(planes, task / (blocks_x * blocks_y));
        const std::int64_t x = task / blocks_y % blocks_x * edge;
        const std::int64_t y = task % blocks_y * edge;
        const int column = team.team_rank() % edge;
        const Word* from = in + at.in + x * planes.x_in + y;
        for (int row = team.team_rank() / edge; row < edge; row += rows) {
          if (x + row < planes.x_extent && y + column < planes.y_extent) {
            square[row * pitch + column] = from[row * planes.x_in + column];
          }
        }
        team.team_barrier();
        Word* to = out + at.out + y * planes.y_out + x;
        for (int row = team.team_rank() / edge; row < edge; row += rows) {
          if (y + row < planes.y_extent && x + column < planes.x_extent) {
            to[row * planes.y_out + column] = square[column * pitch + row];
          }
        }
      });
}

template <class Word>
void transpose_planes(const device::Stream& stream, const Planes& planes, const Tile& in,
                      const Tile& out) {
  if (stream.backend == device::Backend::host) {
    transpose_on_host(planes, in.as<const Word>(), out.as<Word>());
  } else {
    on_space(stream, [&](const auto& space) {
      transpose_on_device(space, planes, in.as<const Word>(), out.as<Word>());
    });
  }
}

}  // namespace

void transpose(const device::Stream& stream, const Tile& in, const Tile& out, const Extents& axes) {
  Tile view = out;  // the input with the axes of the output
  view.data = in.data;
  for (int axis = 0; axis < axes.size(); ++axis) {
    require(in.extent()[axes[axis]] == out.extent()[axis],
            "a transposed tile has permuted extents");
    view.strides[axis] = in.strides[axes[axis]];
  }
  if (out.box.empty()) return;
  Planes planes;
  if (!find_planes(view, out, planes)) return copy_box(stream, view, out, out.box);
  switch (size_of(out.dtype)) {
    case 1:
      return transpose_planes<std::uint8_t>(stream, planes, view, out);
    case 4:
      return transpose_planes<float>(stream, planes, view, out);
    case 8:
      return transpose_planes<double>(stream, planes, view, out);
    default:
      return transpose_planes<Pair>(stream, planes, view, out);
  }
}

}  // namespace tessera::kernels
