// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The reductions of one element type, each instantiated in a file of its own (reduce_integer.cpp,
// reduce_real.cpp, reduce_complex.cpp): internal to the kernels.
#include "reduce_shape.hpp"

namespace tessera::kernels {

/// A part's elements and the results wanted of it.
template <class T>
struct PartView {
  const T* x;
  const T* y;
  Walk kept;
  Walk reduced;
  std::int64_t elements;
  std::int64_t first;
  std::int64_t count;
};

/// States of all ranks, one rank's after the other.
struct Gathered {
  const std::int64_t* states;
  int parts;
  std::int64_t count;
  std::int64_t* into;
};

/// The states of a part by the fixed tree.
template <class T>
void ordered_parts(const device::Stream& stream, const ReduceTask& task, const PartView<T>& part,
                   std::int64_t* states, Scratch scratch);
template <class T>
void fold_products(const device::Stream& stream, const ReduceTask& task, const Gathered& gathered);

}  // namespace tessera::kernels
