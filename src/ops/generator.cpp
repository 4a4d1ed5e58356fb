// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/generator.hpp"

namespace tessera::ops {

graph::ParamSpec shape_spec() {
  return {.name = "shape",
          .type = graph::ParamType::integers,
          .doc = "the extents of the result; [] is a scalar"};
}

Shape shape_param(const graph::Params& params) {
  const std::vector<std::int64_t> extents = params.integers("shape");
  if (static_cast<int>(extents.size()) > max_axes) {
    throw Error(ErrorKind::graph, "a tensor has at most 8 axes")
        .found(std::to_string(extents.size()) + " extents")
        .at(params.place("shape"));
  }
  Shape shape{Extents(extents)};
  for (const std::int64_t extent : extents) {
    if (extent >= 0) continue;
    throw Error(ErrorKind::graph, "a shape has no negative extent")
        .found(to_string(shape))
        .at(params.place("shape"));
  }
  try {
    (void)element_count(shape);
  } catch (Error& error) {
    throw error.at(params.place("shape"));
  }
  return shape;
}

std::vector<Choice> generator_choices(const graph::Node& node, const ChoiceContext& context,
                                      double flops_per_element) {
  const graph::TensorInfo& info = node.output_infos[0];
  const layout::Layout rows = layout::Layout::rows(info.shape, context.ranks);
  const auto elements = static_cast<double>(rows.max_local_elements());
  Choice choice;
  choice.algorithm = "local";
  choice.outputs = {rows};
  choice.memory_bytes = elements * static_cast<double>(size_of(info.dtype));
  choice.flops = elements * flops_per_element;
  return {choice};
}

}  // namespace tessera::ops
