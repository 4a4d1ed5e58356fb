// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/hash.hpp"

#include <set>

#include "example.hpp"

namespace tessera::graph {
namespace {

using example::resolved;
using example::with_steps;

const ContentHash content = content_hash("the input");

std::string hash_of_y(const std::string& steps, Recipe recipe = Recipe::ordered,
                      const ContentHash& input = content) {
  ResolveOptions options = example::options();
  options.recipe = recipe;
  const Graph graph = resolved(with_steps(steps), options);
  return to_string(
      tensor_hashes(graph, {input})[static_cast<std::size_t>(graph.outputs[0].tensor.value)]);
}

TEST(ContentHash, IsThatOfXxhash) {
  EXPECT_EQ(to_string(content_hash("")), "99aa06d3014798d86001c324468d497f");
}

TEST(ContentHash, NamesPlacesAndDefaultsDontMatter) {
  const std::string plain =
      hash_of_y(R"("y": {"op": "stencil", "in": "u", "weights": "laplace2d"})");
  EXPECT_EQ(
      hash_of_y(
          "\n\n"
          R"("y": {"weights": "laplace2d", "boundary": "fixed", "in": ["u"], "repeat": 1, "op": "stencil"})"),
      plain);
  const std::string two = hash_of_y(
      R"("a": {"op": "sum", "in": "u"}, "y": {"op": "matmul", "in": ["r", "r"]}, "r": {"op": "random", "shape": [2, 2]})");
  EXPECT_EQ(
      hash_of_y(
          R"("other": {"op": "random", "shape": [2, 2]}, "y": {"op": "matmul", "in": ["other", "other"]})"),
      two);
}

TEST(ContentHash, WhatChangesTheResultChangesTheHash) {
  std::set<std::string> hashes;
  const auto add = [&](const std::string& hash) {
    EXPECT_TRUE(hashes.insert(hash).second) << hash;
  };
  add(hash_of_y(R"("y": {"op": "stencil", "in": "u", "weights": [1, 2]})"));
  add(hash_of_y(R"("y": {"op": "stencil", "in": "u", "weights": [[1, 2]]})"));
  add(hash_of_y(
      R"("y": {"op": "stencil", "in": "u", "weights": [1, 2], "scale": 1.0000000000000002})"));
  add(hash_of_y(R"("y": {"op": "stencil", "in": "u", "weights": [1, 2], "repeat": 2})"));
  add(hash_of_y(R"("y": {"op": "stencil", "in": "u", "weights": [1, 2]})", Recipe::fast));
  add(hash_of_y(R"("y": {"op": "stencil", "in": "u", "weights": [1, 2]})", Recipe::ordered,
                content_hash("other")));
  add(hash_of_y(
      R"("y": {"op": "map", "in": {"a": "u", "b": "r"}, "formula": "a-b"}, "r": {"op": "random", "shape": [2]})"));
  add(hash_of_y(
      R"("y": {"op": "map", "in": {"a": "r", "b": "u"}, "formula": "a-b"}, "r": {"op": "random", "shape": [2]})"));
  add(hash_of_y(
      R"("y": {"op": "map", "in": {"b": "u", "a": "r"}, "formula": "a-b"}, "r": {"op": "random", "shape": [2]})"));
  add(hash_of_y(R"("y": {"op": "sum", "in": "f"}, "f": {"op": "lu", "in": "u"})"));
  add(hash_of_y(R"("y": {"op": "sum", "in": "f.pivots"}, "f": {"op": "lu", "in": "u"})"));
}

}  // namespace
}  // namespace tessera::graph
