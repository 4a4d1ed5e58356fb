// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exact reductions result by result on the host: internal to the kernels.
#include "reduce_exact.hpp"

namespace tessera::kernels {

template <class Sink>
void merge_chunks(std::int64_t count, std::int64_t chunks, const std::int64_t* partial,
                  std::int64_t* states) {
  const std::int64_t number = count * Sink::components;
  host_tasks(number, number * chunks * Sink::grid.words(),
             MergeChunks{Sink::grid.words(), Sink::grid.limbs, number, chunks, partial, states});
}

/// Each task feeds a range of one result's elements through a sink.
template <class T, ExactKind Kind, bool Ignore>
void exact_rows(const PartView<T>& part, std::int64_t* states, const Scratch& scratch) {
  using Sink = ExactSink<T, Kind, Ignore>;
  const std::int64_t leaves = (part.elements + leaf_length - 1) / leaf_length;
  const std::int64_t fitting = scratch.bytes / (8 * Sink::words);
  const Chunks chunks(leaves, (tasks_wanted(scratch) + part.count - 1) / part.count,
                      fitting / part.count);
  std::int64_t* const partial =
      chunks.count > 1 ? static_cast<std::int64_t*>(scratch.data) : states;
  host_tasks(part.count * chunks.count, part.count * part.elements, [=](std::int64_t task) {
    const std::int64_t k = task % part.count;
    const std::int64_t length = chunks.leaves_per_chunk * leaf_length;
    const std::int64_t begin = std::min(task / part.count * length, part.elements);
    const std::int64_t offset = part.kept.at(part.first + k);
    Sink sink(partial + task * Sink::words);
    feed(sink, part.x + offset, part.y == nullptr ? nullptr : part.y + offset, part.reduced, begin,
         std::min(begin + length, part.elements));
    sink.finish();
  });
  if (chunks.count > 1) merge_chunks<Sink>(part.count, chunks.count, partial, states);
}

}  // namespace tessera::kernels
