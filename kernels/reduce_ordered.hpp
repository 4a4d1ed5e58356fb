// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reductions by a fixed tree that depends on the geometry alone, never on the number of threads:
// internal to the kernels. Rows (the reduced axis is contiguous) and any other order of axes;
// columns_parts in reduce_columns.hpp is the host's way where a kept axis is contiguous.
#include "reduce_bulk.hpp"
#include "reduce_types.hpp"

namespace tessera::kernels {

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

  KOKKOS_INLINE_FUNCTION State operator()(std::int64_t leaf) const {
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

/// As LaneLeaf for the host, by whole contiguous runs.
template <class Reducer>
struct RunLeaf {
  using T = typename Reducer::Element;
  using State = typename Reducer::State;
  const T* x;
  const T* y;
  Walk reduced;
  std::int64_t elements;

  State operator()(std::int64_t leaf) const {
    const std::int64_t begin = leaf * leaf_length;
    const std::int64_t end = std::min(begin + leaf_length, elements);
    const std::int64_t inner = reduced.inner();
    State total = Reducer::identity();
    for (std::int64_t r = begin; r < end;) {
      const std::int64_t run = std::min(inner - r % inner, end - r);
      const std::int64_t offset = reduced.at(r);
      total = Reducer::combine(
          total, Bulk<Reducer>::run(x + offset, y == nullptr ? y : y + offset, run, r));
      r += run;
    }
    return total;
  }
};

template <class State>
struct LoadState {
  const State* states;
  KOKKOS_INLINE_FUNCTION State operator()(std::int64_t i) const { return states[i]; }
};

/// How many tasks keep a backend busy.
template <class Space>
std::int64_t tasks_wanted(const Space& space) {
  return std::is_same_v<Space, HostSpace> ? 8 * static_cast<std::int64_t>(space.concurrency())
                                          : 1 << 16;
}

/// The states of `part.count` results by the tree of leaves.
template <class Reducer, class Leaf, class Space, class T>
void tree_parts(const Space& space, const PartView<T>& part, typename Reducer::State* states,
                Scratch scratch) {
  using State = typename Reducer::State;
  const std::int64_t leaves = (part.elements + leaf_length - 1) / leaf_length;
  const std::int64_t fitting = scratch.bytes / static_cast<std::int64_t>(sizeof(State));
  const Chunks chunks(leaves, (tasks_wanted(space) + part.count - 1) / part.count,
                      fitting / part.count);
  const std::int64_t count = part.count;
  State* const partial = chunks.count > 1 ? static_cast<State*>(scratch.data) : states;
  const PartView<T> view = part;
  run_tasks(
      space, "reduce leaves", count * chunks.count, count * part.elements,
      KOKKOS_LAMBDA(const std::int64_t task) {
        const std::int64_t k = task % count;  // neighbours work on neighbouring results
        const std::int64_t chunk = task / count;
        const std::int64_t offset = view.kept.at(view.first + k);
        const Leaf leaf{view.x + offset, view.y == nullptr ? nullptr : view.y + offset,
                        view.reduced, view.elements};
        const std::int64_t begin = chunk * chunks.leaves_per_chunk;
        const std::int64_t end =
            begin + chunks.leaves_per_chunk < leaves ? begin + chunks.leaves_per_chunk : leaves;
        partial[k * chunks.count + chunk] = fold_leaves<Reducer>(begin, end, leaf);
      });
  if (chunks.count == 1) return;
  run_tasks(
      space, "reduce chunks", count, count * chunks.count, KOKKOS_LAMBDA(const std::int64_t k) {
        const LoadState<State> load{partial + k * chunks.count};
        states[k] = fold_leaves<Reducer>(0, chunks.count, load);
      });
}

}  // namespace tessera::kernels
