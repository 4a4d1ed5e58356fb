// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What exact reductions sum, in real numbers: internal to the kernels. A complex array counts as an
// array of twice as many reals whose components alternate.
#include "exact_pair.hpp"
#include "reduce_types.hpp"
#include "reducers.hpp"

namespace tessera::kernels {

enum class ExactKind { values, squares, products };

/// Exact reductions take floating-point elements, and integers for norms (as float64).
inline ExactKind exact_kind(Reduction what) {
  return what == Reduction::norm2 ? ExactKind::squares
         : what == Reduction::dot ? ExactKind::products
                                  : ExactKind::values;
}

inline exact::Grid exact_grid(Reduction what) {
  return exact_kind(what) == ExactKind::values ? exact::value_grid() : exact::product_grid();
}

/// Sums per result: two for complex values and products, one for norms.
inline int exact_components(Reduction what, DType dtype) {
  return is_complex(dtype) && what != Reduction::norm2 ? 2 : 1;
}

/// Calls `f(std::integral_constant<ExactKind, ...>)`.
template <class F>
void visit_exact_kind(Reduction what, F&& f) {
  switch (exact_kind(what)) {
    case ExactKind::values:
      return f(std::integral_constant<ExactKind, ExactKind::values>{});
    case ExactKind::squares:
      return f(std::integral_constant<ExactKind, ExactKind::squares>{});
    case ExactKind::products:
      return f(std::integral_constant<ExactKind, ExactKind::products>{});
  }
}

/// Task i adds up the chunks of state i.
struct MergeChunks {
  std::int64_t words;  ///< of a state
  int limbs;
  std::int64_t number;  ///< of states
  std::int64_t chunks;
  const std::int64_t* partial;
  std::int64_t* states;

  TESSERA_INLINE_FUNCTION void operator()(const std::int64_t i) const {
    std::int64_t* into = states + i * words;
    for (std::int64_t w = 0; w < words; ++w) {
      std::int64_t sum = 0;
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        sum += partial[(chunk * number + i) * words + w];
      }
      into[w] = sum;
    }
    exact::carry(into, limbs);
  }
};

}  // namespace tessera::kernels
