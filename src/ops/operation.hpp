// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "ops/emitter.hpp"
#include "ops/formula.hpp"

namespace tessera::ops {

/// One way to carry out a step: the layouts that it wants its inputs in and gives its outputs in,
/// and what it costs. The planner compares only the costs; `details` are the operation's own
/// numbers.
struct Choice {
  std::string algorithm;
  std::vector<layout::Layout> inputs;
  std::vector<layout::Layout> outputs;
  double message_bytes = 0;  ///< sent by the busiest rank, redistribution of the inputs left out
  double messages = 0;       ///< of the busiest rank, one after another
  double memory_bytes = 0;   ///< read and written by the busiest rank
  double flops = 0;          ///< of the busiest rank
  std::int64_t scratch_bytes = 0;  ///< of the busiest rank, roughly; the plan counts exactly
  std::vector<std::int64_t> details{};
};

/// What a choice may depend on.
struct ChoiceContext {
  int ranks = 1;
  Recipe recipe = Recipe::ordered;
  const Machine& machine;
  device::Backend backend = device::Backend::host;
  /// The layouts in which the inputs lie at present; taking them as they are saves a
  /// redistribution.
  const std::vector<layout::Layout>& current;
};

/// A step to be emitted: inputs lie in the choice's input layouts, outputs are allocated in its
/// output layouts. Batched graphs plan one item on one rank.
struct Step {
  const graph::Node& node;
  const Choice& choice;
  std::vector<Placed> inputs;
  std::vector<Placed> outputs;
};

/// Everything that the program knows of one operation. The reference page, the command line's help
/// and the JSON Schema are made from it.
struct Operation {
  graph::Signature signature;
  std::string family;       ///< "element-wise", "reductions", ...
  std::string summary;      ///< one sentence
  std::string shape_rule;   ///< "same as the input", "[..., m, k] x [..., k, n] -> [..., m, n]"
  std::string types;        ///< which element types, and what comes out
  std::string error_bound;  ///< of the ordered and fast recipes
  std::string rounding;     ///< the order of rounding that bitexact promises
  std::string distributed;  ///< the distributed algorithms
  std::string source;       ///< where the algorithm comes from; empty for textbook ones
  std::string example;      ///< one step in JSON: {"op": "sum", "in": "x"}
  std::function<std::vector<Choice>(const graph::Node&, const ChoiceContext&)> choices;
  std::function<void(const Step&, Emitter&)> emit;
  /// Of an element-wise operation: the step as a formula of its inputs. Empty for all others.
  std::function<Formula(const graph::Node&)> formula;
  /// The output may be written into the buffer of an input of the same size that nobody needs any
  /// more.
  bool in_place = false;
};

/// All operations, in the order of `list.inc`.
const std::vector<Operation>& all_operations();
/// Null when there is none of that name.
const Operation* find_operation(const std::string& name);
/// For graph::resolve.
graph::Catalogue catalogue();

}  // namespace tessera::ops
