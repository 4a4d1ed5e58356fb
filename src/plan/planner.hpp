// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plan/builder.hpp"
#include "plan/fuse.hpp"

namespace tessera::plan {

/// Builds one rank's plan by walking the graph's steps once.
class Planner {
 public:
  Planner(const graph::Graph& graph, const PlanOptions& options);
  Plan build();

 private:
  /// All places where a tensor lies at present; the first is where it was made.
  struct Whereabouts {
    std::vector<ops::Placed> places;
  };

  void plan_step(const PlannedStep& step);
  /// Notes a step that no output needs.
  void leave_out(const PlannedStep& step);
  /// The cheapest choice, redistribution of the inputs included.
  ops::Choice choose(const PlannedStep& step);
  /// The tensor in this layout, redistributed (and remembered) where it lies in no such layout yet.
  ops::Placed placed_as(TensorId tensor, const layout::Layout& layout);
  /// Where the tensor lies, read from its file at first use.
  Whereabouts& find(TensorId tensor);
  ops::Placed output_place(const graph::Node& node, std::size_t which, const ops::Choice& choice,
                           const std::vector<ops::Placed>& inputs);
  [[nodiscard]] bool dies_here(TensorId tensor, const graph::Node& node) const;

  /// io.cpp: actions that read an input, write an output, and publish the files.
  ops::Placed read_input(int input);
  void read_own(int input, const ops::Placed& placed);
  void read_through_leader(int input, const ops::Placed& placed);
  void write_outputs_of(TensorId tensor);
  void write_own(int output, const ops::Placed& placed);
  void write_through_root(int output, const ops::Placed& placed);
  void write_item_through_root(int output, const ops::Placed& placed);
  void open_outputs();
  void close_outputs();

  /// Gives the buffers that are used on this side their lifetimes and places; the bytes in all.
  std::int64_t lay_out(std::vector<Buffer>& buffers, ops::Side side) const;
  void total_up();

  const graph::Graph& graph_;
  Plan plan_;
  int ranks_;  ///< of the layouts: 1 in a batched graph
  Rank rank_;
  Builder builder_;
  std::vector<Whereabouts> tensors_;
  std::vector<PlannedStep> steps_;
  std::vector<bool> needed_;   ///< per tensor: an output is made from it
  std::vector<int> last_use_;  ///< per tensor: the number of the last node that reads it
};

}  // namespace tessera::plan
