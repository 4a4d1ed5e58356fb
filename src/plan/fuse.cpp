// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "plan/fuse.hpp"

#include <algorithm>
#include <optional>

#include "graph/needed.hpp"
#include "ops/elementwise.hpp"
#include "ops/formula.hpp"

namespace tessera::plan {

namespace {

using kernels::ElementOp;
using kernels::Program;

/// Operations per element that may be done again to save a pass over the memory.
constexpr double most_repeated_flops = 8;

/// A step's formula with its inputs.
struct Step {
  ops::Formula formula;
  std::vector<TensorId> inputs;
  std::vector<std::string> names;
  std::vector<graph::TensorInfo> infos;
};

Step step_of(const PlannedStep& planned) {
  return {planned.operation->formula(planned.node), planned.node.inputs, planned.node.input_names,
          planned.node.input_infos};
}

Program program_of(const Step& step) {
  std::vector<DType> types;
  for (const graph::TensorInfo& info : step.infos) types.push_back(info.dtype);
  return ops::compile_formula(step.formula, types);
}

/// `outer` with its input `which` computed by `inner`. A tensor that both read is one input.
Step joined(const Step& outer, int which, const Step& inner, DType type) {
  Step result;
  const ops::Formula formula = ops::substitute(outer.formula, which, inner.formula, type);
  std::vector<int> numbers;
  const auto add = [&](const Step& from, std::size_t k) {
    const auto found = std::find(result.inputs.begin(), result.inputs.end(), from.inputs[k]);
    numbers.push_back(static_cast<int>(found - result.inputs.begin()));
    if (found != result.inputs.end()) return;
    result.inputs.push_back(from.inputs[k]);
    result.names.push_back(from.names[k]);
    result.infos.push_back(from.infos[k]);
  };
  for (std::size_t k = 0; k < outer.inputs.size(); ++k) {
    if (static_cast<int>(k) != which) add(outer, k);
  }
  for (std::size_t k = 0; k < inner.inputs.size(); ++k) add(inner, k);
  result.formula = ops::renumber(formula, numbers);
  return result;
}

bool refuses_values(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(),
                     [](const auto& i) { return i.op == ElementOp::refuse_nan; });
}

class Fuser {
 public:
  explicit Fuser(const graph::Graph& graph)
      : graph_(graph), steps_(plain_steps(graph)), readers_(graph.tensors.size()) {
    for (const PlannedStep& step : steps_) {
      if (!step.needed) continue;
      for (const TensorId input : step.node.inputs) ++readers_[input.value];
    }
    // What is written has a reader outside.
    for (const graph::Output& output : graph.outputs) readers_[output.tensor.value] += 2;
  }

  std::vector<PlannedStep> run() {
    for (PlannedStep& step : steps_) {
      if (!step.needed || !is_elementwise(step)) continue;
      while (take_in_one(step)) {
      }
    }
    return std::move(steps_);
  }

 private:
  static bool is_elementwise(const PlannedStep& step) { return step.operation->formula != nullptr; }

  bool take_in_one(PlannedStep& outer) {
    for (std::size_t k = 0; k < outer.node.inputs.size(); ++k) {
      const StepId producer = graph_.tensors[outer.node.inputs[k].value].producer;
      if (!producer.valid()) continue;
      if (take_in(outer, static_cast<int>(k), steps_[static_cast<std::size_t>(producer.value)])) {
        return true;
      }
    }
    return false;
  }

  bool take_in(PlannedStep& outer, int which, PlannedStep& inner) {
    const graph::TensorInfo& info = outer.node.input_infos[static_cast<std::size_t>(which)];
    const TensorId tensor = outer.node.inputs[static_cast<std::size_t>(which)];
    const bool alone = readers_[tensor.value] == 1;
    if (!is_elementwise(inner) || !alone || info.shape != outer.node.output_infos[0].shape) {
      return false;
    }
    const Step inner_step = step_of(inner);
    const Program inner_program = program_of(inner_step);
    const Step outer_step = step_of(outer);
    const int again = ops::uses_of(outer_step.formula, which) - 1;
    if (refuses_values(inner_program) ||
        again * kernels::flops_per_element(inner_program) > most_repeated_flops) {
      return false;
    }
    const Step both = joined(outer_step, which, inner_step, info.dtype);
    try {
      require(program_of(both).output() == outer.node.output_infos[0].dtype,
              "a step that took in another has the same type");
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      return false;  // larger than a kernel takes
    }
    // A tensor that both read has one reader less.
    for (const TensorId input : inner.node.inputs) {
      const auto& kept = outer.node.inputs;
      if (std::find(kept.begin(), kept.end(), input) != kept.end()) --readers_[input.value];
    }
    outer.node.inputs = both.inputs;
    outer.node.input_names = both.names;
    outer.node.input_infos = both.infos;
    outer.operation = std::make_shared<ops::Operation>(ops::formula_operation(both.formula));
    inner.taken_into = outer.node.name;
    for (PlannedStep& step : steps_) {
      if (step.taken_into == inner.node.name) step.taken_into = outer.node.name;
    }
    return true;
  }

  const graph::Graph& graph_;
  std::vector<PlannedStep> steps_;
  std::vector<int> readers_;  ///< per tensor: inputs of steps that are it; an output counts two
};

}  // namespace

std::vector<PlannedStep> plain_steps(const graph::Graph& graph) {
  const std::vector<bool> needed = graph::needed_tensors(graph);
  std::vector<PlannedStep> steps;
  for (const graph::Node& node : graph.nodes) {
    const ops::Operation* operation = ops::find_operation(node.op);
    require(operation != nullptr, "a checked graph names operations that exist");
    // Not owned: a registered operation lives as long as the program.
    steps.push_back({node, {std::shared_ptr<void>(), operation}, graph::is_needed(node, needed)});
  }
  return steps;
}

std::vector<PlannedStep> fuse_steps(const graph::Graph& graph) { return Fuser(graph).run(); }

}  // namespace tessera::plan
