// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a task to its reducer: internal to the kernels.
#include "reducers.hpp"

namespace tessera::kernels {

/// Calls `f(std::type_identity<Reducer>)` with the reducer of a task on elements of type T.
template <class T, bool Ignore, class F>
void visit_reducer(Reduction what, F&& f) {
  using std::type_identity;
  constexpr bool integer = std::is_integral_v<T>;
  constexpr bool complex = is_complex_type<T>;
  if (what == Reduction::count_nan) return f(type_identity<CountNan<T>>{});
  if constexpr (integer) {
    switch (what) {
      case Reduction::sum:
      case Reduction::mean:
        return f(type_identity<SumInteger<T>>{});
      case Reduction::prod:
        return f(type_identity<ProductInteger<T>>{});
      case Reduction::dot:
        return f(type_identity<DotInteger<T>>{});
      case Reduction::norm2:
        return f(type_identity<SquaresNarrow<T, false>>{});
      default:
        break;
    }
  } else if constexpr (complex) {
    switch (what) {
      case Reduction::sum:
      case Reduction::mean:
        return f(type_identity<SumComplex<T, Ignore>>{});
      case Reduction::prod:
        return f(type_identity<ProductComplex<T, Ignore>>{});
      case Reduction::dot:
        return f(type_identity<DotComplex<T, Ignore>>{});
      default:
        break;
    }
  } else {
    switch (what) {
      case Reduction::sum:
      case Reduction::mean:
        return f(type_identity<SumReal<T, Ignore>>{});
      case Reduction::prod:
        return f(type_identity<ProductReal<T, Ignore>>{});
      case Reduction::dot:
        return f(type_identity<DotReal<T, Ignore>>{});
      case Reduction::norm1:
        return f(type_identity<SumMagnitude<T, Ignore>>{});
      case Reduction::norminf:
        return f(type_identity<LargestMagnitude<T, Ignore>>{});
      case Reduction::var:
      case Reduction::std:
        return f(type_identity<Moments<T, Ignore>>{});
      default:
        break;
    }
  }
  if constexpr (!integer) {
    if (what == Reduction::norm2) {
      if constexpr (sizeof(real_t<T>) == 8) {
        return f(type_identity<SquaresWide<T, Ignore>>{});
      } else {
        return f(type_identity<SquaresNarrow<T, Ignore>>{});
      }
    }
  }
  if constexpr (!complex) {
    switch (what) {
      case Reduction::min:
        return f(type_identity<Extreme<T, true, Ignore>>{});
      case Reduction::max:
        return f(type_identity<Extreme<T, false, Ignore>>{});
      case Reduction::argmin:
        return f(type_identity<ArgExtreme<T, true, Ignore>>{});
      case Reduction::argmax:
        return f(type_identity<ArgExtreme<T, false, Ignore>>{});
      default:
        break;
    }
  }
  throw Error(ErrorKind::internal, "internal error: no such reduction of this element type");
}

/// Calls `f(type_identity<Reducer>)` with the reducer of a task on elements of type T.
template <class T, class F>
void visit_task(const ReduceTask& task, F&& f) {
  if constexpr (!std::is_integral_v<T>) {
    if (task.ignore_nan) return visit_reducer<T, true>(task.what, f);
  }
  visit_reducer<T, false>(task.what, f);
}

}  // namespace tessera::kernels
