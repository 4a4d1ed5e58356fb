// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/extents.hpp"

namespace tessera::data {

/// When two elements a (of the first file) and b (of the second, the reference) are the same:
/// - by default when their values are equal: 0.0 equals -0.0, NaN equals nothing;
/// - `bits`: when their bit patterns are equal;
/// - with a tolerance: |a - b| <= atol + rtol |b|; equal infinities are the same, and a NaN is
/// never within
///   a tolerance.
/// `nan_equal` makes two NaN the same (for complex numbers: in each part).
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
  Index at;
};

struct DatasetComparison {
  std::string dataset;
  std::string problem;  ///< missing, other shape or type, can't be read; empty: was compared
  std::int64_t elements = 0;
  std::int64_t different = 0;
  std::optional<Largest>
      absolute;  ///< |a - b|, over all elements that aren't equal; NaN counts as infinite
  std::optional<Largest> relative;  ///< |a - b| / |b|
  std::optional<Largest> ulp;       ///< representable numbers between the two; integers: |a - b|
  [[nodiscard]] bool same() const { return problem.empty() && different == 0; }
};

struct Comparison {
  std::vector<DatasetComparison> datasets;  ///< sorted by path
  [[nodiscard]] bool same() const;
};

/// Compares the datasets of two files in bounded memory. Throws Error(io) or Error(graph) when a
/// file can't be opened.
[[nodiscard]] Comparison compare(const std::string& a, const std::string& b,
                                 const CompareOptions& options);

/// One line: "/u: 3 of 24 elements differ; largest absolute 1.2e-07 at [1, 2], ...".
[[nodiscard]] std::string to_string(const DatasetComparison& comparison);

}  // namespace tessera::data
