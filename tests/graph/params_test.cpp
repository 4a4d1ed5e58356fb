// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/params.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "example.hpp"

namespace tessera::graph {
namespace {

using example::refusal;
using example::resolved;
using example::with_steps;
using ::testing::ElementsAre;

const std::string stencil = R"("y": {"op": "stencil", "in": "u", "weights": )";

Params params_of(const std::string& rest, const std::string& graph_params = "") {
  return resolved(with_steps(stencil + rest + "}", graph_params)).nodes[0].params;
}

std::string refusal_of(const std::string& rest, const std::string& graph_params = "") {
  return refusal(with_steps(stencil + rest + "}", graph_params));
}

TEST(Params, NumbersOfRegularShape) {
  const NumberArray array = params_of("[[1, -2.5], [3, 4]]").numbers("weights");
  EXPECT_EQ(array.shape, (Shape{2, 2}));
  EXPECT_THAT(array.values, ElementsAre(1, -2.5, 3, 4));
  EXPECT_FALSE(array.integral);
  EXPECT_TRUE(params_of("[1, 2]").numbers("weights").integral);
  EXPECT_EQ(params_of("7").numbers("weights").shape, Shape{});
  EXPECT_EQ(params_of("[[], []]").numbers("weights").shape, (Shape{2, 0}));
  EXPECT_EQ(refusal_of("[[1, 2], [3]]"),
            "step \"y\": parameter \"weights\" has lists of different lengths: expected a list of "
            "2, found a list of 1 "
            "(g.json:3:55)");
  EXPECT_EQ(refusal_of("[[1, 2], 3]"),
            "step \"y\": parameter \"weights\" has lists of different lengths: expected a list of "
            "2, found 3 (g.json:3:55)");
  EXPECT_EQ(refusal_of("[1, [2]]"),
            "step \"y\": parameter \"weights\" has lists of different lengths: expected a number, "
            "found a list (g.json:3:50)");
  EXPECT_NE(refusal_of("[[[[[[[[[1]]]]]]]]]").find("found more than 8 nested lists"),
            std::string::npos);
}

TEST(Params, NamesOfGraphParametersStandForNumbers) {
  const Params params =
      params_of(R"(["c", "-c", 1], "scale": "-c", "repeat": "n")", R"("c": 0.25, "n": 4)");
  EXPECT_THAT(params.numbers("weights").values, ElementsAre(0.25, -0.25, 1));
  EXPECT_EQ(params.real("scale"), -0.25);
  EXPECT_EQ(params.integer("repeat"), 4);
  EXPECT_EQ(refusal_of(R"([1], "scale": "alhpa")", R"("alpha": 1)"),
            "step \"y\": parameter \"scale\": expected a number, found \"alhpa\"; did you mean "
            "\"alpha\"? (g.json:3:60)");
  EXPECT_EQ(refusal_of(R"([1], "scale": "2 * alpha")", R"("alpha": 1)"),
            "step \"y\": parameter \"scale\": expected a number, found \"2 * alpha\"; the graph "
            "has no parameter of that name "
            "(g.json:3:60)");
}

TEST(Params, WordsMayStandForNumbersWhereTheOperationSaysSo) {
  EXPECT_EQ(params_of("\"laplace2d\"").text("weights"), "laplace2d");
  EXPECT_EQ(refusal_of("\"laplace3d\""),
            "step \"y\": parameter \"weights\": expected a number or lists of numbers, or one of "
            "\"laplace1d\" or "
            "\"laplace2d\", found \"laplace3d\"; did you mean \"laplace1d\"? (g.json:3:46)");
}

TEST(Params, NumbersThatJsonLacks) {
  EXPECT_TRUE(std::isnan(params_of(R"([1], "scale": "nan")").real("scale")));
  EXPECT_EQ(params_of(R"([1], "scale": "-inf")").real("scale"),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(params_of(R"([1], "scale": 5e-324)").real("scale"),
            std::numeric_limits<double>::denorm_min());
}

TEST(Params, IntegersAreWhole) {
  EXPECT_EQ(params_of(R"([1], "repeat": 3.0)").integer("repeat"), 3);
  EXPECT_EQ(refusal_of(R"([1], "repeat": 3.5)"),
            "step \"y\": parameter \"repeat\": expected an integer from 0 to 1000, found 3.5 "
            "(g.json:3:61)");
  EXPECT_EQ(refusal_of(R"([1], "repeat": -1)"),
            "step \"y\": parameter \"repeat\": expected an integer from 0 to 1000, found -1 "
            "(g.json:3:61)");
  EXPECT_EQ(refusal_of(R"([1], "repeat": 1001)"),
            "step \"y\": parameter \"repeat\": expected an integer from 0 to 1000, found 1001 "
            "(g.json:3:61)");
  EXPECT_EQ(refusal_of(R"([1], "repeat": true)"),
            "step \"y\": parameter \"repeat\": expected an integer from 0 to 1000, found true "
            "(g.json:3:61)");
  EXPECT_EQ(refusal_of(R"([1], "repeat": "nan")"),
            "step \"y\": parameter \"repeat\": expected an integer from 0 to 1000, found nan "
            "(g.json:3:61)");
}

TEST(Params, SeedsKeep64Bits) {
  const auto seed = [](const std::string& written) {
    return resolved(with_steps(R"("y": {"op": "random", "shape": 3, "seed": )" + written + "}",
                               "\"s\": 9007199254740993"))
        .nodes[0]
        .params.integer("seed");
  };
  EXPECT_EQ(seed("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(seed("\"s\""), 9007199254740993);
  EXPECT_EQ(seed("\"-s\""), -9007199254740993);
}

TEST(Params, ListsOfIntegersAndTexts) {
  const auto sum = [](const std::string& rest) {
    return with_steps(R"("y": {"op": "sum", "in": "u", )" + rest + "}");
  };
  EXPECT_THAT(resolved(sum("\"axes\": [0, -1]")).nodes[0].params.integers("axes"),
              ElementsAre(0, -1));
  EXPECT_THAT(resolved(sum("\"axes\": 1")).nodes[0].params.integers("axes"), ElementsAre(1));
  EXPECT_THAT(resolved(sum("\"axes\": []")).nodes[0].params.integers("axes"), ElementsAre());
  EXPECT_FALSE(resolved(sum("\"keep\": true")).nodes[0].params.has("axes"));
  EXPECT_TRUE(resolved(sum("\"keep\": true")).nodes[0].params.flag("keep"));
  EXPECT_THAT(resolved(sum(R"("tags": ["x", "y"])")).nodes[0].params.texts("tags"),
              ElementsAre("x", "y"));
  EXPECT_THAT(resolved(sum(R"("tags": "x")")).nodes[0].params.texts("tags"), ElementsAre("x"));
  EXPECT_EQ(refusal(sum("\"axes\": [0.5]")),
            "step \"y\": parameter \"axes\": expected integers, found 0.5 (g.json:3:40)");
  EXPECT_EQ(refusal(sum("\"axes\": null")),
            "step \"y\": parameter \"axes\": expected integers, found null (g.json:3:39)");
  EXPECT_EQ(refusal(sum("\"axes\": [[0]]")),
            "step \"y\": parameter \"axes\": expected integers, found a list (g.json:3:40)");
  EXPECT_EQ(
      refusal(sum("\"axes\": 9007199254740993")),
      "step \"y\": parameter \"axes\": expected integers, found 9007199254740993 (g.json:3:39)");
  EXPECT_EQ(refusal(sum("\"keep\": 1")),
            "step \"y\": parameter \"keep\": expected true or false, found 1 (g.json:3:39)");
  EXPECT_EQ(refusal(sum(R"("tags": ["x", "z"])")),
            "step \"y\": parameter \"tags\": expected a list of \"x\" or \"y\", found \"z\" "
            "(g.json:3:45)");
}

TEST(Params, MissingOnes) {
  EXPECT_EQ(refusal(with_steps(R"("y": {"op": "map", "in": "u"})")),
            "step \"y\": the parameter \"formula\" is missing: expected a text (g.json:3:6)");
}

TEST(Params, GraphParametersAreNumbers) {
  EXPECT_EQ(refusal_of("1", "\"c\": \"x\""),
            "the graph's parameter \"c\": expected a number, or \"inf\", \"-inf\", \"nan\", found "
            "\"x\" (g.json:1:87)");
  EXPECT_NE(refusal_of("1", "\"inf\": 1").find("can't have this name"), std::string::npos);
  EXPECT_NE(refusal_of("1", "\"-c\": 1").find("can't have this name"), std::string::npos);
}

TEST(Params, TextsRoundTrip) {
  EXPECT_EQ(to_string(ParamValue(0.1)), "0.1");
  EXPECT_EQ(to_string(ParamValue(5e-324)), "5e-324");
  EXPECT_EQ(to_string(ParamValue(std::numeric_limits<double>::infinity())), "inf");
  EXPECT_EQ(to_string(ParamValue(std::int64_t{-3})), "-3");
  EXPECT_EQ(to_string(ParamValue(std::string("a\"b"))), "\"a\\\"b\"");
  EXPECT_EQ(to_string(ParamValue(NumberArray{{2, 2}, {1, 2, 3, 0.5}})), "[[1, 2], [3, 0.5]]");
  EXPECT_EQ(to_string(ParamValue(NumberArray{{}, {2}})), "2");
  EXPECT_EQ(to_string(ParamValue(std::vector<std::string>{"a", "b"})), "[\"a\", \"b\"]");
  EXPECT_EQ(to_string(ParamValue(true)), "true");
}

TEST(Params, GettersRefuseWhatWasNotPromised) {
  Params params;
  params.set("n", std::int64_t{3});
  EXPECT_EQ(params.real("n"), 3.0);
  EXPECT_THAT(params.integers("n"), ElementsAre(3));
  EXPECT_THROW((void)params.text("n"), Error);
  EXPECT_THROW((void)params.integer("m"), Error);
  EXPECT_FALSE(params.has("m"));
  params.set_step_place({"g.json", 4, 2, "y", ""});
  EXPECT_EQ(params.place("m").line, 4);
}

}  // namespace
}  // namespace tessera::graph
