// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reductions on host threads by a fixed tree that depends on the geometry alone, never on the
// number of threads. Internal to the kernels; includes no Kokkos, because the loops use vector
// types.
#include "reduce_bulk.hpp"
#include "reduce_tree.hpp"

namespace tessera::kernels {

/// task(i) for 0 <= i < n. `work` is the number of elements that all of them touch together: below
/// some ten thousand a thread is done before others have woken up.
template <class Task>
void host_tasks(std::int64_t n, std::int64_t work, const Task& task) {
  constexpr std::int64_t alone_below = 16384;
  if (n == 1 || work < alone_below) {
    for (std::int64_t i = 0; i < n; ++i) task(i);
  } else {
    device::on_host_threads(n, task);
  }
}

/// How many tasks keep the threads busy.
inline std::int64_t tasks_wanted(const Scratch& scratch) {
  return 8 * std::int64_t{scratch.threads};
}

/// As LaneLeaf, by whole contiguous runs.
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

/// The states of `part.count` results by the tree of leaves.
template <class Reducer, class Leaf, class T>
void tree_parts(const PartView<T>& part, typename Reducer::State* states, const Scratch& scratch) {
  using State = typename Reducer::State;
  const std::int64_t leaves = (part.elements + leaf_length - 1) / leaf_length;
  const std::int64_t fitting = scratch.bytes / static_cast<std::int64_t>(sizeof(State));
  const Chunks chunks(leaves, (tasks_wanted(scratch) + part.count - 1) / part.count,
                      fitting / part.count);
  State* const partial = chunks.count > 1 ? static_cast<State*>(scratch.data) : states;
  host_tasks(part.count * chunks.count, part.count * part.elements,
             FoldChunk<Reducer, Leaf>{part, chunks, leaves, partial});
  if (chunks.count == 1) return;
  host_tasks(part.count, part.count * chunks.count,
             FoldChunks<Reducer>{partial, states, chunks.count, chunks.count, 1});
}

}  // namespace tessera::kernels
