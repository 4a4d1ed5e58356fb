// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of reduce_types.hpp: internal to the kernels.
#include "reduce_columns.hpp"
#include "reduce_types.hpp"

namespace tessera::kernels {

/// Calls `f(type_identity<Reducer>)` with the reducer of a task on elements of type T.
template <class T, class F>
void visit_task(const ReduceTask& task, F&& f) {
  if constexpr (!std::is_integral_v<T>) {
    if (task.ignore_nan) return visit_reducer<T, true>(task.what, f);
  }
  visit_reducer<T, false>(task.what, f);
}

template <class Reducer, class T>
void parts_on(const HostSpace& space, const PartView<T>& part, typename Reducer::State* states,
              Scratch scratch) {
  if constexpr (is_product<Reducer>) {  // one order on every backend
    tree_parts<Reducer, LaneLeaf<Reducer>>(space, part, states, scratch);
  } else if (part.kept.axes > 0 && part.kept.inner_stride() == 1) {
    columns_parts<Reducer>(space, part, states, scratch);
  } else {
    tree_parts<Reducer, RunLeaf<Reducer>>(space, part, states, scratch);
  }
}

#ifdef KOKKOS_ENABLE_CUDA
template <class Reducer, class T>
void parts_on(const Kokkos::Cuda& space, const PartView<T>& part, typename Reducer::State* states,
              Scratch scratch) {
  tree_parts<Reducer, LaneLeaf<Reducer>>(space, part, states, scratch);
}
#endif

template <class T>
void ordered_parts(const device::Stream& stream, const ReduceTask& task, const PartView<T>& part,
                   std::int64_t* states, Scratch scratch) {
  visit_task<T>(task, [&]<class Reducer>(std::type_identity<Reducer>) {
    auto* const own = reinterpret_cast<typename Reducer::State*>(states);
    on_space(stream, [&](const auto& space) { parts_on<Reducer>(space, part, own, scratch); });
  });
}

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

template <class T>
void fold_products(const device::Stream& stream, const ReduceTask& task, const Gathered& gathered) {
  require(task.what == Reduction::prod, "only products are folded");
  visit_task<T>(task, [&]<class Reducer>(std::type_identity<Reducer>) {
    if constexpr (is_product<Reducer>) {
      using State = typename Reducer::State;
      for_each(stream, "fold parts", gathered.count,
               FoldParts<Reducer>{reinterpret_cast<const State*>(gathered.states), gathered.parts,
                                  gathered.count, reinterpret_cast<State*>(gathered.into)});
    }
  });
}

}  // namespace tessera::kernels
