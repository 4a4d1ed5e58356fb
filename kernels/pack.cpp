// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "pack.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "device/kokkos.hpp"

namespace tessera::kernels {

namespace {

/// The box as rows of `width` bytes that are contiguous in both tiles, on a grid of `axes` outer
/// axes. Axes of extent 1 are dropped and axes that run on in both tiles are merged. Plain arrays,
/// so that a device lambda can capture it.
struct Rows {
  std::int64_t width = 0;
  std::int64_t count = 1;
  int axes = 0;
  std::int64_t extent[max_axes] = {};
  std::int64_t from[max_axes] = {};  ///< strides in bytes
  std::int64_t to[max_axes] = {};
};

Rows merge(const Tile& from, const Tile& to, const Box& box) {
  const std::int64_t size = size_of(from.dtype);
  Rows rows;
  rows.width = size;
  for (int axis = 0; axis < box.axes(); ++axis) {
    const std::int64_t extent = box.extent[axis];
    if (extent == 1) continue;
    const std::int64_t from_stride = from.strides[axis] * size;
    const std::int64_t to_stride = to.strides[axis] * size;
    const int last = rows.axes - 1;
    if (last >= 0 && rows.from[last] == extent * from_stride &&
        rows.to[last] == extent * to_stride) {
      rows.extent[last] *= extent;
      rows.from[last] = from_stride;
      rows.to[last] = to_stride;
    } else {
      rows.extent[rows.axes] = extent;
      rows.from[rows.axes] = from_stride;
      rows.to[rows.axes] = to_stride;
      ++rows.axes;
    }
  }
  if (rows.axes > 0 && rows.from[rows.axes - 1] == size && rows.to[rows.axes - 1] == size) {
    rows.width = rows.extent[--rows.axes] * size;
  }
  for (int axis = 0; axis < rows.axes; ++axis) rows.count *= rows.extent[axis];
  return rows;
}

struct Offsets {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// Where row `row` of the first `axes` axes begins.
KOKKOS_INLINE_FUNCTION Offsets offsets_of(const Rows& rows, int axes, std::int64_t row) {
  Offsets offsets;
  for (int axis = axes - 1; axis >= 0; --axis) {
    const std::int64_t index = row % rows.extent[axis];
    row /= rows.extent[axis];
    offsets.from += index * rows.from[axis];
    offsets.to += index * rows.to[axis];
  }
  return offsets;
}

/// Word by word: for a GPU, whose threads then touch neighbouring addresses.
template <class Word, class Space>
void copy_words(const Space& space, const Rows& rows, const char* source, char* target) {
  const std::int64_t words = rows.width / static_cast<std::int64_t>(sizeof(Word));
  Kokkos::parallel_for(
      "tessera::copy_box", range(space, rows.count * words), KOKKOS_LAMBDA(const std::int64_t i) {
        const Offsets at = offsets_of(rows, rows.axes, i / words);
        const std::int64_t word = i % words * static_cast<std::int64_t>(sizeof(Word));
        *reinterpret_cast<Word*>(target + at.to + word) =
            *reinterpret_cast<const Word*>(source + at.from + word);
      });
}

/// 16 bytes, the widest access of a GPU.
struct alignas(16) Quad {
  std::uint64_t low, high;
};

template <class Space>
void copy_on_device(const Space& space, const Rows& rows, const char* source, char* target) {
  // Every address of a row is a multiple of what divides all of these.
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(source) |
                       reinterpret_cast<std::uintptr_t>(target) |
                       static_cast<std::uint64_t>(rows.width);
  for (int axis = 0; axis < rows.axes; ++axis) {
    bits |= static_cast<std::uint64_t>(rows.from[axis]) | static_cast<std::uint64_t>(rows.to[axis]);
  }
  if (bits % 16 == 0) {
    copy_words<Quad>(space, rows, source, target);
  } else if (bits % 8 == 0) {
    copy_words<std::uint64_t>(space, rows, source, target);
  } else if (bits % 4 == 0) {
    copy_words<std::uint32_t>(space, rows, source, target);
  } else {
    copy_words<std::uint8_t>(space, rows, source, target);
  }
}

/// `n` short rows at fixed distances. A width known to the compiler is one or two instructions a
/// row; the general memcpy costs ten times that.
template <int width>
void copy_line_of(std::int64_t n, const char* from, std::int64_t from_stride, char* to,
                  std::int64_t to_stride) {
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, width);
}

void copy_line(const Rows& rows, int axis, std::int64_t n, const char* from, char* to) {
  const std::int64_t from_stride = rows.from[axis];
  const std::int64_t to_stride = rows.to[axis];
  switch (rows.width) {
    case 1:
      return copy_line_of<1>(n, from, from_stride, to, to_stride);
    case 4:
      return copy_line_of<4>(n, from, from_stride, to, to_stride);
    case 8:
      return copy_line_of<8>(n, from, from_stride, to, to_stride);
    case 16:
      return copy_line_of<16>(n, from, from_stride, to, to_stride);
    case 32:
      return copy_line_of<32>(n, from, from_stride, to, to_stride);
    case 64:
      return copy_line_of<64>(n, from, from_stride, to, to_stride);
    default:
      for (std::int64_t i = 0; i < n; ++i) {
        std::memcpy(to + i * to_stride, from + i * from_stride,
                    static_cast<std::size_t>(rows.width));
      }
  }
}

/// A thread takes lines of rows along the last outer axis, or pieces of long rows.
void copy_on_host(const Rows& rows, const char* source, char* target) {
  constexpr std::int64_t piece = 128 * 1024;  // bytes; a fraction of every level-2 cache
  if (rows.axes == 0 || rows.width > piece) {
    const std::int64_t pieces = (rows.width + piece - 1) / piece;
    Kokkos::parallel_for(
        "tessera::copy_box", range(HostSpace(), rows.count * pieces), [=](const std::int64_t i) {
          const Offsets at = offsets_of(rows, rows.axes, i / pieces);
          const std::int64_t begin = i % pieces * piece;
          std::memcpy(target + at.to + begin, source + at.from + begin,
                      static_cast<std::size_t>(std::min(piece, rows.width - begin)));
        });
    return;
  }
  const int axis = rows.axes - 1;
  const std::int64_t length =
      std::min(rows.extent[axis], std::max<std::int64_t>(piece / rows.width, 1));
  const std::int64_t chunks = (rows.extent[axis] + length - 1) / length;
  Kokkos::parallel_for("tessera::copy_box",
                       range(HostSpace(), rows.count / rows.extent[axis] * chunks),
                       [=](const std::int64_t i) {
                         const Offsets at = offsets_of(rows, axis, i / chunks);
                         const std::int64_t begin = i % chunks * length;
                         copy_line(rows, axis, std::min(length, rows.extent[axis] - begin),
                                   source + at.from + begin * rows.from[axis],
                                   target + at.to + begin * rows.to[axis]);
                       });
}

template <class Space>
void fill(const Space& space, unsigned char* target, std::int64_t bytes, unsigned char value) {
  Kokkos::parallel_for(
      "tessera::fill_bytes", range(space, bytes),
      KOKKOS_LAMBDA(const std::int64_t i) { target[i] = value; });
}

}  // namespace

void copy_box(const device::Stream& stream, const Tile& from, const Tile& to, const Box& box) {
  require(from.dtype == to.dtype, "a box is copied between tiles of one element type");
  if (box.empty()) return;
  const Tile source = from.sub(box);
  const Tile target = to.sub(box);
  const Rows rows = merge(source, target, box);
  const auto* in = static_cast<const char*>(source.data);
  auto* out = static_cast<char*>(target.data);
  if (stream.backend == device::Backend::host) {
    copy_on_host(rows, in, out);
  } else {
    on_space(stream, [&](const auto& space) { copy_on_device(space, rows, in, out); });
  }
}

void fill_bytes(const device::Stream& stream, void* data, std::int64_t bytes, unsigned char value) {
  if (bytes <= 0) return;
  auto* target = static_cast<unsigned char*>(data);
  on_space(stream, [&](const auto& space) { fill(space, target, bytes, value); });
}

}  // namespace tessera::kernels
