// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elementwise_program.hpp"

namespace tessera::kernels {

/// An input of an element-wise program, seen from the flat row-major index of the output: axes that
/// lie one after another in memory are merged. Plain data that a GPU kernel can hold.
struct InputView {
  const char* data = nullptr;
  std::int32_t size = 0;  ///< bytes of an element
  std::int32_t axes = 0;
  std::int64_t extent[max_axes] = {};
  std::int64_t stride[max_axes] = {};  ///< elements; 0 where the input repeats

  /// Element i of the output needs element i of the input.
  [[nodiscard]] bool direct() const { return axes == 0 || (axes == 1 && stride[0] == 1); }
  /// Every element of the output needs the one element of the input.
  [[nodiscard]] bool single() const { return axes == 1 && stride[0] == 0; }
};

/// Aligns the input at the output's last axis. An output of one element has a view without axes.
InputView make_view(const Tile& input, const Shape& output);

/// Writes the input's elements for `count` elements of the output from flat index `first` on.
/// Host only.
void gather(const InputView& view, std::int64_t first, std::int64_t count, void* out);

}  // namespace tessera::kernels
