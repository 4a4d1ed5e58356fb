// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/resolve_steps.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "graph/names.hpp"

namespace tessera::graph {
namespace {

using Kind = Value::Kind;

const Signature& find_operation(const Value& op, const Catalogue& catalogue, const Reader& reader) {
  const std::string& name = reader.text(op, "\"op\"");
  if (const Signature* signature = catalogue.find(name)) return *signature;
  Error error = reader.refusal(op.position, "there is no operation " + in_quotes(name));
  const std::string near = nearest(name, catalogue.names);
  throw error.advice(near.empty() ? "\"tessera ops\" lists them"
                                  : "did you mean " + in_quotes(near) + "?");
}

std::string arity_text(const InputsSpec& spec) {
  const std::size_t count = spec.names.size();
  if (count == 0) return "no inputs";
  std::string text = spec.variadic ? "at least " : "";
  if (spec.optional > 0) text += std::to_string(spec.needed()) + " to ";
  text += std::to_string(count) + (count == 1 ? " input" : " inputs");
  return text + " (" + listed(spec.names) + ")";
}

void check_arity(const WrittenStep& step, std::size_t found, Position position) {
  const InputsSpec& spec = step.signature->inputs;
  const bool fits = found >= spec.needed() && (spec.variadic || found <= spec.names.size());
  if (fits) return;
  throw step.reader
      .refusal(position, in_quotes(step.signature->name) + " has the wrong number of inputs")
      .expected(arity_text(spec))
      .found(std::to_string(found));
}

/// The signature's names; where the last one repeats, with its number.
std::string signature_name(const InputsSpec& spec, std::size_t i) {
  if (!spec.variadic || i + 1 < spec.names.size()) return spec.names[i];
  return spec.names.back() + " " + std::to_string(i + 2 - spec.names.size());
}

/// {"x": "u", "y": "v"}: any names for a formula, the signature's names otherwise.
StepInputs read_named_inputs(const WrittenStep& step, const Value& value,
                             const TensorNames& names) {
  const InputsSpec& spec = step.signature->inputs;
  StepInputs inputs;
  const auto add = [&](const Member& member) {
    inputs.origins.push_back(names.find(member.value, step.reader));
    inputs.names.push_back(member.key);
    inputs.positions.push_back(member.value.position);
  };
  if (spec.variadic) {
    for (const Member& member : value.members) add(member);
    check_arity(step, inputs.origins.size(), value.position);
  } else {
    step.reader.known_keys(value, spec.names);
    for (std::size_t i = 0; i < spec.names.size(); ++i) {
      const Member* given = value.find(spec.names[i]);
      if (given != nullptr || i < spec.needed()) add(step.reader.needed(value, spec.names[i]));
    }
  }
  return inputs;
}

}  // namespace

std::vector<WrittenStep> read_steps(const Document& document, const Catalogue& catalogue) {
  std::vector<WrittenStep> steps;
  const Member* section = document.root.find("steps");
  if (section == nullptr) return steps;
  for (const Member& member : Reader(document, "").object(section->value, "\"steps\"").members) {
    const Reader reader = Reader::of_step(document, member.key);
    if (member.key.empty()) throw reader.refusal(member.position, "a step needs a name");
    reader.object(member.value, "a step");
    const Signature& signature =
        find_operation(reader.needed(member.value, "op").value, catalogue, reader);
    std::vector<std::string> keys = {"op", "in"};
    for (const ParamSpec& spec : signature.params) keys.push_back(spec.name);
    reader.known_keys(member.value, keys);
    steps.push_back({&member, &signature, reader});
  }
  return steps;
}

TensorNames::TensorNames(const std::vector<Input>& inputs, const std::vector<WrittenStep>& steps) {
  for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
    entries_[inputs[i].name] = {{i, -1, 0}, {inputs[i].place.line, inputs[i].place.column}};
    names_.push_back(inputs[i].name);
  }
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    const std::string& name = steps[i].member->key;
    const std::vector<std::string>& outputs = steps[i].signature->outputs;
    add(name, {-1, i, 0}, steps[i].member->position, steps[i].reader);
    for (int output = 1; output < static_cast<int>(outputs.size()); ++output) {
      add(name + "." + outputs[output], {-1, i, output}, steps[i].member->position,
          steps[i].reader);
    }
    // The first output may be written out too.
    if (outputs.size() > 1)
      entries_.try_emplace(name + "." + outputs[0], Entry{{-1, i, 0}, steps[i].member->position});
  }
}

void TensorNames::add(const std::string& name, Origin origin, Position position,
                      const Reader& reader) {
  const auto [entry, added] = entries_.try_emplace(name, Entry{origin, position});
  if (!added) {
    const bool is_input = entry->second.origin.input >= 0;
    throw reader.refusal(position, "the name " + in_quotes(name) + " is taken")
        .found(std::string(is_input ? "an input" : "a step") + " of that name at line " +
               std::to_string(entry->second.position.line))
        .advice("rename one of them");
  }
  names_.push_back(name);
}

Origin TensorNames::find(const Value& name, const Reader& reader) const {
  reader.text(name, "the name of an input or step");
  const auto entry = entries_.find(name.text);
  if (entry != entries_.end()) return entry->second.origin;
  throw reader.refusal(name.position, "there is no input or step " + in_quotes(name.text))
      .advice(suggestion(name.text, names_, "the graph has none at all"));
}

StepInputs read_step_inputs(const WrittenStep& step, const TensorNames& names) {
  const InputsSpec& spec = step.signature->inputs;
  const Member* in = step.member->value.find("in");
  if (in == nullptr) {
    if (spec.names.empty()) return {};
    throw step.reader.refusal(step.member->position, "the key \"in\" is missing")
        .expected(arity_text(spec));
  }
  const Value& value = in->value;
  if (value.is(Kind::object) && spec.named) return read_named_inputs(step, value, names);
  if (!value.is(Kind::text) && !value.is(Kind::list)) {
    throw step.reader.refusal(value.position, "\"in\"")
        .expected(spec.named
                      ? "the name of an input or step, a list of them, or an object {name: ...}"
                      : "the name of an input or step, or a list of them")
        .found(described(value));
  }
  StepInputs inputs;
  const auto add = [&](const Value& name) {
    inputs.origins.push_back(names.find(name, step.reader));
    inputs.names.push_back(name.text);
    inputs.positions.push_back(name.position);
  };
  if (value.is(Kind::text)) {
    add(value);
  } else {
    for (const Value& name : value.items) add(name);
  }
  check_arity(step, inputs.origins.size(), value.position);
  const bool formula = spec.named && spec.variadic;
  for (std::size_t i = 0; i < inputs.names.size() && !formula; ++i)
    inputs.names[i] = signature_name(spec, i);
  return inputs;
}

namespace {

/// Says which steps wait for one another: walks from one that waits to one that it waits for until
/// a step comes twice.
[[noreturn]] void refuse_circle(const std::vector<WrittenStep>& steps,
                                const std::vector<StepInputs>& inputs,
                                const std::vector<int>& waits_for) {
  const auto waiting = [&](int step) { return waits_for[step] > 0; };
  std::vector<int> path;
  int step = 0;
  while (!waiting(step)) ++step;
  while (std::find(path.begin(), path.end(), step) == path.end()) {
    path.push_back(step);
    const auto& origins = inputs[step].origins;
    step = std::find_if(origins.begin(), origins.end(), [&](const Origin& origin) {
             return origin.step >= 0 && waiting(origin.step);
           })->step;
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), step));
  std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
  path.push_back(path.front());
  std::string circle;
  for (const int each : path)
    circle += (circle.empty() ? "" : " needs ") + in_quotes(steps[each].member->key);
  const StepInputs& first = inputs[path[0]];
  const auto needed = std::find_if(first.origins.begin(), first.origins.end(),
                                   [&](const Origin& origin) { return origin.step == path[1]; });
  throw steps[path[0]].reader.refusal(first.positions[needed - first.origins.begin()],
                                      "the steps wait for one another: " + circle);
}

}  // namespace

std::vector<int> execution_order(const std::vector<WrittenStep>& steps,
                                 const std::vector<StepInputs>& inputs) {
  const std::size_t count = steps.size();
  std::vector<int> waits_for(count, 0);
  std::vector<std::vector<int>> needed_by(count);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i) {
    for (const Origin& origin : inputs[i].origins) {
      if (origin.step < 0) continue;
      needed_by[origin.step].push_back(static_cast<int>(i));
      ++waits_for[i];
    }
    if (waits_for[i] == 0) ready.push(static_cast<int>(i));
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int step = ready.top();
    ready.pop();
    order.push_back(step);
    for (const int next : needed_by[step]) {
      if (--waits_for[next] == 0) ready.push(next);
    }
  }
  if (order.size() < count) refuse_circle(steps, inputs, waits_for);
  return order;
}

}  // namespace tessera::graph
