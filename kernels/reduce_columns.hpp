// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The host's reduction where a kept axis is contiguous: whole rows are added to an array of states,
// one per column. Internal to the kernels.
#include "reduce_host.hpp"

namespace tessera::kernels {

/// Columns per block: the states of a block and of one more level of the tree stay in the first
/// cache.
inline constexpr std::int64_t column_block = 512;
/// Rows narrower than this are taken several at a time.
inline constexpr std::int64_t narrow_row = 32;
inline constexpr std::int64_t wide_row = 64;

/// Rows of a leaf: by the width of a row alone.
inline std::int64_t rows_per_leaf(std::int64_t columns) {
  return columns >= narrow_row ? 128 : leaf_length / std::max<std::int64_t>(columns, 1);
}

/// A block of columns of one part.
template <class Reducer>
struct ColumnBlock {
  using T = typename Reducer::Element;
  using State = typename Reducer::State;
  const T* x;  ///< first column, row 0
  const T* y;
  std::int64_t columns;  ///< of this block
  std::int64_t width;    ///< of a whole row
  Walk reduced;

  /// `rows` rows of constant stride, the first with index r.
  void add_rows(const T* a, const T* b, std::int64_t r, std::int64_t rows,
                State* __restrict sums) const {
    const std::int64_t stride = reduced.inner_stride();
    if (columns == width && width < narrow_row && stride == width && !has_index<Reducer>) {
      const std::int64_t group = wide_row / width;
      if (rows >= 2 * group) {
        const std::int64_t done = rows / group * group;
        add_narrow(a, b, group, done, sums);
        a += done * width;
        if (b != nullptr) b += done * width;
        r += done;
        rows -= done;
      }
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      const T* row = a + i * stride;
      const T* other = b == nullptr ? nullptr : b + i * stride;
      for (std::int64_t c = 0; c < columns; ++c) {
        sums[c] = Reducer::combine(sums[c], load_at<Reducer>(row, other, c, r + i));
      }
    }
  }

  /// Rows side by side, `group` of them as one long row; their states are folded in row order.
  void add_narrow(const T* a, const T* b, std::int64_t group, std::int64_t rows,
                  State* sums) const {
    State wide[wide_row];
    const std::int64_t length = group * width;
    for (std::int64_t c = 0; c < length; ++c) wide[c] = Reducer::identity();
    for (std::int64_t i = 0; i < rows * width; i += length) {
      for (std::int64_t c = 0; c < length; ++c) {
        wide[c] =
            Reducer::combine(wide[c], Reducer::load(a + i, b == nullptr ? nullptr : b + i, c));
      }
    }
    for (std::int64_t c = 0; c < length; ++c)
      sums[c % width] = Reducer::combine(sums[c % width], wide[c]);
  }

  void leaf(std::int64_t begin, std::int64_t end, State* sums) const {
    for (std::int64_t c = 0; c < columns; ++c) sums[c] = Reducer::identity();
    const std::int64_t inner = reduced.inner();
    for (std::int64_t r = begin; r < end;) {
      const std::int64_t run = std::min(inner - r % inner, end - r);
      const std::int64_t offset = reduced.at(r);
      add_rows(x + offset, y == nullptr ? nullptr : y + offset, r, run, sums);
      r += run;
    }
  }

  /// Rows [begin, end), begin a multiple of `leaf_rows` times a large enough power of two: the tree
  /// of fold_leaves for a whole block at once.
  void fold(std::int64_t begin, std::int64_t end, std::int64_t leaf_rows, State* sums) const {
    if (end - begin <= leaf_rows) {
      leaf(begin, end, sums);
      return;
    }
    std::int64_t half = leaf_rows;
    while (2 * half < end - begin) half *= 2;
    State right[column_block];
    fold(begin, begin + half, leaf_rows, sums);
    fold(begin + half, end, leaf_rows, right);
    for (std::int64_t c = 0; c < columns; ++c) sums[c] = Reducer::combine(sums[c], right[c]);
  }
};

/// One piece of work: columns [begin, end) of the results, all with the same outer kept index.
struct ColumnRange {
  std::int64_t begin;
  std::int64_t end;
};

/// The blocks that results [first, first + count) fall into: `number` of them.
struct ColumnBlocks {
  std::int64_t width;
  std::int64_t per_row;
  std::int64_t first;
  std::int64_t last;
  std::int64_t first_block;
  std::int64_t number;

  ColumnBlocks(std::int64_t row, std::int64_t from, std::int64_t count)
      : width(row),
        per_row((row + column_block - 1) / column_block),
        first(from),
        last(from + count) {
    first_block = block_of(first);
    number = count > 0 ? block_of(last - 1) - first_block + 1 : 0;
  }
  [[nodiscard]] std::int64_t block_of(std::int64_t result) const {
    return result / width * per_row + result % width / column_block;
  }
  [[nodiscard]] ColumnRange range(std::int64_t i) const {
    const std::int64_t block = first_block + i;
    const std::int64_t row = block / per_row * width;
    const std::int64_t begin = block % per_row * column_block;
    return {std::max(first, row + begin),
            std::min(last, row + std::min(begin + column_block, width))};
  }
};

/// The states of `part.count` results; the last kept axis must be contiguous.
template <class Reducer, class T>
void columns_parts(const PartView<T>& part, typename Reducer::State* states,
                   const Scratch& scratch) {
  using State = typename Reducer::State;
  const ColumnBlocks blocks(part.kept.inner(), part.first, part.count);
  const std::int64_t leaf_rows = rows_per_leaf(blocks.width);
  const std::int64_t leaves = (part.elements + leaf_rows - 1) / leaf_rows;
  const std::int64_t fitting = scratch.bytes / static_cast<std::int64_t>(sizeof(State));
  const Chunks chunks(leaves, (tasks_wanted(scratch) + blocks.number - 1) / blocks.number,
                      fitting / part.count);
  State* const partial = chunks.count > 1 ? static_cast<State*>(scratch.data) : states;
  host_tasks(blocks.number * chunks.count, part.count * part.elements, [=](std::int64_t task) {
    const ColumnRange results = blocks.range(task % blocks.number);
    const std::int64_t chunk = task / blocks.number;
    const std::int64_t offset = part.kept.at(results.begin);
    const ColumnBlock<Reducer> block{part.x + offset, part.y == nullptr ? nullptr : part.y + offset,
                                     results.end - results.begin, blocks.width, part.reduced};
    const std::int64_t rows = chunks.leaves_per_chunk * leaf_rows;
    block.fold(std::min(chunk * rows, part.elements), std::min((chunk + 1) * rows, part.elements),
               leaf_rows, partial + chunk * part.count + results.begin - part.first);
  });
  if (chunks.count == 1) return;
  host_tasks(part.count, part.count * chunks.count,
             FoldChunks<Reducer>{partial, states, chunks.count, 1, part.count});
}

}  // namespace tessera::kernels
