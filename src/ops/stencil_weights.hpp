// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/extents.hpp"

namespace tessera::ops {

/// A stencil that has a name.
struct NamedWeights {
  std::string name;
  std::string doc;
  Shape shape;                 ///< odd extents
  std::vector<double> values;  ///< row-major
  bool add_input = false;      ///< the default of the parameter of that name
};

/// All names that the parameter `weights` knows.
[[nodiscard]] const std::vector<NamedWeights>& all_named_weights();

}  // namespace tessera::ops
