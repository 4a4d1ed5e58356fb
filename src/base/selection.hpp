// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/box.hpp"

namespace tessera {

/// A selection as written, "[0:4096, :, ::2, 3]": numpy's basic slicing with positive steps.
/// Negative indices count from the end; "..." stands for the axes left out; an integer drops its
/// axis.
class Selection {
 public:
  /// Everything.
  Selection() = default;
  /// Throws Error(graph) that says which part can't be read.
  static Selection parse(std::string_view text);

  [[nodiscard]] bool everything() const { return parts_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

  /// The selection applied to a shape.
  struct Resolved {
    Index start;            ///< per axis of the dataset
    Extents step;           ///< per axis of the dataset, >= 1
    Extents count;          ///< per axis of the dataset
    std::vector<int> kept;  ///< dataset axes that the result keeps, in order
    Shape shape;            ///< the result's
  };
  /// Throws Error(graph) naming the axis, the range asked and the extent there is.
  [[nodiscard]] Resolved resolve(const Shape& dataset) const;

 private:
  struct Part {
    enum class Kind { range, index, ellipsis } kind = Kind::range;
    std::optional<std::int64_t> start, stop;
    std::int64_t step = 1;
  };
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace tessera
