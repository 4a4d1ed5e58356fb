// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "matmul_host.hpp"

#include <algorithm>

#include "matmul_column.hpp"
#include "matmul_micro.hpp"
#include "matmul_pack.hpp"

namespace tessera::kernels::matmul_detail {

namespace {

constexpr std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

/// Blocks for the caches: a block of A (rows x depth, half a MiB) stays in the second cache, one of
/// B (depth x columns, 8 MiB) in the third. Measured on Zen 4: depth 512 is 5 % faster than 256, as
/// C is loaded and stored half as often.
template <class T>
struct Blocks {
  static constexpr std::int64_t depth = parts<T> == 2 ? 256 : 512;
  static constexpr std::int64_t rows = 16 * Register<T>::rows;
  static constexpr std::int64_t columns = 2048 / Register<T>::columns * Register<T>::columns;
  static constexpr std::int64_t slice = 8 * Register<T>::columns;  ///< of one task
};

/// How one product is blocked.
template <class T>
struct Blocking {
  std::int64_t rows = 0;     ///< of A, copied at a time
  std::int64_t columns = 0;  ///< of B, copied at a time
  std::int64_t depth = 0;
  std::int64_t a_bytes = 0;
  std::int64_t b_bytes = 0;

  Blocking(std::int64_t m, std::int64_t n, std::int64_t k, int threads) {
    using R = Register<T>;
    // Equal shares of k, so that no block is thin.
    const std::int64_t shares =
        std::max<std::int64_t>((k + Blocks<T>::depth - 1) / Blocks<T>::depth, 1);
    depth = (k + shares - 1) / shares;
    rows = std::min(round_up(m, R::rows), Blocks<T>::rows * threads);
    // With few rows B is used only once or twice: it had better stay in the second cache.
    const std::int64_t most =
        m <= 2 * R::rows ? std::min<std::int64_t>(4 * R::columns * threads, Blocks<T>::columns)
                         : Blocks<T>::columns;
    columns = std::min(round_up(n, R::columns), most);
    a_bytes = round_up(rows * depth * static_cast<std::int64_t>(sizeof(T)), 64);
    b_bytes = round_up(columns * depth * static_cast<std::int64_t>(sizeof(T)), 64);
  }
};

/// The copied blocks, and the part of C that they belong to.
template <class T>
struct Block {
  const part_t<T>* a = nullptr;
  const part_t<T>* b = nullptr;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_column = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  bool onto_c = false;
};

/// A register tile's place: `rows` x `columns` elements exist of `tile_rows` x `width`.
template <class T>
struct Place {
  T* c = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int tile_rows = 0;
  int width = 0;
};

/// A tile at an edge of C, of complex numbers, or of a C whose columns aren't next to each other:
/// computed in a buffer whose rows hold all real, then all imaginary parts.
template <class T>
void tile_in_buffer(const Product<T>& p, const Place<T>& at, TileFunction<part_t<T>> tile,
                    const part_t<T>* a, const part_t<T>* b, std::int64_t depth, bool onto_c) {
  using R = part_t<T>;
  alignas(64) R buffer[parts<T> * Register<T>::rows * Register<T>::columns];
  const std::int64_t stride = parts<T> * at.width;
  const auto each_part = [&](auto&& f) {
    for (std::int64_t i = 0; i < at.rows; ++i) {
      for (std::int64_t j = 0; j < at.columns; ++j) {
        R* element = reinterpret_cast<R*>(at.c + i * p.c.row + j * p.c.column);
        R* copy = buffer + i * stride + j;
        f(element[0], copy[0]);
        if constexpr (parts<T> == 2) f(element[1], copy[at.width]);
      }
    }
  };
  if (onto_c) {
    std::fill_n(buffer, at.tile_rows * stride, R{});
    each_part([](R& element, R& copy) { copy = element; });
  }
  tile(depth, a, b, buffer, stride, !onto_c);
  each_part([](R& element, R& copy) { element = copy; });
}

template <class T>
void multiply_block(const Product<T>& p, const Block<T>& block) {
  using R = part_t<T>;
  using Size = Register<T>;
  constexpr int w = lanes<R>;
  for (std::int64_t j = 0; j < block.columns; j += Size::columns) {
    const std::int64_t columns = std::min<std::int64_t>(block.columns - j, Size::columns);
    const int vectors = static_cast<int>((columns + w - 1) / w);
    const R* b = block.b + j * block.depth * parts<T>;
    for (std::int64_t i = 0; i < block.rows; i += Size::rows) {
      const std::int64_t rows = std::min<std::int64_t>(block.rows - i, Size::rows);
      const int tile_rows = Tiles<T>::rows_for(rows);
      const TileFunction<R> tile = Tiles<T>::find(tile_rows, vectors);
      const R* a = block.a + i * block.depth * parts<T>;
      T* c = p.c.data + (block.first_row + i) * p.c.row + (block.first_column + j) * p.c.column;
      const Place<T> at{c, rows, columns, tile_rows, vectors * w};
      if (parts<T> == 1 && rows == tile_rows && columns == at.width && p.c.column == 1) {
        tile(block.depth, a, b, reinterpret_cast<R*>(c), p.c.row, !block.onto_c);
      } else {
        tile_in_buffer(p, at, tile, a, b, block.depth, block.onto_c);
      }
    }
  }
}

/// Copies the columns [first, first + columns) of B's rows [begin, begin + depth) strip by strip.
template <class T>
void copy_b(const Product<T>& p, const Block<T>& block, std::int64_t begin, part_t<T>* to,
            const Parallel& parallel) {
  constexpr int w = lanes<part_t<T>>;
  constexpr std::int64_t size = Register<T>::columns;
  parallel((block.columns + size - 1) / size, [&](std::int64_t strip) {
    const std::int64_t valid = std::min(block.columns - strip * size, size);
    pack_b(p, block.first_column + strip * size, valid, round_up(valid, w), begin, block.depth,
           to + strip * size * block.depth * parts<T>);
  });
}

template <class T>
void copy_a(const Product<T>& p, const Block<T>& block, std::int64_t begin, part_t<T>* to,
            const Parallel& parallel) {
  constexpr std::int64_t size = Register<T>::rows;
  parallel((block.rows + size - 1) / size, [&](std::int64_t strip) {
    const std::int64_t valid = std::min(block.rows - strip * size, size);
    pack_a(p, block.first_row + strip * size, valid, Tiles<T>::rows_for(valid), begin, block.depth,
           to + strip * size * block.depth * parts<T>);
  });
}

/// One task per block of rows and slice of columns; tasks of one block of rows follow each other,
/// so that a thread keeps its block of A in its cache.
template <class T>
void multiply_blocks(const Product<T>& p, const Block<T>& block, int threads,
                     const Parallel& parallel) {
  const std::int64_t height = Blocks<T>::rows;
  const std::int64_t width = threads == 1 ? block.columns : Blocks<T>::slice;
  const std::int64_t slices = (block.columns + width - 1) / width;
  parallel((block.rows + height - 1) / height * slices, [&](std::int64_t task) {
    const std::int64_t i = task / slices * height;
    const std::int64_t j = task % slices * width;
    Block<T> part = block;
    part.a += i * block.depth * parts<T>;
    part.b += j * block.depth * parts<T>;
    part.first_row += i;
    part.first_column += j;
    part.rows = std::min(height, block.rows - i);
    part.columns = std::min(width, block.columns - j);
    multiply_block(p, part);
  });
}

/// C^T = B^T A^T. Real only: the two sums of an imaginary part would change places.
template <class T>
Product<T> transposed(const Product<T>& p) {
  Product<T> result = p;
  std::swap(result.m, result.n);
  result.a = {p.b.data, p.b.column, p.b.row};
  result.b = {p.a.data, p.a.column, p.a.row};
  result.c = {p.c.data, p.c.column, p.c.row};
  return result;
}

/// Elements of C that the register tiles compute, those over the edges included.
template <class T>
std::int64_t computed(std::int64_t m, std::int64_t n) {
  const std::int64_t rest = m % Register<T>::rows;
  return (m - rest + (rest > 0 ? Tiles<T>::rows_for(rest) : 0)) * round_up(n, lanes<part_t<T>>);
}

template <class T>
bool better_transposed(std::int64_t m, std::int64_t n) {
  return parts<T> == 1 && 4 * computed<T>(n, m) < 3 * computed<T>(m, n);
}

template <class T>
void fill_zero(const Product<T>& p) {
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) p.c.data[i * p.c.row + j * p.c.column] = T{};
  }
}

}  // namespace

template <class T>
std::int64_t scratch_bytes(std::int64_t m, std::int64_t n, std::int64_t k, int threads) {
  if (better_transposed<T>(m, n)) std::swap(m, n);
  const Blocking<T> blocking(m, n, k, threads);
  return blocking.a_bytes + blocking.b_bytes;
}

template <class T>
void multiply(const Product<T>& given, void* scratch, int threads, const Parallel& parallel) {
  if (given.m == 0 || given.n == 0) return;
  if (given.k == 0) {
    if (!given.onto_c) fill_zero(given);
    return;
  }
  if constexpr (std::is_floating_point_v<part_t<T>>) {
    if (is_column(given)) return multiply_column(given, parallel);
  }
  const Product<T> p = better_transposed<T>(given.m, given.n) ? transposed(given) : given;
  const Blocking<T> blocking(p.m, p.n, p.k, threads);
  auto* a = reinterpret_cast<part_t<T>*>(scratch);
  auto* b = reinterpret_cast<part_t<T>*>(static_cast<char*>(scratch) + blocking.a_bytes);
  for (std::int64_t j = 0; j < p.n; j += blocking.columns) {
    for (std::int64_t k = 0; k < p.k; k += blocking.depth) {
      Block<T> block{a,
                     b,
                     0,
                     0,
                     j,
                     std::min(blocking.columns, p.n - j),
                     std::min(blocking.depth, p.k - k),
                     p.onto_c || k > 0};
      copy_b(p, block, k, b, parallel);
      for (std::int64_t i = 0; i < p.m; i += blocking.rows) {
        block.first_row = i;
        block.rows = std::min(blocking.rows, p.m - i);
        copy_a(p, block, k, a, parallel);
        multiply_blocks(p, block, threads, parallel);
      }
    }
  }
}

#define TESSERA_MATMUL(T)                                                                \
  template std::int64_t scratch_bytes<T>(std::int64_t, std::int64_t, std::int64_t, int); \
  template void multiply<T>(const Product<T>&, void*, int, const Parallel&);
TESSERA_MATMUL(float)
TESSERA_MATMUL(double)
TESSERA_MATMUL(std::complex<float>)
TESSERA_MATMUL(std::complex<double>)
TESSERA_MATMUL(std::int32_t)
TESSERA_MATMUL(std::int64_t)
#undef TESSERA_MATMUL

}  // namespace tessera::kernels::matmul_detail
