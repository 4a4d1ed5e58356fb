// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/resolve.hpp"

#include <gmock/gmock.h>

#include "example.hpp"

namespace tessera::graph {
namespace {

using example::options;
using example::refusal;
using example::resolved;
using example::with_steps;
using ::testing::ElementsAre;

std::vector<std::string> names_of(const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  for (const Node& node : nodes) names.push_back(node.name);
  return names;
}

TEST(Resolve, MakesACompleteGraph) {
  const Graph graph = resolved(R"({
  "tessera": 1, "title": "heat", "$schema": "tessera.schema.json",
  "inputs":  { "u0": "plate.h5:/t", "x": {"file": "stack.h5", "dataset": "/x", "select": "[0:2, :, 1]"} },
  "params":  { "alpha": 0.1, "n": 500 },
  "steps": {
    "total": {"op": "sum", "in": "power"},
    "u":     {"op": "stencil", "in": "u0", "weights": "laplace2d", "scale": "alpha", "repeat": "n"},
    "power": {"op": "map", "in": "u", "formula": "abs(u)^2"}
  },
  "outputs": { "/u": "u", "/total": "total", "/x": "x" },
  "output": "out/heat.h5", "recipe": "bitexact"
})");
  EXPECT_EQ(graph.title, "heat");
  EXPECT_EQ(graph.recipe, Recipe::bitexact);
  EXPECT_EQ(graph.output_file, "out/heat.h5");
  EXPECT_FALSE(graph.batched);
  EXPECT_EQ(graph.items, 1);
  EXPECT_THAT(graph.warnings, ElementsAre());
  ASSERT_EQ(graph.inputs.size(), 2U);
  EXPECT_EQ(graph.inputs[0].sources[0].file, "plate.h5");
  EXPECT_EQ(graph.inputs[0].sources[0].dataset, "/t");
  EXPECT_EQ(graph.inputs[1].info, (TensorInfo{DType::float32, {2, 4}}));
  EXPECT_THAT(names_of(graph.nodes), ElementsAre("u", "power", "total"));
  const Node& u = graph.nodes[0];
  EXPECT_EQ(u.params.real("scale"), 0.1);
  EXPECT_EQ(u.params.integer("repeat"), 500);
  EXPECT_EQ(u.params.text("boundary"), "fixed");
  EXPECT_TRUE(u.params.is_text("weights"));
  EXPECT_EQ(u.place.line, 7);
  EXPECT_EQ(u.params.place("scale").column, 77);
  EXPECT_THAT(u.input_names, ElementsAre("in"));
  EXPECT_THAT(graph.nodes[1].input_names, ElementsAre("u"));
  ASSERT_EQ(graph.outputs.size(), 3U);
  EXPECT_EQ(graph.outputs[0].dataset, "/total");
  EXPECT_EQ(graph.outputs[0].info.shape, Shape{});
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.outputs) EXPECT_EQ(graph.tensors[id.value].producer, node.id);
  }
  EXPECT_EQ(graph.tensors[graph.outputs[2].tensor.value].input, 1);
}

TEST(Resolve, KeepsTheFilesOrderWhereItIsFree) {
  const Graph graph =
      resolved(with_steps(R"("y": {"op": "matmul", "in": ["b", "r"]}, "z": {"op": "sum", "in": "u"},
    "a": {"op": "sum", "in": "z"}, "b": {"op": "map", "in": "u", "formula": "u"}, "r": {"op": "random", "shape": [8, 3]})"));
  EXPECT_THAT(names_of(graph.nodes), ElementsAre("z", "a", "b", "r", "y"));
  EXPECT_THAT(graph.warnings, ElementsAre("step \"z\": no output needs it (g.json:3:42)",
                                          "step \"a\": no output needs it (g.json:4:5)"));
}

TEST(Resolve, FurtherOutputsHaveNamesOfTheirOwn) {
  const Graph graph = resolved(
      R"({"tessera": 1, "inputs": {"u": "plate.h5:/t"}, "steps": {"f": {"op": "lu", "in": "u"}, "s": {"op": "sum", "in": "f.pivots"}},
          "outputs": {"/a": "f", "/b": "f.pivots", "/c": "f.lu", "/s": "s"}})");
  EXPECT_EQ(graph.outputs[1].info, (TensorInfo{DType::int64, {6}}));
  EXPECT_EQ(graph.outputs[0].tensor, graph.outputs[2].tensor);
  EXPECT_EQ(graph.tensors[graph.outputs[1].tensor.value].name, "f.pivots");
  EXPECT_EQ(graph.nodes[1].inputs[0], graph.outputs[1].tensor);
}

TEST(Resolve, InputsOfAStepInEveryForm) {
  const Graph graph = resolved(with_steps(
      R"("m": {"op": "map", "in": {"x": "u", "größe": "k"}, "formula": "x"}, "k": {"op": "map", "in": ["u", "u"], "formula": "u"},
         "w": {"op": "where", "in": {"b": "k", "condition": "m", "a": "u"}}, "y": {"op": "concat", "in": ["u", "k", "m", "w"]})"));
  EXPECT_THAT(graph.nodes[0].input_names, ElementsAre("u", "u"));
  EXPECT_THAT(graph.nodes[1].input_names, ElementsAre("x", "größe"));
  EXPECT_THAT(graph.nodes[2].input_names, ElementsAre("condition", "a", "b"));
  EXPECT_EQ(graph.nodes[2].inputs[2], graph.nodes[0].outputs[0]);
  EXPECT_THAT(graph.nodes[3].input_names, ElementsAre("first", "more 1", "more 2", "more 3"));
}

TEST(Resolve, RefusesWhatIsNoGraph) {
  EXPECT_EQ(refusal("[1]"), "a graph: expected an object {...}, found a list (g.json:1:1)");
  EXPECT_EQ(refusal("{}"),
            "this isn't a tessera graph: the key \"tessera\" is missing; begin the file with "
            "\"tessera\": 1 (g.json:1:1)");
  EXPECT_EQ(refusal("{\"tessera\": 2}"),
            "this program doesn't know the format of this graph: expected \"tessera\": 1, found 2 "
            "(g.json:1:13)");
  EXPECT_EQ(refusal("{\"tessera\": 1}"), "the key \"outputs\" is missing (g.json:1:1)");
  EXPECT_EQ(refusal("{\"tessera\": 1, \"output\": {}}"),
            "the key \"outputs\" is missing (g.json:1:1)");
  EXPECT_EQ(
      refusal("{\"tessera\": 1, \"stepps\": {}}"),
      "unknown key \"stepps\": expected one of \"$schema\", \"tessera\", \"title\", \"inputs\", "
      "\"params\", "
      "\"steps\", \"outputs\", \"output\" or \"recipe\"; did you mean \"steps\"? (g.json:1:16)");
  EXPECT_EQ(refusal("{\"tessera\": 1, \"recipe\": \"exact\"}"),
            "there is no such recipe: expected \"fast\", \"ordered\" or \"bitexact\", found "
            "\"exact\" (g.json:1:26)");
  EXPECT_EQ(refusal("{\"tessera\": 1, \"steps\": []}"),
            "\"steps\": expected an object {...}, found an empty list (g.json:1:25)");
}

TEST(Resolve, RefusesSteps) {
  EXPECT_EQ(refusal(with_steps("\"y\": 3")),
            "step \"y\": a step: expected an object {...}, found 3 (g.json:3:6)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"in\": \"u\"}")),
            "step \"y\": the key \"op\" is missing (g.json:3:6)");
  EXPECT_EQ(
      refusal(with_steps("\"y\": {\"op\": \"stencl\"}")),
      "step \"y\": there is no operation \"stencl\"; did you mean \"stencil\"? (g.json:3:13)");
  EXPECT_EQ(
      refusal(with_steps("\"y\": {\"op\": \"divergence\"}")),
      "step \"y\": there is no operation \"divergence\"; \"tessera ops\" lists them (g.json:3:13)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"sum\", \"in\": \"u\", \"axis\": 0}")),
            "step \"y\": unknown key \"axis\": expected one of \"op\", \"in\", \"axes\", \"keep\" "
            "or \"tags\"; did you mean "
            "\"axes\"? (g.json:3:31)");
  EXPECT_EQ(refusal(with_steps("\"u\": {\"op\": \"sum\", \"in\": \"u\"}")),
            "step \"u\": the name \"u\" is taken: found an input of that name at line 1; rename "
            "one of them (g.json:3:1)");
  EXPECT_EQ(refusal(with_steps("\"f\": {\"op\": \"lu\", \"in\": \"u\"}, \"f.pivots\": {\"op\": "
                               "\"sum\", \"in\": \"u\"}")),
            "step \"f.pivots\": the name \"f.pivots\" is taken: found a step of that name at line "
            "3; rename one of them "
            "(g.json:3:31)");
}

TEST(Resolve, RefusesInputsOfSteps) {
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"sum\", \"in\": \"v\"}")),
            "step \"y\": there is no input or step \"v\"; there are \"u\" and \"y\" (g.json:3:26)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"sum\", \"in\": \"temperature\"}")),
            "step \"y\": there is no input or step \"temperature\"; there are \"u\" and \"y\" "
            "(g.json:3:26)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"sum\"}")),
            "step \"y\": the key \"in\" is missing: expected 1 input (\"in\") (g.json:3:1)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"sum\", \"in\": 3}")),
            "step \"y\": \"in\": expected the name of an input or step, or a list of them, found 3 "
            "(g.json:3:26)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"sum\", \"in\": {\"x\": \"u\"}}")),
            "step \"y\": \"in\": expected the name of an input or step, or a list of them, found "
            "an object (g.json:3:26)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"sum\", \"in\": [\"u\", \"u\"]}")),
            "step \"y\": \"sum\" has the wrong number of inputs: expected 1 input (\"in\"), found "
            "2 (g.json:3:26)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"matmul\", \"in\": \"u\"}")),
            "step \"y\": \"matmul\" has the wrong number of inputs: expected 2 inputs (\"a\" and "
            "\"b\"), found 1 (g.json:3:29)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"concat\", \"in\": [\"u\"]}")),
            "step \"y\": \"concat\" has the wrong number of inputs: expected at least 2 inputs "
            "(\"first\" and \"more\"), "
            "found 1 (g.json:3:29)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"random\", \"shape\": [1], \"in\": [\"u\"]}")),
            "step \"y\": \"random\" has the wrong number of inputs: expected no inputs, found 1 "
            "(g.json:3:43)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"sum\", \"in\": [null]}")),
            "step \"y\": the name of an input or step: expected a text in double quotes, found "
            "null (g.json:3:27)");
  EXPECT_EQ(refusal(with_steps(
                "\"y\": {\"op\": \"where\", \"in\": {\"condition\": \"u\", \"x\": \"u\"}}")),
            "step \"y\": unknown key \"x\": expected one of \"condition\", \"a\" or \"b\" "
            "(g.json:3:47)");
  EXPECT_EQ(refusal(with_steps(
                "\"y\": {\"op\": \"where\", \"in\": {\"condition\": \"u\", \"a\": \"u\"}}")),
            "step \"y\": the key \"b\" is missing (g.json:3:28)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"map\", \"in\": {}, \"formula\": \"1\"}")),
            "step \"y\": \"map\" has the wrong number of inputs: expected at least 1 input "
            "(\"in\"), found 0 (g.json:3:26)");
}

TEST(Resolve, RefusesCircles) {
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"sum\", \"in\": \"y\"}")),
            "step \"y\": the steps wait for one another: \"y\" needs \"y\" (g.json:3:26)");
  EXPECT_EQ(
      refusal(with_steps(
          "\"y\": {\"op\": \"sum\", \"in\": \"c\"},\n\"a\": {\"op\": \"sum\", \"in\": \"b\"},\n"
          "\"b\": {\"op\": \"matmul\", \"in\": [\"u\", \"c\"]},\n\"c\": {\"op\": \"sum\", \"in\": "
          "\"a\"}")),
      "step \"a\": the steps wait for one another: \"a\" needs \"b\" needs \"c\" needs \"a\" "
      "(g.json:4:26)");
}

TEST(Resolve, GivesShapeErrorsTheirStepAndPlace) {
  EXPECT_EQ(refusal(with_steps("\n \"y\": {\"op\": \"matmul\", \"in\": [\"u\", \"u\"]}")),
            "step \"y\": the inner extents differ: expected 8, found 6 (g.json:4:2)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"random\", \"shape\": [1, 2, 3]}")),
            "step \"y\": too many axes (g.json:3:32)");
  EXPECT_EQ(refusal(with_steps("\"y\": {\"op\": \"random\", \"shape\": [4294967296, 4294967296]}")),
            "step \"y\": the number of elements doesn't fit 63 bits (g.json:3:1)");
}

TEST(Resolve, RefusesOutputs) {
  const auto graph = [](const std::string& outputs) {
    return "{\"tessera\": 1, \"inputs\": {\"u\": \"plate.h5:/t\"},\n\"outputs\": " + outputs + "}";
  };
  EXPECT_EQ(refusal(graph("{}")),
            "the graph has no outputs: expected at least one, like {\"/y\": \"y\"} (g.json:2:12)");
  EXPECT_EQ(refusal(graph("{\"/y\": \"v\"}")),
            "output \"/y\": there is no input or step \"v\"; there is \"u\" (g.json:2:19)");
  EXPECT_EQ(refusal(graph("{\"y\": \"u\"}")),
            "output \"y\": this can't be a dataset: it doesn't begin with /: expected a path like "
            "\"/group/name\" "
            "(g.json:2:13)");
  for (const char* path : {"/", "", "/a/", "//a", "/a//b", "/a/../b", "/./a"}) {
    EXPECT_NE(refusal(graph("{\"" + std::string(path) + "\": \"u\"}")).find("can't be a dataset"),
              std::string::npos)
        << path;
  }
  EXPECT_EQ(refusal(graph("{\"/a/b/c\": \"u\", \"/a-b\": \"u\", \"/a\": \"u\"}")),
            "output \"/a/b/c\" would lie inside output \"/a\", which is a dataset and no group "
            "(g.json:2:13)");
  EXPECT_EQ(refusal(graph("{\"/a b/größe.1\": \"u\", \"/a b/..x\": \"u\"}")), "accepted");
  EXPECT_EQ(refusal(graph("{\"/y\": [\"u\"]}")),
            "output \"/y\": the name of an input or step: expected a text in double quotes, found "
            "a list (g.json:2:19)");
}

TEST(Resolve, OutputFiles) {
  const auto graph = [](const std::string& output) {
    return "{\"tessera\": 1, \"inputs\": {\"u\": \"plate.h5:/t\"}, \"outputs\": {\"/y\": "
           "\"u\"},\n\"output\": " +
           output + "}";
  };
  ResolveOptions in_folder = options();
  in_folder.folder = "some/folder";
  EXPECT_EQ(resolved(graph("\"../y.h5\""), in_folder).output_file, "some/y.h5");
  EXPECT_EQ(resolved(graph("\"/tmp/y.h5\""), in_folder).output_file, "/tmp/y.h5");
  in_folder.output = "z.h5";
  EXPECT_EQ(resolved(graph("\"y.h5\""), in_folder).output_file, "z.h5");
  EXPECT_EQ(refusal(graph("\"plate.h5\"")),
            "the output file \"plate.h5\" is also input \"u\"; inputs are never written to: choose "
            "another name "
            "(g.json:2:11)");
  EXPECT_EQ(refusal(graph("\"x/../plate.h5\"")).find("the output file \"plate.h5\" is also input"),
            0U);
  EXPECT_EQ(refusal(graph("\"y{index}.h5\"")),
            "\"output\" has {index}, but the graph runs once: expected an input with a pattern or "
            "\"each\" (g.json:2:11)");
  EXPECT_EQ(refusal(graph("\"y{item}.h5\"")),
            "\"output\": expected {name} or {index}, found {item} (g.json:2:11)");
  EXPECT_EQ(refusal(graph("\"y}.h5\"")),
            "\"output\": expected {name} or {index}, found } (g.json:2:11)");
  EXPECT_EQ(refusal(graph("\"y{name\"")),
            "\"output\": expected {name} or {index}, found {name (g.json:2:11)");
  EXPECT_EQ(refusal(graph("\"\"")),
            "\"output\": expected the name of a file, found \"\" (g.json:2:11)");
  EXPECT_EQ(refusal(graph("7")),
            "\"output\": expected a text in double quotes, found 7 (g.json:2:11)");
}

TEST(Resolve, CommandLineChangesTheGraph) {
  const std::string text = with_steps(
      R"("y": {"op": "stencil", "in": "u", "weights": "laplace2d", "scale": "alpha", "repeat": "n"})",
      "\"alpha\": 0.1, \"n\": 3");
  ResolveOptions with = options();
  with.set = {{"alpha", "5e-324"}, {"n", "7"}};
  with.recipe = Recipe::fast;
  const Graph graph = resolved(text, with);
  EXPECT_EQ(graph.nodes[0].params.real("scale"), 5e-324);
  EXPECT_EQ(graph.nodes[0].params.integer("repeat"), 7);
  EXPECT_EQ(graph.params[0].second, 5e-324);
  EXPECT_EQ(graph.recipe, Recipe::fast);
  with.set = {{"alpha", "-inf"}};
  EXPECT_EQ(resolved(text, with).nodes[0].params.real("scale"),
            -std::numeric_limits<double>::infinity());
  with.set = {{"alhpa", "1"}};
  EXPECT_EQ(refusal(text, with, ErrorKind::usage),
            "--set alhpa: the graph has no parameter of that name; did you mean \"alpha\"?");
  with.set = {{"beta_max", "1"}};
  EXPECT_EQ(
      refusal(text, with, ErrorKind::usage),
      "--set beta_max: the graph has no parameter of that name; there are \"alpha\" and \"n\"");
  with.set = {{"alpha", "0,2"}};
  EXPECT_EQ(
      refusal(text, with, ErrorKind::usage),
      "--set alpha: expected a number like 3, -0.5 or 1e-3, or inf, -inf, nan, found \"0,2\"");
  with.set = {{"n", "7.5"}};
  EXPECT_EQ(refusal(text, with),
            "step \"y\": parameter \"repeat\": expected an integer from 0 to 1000, found 7.5 "
            "(g.json:3:87)");
}

TEST(Resolve, WarnsOfWhatNobodyUses) {
  const Graph graph = resolved(R"({"tessera": 1, "inputs": {"u": "plate.h5:/t", "s": "plate.h5:/s"},
    "params": {"alpha": 1}, "outputs": {"/u": "u"}})");
  EXPECT_THAT(graph.warnings, ElementsAre("no output needs input \"s\" (g.json:1:47)",
                                          "no step uses the parameter \"alpha\" (g.json:2:16)"));
}

}  // namespace
}  // namespace tessera::graph
