// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tree that a reduction follows, element by element in any order of axes: the same on host and
// GPU. Internal to the kernels.
#include "reduce_types.hpp"
#include "reducers.hpp"

namespace tessera::kernels {

/// Folds leaf(begin), ..., leaf(end - 1) by the binary counter. `begin` is a multiple of a power of
/// two that is no smaller than end - begin.
template <class Reducer, class Leaf>
TESSERA_INLINE_FUNCTION typename Reducer::State fold_leaves(std::int64_t begin, std::int64_t end,
                                                            const Leaf& leaf) {
  using State = typename Reducer::State;
  if (end <= begin) return Reducer::identity();
  State stack[48];
  int depth = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    State state = leaf(i);
    for (std::int64_t done = i - begin + 1; done % 2 == 0; done /= 2) {
      state = Reducer::combine(stack[--depth], state);
    }
    stack[depth++] = state;
  }
  State result = stack[--depth];
  while (depth > 0) result = Reducer::combine(stack[--depth], result);
  return result;
}

/// The state of one leaf of one result, element by element in eight lanes (element r to lane r mod
/// 8).
template <class Reducer>
struct LaneLeaf {
  using T = typename Reducer::Element;
  using State = typename Reducer::State;
  const T* x;
  const T* y;
  Walk reduced;
  std::int64_t elements;

  TESSERA_INLINE_FUNCTION State operator()(std::int64_t leaf) const {
    constexpr int lanes = 8;
    State lane[lanes];
    for (int l = 0; l < lanes; ++l) lane[l] = Reducer::identity();
    const std::int64_t begin = leaf * leaf_length;
    const std::int64_t end = begin + leaf_length < elements ? begin + leaf_length : elements;
    const std::int64_t inner = reduced.axes > 0 ? reduced.extent[reduced.axes - 1] : 1;
    const std::int64_t stride = reduced.axes > 0 ? reduced.stride[reduced.axes - 1] : 1;
    for (std::int64_t r = begin; r < end;) {
      std::int64_t run = inner - r % inner;
      if (run > end - r) run = end - r;
      const std::int64_t offset = reduced.at(r);
      for (std::int64_t i = 0; i < run; ++i, ++r) {
        lane[r % lanes] =
            Reducer::combine(lane[r % lanes], load_at<Reducer>(x, y, offset + i * stride, r));
      }
    }
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) lane[l] = Reducer::combine(lane[l], lane[l + half]);
    }
    return lane[0];
  }
};

template <class State>
struct LoadState {
  const State* states;
  std::int64_t stride;
  TESSERA_INLINE_FUNCTION State operator()(std::int64_t i) const { return states[i * stride]; }
};

/// Task (k, chunk) folds a chunk of result k's leaves.
template <class Reducer, class Leaf>
struct FoldChunk {
  using T = typename Reducer::Element;
  using State = typename Reducer::State;
  PartView<T> part;
  Chunks chunks;
  std::int64_t leaves;
  State* partial;

  TESSERA_INLINE_FUNCTION void operator()(const std::int64_t task) const {
    const std::int64_t k = task % part.count;  // neighbours work on neighbouring results
    const std::int64_t chunk = task / part.count;
    const std::int64_t offset = part.kept.at(part.first + k);
    const Leaf leaf{part.x + offset, part.y == nullptr ? nullptr : part.y + offset, part.reduced,
                    part.elements};
    const std::int64_t begin = chunk * chunks.leaves_per_chunk;
    const std::int64_t end =
        begin + chunks.leaves_per_chunk < leaves ? begin + chunks.leaves_per_chunk : leaves;
    partial[k * chunks.count + chunk] = fold_leaves<Reducer>(begin, end, leaf);
  }
};

/// Task k folds the chunks of result k, which lie `stride` apart.
template <class Reducer>
struct FoldChunks {
  using State = typename Reducer::State;
  const State* partial;
  State* states;
  std::int64_t chunks;
  std::int64_t result_stride;
  std::int64_t chunk_stride;

  TESSERA_INLINE_FUNCTION void operator()(const std::int64_t k) const {
    const LoadState<State> load{partial + k * result_stride, chunk_stride};
    states[k] = fold_leaves<Reducer>(0, chunks, load);
  }
};

}  // namespace tessera::kernels
