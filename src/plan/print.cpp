// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "plan/plan.hpp"

namespace tessera::plan {

namespace {

std::string describe_info(const graph::TensorInfo& info) {
  return std::string(name_of(info.dtype)) + " " + to_string(info.shape);
}

std::string step_name(const graph::Graph& graph, StepId step) {
  return step.valid() ? graph.nodes[static_cast<std::size_t>(step.value)].name : "-";
}

std::string describe_turns(const ops::Action& loop) {
  if (!loop.until.valid()) return fmt::format("x {}", loop.repeat);
  return fmt::format("until done, at most {}, {:.0f} expected", loop.repeat, loop.expected_turns);
}

void print_actions(std::string& out, const graph::Graph& graph,
                   const std::vector<ops::Action>& actions, int depth) {
  for (const ops::Action& action : actions) {
    const std::string label = std::string(static_cast<std::size_t>(depth) * 2, ' ') +
                              std::string(name_of(action.kind)) + " " + action.label;
    if (action.kind == ops::ActionKind::loop) {
      out += fmt::format("  {:<46} {:<12} {}\n", label, step_name(graph, action.step),
                         describe_turns(action));
      print_actions(out, graph, action.body, depth + 1);
      continue;
    }
    out +=
        fmt::format("  {:<46} {:<12} {:>10} {:>12} {:>10}\n", label, step_name(graph, action.step),
                    action.bytes > 0 ? format_bytes(action.bytes) : "",
                    action.flops > 0 ? fmt::format("{:.3g} flop", action.flops) : "",
                    format_seconds(action.seconds));
  }
}

std::string how_it_runs(const StepPlan& step) {
  if (step.left_out) return "left out";
  return step.taken_into.empty() ? step.algorithm : "part of " + step.taken_into;
}

void print_steps(std::string& out, const Plan& plan) {
  out += fmt::format("\nsteps\n  {:<14} {:<14} {:<16} {:<14} {:<28} {:>10}\n", "step", "operation",
                     "algorithm", "layout", "result", "predicted");
  for (const StepPlan& step : plan.steps) {
    out += fmt::format("  {:<14} {:<14} {:<16} {:<14} {:<28} {:>10}\n", step.name, step.op,
                       how_it_runs(step), step.outputs.empty() ? "" : step.outputs[0].describe(),
                       step.output_infos.empty() ? "" : describe_info(step.output_infos[0]),
                       format_seconds(step.seconds));
  }
}

void print_buffers(std::string& out, const std::vector<Buffer>& buffers) {
  for (const Buffer& buffer : buffers) {
    if (buffer.first < 0 || buffer.bytes == 0) continue;
    out += fmt::format("  {:<46} {:>12} at {:>14}  actions {}-{}\n", buffer.label,
                       format_bytes(static_cast<double>(buffer.bytes)), buffer.offset, buffer.first,
                       buffer.last);
  }
}

nlohmann::json actions_json(const graph::Graph& graph, const std::vector<ops::Action>& actions) {
  nlohmann::json list = nlohmann::json::array();
  for (const ops::Action& action : actions) {
    nlohmann::json entry = {{"kind", name_of(action.kind)}, {"label", action.label}};
    if (action.step.valid()) entry["step"] = step_name(graph, action.step);
    if (!action.algorithm.empty()) entry["algorithm"] = action.algorithm;
    if (action.kind == ops::ActionKind::loop) {
      entry["repeat"] = action.repeat;
      entry["expected_turns"] = action.expected_turns;
      if (action.until.valid()) entry["until"] = action.until.value;
      entry["body"] = actions_json(graph, action.body);
    } else {
      entry["bytes"] = action.bytes;
      entry["flops"] = action.flops;
    }
    entry["predicted_seconds"] = action.seconds;
    const auto ids = [](const std::vector<BufferId>& buffers) {
      nlohmann::json numbers = nlohmann::json::array();
      for (const BufferId id : buffers) numbers.push_back(id.value);
      return numbers;
    };
    entry["reads"] = ids(action.reads);
    entry["writes"] = ids(action.writes);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string describe(const graph::Graph& graph, const Plan& plan, const Needs& needs) {
  const PlanOptions& options = plan.options;
  std::string out = fmt::format(
      "plan of {} on {} rank(s), {} thread(s) each, recipe {}, files {}, rates of machine \"{}\"\n",
      graph.title, options.ranks, options.threads, name_of(plan.recipe),
      options.io == IoMode::funnel ? "through a funnel" : "in parallel", options.machine.name);
  if (graph.batched) {
    out +=
        fmt::format("{} items, spread over the ranks; rank {} runs items {} to {}\n", graph.items,
                    options.rank, plan.first_item, plan.first_item + plan.items - 1);
  }
  print_steps(out, plan);
  out += fmt::format("\nactions of rank {}\n  {:<46} {:<12} {:>10} {:>12} {:>10}\n", options.rank,
                     "action", "step", "bytes", "work", "predicted");
  print_actions(out, graph, plan.prologue, 0);
  if (graph.batched) out += fmt::format("  for each of {} items\n", plan.items);
  print_actions(out, graph, plan.actions, graph.batched ? 1 : 0);
  print_actions(out, graph, plan.epilogue, 0);
  out += fmt::format("\nmemory of rank {}\n", options.rank);
  print_buffers(out, plan.buffers);
  if (plan.options.apart) {
    out += fmt::format("\nthe host's copies on rank {}\n", options.rank);
    print_buffers(out, plan.host_buffers);
  }
  out += fmt::format("\npeak memory per rank  {} (arena {} + program and libraries {})\n",
                     format_bytes(static_cast<double>(needs.peak_bytes)),
                     format_bytes(static_cast<double>(needs.peak_bytes - plan.fixed_bytes)),
                     format_bytes(static_cast<double>(plan.fixed_bytes)));
  if (plan.options.apart) {
    out += fmt::format("GPU memory per rank   {}\n",
                       format_bytes(static_cast<double>(needs.device_bytes)));
  }
  out +=
      fmt::format("bytes moved           {} between ranks in all; rank {} reads {} and writes {}\n",
                  format_bytes(needs.message_bytes), options.rank, format_bytes(plan.read_bytes),
                  format_bytes(plan.write_bytes));
  out += fmt::format("predicted time        {}\n", format_seconds(needs.seconds));
  return out;
}

std::string describe_json(const graph::Graph& graph, const Plan& plan, const Needs& needs) {
  nlohmann::json document;
  document["graph"] = graph.file;
  document["ranks"] = plan.options.ranks;
  document["rank"] = plan.options.rank;
  document["threads"] = plan.options.threads;
  document["recipe"] = name_of(plan.recipe);
  document["peak_bytes_per_rank"] = needs.peak_bytes;
  document["device_bytes_per_rank"] = needs.device_bytes;
  document["arena_bytes"] = plan.arena_bytes;
  document["staging_bytes"] = plan.staging_bytes;
  document["fixed_bytes"] = plan.fixed_bytes;
  document["message_bytes"] = needs.message_bytes;
  document["predicted_seconds"] = needs.seconds;
  document["items"] = plan.items;
  for (const StepPlan& step : plan.steps) {
    nlohmann::json entry = {{"step", step.name},
                            {"op", step.op},
                            {"algorithm", step.algorithm},
                            {"predicted_seconds", step.seconds}};
    if (step.left_out) entry["left_out"] = true;
    if (!step.taken_into.empty()) entry["taken_into"] = step.taken_into;
    for (const layout::Layout& layout : step.inputs)
      entry["input_layouts"].push_back(layout.describe());
    for (const layout::Layout& layout : step.outputs)
      entry["output_layouts"].push_back(layout.describe());
    document["steps"].push_back(std::move(entry));
  }
  document["prologue"] = actions_json(graph, plan.prologue);
  document["actions"] = actions_json(graph, plan.actions);
  document["epilogue"] = actions_json(graph, plan.epilogue);
  for (const Buffer& buffer : plan.buffers) {
    document["buffers"].push_back({{"label", buffer.label},
                                   {"bytes", buffer.bytes},
                                   {"offset", buffer.offset},
                                   {"first", buffer.first},
                                   {"last", buffer.last}});
  }
  return document.dump(2);
}

}  // namespace tessera::plan
