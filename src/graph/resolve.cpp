// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/resolve.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "graph/names.hpp"
#include "graph/needed.hpp"
#include "graph/paths.hpp"
#include "graph/resolve_inputs.hpp"
#include "graph/resolve_params.hpp"
#include "graph/resolve_steps.hpp"

namespace tessera::graph {
namespace {

constexpr int format_version = 1;

void check_version(const Value& root, const Reader& reader) {
  const Member* version = root.find("tessera");
  if (version == nullptr) {
    throw reader
        .refusal(root.position, "this isn't a tessera graph: the key \"tessera\" is missing")
        .advice("begin the file with \"tessera\": 1");
  }
  if (version->value.is(Value::Kind::integer) && version->value.integer == format_version) return;
  throw reader
      .refusal(version->value.position, "this program doesn't know the format of this graph")
      .expected("\"tessera\": 1")
      .found(described(version->value));
}

Recipe resolve_recipe(const Value& root, const ResolveOptions& options, const Reader& reader) {
  Recipe recipe = Recipe::ordered;
  if (const Member* member = root.find("recipe")) {
    const auto named = recipe_named(reader.text(member->value, "\"recipe\""));
    if (!named) {
      throw reader.refusal(member->value.position, "there is no such recipe")
          .expected(R"("fast", "ordered" or "bitexact")")
          .found(described(member->value));
    }
    recipe = *named;
  }
  return options.recipe.value_or(recipe);
}

std::string resolve_title(const Document& document, const Reader& reader) {
  if (const Member* title = document.root.find("title"))
    return reader.text(title->value, "\"title\"");
  return std::filesystem::path(document.file).stem().string();
}

/// Makes tensors and nodes out of checked parts.
class GraphMaker {
 public:
  GraphMaker(const Document& document, const ResolveOptions& options, GraphParams& params,
             Graph& graph)
      : document_(document),
        options_(options),
        params_(params),
        graph_(graph),
        reader_(document, "") {}

  void make(const Catalogue& catalogue) {
    add_inputs();
    const std::vector<WrittenStep> steps = read_steps(document_, catalogue);
    const TensorNames names(graph_.inputs, steps);
    std::vector<StepInputs> inputs;
    for (const WrittenStep& step : steps) inputs.push_back(read_step_inputs(step, names));
    first_tensor_.resize(steps.size());
    for (const int step : execution_order(steps, inputs)) {
      first_tensor_[step] = static_cast<int>(graph_.tensors.size());
      add_node(steps[step], inputs[step]);
    }
    add_outputs(names);
    warn(steps);
  }

 private:
  void add_inputs() {
    graph_.inputs = resolve_inputs(document_, options_);
    Items items = resolve_items(document_, graph_.inputs);
    graph_.batched = items.batched;
    graph_.items = items.count;
    graph_.item_names = std::move(items.names);
    for (int i = 0; i < static_cast<int>(graph_.inputs.size()); ++i) {
      graph_.tensors.push_back({graph_.inputs[i].name, graph_.inputs[i].info, StepId{}, i});
    }
  }

  [[nodiscard]] TensorId tensor_of(const Origin& origin) const {
    return TensorId{origin.input >= 0 ? origin.input : first_tensor_[origin.step] + origin.output};
  }

  void add_node(const WrittenStep& step, const StepInputs& inputs) {
    const Signature& signature = *step.signature;
    Node node;
    node.id = StepId{static_cast<std::int32_t>(graph_.nodes.size())};
    node.name = step.member->key;
    node.op = signature.name;
    node.place = step.reader.place(step.member->position);
    node.params = resolve_params(step.member->value, signature, params_, step.reader);
    node.params.set_step_place(node.place);
    node.input_names = inputs.names;
    for (const Origin& origin : inputs.origins) {
      node.inputs.push_back(tensor_of(origin));
      node.input_infos.push_back(graph_.tensors[node.inputs.back().value].info);
    }
    node.output_infos = infer(signature, node);
    for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
      node.outputs.push_back(TensorId{static_cast<std::int32_t>(graph_.tensors.size())});
      const std::string name = i == 0 ? node.name : node.name + "." + signature.outputs[i];
      graph_.tensors.push_back({name, node.output_infos[i], node.id, -1});
    }
    graph_.nodes.push_back(std::move(node));
  }

  /// The operation's own shape rule; its errors get the step's name and place.
  [[nodiscard]] std::vector<TensorInfo> infer(const Signature& signature, const Node& node) const {
    try {
      auto infos =
          signature.infer({node.input_infos, node.params, graph_.recipe, node.input_names});
      require(infos.size() == signature.outputs.size(),
              "an operation's shape rule gives all its outputs");
      for (const TensorInfo& info : infos) (void)element_count(info.shape);
      return infos;
    } catch (Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      Place place = error.place().line > 0 ? error.place() : node.place;
      place.step = node.name;
      throw error.at(place);
    }
  }

  void add_outputs(const TensorNames& names) {
    const Value& outputs =
        reader_.object(reader_.needed(document_.root, "outputs").value, "\"outputs\"");
    if (outputs.members.empty()) {
      throw reader_.refusal(outputs.position, "the graph has no outputs")
          .expected("at least one, like {\"/y\": \"y\"}");
    }
    for (const Member& member : outputs.members) {
      const Reader reader(document_, "output " + in_quotes(member.key));
      if (const std::string fault = dataset_path_fault(member.key); !fault.empty()) {
        throw reader.refusal(member.position, "this can't be a dataset: " + fault)
            .expected("a path like \"/group/name\"");
      }
      const TensorId tensor = tensor_of(names.find(member.value, reader));
      graph_.outputs.push_back({member.key, tensor, graph_.tensors[tensor.value].info,
                                reader.place(member.position), member.value.text});
    }
    std::sort(graph_.outputs.begin(), graph_.outputs.end(),
              [](const Output& a, const Output& b) { return a.dataset < b.dataset; });
    refuse_datasets_below_datasets();
  }

  void refuse_datasets_below_datasets() const {
    std::map<std::string, const Output*> datasets;
    for (const Output& output : graph_.outputs) datasets[output.dataset] = &output;
    for (const Output& output : graph_.outputs) {
      for (auto slash = output.dataset.rfind('/'); slash > 0;
           slash = output.dataset.rfind('/', slash - 1)) {
        const auto above = datasets.find(output.dataset.substr(0, slash));
        if (above == datasets.end()) continue;
        throw reader_.refusal({output.place.line, output.place.column},
                              "output " + in_quotes(output.dataset) + " would lie inside output " +
                                  in_quotes(above->first) + ", which is a dataset and no group");
      }
    }
  }

  /// Steps and inputs that no output comes from.
  void warn(const std::vector<WrittenStep>& steps) {
    const std::vector<bool> needed = needed_tensors(graph_);
    std::set<std::string> idle;
    for (const Node& node : graph_.nodes) {
      if (!is_needed(node, needed)) idle.insert(node.name);
    }
    for (const Input& input : graph_.inputs) {
      if (needed[input.tensor.value]) continue;
      graph_.warnings.push_back(reader_
                                    .refusal({input.place.line, input.place.column},
                                             "no output needs input " + in_quotes(input.name))
                                    .text());
    }
    for (const WrittenStep& step : steps) {
      if (!idle.contains(step.member->key)) continue;
      graph_.warnings.push_back(
          step.reader.refusal(step.member->position, "no output needs it").text());
    }
    for (std::string& warning : params_.warnings(reader_))
      graph_.warnings.push_back(std::move(warning));
  }

  const Document& document_;
  const ResolveOptions& options_;
  GraphParams& params_;
  Graph& graph_;
  Reader reader_;
  std::vector<int> first_tensor_;  ///< of each step of the file
};

/// Throws for braces that aren't {name} or {index}; returns which of the two occur.
std::set<std::string> placeholders(const std::string& path, const Reader& reader,
                                   Position position) {
  std::set<std::string> found;
  for (auto begin = path.find_first_of("{}"); begin != std::string::npos;) {
    const auto end = path.find('}', begin);
    const std::string word = path.substr(begin, end == std::string::npos ? end : end + 1 - begin);
    if (word != "{name}" && word != "{index}") {
      throw reader.refusal(position, "\"output\"").expected("{name} or {index}").found(word);
    }
    found.insert(word);
    begin = path.find_first_of("{}", end + 1);
  }
  return found;
}

void resolve_output_file(const Document& document, const ResolveOptions& options, Graph& graph) {
  const Reader reader(document, "");
  const Member* member = document.root.find("output");
  if (member != nullptr) reader.text(member->value, "\"output\"");
  if (member == nullptr && !options.output) return;
  const Position position =
      member == nullptr || options.output ? Position{} : member->value.position;
  graph.output_file =
      options.output ? path_in("", *options.output) : path_in(options.folder, member->value.text);
  const std::string name = options.output ? *options.output : member->value.text;
  if (name.empty() || name.ends_with('/')) {
    throw reader.refusal(position, "\"output\"")
        .expected("the name of a file")
        .found(in_quotes(name));
  }
  const auto used = placeholders(name, reader, position);
  if (!used.empty() && !graph.batched) {
    throw reader.refusal(position, "\"output\" has " + *used.begin() + ", but the graph runs once")
        .expected("an input with a pattern or \"each\"");
  }
  if (used.contains("{name}") && !used.contains("{index}")) {
    std::set<std::string> names;
    for (const std::string& item : graph.item_names) {
      if (names.insert(item).second) continue;
      throw reader
          .refusal(position,
                   "two items would be written to one file: both are named " + in_quotes(item))
          .advice("add {index} to the name");
    }
  }
  for (const Input& input : graph.inputs) {
    for (const Source& source : input.sources) {
      if (!same_file(source.file, graph.output_file)) continue;
      throw reader
          .refusal(position, "the output file " + in_quotes(graph.output_file) + " is also input " +
                                 in_quotes(input.name))
          .advice("inputs are never written to: choose another name");
    }
  }
}

}  // namespace

Graph resolve(const Document& document, const Catalogue& catalogue, const ResolveOptions& options) {
  const Reader reader(document, "");
  const Value& root = reader.object(document.root, "a graph");
  check_version(root, reader);
  // "$schema" tells editors where the schema is.
  reader.known_keys(root, {"$schema", "tessera", "title", "inputs", "params", "steps", "outputs",
                           "output", "recipe"});

  Graph graph;
  graph.file = document.file;
  graph.text = document.text;
  graph.title = resolve_title(document, reader);
  graph.recipe = resolve_recipe(root, options, reader);
  GraphParams params(document, options.set);
  graph.params = params.values();
  GraphMaker(document, options, params, graph).make(catalogue);
  resolve_output_file(document, options, graph);
  return graph;
}

}  // namespace tessera::graph
