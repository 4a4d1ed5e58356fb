// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/extents.hpp"

namespace tessera::data {

/// When two elements a (of the first file) and b (of the second, the reference) are the same:
/// - by default when their values are equal: 0.0 equals -0.0, NaN equals nothing;
/// - `bits`: when their bit patterns are equal;
/// - with a tolerance: |a - b| <= atol + rtol |b|. Equal infinities are the same; an infinity and a
///   finite number, or a NaN and anything, are never within a tolerance.
/// `nan_equal` makes two NaN the same, with `bits` too. Complex numbers: each rule for both parts,
/// but the tolerance for the modulus of the difference.
struct CompareOptions {
  std::vector<std::string> datasets;  ///< empty: all of both files
  bool bits = false;
  double rtol = 0;
  double atol = 0;
  bool nan_equal = false;
};

/// The largest of one kind of difference, and the first place where it is.
struct Largest {
  double value = 0;
  std::int64_t at = -1;  ///< flattened index; -1: there is no difference
};

struct DatasetComparison {
  std::string dataset;
  std::string problem;  ///< missing, other shape or type, can't be read; empty: was compared
  Shape shape;
  std::int64_t elements = 0;
  std::int64_t different = 0;
  std::int64_t both_nan = 0;  ///< of the different ones
  Largest absolute;  ///< |a - b| over all elements; infinite where only one is NaN or infinite
  Largest relative;  ///< |a - b| / |b|
  Largest ulp;       ///< steps between representable numbers; integers: |a - b|
  [[nodiscard]] bool same() const { return problem.empty() && different == 0; }
};

/// Sorted by path. The types in memory are compared: float16 and float32 data are of one type.
using Comparison = std::vector<DatasetComparison>;

/// Compares the datasets of two files in bounded memory. Throws Error(io) when a file can't be
/// opened.
[[nodiscard]] Comparison compare(const std::string& a, const std::string& b,
                                 const CompareOptions& options);

[[nodiscard]] bool same(const Comparison& comparison);
/// One line: "/u: 3 of 24 elements differ; largest absolute 1.2e-07 at [1, 2], relative ...".
[[nodiscard]] std::string to_string(const DatasetComparison& comparison);

}  // namespace tessera::data
