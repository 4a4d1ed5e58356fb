// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.hpp"

#include <algorithm>
#include <functional>

#include "graph/needed.hpp"
#include "plan/arena.hpp"
#include "plan/copies.hpp"
#include "plan/cost.hpp"

namespace tessera::plan {

namespace {

/// Program text, MPI, HDF5 and run-time libraries of one rank. Measured after start-up under Open
/// MPI MiB on one rank without MPI, 45-60 MiB under Open MPI 4.1 with its shared-memory segments.
constexpr std::int64_t fixed_bytes = std::int64_t{40} << 20;

DType dominant_dtype(const graph::Node& node) {
  if (!node.output_infos.empty() && !is_integer(node.output_infos[0].dtype)) {
    return node.output_infos[0].dtype;
  }
  return node.input_infos.empty() ? DType::float64 : node.input_infos[0].dtype;
}

}  // namespace

Planner::Planner(const graph::Graph& graph, const PlanOptions& options)
    : graph_(graph),
      ranks_(graph.batched ? 1 : options.ranks),
      rank_(graph.batched ? 0 : options.rank),
      builder_(plan_, ranks_, rank_),
      tensors_(graph.tensors.size()),
      steps_(options.fuse ? fuse_steps(graph) : plain_steps(graph)),
      needed_(graph::needed_tensors(graph)),
      last_use_(graph.tensors.size(), -1) {
  plan_.options = options;
  plan_.recipe = graph.recipe;
  plan_.choosing = choosing_machine(graph.recipe, options.machine);
  plan_.batched = graph.batched;
  plan_.fixed_bytes = fixed_bytes;
  if (graph.batched) {
    plan_.first_item = layout::balanced_begin(graph.items, options.ranks, options.rank);
    plan_.items =
        layout::balanced_begin(graph.items, options.ranks, options.rank + 1) - plan_.first_item;
  }
  for (const PlannedStep& step : steps_) {
    if (!step.runs()) continue;
    for (const TensorId input : step.node.inputs) last_use_[input.value] = step.node.id.value;
  }
}

Plan Planner::build() {
  open_outputs();
  for (const graph::Input& input : graph_.inputs) {
    // Inputs that are written as they are; in a batched graph also those that all items share.
    if (!needed_[static_cast<std::size_t>(input.tensor.value)]) continue;
    const bool shared = graph_.batched && !input.each_axis && input.sources.size() == 1;
    if (shared) {
      builder_.append_to(plan_.prologue);
      find(input.tensor);
      builder_.append_to(plan_.actions);
    }
    write_outputs_of(input.tensor);
  }
  for (const PlannedStep& step : steps_) step.runs() ? plan_step(step) : leave_out(step);
  builder_.set_step(StepId{}, "", DType::float64);
  close_outputs();

  if (plan_.options.apart) {
    insert_copies(plan_);
    plan_.host_buffers = plan_.buffers;
    plan_.arena_bytes = lay_out(plan_.buffers, ops::Side::device);
    plan_.staging_bytes = lay_out(plan_.host_buffers, ops::Side::host);
  } else {
    plan_.arena_bytes = lay_out(plan_.buffers, ops::Side::both);
  }
  total_up();
  return std::move(plan_);
}

std::int64_t Planner::lay_out(std::vector<Buffer>& buffers, ops::Side side) const {
  find_lifetimes({&plan_.prologue, &plan_.actions, &plan_.epilogue}, buffers, side);
  if (graph_.batched) {
    // What the prologue filled is needed by every item, not only until its last use in the first.
    const int prologue_end = static_cast<int>(plan_.prologue.size());
    const int end = prologue_end + static_cast<int>(plan_.actions.size());
    for (Buffer& buffer : buffers) {
      if (buffer.first >= 0 && buffer.first < prologue_end)
        buffer.last = std::max(buffer.last, end);
    }
  }
  const std::int64_t bytes = place_buffers(buffers);
  verify_placement(buffers, bytes);
  return bytes;
}

ops::Choice Planner::choose(const PlannedStep& step) {
  const graph::Node& node = step.node;
  std::vector<layout::Layout> current;
  for (const TensorId input : node.inputs) current.push_back(find(input).places.front().layout);
  const Machine& machine = plan_.choosing;
  const ops::ChoiceContext context{ranks_, plan_.recipe, machine, plan_.options.backend, current};
  std::vector<ops::Choice> choices = step.operation->choices(node, context);
  require(!choices.empty(), "an operation offers at least one choice");
  std::size_t best = 0;
  double best_cost = -1;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    require(choices[i].inputs.size() == node.inputs.size() &&
                choices[i].outputs.size() == node.outputs.size(),
            "a choice has a layout for every input and output");
    double cost = choice_seconds(machine, choices[i], dominant_dtype(node));
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      cost += redistribution_seconds(machine, node.input_infos[k].dtype, current[k],
                                     choices[i].inputs[k]);
    }
    if (best_cost < 0 || cost < best_cost) {
      best_cost = cost;
      best = i;
    }
  }
  return std::move(choices[best]);
}

void Planner::plan_step(const PlannedStep& step) {
  const graph::Node& node = step.node;
  const ops::Choice choice = choose(step);
  builder_.set_step(node.id, choice.algorithm, dominant_dtype(node));
  std::vector<ops::Placed> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    inputs.push_back(placed_as(node.inputs[i], choice.inputs[i]));
  }
  std::vector<ops::Placed> outputs;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    outputs.push_back(output_place(node, i, choice, inputs));
    tensors_[node.outputs[i].value].places = {outputs.back()};
  }
  step.operation->emit({node, choice, inputs, outputs}, builder_);
  plan_.steps.push_back({node.id, node.name, node.op, choice.algorithm, choice.inputs,
                         choice.outputs, node.output_infos});
  for (const TensorId output : node.outputs) write_outputs_of(output);
}

void Planner::leave_out(const PlannedStep& planned) {
  const graph::Node& node = planned.node;
  StepPlan step;
  step.id = node.id;
  step.name = node.name;
  step.op = node.op;
  step.output_infos = node.output_infos;
  step.left_out = !planned.needed;
  step.taken_into = planned.taken_into;
  plan_.steps.push_back(std::move(step));
}

bool Planner::dies_here(TensorId tensor, const graph::Node& node) const {
  const bool shared = graph_.batched && graph_.tensors[tensor.value].input >= 0;
  return last_use_[tensor.value] == node.id.value && !shared;
}

ops::Placed Planner::output_place(const graph::Node& node, std::size_t which,
                                  const ops::Choice& choice,
                                  const std::vector<ops::Placed>& inputs) {
  const DType dtype = node.output_infos[which].dtype;
  const layout::Layout& layout = choice.outputs[which];
  require(layout.shape() == node.output_infos[which].shape,
          "a choice's output has the inferred shape");
  if (ops::find_operation(node.op)->in_place && which == 0) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].dtype == dtype && inputs[i].layout == layout &&
          dies_here(node.inputs[i], node)) {
        return {inputs[i].buffer, dtype, layout};
      }
    }
  }
  return builder_.scratch(graph_.tensors[node.outputs[which].value].name, dtype, layout);
}

Planner::Whereabouts& Planner::find(TensorId tensor) {
  Whereabouts& found = tensors_.at(static_cast<std::size_t>(tensor.value));
  if (found.places.empty()) {
    const int input = graph_.tensors[tensor.value].input;
    require(input >= 0, "steps come after the steps whose results they use");
    found.places.push_back(read_input(input));
  }
  return found;
}

ops::Placed Planner::placed_as(TensorId tensor, const layout::Layout& layout) {
  Whereabouts& found = find(tensor);
  for (const ops::Placed& placed : found.places) {
    if (placed.layout == layout) return placed;
  }
  const std::string& name = graph_.tensors[tensor.value].name;
  const ops::Placed from = found.places.front();
  const ops::Placed to = builder_.scratch(name + " as " + layout.describe(), from.dtype, layout);
  builder_.redistribute(from, to, "redistribute " + name);
  found.places.push_back(to);
  return to;
}

void Planner::total_up() {
  const double items = static_cast<double>(plan_.items);
  const auto add = [&](const std::vector<ops::Action>& actions, double times) {
    const std::function<void(const ops::Action&, double)> visit = [&](const ops::Action& action,
                                                                      double count) {
      for (const ops::Action& inner : action.body) {
        visit(inner, count * action.expected_turns);
      }
      if (action.kind == ops::ActionKind::loop) return;
      plan_.seconds += count * action.seconds;
      if (action.step.valid()) {
        plan_.steps[static_cast<std::size_t>(action.step.value)].seconds += count * action.seconds;
      }
      if (action.kind == ops::ActionKind::exchange) plan_.message_bytes += count * action.bytes;
      if (action.kind == ops::ActionKind::read) plan_.read_bytes += count * action.bytes;
      if (action.kind == ops::ActionKind::write) plan_.write_bytes += count * action.bytes;
    };
    for (const ops::Action& action : actions) visit(action, times);
  };
  add(plan_.prologue, 1);
  add(plan_.actions, items);
  add(plan_.epilogue, 1);
}

Plan make_plan(const graph::Graph& graph, const PlanOptions& options) {
  return Planner(graph, options).build();
}

}  // namespace tessera::plan
