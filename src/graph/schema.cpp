// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/schema.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tessera::graph {
namespace {

// Keeps the order in which keys are written, so that the text reads from the top.
using Json = nlohmann::ordered_json;

/// A JSON Pointer is %-free and has only / and ~ to escape; names of operations have neither.
std::string operation_pointer(const std::string& name) { return "#/definitions/" + name; }

Json any_of(std::vector<Json> alternatives) {
  if (alternatives.size() == 1) return alternatives.front();
  return Json{{"anyOf", alternatives}};
}

Json text_schema() { return Json{{"type", "string"}}; }
Json name_schema() { return Json{{"type", "string"}, {"minLength", 1}}; }

Json list_schema(const Json& items) { return Json{{"type", "array"}, {"items", items}}; }

/// A number may also be the name of a graph parameter, or "inf", "-inf", "nan".
Json number_schema(const ParamSpec& spec) {
  const bool integer = spec.type == ParamType::integer || spec.type == ParamType::integers;
  Json number{{"type", integer ? "integer" : "number"}};
  if (spec.minimum) number["minimum"] = *spec.minimum;
  if (spec.maximum) number["maximum"] = *spec.maximum;
  return number;
}

Json word_schema(const ParamSpec& spec) {
  return spec.choices.empty() ? text_schema() : Json{{"enum", spec.choices}};
}

Json value_json(const ParamValue& value) {
  // Parameters are written as they are in a graph; only numbers that JSON lacks become texts.
  if (const double* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real)) {
    return number_text(*real);
  }
  return Json::parse(to_string(value), nullptr, /*allow_exceptions=*/false);
}

/// `pointer` is where this schema will stand: nested lists refer back to it.
Json param_schema(const ParamSpec& spec, const std::string& pointer) {
  std::vector<Json> forms;
  if (spec.or_text && !spec.choices.empty()) forms.push_back(word_schema(spec));
  switch (spec.type) {
    case ParamType::boolean:
      forms.push_back(Json{{"type", "boolean"}});
      break;
    case ParamType::text:
      forms.push_back(word_schema(spec));
      break;
    case ParamType::texts:
      forms.push_back(word_schema(spec));
      forms.push_back(list_schema(word_schema(spec)));
      break;
    case ParamType::integer:
    case ParamType::real:
      forms.push_back(number_schema(spec));
      forms.push_back(name_schema());
      break;
    case ParamType::integers:
      forms.push_back(number_schema(spec));
      forms.push_back(name_schema());
      forms.push_back(list_schema(any_of({number_schema(spec), name_schema()})));
      break;
    case ParamType::numbers:
      forms.push_back(number_schema(spec));
      forms.push_back(name_schema());
      forms.push_back(list_schema(Json{{"$ref", pointer}}));
      break;
  }
  Json schema{{"description", spec.doc}};
  if (spec.fallback) schema["default"] = value_json(*spec.fallback);
  schema.update(any_of(std::move(forms)));
  return schema;
}

/// "in": a name, a list, or an object, as many as the operation takes.
Json inputs_schema(const InputsSpec& spec) {
  const std::size_t count = spec.names.size();
  std::vector<Json> forms;
  if (spec.needed() == 1) forms.push_back(name_schema());
  Json list = list_schema(name_schema());
  list["minItems"] = spec.needed();
  if (!spec.variadic) list["maxItems"] = count;
  forms.push_back(list);
  if (spec.named && spec.variadic) {
    forms.push_back(Json{
        {"type", "object"}, {"minProperties", count}, {"additionalProperties", name_schema()}});
  } else if (spec.named) {
    const std::vector<std::string> needed(
        spec.names.begin(), spec.names.begin() + static_cast<std::ptrdiff_t>(spec.needed()));
    Json object{{"type", "object"}, {"required", needed}, {"additionalProperties", false}};
    for (const std::string& name : spec.names) object["properties"][name] = name_schema();
    forms.push_back(object);
  }
  return any_of(std::move(forms));
}

Json operation_schema(const Signature& signature, const std::string& summary) {
  Json properties{{"op", {{"const", signature.name}}}, {"in", inputs_schema(signature.inputs)}};
  Json required = Json::array({"op"});
  if (!signature.inputs.names.empty()) required.push_back("in");
  for (const ParamSpec& spec : signature.params) {
    properties[spec.name] =
        param_schema(spec, operation_pointer(signature.name) + "/properties/" + spec.name);
    if (!spec.fallback && !spec.optional) required.push_back(spec.name);
  }
  Json schema{{"type", "object"}};
  if (!summary.empty()) schema["description"] = summary;
  schema.update(
      Json{{"required", required}, {"properties", properties}, {"additionalProperties", false}});
  return schema;
}

/// The operation's name decides which other keys a step may have.
Json step_schema(const Catalogue& catalogue) {
  Json branches = Json::array();
  for (const std::string& name : catalogue.names) {
    branches.push_back(
        Json{{"if", {{"properties", {{"op", {{"const", name}}}}}, {"required", {"op"}}}},
             {"then", {{"$ref", operation_pointer(name)}}}});
  }
  return Json{{"type", "object"},
              {"required", {"op"}},
              {"properties", {{"op", {{"enum", catalogue.names}}}}},
              {"allOf", branches}};
}

Json input_schema() {
  Json object{
      {"type", "object"}, {"required", {"file", "dataset"}}, {"additionalProperties", false}};
  object["properties"] = {
      {"file",
       {{"type", "string"},
        {"minLength", 1},
        {"description", "HDF5 file; * and ? stand for several, one item each"}}},
      {"dataset", {{"type", "string"}, {"pattern", "^(/(?!\\.{1,2}(/|$))[^/]+)+$"}}},
      {"select",
       {{"type", "string"},
        {"pattern", "^\\s*\\[[-+0-9:,.\\s]+\\]\\s*$"},
        {"description", "as numpy slices: \"[0:100, ::2, 3]\""}}},
      {"each",
       {{"type", "integer"},
        {"description", "axis of the selection: the graph runs once per index"}}}};
  return any_of({Json{{"type", "string"}, {"pattern", "^.+:(/(?!\\.{1,2}(/|$))[^/]+)+$"}}, object});
}

Json named_section(const std::string& description, const Json& values) {
  return Json{{"description", description},
              {"type", "object"},
              {"propertyNames", {{"pattern", "^[^\\x00-\\x1f\\x7f]+$"}}},
              {"additionalProperties", values}};
}

Json properties_schema() {
  Json params =
      named_section("numbers that steps use by name, and --set changes",
                    any_of({Json{{"type", "number"}}, Json{{"enum", {"inf", "-inf", "nan"}}}}));
  params["propertyNames"] = {{"pattern", "^(?!-)(?!inf$)(?!nan$).+$"}};
  Json outputs =
      named_section("datasets to write, each with the name of an input or step", name_schema());
  outputs["propertyNames"] = {{"pattern", "^(/(?!\\.{1,2}(/|$))[^/\\x00-\\x1f\\x7f]+)+$"}};
  outputs["minProperties"] = 1;
  return Json{
      {"$schema", text_schema()},
      {"tessera", {{"description", "version of the format"}, {"const", 1}}},
      {"title", text_schema()},
      {"inputs", named_section("tensors to read: \"FILE:/DATASET\" or an object", input_schema())},
      {"params", params},
      {"steps", named_section("operations, in any order", Json{{"$ref", "#/definitions/@step"}})},
      {"outputs", outputs},
      {"output",
       {{"description", "file to write; {name} or {index} for one file per item"},
        {"type", "string"},
        {"pattern", "^([^{}]|\\{(name|index)\\})*([^{}/]|\\{(name|index)\\})$"}}},
      {"recipe",
       {{"description", "what bits the results have"},
        {"enum", {"fast", "ordered", "bitexact"}},
        {"default", "ordered"}}}};
}

}  // namespace

std::string json_schema(const Catalogue& catalogue,
                        const std::function<std::string(const std::string&)>& summary) {
  Json definitions;
  // The sign keeps it apart from operations.
  definitions["@step"] = step_schema(catalogue);
  for (const std::string& name : catalogue.names) {
    definitions[name] = operation_schema(*catalogue.find(name), summary ? summary(name) : "");
  }
  const Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "tessera graph"},
                    {"type", "object"},
                    {"required", {"tessera", "outputs"}},
                    {"properties", properties_schema()},
                    {"additionalProperties", false},
                    {"definitions", definitions}};
  return schema.dump(2) + "\n";
}

}  // namespace tessera::graph
