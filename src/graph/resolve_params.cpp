// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/resolve_params.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/names.hpp"

namespace tessera::graph {
namespace {

using Kind = Value::Kind;

/// "inf", "-inf", "nan": numbers that JSON can't write.
std::optional<double> special_number(const std::string& text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

Number number_of(const Value& value) {
  if (value.is(Kind::integer)) return {value.real, value.integer};
  // 3.0 is an integer too, as in JSON Schema.
  constexpr double largest_exact = 9007199254740992.0;  // 2^53
  if (std::trunc(value.real) == value.real && std::abs(value.real) <= largest_exact) {
    return {value.real, static_cast<std::int64_t>(value.real)};
  }
  return {value.real, std::nullopt};
}

Number negated(const Number& number) {
  Number result{-number.real, std::nullopt};
  if (number.integer && *number.integer != std::numeric_limits<std::int64_t>::min()) {
    result.integer = -*number.integer;
  }
  return result;
}

/// One parameter of one step.
class ParamReader {
 public:
  ParamReader(const ParamSpec& spec, GraphParams& graph_params, const Reader& reader)
      : spec_(spec), graph_params_(graph_params), reader_(reader) {}

  ParamValue read(const Value& value) const {
    if (spec_.or_text && value.is(Kind::text) && is_choice(value.text)) return value.text;
    switch (spec_.type) {
      case ParamType::boolean:
        if (!value.is(Kind::boolean)) throw wrong(value);
        return value.boolean;
      case ParamType::integer:
        return *integer(value).integer;
      case ParamType::real:
        return number(value).real;
      case ParamType::text:
        return text(value);
      case ParamType::texts:
        return texts(value);
      case ParamType::integers:
        return integers(value);
      case ParamType::numbers:
        return numbers(value);
    }
    throw wrong(value);
  }

 private:
  Error wrong(const Value& value) const { return wrong(value.position, described(value)); }
  Error wrong(Position position, const std::string& found) const {
    return reader_.refusal(position, "parameter " + in_quotes(spec_.name))
        .expected(expected_text(spec_))
        .found(found);
  }

  [[nodiscard]] bool is_choice(const std::string& word) const {
    return std::find(spec_.choices.begin(), spec_.choices.end(), word) != spec_.choices.end();
  }

  std::string text(const Value& value) const {
    if (!value.is(Kind::text)) throw wrong(value);
    if (!spec_.choices.empty() && !is_choice(value.text)) {
      Error error = wrong(value);
      if (const std::string near = nearest(value.text, spec_.choices); !near.empty()) {
        error.advice("did you mean " + in_quotes(near) + "?");
      }
      throw error;
    }
    return value.text;
  }

  std::vector<std::string> texts(const Value& value) const {
    if (value.is(Kind::text)) return {text(value)};
    if (!value.is(Kind::list)) throw wrong(value);
    std::vector<std::string> result;
    for (const Value& item : value.items) result.push_back(text(item));
    return result;
  }

  Number named(const Value& value) const {
    if (const auto special = special_number(value.text)) return {*special, std::nullopt};
    const bool minus = value.text.starts_with('-');
    const std::string name = minus ? value.text.substr(1) : value.text;
    if (const Number* number = graph_params_.find(name)) return minus ? negated(*number) : *number;
    std::vector<std::string> known = graph_params_.names();
    if (spec_.or_text) known.insert(known.end(), spec_.choices.begin(), spec_.choices.end());
    Error error = wrong(value);
    const std::string near = nearest(value.text, known);
    throw error.advice(near.empty() ? "the graph has no parameter of that name"
                                    : "did you mean " + in_quotes(near) + "?");
  }

  Number number(const Value& value) const {
    if (!value.is_number() && !value.is(Kind::text)) throw wrong(value);
    const Number result = value.is(Kind::text) ? named(value) : number_of(value);
    const bool below = spec_.minimum && !(result.real >= *spec_.minimum);
    const bool above = spec_.maximum && !(result.real <= *spec_.maximum);
    if (below || above) throw wrong(value.position, number_text(result.real));
    return result;
  }

  Number integer(const Value& value) const {
    const Number result = number(value);
    if (!result.integer) throw wrong(value.position, number_text(result.real));
    return result;
  }

  NumberArray integers(const Value& value) const {
    NumberArray result;
    const auto add = [&](const Value& item) {
      const Number each = integer(item);
      // Lists hold float64: beyond 2^53 two integers would become one.
      if (std::abs(each.real) >= 9007199254740992.0) {
        throw wrong(item.position, std::to_string(*each.integer));
      }
      result.values.push_back(each.real);
    };
    if (value.is(Kind::list)) {
      for (const Value& item : value.items) add(item);
    } else {
      add(value);
    }
    result.shape = {static_cast<std::int64_t>(result.values.size())};
    return result;
  }

  NumberArray numbers(const Value& value) const {
    NumberArray result;
    for (const Value* inner = &value; inner->is(Kind::list); inner = &inner->items.front()) {
      if (result.shape.size() == max_axes) throw wrong(inner->position, "more than 8 nested lists");
      result.shape.push_back(static_cast<std::int64_t>(inner->items.size()));
      if (inner->items.empty()) break;
    }
    append(value, 0, result);
    return result;
  }

  void append(const Value& value, int axis, NumberArray& result) const {
    if (axis == result.shape.size()) {
      if (value.is(Kind::list)) throw irregular(value, "a number", "a list");
      const Number each = number(value);
      result.integral = result.integral && each.integer.has_value();
      result.values.push_back(each.real);
      return;
    }
    const std::string wanted = "a list of " + std::to_string(result.shape[axis]);
    if (!value.is(Kind::list)) throw irregular(value, wanted, described(value));
    if (std::ssize(value.items) != result.shape[axis]) {
      throw irregular(value, wanted, "a list of " + std::to_string(value.items.size()));
    }
    for (const Value& item : value.items) append(item, axis + 1, result);
  }

  Error irregular(const Value& value, const std::string& expected, const std::string& found) const {
    return reader_
        .refusal(value.position,
                 "parameter " + in_quotes(spec_.name) + " has lists of different lengths")
        .expected(expected)
        .found(found);
  }

  const ParamSpec& spec_;
  GraphParams& graph_params_;
  const Reader& reader_;
};

Number read_graph_param(const Value& value, const std::string& name, const Reader& reader) {
  if (value.is_number()) return number_of(value);
  if (value.is(Kind::text)) {
    if (const auto special = special_number(value.text)) return {*special, std::nullopt};
  }
  throw reader.refusal(value.position, "the graph's parameter " + in_quotes(name))
      .expected("a number, or \"inf\", \"-inf\", \"nan\"")
      .found(described(value));
}

}  // namespace

GraphParams::GraphParams(const Document& document,
                         const std::vector<std::pair<std::string, std::string>>& set) {
  const Reader reader(document, "");
  if (const Member* params = document.root.find("params")) {
    for (const Member& member : reader.object(params->value, "\"params\"").members) {
      if (member.key.empty() || member.key.starts_with('-') || special_number(member.key)) {
        throw reader
            .refusal(member.position,
                     "the graph's parameter " + in_quotes(member.key) + " can't have this name")
            .advice("names don't begin with -, and aren't inf or nan");
      }
      entries_[member.key] = {read_graph_param(member.value, member.key, reader), member.position,
                              false};
      names_.push_back(member.key);
    }
  }
  for (const auto& [name, text] : set) {
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) {
      throw Error(ErrorKind::usage, "--set " + name + ": the graph has no parameter of that name")
          .advice(suggestion(name, names_, "it has none at all"));
    }
    if (const auto special = special_number(text)) {
      entry->second.number = {*special, std::nullopt};
    } else if (is_number_text(text)) {
      entry->second.number = number_of(parse(text, "--set " + name).root);
    } else {
      throw Error(ErrorKind::usage, "--set " + name)
          .expected("a number like 3, -0.5 or 1e-3, or inf, -inf, nan")
          .found(in_quotes(text));
    }
  }
}

const Number* GraphParams::find(const std::string& name) {
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return nullptr;
  entry->second.used = true;
  return &entry->second.number;
}

std::vector<std::pair<std::string, double>> GraphParams::values() const {
  std::vector<std::pair<std::string, double>> result;
  for (const auto& [name, entry] : entries_) result.emplace_back(name, entry.number.real);
  return result;
}

std::vector<std::string> GraphParams::warnings(const Reader& reader) const {
  std::vector<std::string> result;
  for (const auto& [name, entry] : entries_) {
    if (entry.used) continue;
    result.push_back(
        reader.refusal(entry.position, "no step uses the parameter " + in_quotes(name)).text());
  }
  return result;
}

Params resolve_params(const Value& step, const Signature& signature, GraphParams& graph_params,
                      const Reader& reader) {
  Params params;
  params.set_step_place(reader.place(step.position));
  for (const ParamSpec& spec : signature.params) {
    if (const Member* member = step.find(spec.name)) {
      params.set(spec.name, ParamReader(spec, graph_params, reader).read(member->value),
                 reader.place(member->value.position));
    } else if (spec.fallback) {
      params.set(spec.name, *spec.fallback, reader.place(step.position));
    } else if (!spec.optional) {
      throw reader.refusal(step.position, "the parameter " + in_quotes(spec.name) + " is missing")
          .expected(expected_text(spec));
    }
  }
  return params;
}

}  // namespace tessera::graph
