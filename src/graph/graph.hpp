// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.hpp"
#include "base/extents.hpp"
#include "base/ids.hpp"
#include "base/recipe.hpp"
#include "base/selection.hpp"
#include "graph/params.hpp"

namespace tessera::graph {

struct TensorInfo {
  DType dtype = DType::float64;
  Shape shape;
  friend bool operator==(const TensorInfo&, const TensorInfo&) = default;
};

/// What an operation's shape rule sees: the inputs (one item's, in an `each` graph), the
/// parameters, and the recipe. Errors that it throws as Error(graph) get the step's name and place
/// from the caller; use `params.place(name)` to point at a parameter.
struct InferContext {
  const std::vector<TensorInfo>& inputs;
  const Params& params;
  Recipe recipe;
  /// How formulas and messages call the inputs; see Node::input_names.
  std::vector<std::string> input_names = {};
};

/// How many inputs a step takes, and what they are called in messages.
struct InputsSpec {
  std::vector<std::string> names;  ///< e.g. {"a", "b"}; in the graph: "in": ["x", "y"] or "in": "x"
  bool variadic = false;           ///< the last name may repeat (one or more times)
  bool named = false;              ///< "in" may also be an object {name: tensor}, e.g. for formulas
  int optional = 0;                ///< so many of the last names may be left out
  [[nodiscard]] std::size_t needed() const {
    return names.size() - static_cast<std::size_t>(optional);
  }
};

/// What the graph needs to know of an operation to check a step. The operation itself lives in ops.
struct Signature {
  std::string name;
  InputsSpec inputs;
  std::vector<ParamSpec> params;
  std::vector<std::string> outputs = {"out"};  ///< `step` names the first, `step.name` the others
  /// Types and shapes of the outputs. Given the checked parameters.
  std::function<std::vector<TensorInfo>(const InferContext&)> infer;
};

/// Looks an operation up; null when there is none of that name. `names` lists all, for messages.
struct Catalogue {
  std::function<const Signature*(const std::string& name)> find;
  std::vector<std::string> names;
};

/// One file and dataset that an input is read from.
struct Source {
  std::string file;     ///< path as it is opened
  std::string dataset;  ///< HDF5 path
};

/// A tensor that is read. In an `each` graph `info` is one item's.
struct Input {
  std::string name;
  Place place;
  std::vector<Source> sources;   ///< one, or one per file that the pattern matched, by name
  Selection selection;           ///< as written; applies to the whole dataset
  std::optional<int> each_axis;  ///< the axis of the selected dataset that items lie along
  bool batched = false;          ///< has items: a pattern, or each_axis; all items share the others
  TensorInfo info;
  TensorId tensor;
  /// (source, index along each_axis or -1) of item i.
  std::vector<std::pair<int, std::int64_t>> items;
};

/// One step. `params` are complete: defaults filled in.
struct Node {
  StepId id;
  std::string name;
  std::string op;
  Place place;
  Params params;
  std::vector<TensorId> inputs;
  /// Of an operation with named inputs: the keys of "in", or else the tensors' own names (a formula
  /// uses them). Of the others: the signature's names, a repeated one with its number ("in 2").
  std::vector<std::string> input_names;
  std::vector<TensorId> outputs;
  std::vector<TensorInfo> input_infos;
  std::vector<TensorInfo> output_infos;
};

/// A dataset that is written. In an `each` graph `info` is one item's; `one_file_per_item` tells
/// whether items are stacked or go to one file each.
struct Output {
  std::string dataset;  ///< absolute HDF5 path
  TensorId tensor;
  TensorInfo info;
  Place place;
  std::string step;  ///< the tensor's name in the graph
};

/// A value that flows: from an input or from a step's output.
struct Tensor {
  std::string name;
  TensorInfo info;
  StepId producer;  ///< invalid for an input
  int input = -1;   ///< index into Graph::inputs; -1 for a step's output
};

/// A checked graph: every name resolved, every type and shape known. Immutable once made.
struct Graph {
  std::string file;                   ///< the graph file as given
  std::string title;                  ///< "title", or the file's stem
  std::string text;                   ///< the file's text, for provenance
  std::vector<std::string> warnings;  ///< one line each: steps, inputs, parameters that nobody uses
  std::vector<std::pair<std::string, double>> params;  ///< after --set, in name order
  Recipe recipe = Recipe::ordered;
  std::vector<Input> inputs;
  std::vector<Node> nodes;      ///< in execution order: inputs of a node come before it
  std::vector<Tensor> tensors;  ///< indexed by TensorId
  std::vector<Output> outputs;  ///< sorted by dataset path
  std::string output_file;      ///< "output", resolved against the graph's folder; may be empty
  bool batched = false;         ///< runs once per item
  std::int64_t items = 1;       ///< number of items of a batched graph
  std::vector<std::string> item_names;  ///< for "{name}" in output files: file stem, or index
};

/// Whether every item of a batched graph gets an output file of its own ("{name}" or "{index}" in
/// the path) instead of a place in stacked datasets.
inline bool one_file_per_item(const Graph& graph) {
  return graph.batched && graph.output_file.find('{') != std::string::npos;
}

}  // namespace tessera::graph
