// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "pack.hpp"

#include <cstdint>
#include <cstring>

#include "device/kokkos.hpp"

namespace tessera::kernels {

namespace {

/// The box as rows of `width` bytes, each contiguous in both tiles; axes that are contiguous in
/// both are merged into the row.
struct Rows {
  int axes = 0;
  std::int64_t count = 1;
  std::int64_t width = 0;
  Extents extent;       ///< of the outer axes
  Strides from_stride;  ///< bytes
  Strides to_stride;    ///< bytes
};

Rows merge(const Tile& from, const Tile& to, const Box& box) {
  const std::int64_t size = size_of(from.dtype);
  Rows rows;
  rows.width = size;
  int axis = box.axes() - 1;
  for (; axis >= 0; --axis) {
    const bool contiguous =
        from.strides[axis] * size == rows.width && to.strides[axis] * size == rows.width;
    if (!contiguous && box.extent[axis] != 1) break;
    rows.width *= box.extent[axis];
  }
  for (int outer = 0; outer <= axis; ++outer) {
    rows.extent.push_back(box.extent[outer]);
    rows.from_stride.push_back(from.strides[outer] * size);
    rows.to_stride.push_back(to.strides[outer] * size);
    rows.count *= box.extent[outer];
  }
  rows.axes = axis + 1;
  return rows;
}

struct Offsets {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

KOKKOS_INLINE_FUNCTION Offsets offsets_of(const std::int64_t* extent, const std::int64_t* from,
                                          const std::int64_t* to, int axes, std::int64_t row) {
  Offsets offsets;
  for (int axis = axes - 1; axis >= 0; --axis) {
    const std::int64_t index = row % extent[axis];
    row /= extent[axis];
    offsets.from += index * from[axis];
    offsets.to += index * to[axis];
  }
  return offsets;
}

/// Plain arrays that a device lambda can capture.
struct Plain {
  std::int64_t extent[max_axes] = {};
  std::int64_t from[max_axes] = {};
  std::int64_t to[max_axes] = {};
};

Plain plain(const Rows& rows) {
  Plain result;
  for (int axis = 0; axis < rows.axes; ++axis) {
    result.extent[axis] = rows.extent[axis];
    result.from[axis] = rows.from_stride[axis];
    result.to[axis] = rows.to_stride[axis];
  }
  return result;
}

/// Element by element: for a GPU, whose threads then touch neighbouring addresses.
template <class Word, class Space>
void copy_words(const Space& space, const Rows& rows, const char* source, char* target) {
  const Plain p = plain(rows);
  const int axes = rows.axes;
  const std::int64_t words = rows.width / static_cast<std::int64_t>(sizeof(Word));
  Kokkos::parallel_for(
      "tessera::copy_box", range(space, rows.count * words), KOKKOS_LAMBDA(const std::int64_t i) {
        const Offsets at = offsets_of(p.extent, p.from, p.to, axes, i / words);
        const std::int64_t word = i % words * static_cast<std::int64_t>(sizeof(Word));
        *reinterpret_cast<Word*>(target + at.to + word) =
            *reinterpret_cast<const Word*>(source + at.from + word);
      });
}

/// Row by row with memcpy, long rows in pieces so that all threads have work.
void copy_rows(const HostSpace& space, const Rows& rows, const char* source, char* target) {
  constexpr std::int64_t piece = 256 * 1024;
  const std::int64_t pieces = (rows.width + piece - 1) / piece;
  const Plain p = plain(rows);
  const int axes = rows.axes;
  const std::int64_t width = rows.width;
  const auto copy_piece = [=](const std::int64_t i) {
    const Offsets at = offsets_of(p.extent, p.from, p.to, axes, i / pieces);
    const std::int64_t begin = i % pieces * piece;
    const std::int64_t bytes = width - begin < piece ? width - begin : piece;
    const char* in = source + at.from + begin;
    char* out = target + at.to + begin;
    if (bytes == 8) {
      std::memcpy(out, in, 8);  // one instruction; the general call costs ten times that
    } else if (bytes == 16) {
      std::memcpy(out, in, 16);
    } else {
      std::memcpy(out, in, static_cast<std::size_t>(bytes));
    }
  };
  Kokkos::parallel_for("tessera::copy_box", range(space, rows.count * pieces), copy_piece);
}

}  // namespace

void copy_box(const device::Stream& stream, const Tile& from, const Tile& to, const Box& box) {
  if (box.empty()) return;
  const Tile source = from.sub(box);
  const Tile target = to.sub(box);
  const Rows rows = merge(source, target, box);
  const auto* in = static_cast<const char*>(source.data);
  auto* out = static_cast<char*>(target.data);
  if (stream.backend == device::Backend::host) {
    copy_rows(HostSpace(), rows, in, out);
    return;
  }
  on_space(stream, [&](const auto& space) {
    switch (size_of(from.dtype)) {
      case 1:
        copy_words<std::uint8_t>(space, rows, in, out);
        break;
      case 4:
        copy_words<std::uint32_t>(space, rows, in, out);
        break;
      default:
        copy_words<std::uint64_t>(space, rows, in, out);
        break;
    }
  });
}

void fill_bytes(const device::Stream& stream, void* data, std::int64_t bytes, unsigned char value) {
  auto* target = static_cast<unsigned char*>(data);
  on_space(stream, [&](const auto& space) {
    Kokkos::parallel_for(
        "tessera::fill_bytes", range(space, bytes),
        KOKKOS_LAMBDA(const std::int64_t i) { target[i] = value; });
  });
}

}  // namespace tessera::kernels
