// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "graph/resolve.hpp"

namespace tessera::graph::example {

/// A few operations with every kind of input and parameter. Shape rules are the simplest that
/// serve.
inline const std::map<std::string, Signature>& operations() {
  const auto same = [](const InferContext& context) {
    return std::vector<TensorInfo>{context.inputs.front()};
  };
  static const std::map<std::string, Signature> all = [&] {
    std::map<std::string, Signature> made;
    const auto add = [&](Signature signature) { made[signature.name] = std::move(signature); };
    add({.name = "stencil",
         .inputs = {.names = {"in"}},
         .params = {{.name = "weights",
                     .type = ParamType::numbers,
                     .doc = "w",
                     .choices = {"laplace1d", "laplace2d"},
                     .or_text = true},
                    {.name = "scale", .type = ParamType::real, .doc = "s", .fallback = 1.0},
                    {.name = "repeat",
                     .type = ParamType::integer,
                     .doc = "r",
                     .fallback = std::int64_t{1},
                     .minimum = 0,
                     .maximum = 1000},
                    {.name = "boundary",
                     .type = ParamType::text,
                     .doc = "b",
                     .fallback = std::string("fixed"),
                     .choices = {"fixed", "periodic", "zero"}}},
         .infer = same});
    add({.name = "map",
         .inputs = {.names = {"in"}, .variadic = true, .named = true},
         .params = {{.name = "formula", .type = ParamType::text, .doc = "f"}},
         .infer = same});
    add({.name = "sum",
         .inputs = {.names = {"in"}},
         .params = {{.name = "axes", .type = ParamType::integers, .doc = "a", .optional = true},
                    {.name = "keep", .type = ParamType::boolean, .doc = "k", .fallback = false},
                    {.name = "tags",
                     .type = ParamType::texts,
                     .doc = "t",
                     .optional = true,
                     .choices = {"x", "y"}}},
         .infer = [](const InferContext& context) {
           return std::vector<TensorInfo>{{context.inputs[0].dtype, {}}};
         }});
    add({.name = "matmul",
         .inputs = {.names = {"a", "b"}},
         .infer = [](const InferContext& context) {
           const Shape& a = context.inputs[0].shape;
           const Shape& b = context.inputs[1].shape;
           if (a.back() != b[0]) {
             throw Error(ErrorKind::graph, "the inner extents differ")
                 .expected(std::to_string(a.back()))
                 .found(std::to_string(b[0]));
           }
           return std::vector<TensorInfo>{{context.inputs[0].dtype, {a[0], b.back()}}};
         }});
    add({.name = "lu",
         .inputs = {.names = {"in"}},
         .outputs = {"lu", "pivots"},
         .infer = [](const InferContext& context) {
           return std::vector<TensorInfo>{context.inputs[0],
                                          {DType::int64, {context.inputs[0].shape[0]}}};
         }});
    add({.name = "random",
         .params = {{.name = "shape", .type = ParamType::integers, .doc = "s", .minimum = 0},
                    {.name = "seed",
                     .type = ParamType::integer,
                     .doc = "s",
                     .fallback = std::int64_t{0}}},
         .infer = [](const InferContext& context) {
           const auto shape = context.params.integers("shape");
           if (shape.size() > 2) {
             throw Error(ErrorKind::graph, "too many axes").at(context.params.place("shape"));
           }
           return std::vector<TensorInfo>{{DType::float64, Shape(std::span(shape))}};
         }});
    add({.name = "concat",
         .inputs = {.names = {"first", "more"}, .variadic = true},
         .infer = same});
    add({.name = "where",
         .inputs = {.names = {"condition", "a", "b"}, .named = true},
         .infer = same});
    return made;
  }();
  return all;
}

inline Catalogue catalogue() {
  Catalogue result;
  result.find = [](const std::string& name) {
    const auto found = operations().find(name);
    return found == operations().end() ? nullptr : &found->second;
  };
  for (const auto& [name, signature] : operations()) result.names.push_back(name);
  return result;
}

/// Invented files: "plate.h5" has /t float64 [6, 8] and /s, a scalar; "stack.h5" has /x float32 [5,
/// 4, 3].
inline StoredTensor probe(const std::string& file, const std::string& dataset) {
  static const std::map<std::string, StoredTensor> datasets = {
      {"plate.h5:/t", {DType::float64, {6, 8}}},    {"plate.h5:/s", {DType::float64, {}}},
      {"stack.h5:/x", {DType::float32, {5, 4, 3}}}, {"three.h5:/x", {DType::float32, {3, 4, 3}}},
      {"none.h5:/x", {DType::float32, {0, 4}}},
  };
  const std::string name = file.substr(file.rfind('/') + 1) + ":" + dataset;
  const auto found = datasets.find(name);
  if (found == datasets.end()) {
    throw Error(ErrorKind::graph, "there is no dataset").at({file, 0, 0, {}, dataset});
  }
  return found->second;
}

inline ResolveOptions options() {
  ResolveOptions result;
  result.probe = probe;
  return result;
}

inline Graph resolved(const std::string& text, const ResolveOptions& with = options()) {
  return resolve(parse(text, "g.json"), catalogue(), with);
}

/// The message with which a graph is refused, "accepted" when it isn't.
inline std::string refusal(const std::string& text, const ResolveOptions& with = options(),
                           ErrorKind kind = ErrorKind::graph) {
  try {
    (void)resolved(text, with);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.text();
    return error.text();
  }
  return "accepted";
}

/// A graph with one input u (float64 [6, 8]) and these steps; output /y is step y.
inline std::string with_steps(const std::string& steps, const std::string& params = "") {
  return "{\"tessera\": 1, \"inputs\": {\"u\": \"plate.h5:/t\"}, \"outputs\": {\"/y\": \"y\"}," +
         (params.empty() ? "" : "\"params\": {" + params + "},") + "\n\"steps\": {\n" + steps +
         "}}";
}

}  // namespace tessera::graph::example
