// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/axis.hpp"

namespace tessera::ops {

int axis_param(const graph::Params& params, const std::string& name, int axes) {
  const std::int64_t axis = params.integer(name);
  if (axis < -axes || axis >= axes) {
    throw Error(ErrorKind::graph, "no such axis")
        .expected(axes == 0
                      ? "a tensor with axes"
                      : "an axis from " + std::to_string(-axes) + " to " + std::to_string(axes - 1))
        .found(axes == 0 ? "a scalar" : std::to_string(axis))
        .at(params.place(name));
  }
  return static_cast<int>(axis < 0 ? axis + axes : axis);
}

}  // namespace tessera::ops
