// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>

#include "base/error.hpp"

namespace tessera {

/// The most axes a tensor may have.
inline constexpr int max_axes = 8;

/// A small vector of at most `max_axes` 64-bit integers: the extents of a tensor, an index into it,
/// or its strides. A value type without allocation, so that it can be captured by kernels.
class Extents {
 public:
  constexpr Extents() = default;
  constexpr Extents(std::initializer_list<std::int64_t> values) {
    assign(values.begin(), values.end());
  }
  explicit Extents(std::span<const std::int64_t> values) { assign(values.begin(), values.end()); }
  /// `axes` entries, all equal to `value`.
  static constexpr Extents filled(int axes, std::int64_t value) {
    Extents result;
    check_axes(axes);
    result.size_ = axes;
    for (int i = 0; i < axes; ++i) result.values_[i] = value;
    return result;
  }

  [[nodiscard]] constexpr int size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  constexpr std::int64_t operator[](int axis) const { return values_[axis]; }
  constexpr std::int64_t& operator[](int axis) { return values_[axis]; }
  [[nodiscard]] constexpr const std::int64_t* begin() const { return values_.data(); }
  [[nodiscard]] constexpr const std::int64_t* end() const { return values_.data() + size_; }
  [[nodiscard]] constexpr std::int64_t back() const { return values_[size_ - 1]; }

  constexpr void push_back(std::int64_t value) {
    check_axes(size_ + 1);
    values_[size_++] = value;
  }
  constexpr void erase(int axis) {
    for (int i = axis; i + 1 < size_; ++i) values_[i] = values_[i + 1];
    values_[--size_] = 0;
  }
  constexpr void insert(int axis, std::int64_t value) {
    check_axes(size_ + 1);
    for (int i = size_; i > axis; --i) values_[i] = values_[i - 1];
    values_[axis] = value;
    ++size_;
  }

  friend constexpr bool operator==(const Extents& a, const Extents& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  template <class Iterator>
  constexpr void assign(Iterator first, Iterator last) {
    check_axes(static_cast<int>(last - first));
    for (; first != last; ++first) values_[size_++] = *first;
  }
  static constexpr void check_axes(int axes) {
    if (axes < 0 || axes > max_axes) throw Error(ErrorKind::graph, "a tensor has at most 8 axes");
  }

  std::array<std::int64_t, max_axes> values_{};
  int size_ = 0;
};

using Shape = Extents;
using Index = Extents;
using Strides = Extents;

/// The product of the extents: 1 for a scalar. Throws when it doesn't fit 63 bits.
inline std::int64_t element_count(const Shape& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (count > std::numeric_limits<std::int64_t>::max() / extent) {
      throw Error(ErrorKind::graph, "the number of elements doesn't fit 63 bits");
    }
    count *= extent;
  }
  return count;
}

/// Row-major strides, in elements, of a dense tensor of this shape.
inline Strides row_major_strides(const Shape& shape) {
  Strides strides = Extents::filled(shape.size(), 1);
  for (int axis = shape.size() - 2; axis >= 0; --axis) {
    strides[axis] = strides[axis + 1] * std::max<std::int64_t>(shape[axis + 1], 1);
  }
  return strides;
}

/// "[4, 6]"; "[]" for a scalar.
inline std::string to_string(const Extents& extents) {
  std::string text = "[";
  for (int i = 0; i < extents.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(extents[i]);
  }
  return text + "]";
}

}  // namespace tessera
