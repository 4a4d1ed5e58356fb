// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/dtype.hpp"

namespace tessera::kernels::exact {

// Exact sums on the host, for every kernel that promises RN(exact sum). A state is `words(term)`
// int64 words, all zero at the start. States of parts are merged by adding them word by word as
// integers, in any order, across threads and ranks alike (at most 2^20 states: `deposit` leaves
// small digits behind). The result doesn't depend on the order or the cut of the data. NaN,
// infinities and -0 are counted.

/// What is summed: values (float32 and float64) or products of two values.
enum class Term { value, product };

[[nodiscard]] std::int64_t words(Term term);

/// state += sum of x[i]. T: float or double.
template <class T>
void deposit(const T* x, std::int64_t n, std::int64_t* state);

/// state += sum of x[i] * y[i], each product exact (Term::product).
template <class T>
void deposit_products(const T* x, const T* y, std::int64_t n, std::int64_t* state);

/// into += from.
void merge(Term term, const std::int64_t* from, std::int64_t* into);

/// RN(sum / divisor), rounded once to float32 or float64 (`to`). `count` is how many values were
/// deposited over all parts: if all were -0 the result is -0. The state is changed.
[[nodiscard]] double finish(Term term, std::int64_t* state, std::int64_t count,
                            std::int64_t divisor, DType to);

/// RN(sqrt(RN53(sum))) for a sum of squares: no overflow or underflow inside. The state is changed.
[[nodiscard]] double finish_norm(std::int64_t* state);

}  // namespace tessera::kernels::exact
