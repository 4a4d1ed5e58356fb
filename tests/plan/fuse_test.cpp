// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "plan/fuse.hpp"

#include <gtest/gtest.h>

#include <map>

#include "ops/elementwise.hpp"
#include "ops/formula.hpp"

namespace tessera::plan {
namespace {

/// Graphs of steps on float64 tensors, built without files.
class FuseTest : public ::testing::Test {
 protected:
  void input(const std::string& name, const Shape& shape, DType dtype = DType::float64) {
    graph::Input one;
    one.name = name;
    one.info = {dtype, shape};
    one.tensor = tensor(name, one.info, StepId{});
    graph_.inputs.push_back(one);
  }

  void step(const std::string& name, const std::string& op, std::vector<std::string> from,
            std::vector<std::pair<std::string, graph::ParamValue>> params = {}) {
    graph::Node node;
    node.id = StepId{static_cast<std::int32_t>(graph_.nodes.size())};
    node.name = name;
    node.op = op;
    for (auto& [key, value] : params) node.params.set(key, value);
    for (const std::string& input : from) {
      node.inputs.push_back(tensors_.at(input));
      node.input_infos.push_back(graph_.tensors[node.inputs.back().value].info);
    }
    const graph::Signature& signature = ops::find_operation(op)->signature;
    node.input_names = signature.inputs.named ? from : signature.inputs.names;
    node.output_infos =
        signature.infer({node.input_infos, node.params, Recipe::ordered, node.input_names});
    node.outputs = {tensor(name, node.output_infos[0], node.id)};
    graph_.nodes.push_back(std::move(node));
  }

  void map(const std::string& name, std::vector<std::string> from, const std::string& formula) {
    step(name, "map", std::move(from), {{"formula", formula}});
  }

  void output(const std::string& name) {
    graph::Output one;
    one.tensor = tensors_.at(name);
    graph_.outputs.push_back(one);
  }

  /// "b(a)": what runs, with the steps taken in.
  std::string fused() {
    std::string text;
    const std::vector<PlannedStep> steps = fuse_steps(graph_);
    for (const PlannedStep& step : steps) {
      if (!step.runs()) continue;
      text += (text.empty() ? "" : " ") + step.node.name;
      std::string inside;
      for (const PlannedStep& other : steps) {
        if (other.taken_into == step.node.name)
          inside += (inside.empty() ? "" : " ") + other.node.name;
      }
      if (!inside.empty()) text += "(" + inside + ")";
    }
    return text;
  }

  graph::Graph graph_;

 private:
  TensorId tensor(const std::string& name, const graph::TensorInfo& info, StepId producer) {
    const TensorId id{static_cast<std::int32_t>(graph_.tensors.size())};
    graph_.tensors.push_back({name, info, producer, producer.valid() ? -1 : 0});
    tensors_[name] = id;
    return id;
  }

  std::map<std::string, TensorId> tensors_;
};

TEST_F(FuseTest, TakesAChainIntoItsLastStep) {
  input("x", {4, 5});
  map("a", {"x"}, "x + 1");
  step("b", "scale", {"a"}, {{"alpha", 2.0}});
  map("c", {"b", "x"}, "exp(b) - x");
  output("c");
  EXPECT_EQ(fused(), "c(a b)");
}

TEST_F(FuseTest, KeepsWhatIsWritten) {
  input("x", {4});
  map("a", {"x"}, "x + 1");
  map("b", {"a"}, "a * 2");
  output("a");
  output("b");
  EXPECT_EQ(fused(), "a b");
}

TEST_F(FuseTest, KeepsWhatTwoStepsRead) {
  input("x", {4});
  map("a", {"x"}, "x + 1");
  map("b", {"a"}, "a * 2");
  map("c", {"a"}, "a * 3");
  output("b");
  output("c");
  EXPECT_EQ(fused(), "a b c");
}

TEST_F(FuseTest, TakesInWhatTwoStepsReadThatAreOne) {
  input("x", {4});
  map("a", {"x"}, "x + 1");
  map("b", {"a"}, "exp(a)");
  map("c", {"a", "b"}, "a + b");
  output("c");
  EXPECT_EQ(fused(), "c(a b)");
}

TEST_F(FuseTest, RepeatsCheapWorkOnly) {
  input("x", {4});
  map("cheap", {"x"}, "x + 1");
  map("dear", {"x"}, "exp(x) + sin(x)");
  map("c", {"cheap", "dear"}, "cheap * cheap + dear * dear");
  output("c");
  EXPECT_EQ(fused(), "dear c(cheap)");
}

TEST_F(FuseTest, KeepsWhatWouldBeRepeatedAlongAnAxis) {
  input("x", {4, 5});
  input("column", {4, 1});
  map("a", {"column"}, "exp(column)");
  map("b", {"x", "a"}, "x * a");
  output("b");
  EXPECT_EQ(fused(), "a b");
}

TEST_F(FuseTest, KeepsWhatMayRefuseAValue) {
  input("x", {4});
  step("a", "cast", {"x"}, {{"to", std::string("int32")}});
  map("b", {"a"}, "a + 1");
  output("b");
  EXPECT_EQ(fused(), "a b");
}

TEST_F(FuseTest, KeepsWhatAnotherKindOfStepReads) {
  input("x", {4});
  map("a", {"x"}, "x + 1");
  step("s", "cumsum", {"a"}, {{"axis", std::int64_t{0}}, {"exclusive", false}});
  map("b", {"s"}, "s * 2");
  output("b");
  EXPECT_EQ(fused(), "a s b");
}

TEST_F(FuseTest, LeavesOutWhatNobodyNeeds) {
  input("x", {4});
  map("a", {"x"}, "x + 1");
  map("idle", {"a"}, "a * 3");
  map("b", {"a"}, "a * 2");
  output("b");
  EXPECT_EQ(fused(), "b(a)");
}

TEST_F(FuseTest, StopsAtTheSizeOfAKernel) {
  input("x", {4});
  std::string last = "x";
  for (int i = 0; i < 100; ++i) {
    const std::string name = "s" + std::to_string(i);
    map(name, {last}, "sin(" + last + ") + " + std::to_string(i) + ".25");
    last = name;
  }
  output(last);
  const std::vector<PlannedStep> steps = fuse_steps(graph_);
  int running = 0;
  for (const PlannedStep& step : steps) running += step.runs() ? 1 : 0;
  EXPECT_GT(running, 1);
  EXPECT_LT(running, 10);
}

TEST_F(FuseTest, GivesATensorThatBothReadOneInput) {
  input("x", {4});
  input("y", {4});
  map("a", {"x", "y"}, "x - y");
  map("b", {"y", "a"}, "y / a");
  output("b");
  const std::vector<PlannedStep> steps = fuse_steps(graph_);
  EXPECT_EQ(steps[1].node.inputs.size(), 2U);
  EXPECT_EQ(steps[1].node.input_names, (std::vector<std::string>{"y", "x"}));
}

}  // namespace
}  // namespace tessera::plan
