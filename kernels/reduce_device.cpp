// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Reductions on a GPU: one thread per result and chunk of leaves.
#include "reduce_launch.hpp"
#include "reduce_tree.hpp"
#include "reduce_visit.hpp"

namespace tessera::kernels {

namespace {

template <class Reducer>
struct FoldParts {
  using State = typename Reducer::State;
  const State* from;
  int parts;
  std::int64_t count;
  State* into;
  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t k) const {
    State total = from[k];
    for (int part = 1; part < parts; ++part) {
      total = Reducer::combine(total, from[part * count + k]);
    }
    into[k] = total;
  }
};

#ifdef KOKKOS_ENABLE_CUDA
template <class Reducer, class T>
void tree_on_device(const device::Stream& stream, const PartView<T>& part,
                    typename Reducer::State* states, const Scratch& scratch) {
  using State = typename Reducer::State;
  constexpr std::int64_t wanted = 1 << 16;
  const std::int64_t leaves = (part.elements + leaf_length - 1) / leaf_length;
  const std::int64_t fitting = scratch.bytes / static_cast<std::int64_t>(sizeof(State));
  const Chunks chunks(leaves, (wanted + part.count - 1) / part.count, fitting / part.count);
  State* const partial = chunks.count > 1 ? static_cast<State*>(scratch.data) : states;
  for_each(stream, "reduce leaves", part.count * chunks.count,
           FoldChunk<Reducer, LaneLeaf<Reducer>>{part, chunks, leaves, partial});
  if (chunks.count == 1) return;
  for_each(stream, "reduce chunks", part.count,
           FoldChunks<Reducer>{partial, states, chunks.count, chunks.count, 1});
}
#endif

}  // namespace

template <class T>
void device_parts(const device::Stream& stream, const ReduceTask& task, const PartView<T>& part,
                  std::int64_t* states, const Scratch& scratch) {
#ifdef KOKKOS_ENABLE_CUDA
  visit_task<T>(task, [&]<class Reducer>(std::type_identity<Reducer>) {
    tree_on_device<Reducer>(stream, part, reinterpret_cast<typename Reducer::State*>(states),
                            scratch);
  });
#else
  (void)stream, (void)task, (void)part, (void)states, (void)scratch;
  require(false, "a build without CUDA has no device stream");
#endif
}

template void device_parts(const device::Stream&, const ReduceTask&, const PartView<std::uint8_t>&,
                           std::int64_t*, const Scratch&);
template void device_parts(const device::Stream&, const ReduceTask&, const PartView<std::int32_t>&,
                           std::int64_t*, const Scratch&);
template void device_parts(const device::Stream&, const ReduceTask&, const PartView<std::int64_t>&,
                           std::int64_t*, const Scratch&);
template void device_parts(const device::Stream&, const ReduceTask&, const PartView<float>&,
                           std::int64_t*, const Scratch&);
template void device_parts(const device::Stream&, const ReduceTask&, const PartView<double>&,
                           std::int64_t*, const Scratch&);
template void device_parts(const device::Stream&, const ReduceTask&,
                           const PartView<std::complex<float>>&, std::int64_t*, const Scratch&);
template void device_parts(const device::Stream&, const ReduceTask&,
                           const PartView<std::complex<double>>&, std::int64_t*, const Scratch&);

void reduce_fold(const device::Stream& stream, const ReduceTask& task, int parts,
                 std::int64_t count, const std::int64_t* gathered, std::int64_t* states) {
  require(reduce_merge(task) == Merge::fold, "other states are added up");
  visit(task.dtype, [&]<class T>(std::type_identity<T>) {
    visit_task<T>(task, [&]<class Reducer>(std::type_identity<Reducer>) {
      if constexpr (is_folded<Reducer>) {
        using State = typename Reducer::State;
        for_each(stream, "fold parts", count,
                 FoldParts<Reducer>{reinterpret_cast<const State*>(gathered), parts, count,
                                    reinterpret_cast<State*>(states)});
      }
    });
  });
}

}  // namespace tessera::kernels
