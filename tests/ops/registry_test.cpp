// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// What holds for every operation, whatever it computes: its page is complete, and its plans fit
// together for any number of ranks.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "graph/document.hpp"
#include "graph/resolve.hpp"
#include "plan/arena.hpp"
#include "plan/plan.hpp"

namespace tessera::ops {
namespace {

/// Input shapes with which an operation's example makes sense; [12, 10] float64 otherwise.
graph::StoredTensor stored(const std::string& op, const std::string& dataset, std::int64_t size) {
  if (op == "matmul") {
    return {DType::float64, dataset == "/0" ? Shape{size, 10} : Shape{10, size + 3}};
  }
  if (op == "matvec") {
    return {DType::float64, dataset == "/0" ? Shape{size, 10} : Shape{10}};
  }
  if (op == "conv2d") {
    return {DType::float64, dataset == "/0" ? Shape{size, 3, 10, 9} : Shape{4, 3, 3, 3}};
  }
  if (op == "cholesky") return {DType::float64, {size, size}};
  if (op == "convolve") return {DType::float64, dataset == "/0" ? Shape{size, 10} : Shape{3, 3}};
  if (op == "jacobi" || op == "cg") {
    return {DType::float64, dataset == "/0" ? Shape{size, size} : Shape{size}};
  }
  if (op == "solve") {
    return {DType::float64, dataset == "/0" ? Shape{size, size} : Shape{size, 3}};
  }
  if (op == "ifft") return {DType::complex128, {size, 10}};
  if (op == "irfft")
    return {DType::complex128, {size, 3}};  // of the 5 samples that its example names
  return {DType::float64, {size, 10}};
}

/// The example as a graph of its own; inputs are numbered as the step names them.
graph::Graph example_graph(const Operation& op, std::int64_t size) {
  const graph::Document step = graph::parse(op.example, op.signature.name);
  std::vector<std::string> names;
  const graph::Member* in = step.root.find("in");
  if (in != nullptr && in->value.is(graph::Value::Kind::text)) names = {in->value.text};
  if (in != nullptr && in->value.is(graph::Value::Kind::list)) {
    for (const graph::Value& item : in->value.items) names.push_back(item.text);
  }
  if (in != nullptr && in->value.is(graph::Value::Kind::object)) {
    for (const graph::Member& member : in->value.members) names.push_back(member.value.text);
  }
  std::string inputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (inputs.find("\"" + names[i] + "\"") != std::string::npos) continue;
    inputs += (i == 0 ? "\"" : ", \"") + names[i] + "\": \"f.h5:/" + std::to_string(i) + "\"";
  }
  const std::string text = R"({"tessera": 1, "inputs": {)" + inputs +
                           R"(}, "steps": {"result_": )" + op.example +
                           R"(}, "outputs": {"/r": "result_"}})";
  graph::ResolveOptions options;
  options.probe = [&](const std::string&, const std::string& dataset) {
    return stored(op.signature.name, dataset, size);
  };
  return graph::resolve(graph::parse(text, op.signature.name + ".json"), catalogue(), options);
}

std::vector<Action> flatten(const std::vector<Action>& actions) {
  std::vector<Action> result;
  for (const Action& action : actions) {
    if (action.kind == ActionKind::loop) {
      for (const Action& inner : flatten(action.body)) result.push_back(inner);
    } else {
      result.push_back(action);
    }
  }
  return result;
}

/// Bytes of the messages that go from one rank to another in the n-th exchange, in order.
using Traffic = std::map<std::pair<Rank, Rank>, std::vector<std::int64_t>>;

void expect_exchanges_match(const graph::Graph& graph, int ranks) {
  std::vector<std::vector<Action>> exchanges(static_cast<std::size_t>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank) {
    plan::PlanOptions options;
    options.ranks = ranks;
    options.rank = rank;
    options.ranks_per_node = ranks;
    for (const Action& action : flatten(plan::make_plan(graph, options).actions)) {
      if (action.kind == ActionKind::exchange)
        exchanges[static_cast<std::size_t>(rank)].push_back(action);
      EXPECT_GE(action.bytes, 0) << action.label;
      EXPECT_GE(action.seconds, 0) << action.label;
      EXPECT_TRUE(action.run) << action.label << " has something to run";
    }
  }
  // Group collectives may differ from rank to rank; exchanges of all ranks are matched by their
  // number.
  std::map<std::string, Traffic> sent;
  std::map<std::string, Traffic> received;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::map<std::string, int> turns;
    for (const Action& action : exchanges[static_cast<std::size_t>(rank)]) {
      const std::string key = action.label + " #" + std::to_string(turns[action.label]++);
      for (const Piece& piece : action.sends) {
        if (piece.bytes > 0) sent[key][{rank, piece.peer}].push_back(piece.bytes);
      }
      for (const Piece& piece : action.receives) {
        if (piece.bytes > 0) received[key][{piece.peer, rank}].push_back(piece.bytes);
      }
    }
  }
  EXPECT_EQ(sent, received) << graph.file << " on " << ranks << " ranks";
}

TEST(Registry, HasOperationsWithDifferentNames) {
  std::map<std::string, int> names;
  for (const Operation& op : all_operations()) ++names[op.signature.name];
  EXPECT_GE(names.size(), 20U);
  for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << name;
  EXPECT_EQ(find_operation("nonsense"), nullptr);
}

TEST(Registry, EveryPageIsComplete) {
  for (const Operation& op : all_operations()) {
    const std::string& name = op.signature.name;
    for (const std::string* text : {&op.family, &op.summary, &op.shape_rule, &op.types,
                                    &op.error_bound, &op.rounding, &op.distributed, &op.example}) {
      EXPECT_FALSE(text->empty()) << name;
    }
    EXPECT_NE(op.example.find("\"" + name + "\""), std::string::npos) << name << ": " << op.example;
    EXPECT_FALSE(op.signature.inputs.names.empty() && name != "random" && name != "fill") << name;
    for (const graph::ParamSpec& param : op.signature.params) {
      EXPECT_FALSE(param.doc.empty()) << name << "." << param.name;
      EXPECT_TRUE(param.name != "op" && param.name != "in") << name;
    }
    EXPECT_TRUE(op.choices && op.emit && op.signature.infer) << name;
  }
}

TEST(Registry, EveryExampleIsPlannedOnAnyRanks) {
  for (const Operation& op : all_operations()) {
    for (const std::int64_t size : {12, 1, 5}) {
      SCOPED_TRACE(op.signature.name + " with " + std::to_string(size) + " rows");
      graph::Graph graph;
      try {
        graph = example_graph(op, size);
      } catch (const Error& error) {
        ADD_FAILURE() << "the example is refused: " << error.text();
        continue;
      }
      for (const int ranks : {1, 2, 3, 4, 7}) expect_exchanges_match(graph, ranks);
    }
  }
}

TEST(Registry, ChoicesDescribeTheInputsAndOutputs) {
  for (const Operation& op : all_operations()) {
    const graph::Graph graph = example_graph(op, 12);
    const graph::Node& node = graph.nodes.at(0);
    const Machine machine;
    for (const int ranks : {1, 2, 4, 6}) {
      std::vector<layout::Layout> current;
      for (const graph::TensorInfo& info : node.input_infos) {
        current.push_back(layout::Layout::rows(info.shape, ranks));
      }
      for (const Recipe recipe : {Recipe::fast, Recipe::ordered, Recipe::bitexact}) {
        const auto choices =
            op.choices(node, {ranks, recipe, machine, device::Backend::host, current});
        ASSERT_FALSE(choices.empty()) << op.signature.name;
        for (const Choice& choice : choices) {
          SCOPED_TRACE(op.signature.name + " " + choice.algorithm);
          EXPECT_FALSE(choice.algorithm.empty());
          ASSERT_EQ(choice.inputs.size(), node.inputs.size());
          ASSERT_EQ(choice.outputs.size(), node.outputs.size());
          for (std::size_t i = 0; i < choice.inputs.size(); ++i) {
            EXPECT_EQ(choice.inputs[i].shape(), node.input_infos[i].shape);
            EXPECT_EQ(choice.inputs[i].ranks(), ranks);
          }
          EXPECT_EQ(choice.outputs[0].shape(), node.output_infos[0].shape);
          EXPECT_GT(choice.memory_bytes + choice.flops, 0);
          if (ranks == 1) {
            EXPECT_EQ(choice.message_bytes, 0);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera::ops
