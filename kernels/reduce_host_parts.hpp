// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The body of host_parts: internal to the kernels.
#include "reduce_columns.hpp"
#include "reduce_visit.hpp"

namespace tessera::kernels {

template <class T>
void host_parts(const ReduceTask& task, const PartView<T>& part, std::int64_t* states,
                const Scratch& scratch) {
  visit_task<T>(task, [&]<class Reducer>(std::type_identity<Reducer>) {
    auto* const own = reinterpret_cast<typename Reducer::State*>(states);
    if constexpr (is_product<Reducer>) {  // one order on every backend
      tree_parts<Reducer, LaneLeaf<Reducer>>(part, own, scratch);
    } else if (part.kept.axes > 0 && part.kept.inner_stride() == 1) {
      columns_parts<Reducer>(part, own, scratch);
    } else {
      tree_parts<Reducer, RunLeaf<Reducer>>(part, own, scratch);
    }
  });
}

}  // namespace tessera::kernels
