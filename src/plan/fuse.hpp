// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops/operation.hpp"

namespace tessera::plan {

/// A step of the graph as it will run.
struct PlannedStep {
  graph::Node node;  ///< its inputs are those of the steps that it took in
  std::shared_ptr<const ops::Operation> operation;
  bool needed = true;      ///< an output is made from it
  std::string taken_into;  ///< the step that it runs as a part of; empty: it runs by itself

  [[nodiscard]] bool runs() const { return needed && taken_into.empty(); }
};

/// The graph's steps as written.
[[nodiscard]] std::vector<PlannedStep> plain_steps(const graph::Graph& graph);

/// The same with chains of element-wise steps fused. An element-wise step whose result only one
/// other element-wise step of the same shape reads is taken into that step: one pass over the
/// memory instead of two, with the same bits, since a formula rounds every intermediate value to
/// its type. Left apart is what would be computed again at more cost than a pass, what may refuse a
/// value, and what makes a formula larger than a kernel takes.
[[nodiscard]] std::vector<PlannedStep> fuse_steps(const graph::Graph& graph);

}  // namespace tessera::plan
