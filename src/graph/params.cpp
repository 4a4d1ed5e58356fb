// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/params.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "graph/names.hpp"

namespace tessera::graph {
namespace {

template <class T>
const T& promised(const std::map<std::string, ParamValue>& values, const std::string& name) {
  const auto found = values.find(name);
  if (found != values.end()) {
    if (const T* value = std::get_if<T>(&found->second)) return *value;
  }
  throw Error(ErrorKind::internal,
              "internal error: parameter \"" + name + "\" isn't there, or has another type");
}

std::string escaped(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string range_text(const ParamSpec& spec) {
  if (spec.minimum && spec.maximum) {
    return " from " + number_text(*spec.minimum) + " to " + number_text(*spec.maximum);
  }
  if (spec.minimum) return " of at least " + number_text(*spec.minimum);
  if (spec.maximum) return " of at most " + number_text(*spec.maximum);
  return "";
}

std::string choices_text(const ParamSpec& spec) {
  return (spec.choices.size() > 1 ? "one of " : "") + listed(spec.choices, "or");
}

/// One axis of an array, from element `first` on; moves `first` past it.
std::string array_text(const NumberArray& array, int axis, std::size_t& first) {
  if (axis == array.shape.size()) return number_text(array.values[first++]);
  std::string text = "[";
  for (std::int64_t i = 0; i < array.shape[axis]; ++i) {
    if (i > 0) text += ", ";
    text += array_text(array, axis + 1, first);
  }
  return text + "]";
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string to_string(const ParamValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const double* real = std::get_if<double>(&value)) return number_text(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return escaped(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::string list = "[";
    for (const std::string& text : *texts) list += (list.size() > 1 ? ", " : "") + escaped(text);
    return list + "]";
  }
  std::size_t first = 0;
  return array_text(std::get<NumberArray>(value), 0, first);
}

std::string expected_text(const ParamSpec& spec) {
  std::string text;
  switch (spec.type) {
    case ParamType::boolean:
      text = "true or false";
      break;
    case ParamType::integer:
      text = "an integer" + range_text(spec);
      break;
    case ParamType::real:
      text = "a number" + range_text(spec);
      break;
    case ParamType::text:
      return spec.choices.empty() ? "a text" : choices_text(spec);
    case ParamType::texts:
      return spec.choices.empty() ? "a list of texts" : "a list of " + listed(spec.choices, "or");
    case ParamType::integers:
      text = "integers" + range_text(spec);
      break;
    case ParamType::numbers:
      text = "a number or lists of numbers" + range_text(spec);
      break;
  }
  if (spec.or_text) text += spec.choices.empty() ? ", or a text" : ", or " + choices_text(spec);
  return text;
}

void Params::set(std::string name, ParamValue value, Place place) {
  places_[name] = std::move(place);
  values_[std::move(name)] = std::move(value);
}

bool Params::has(const std::string& name) const { return values_.contains(name); }

bool Params::flag(const std::string& name) const { return promised<bool>(values_, name); }

std::int64_t Params::integer(const std::string& name) const {
  return promised<std::int64_t>(values_, name);
}

double Params::real(const std::string& name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) {
    if (const auto* integer = std::get_if<std::int64_t>(&found->second))
      return static_cast<double>(*integer);
  }
  return promised<double>(values_, name);
}

const std::string& Params::text(const std::string& name) const {
  return promised<std::string>(values_, name);
}

const std::vector<std::string>& Params::texts(const std::string& name) const {
  return promised<std::vector<std::string>>(values_, name);
}

std::vector<std::int64_t> Params::integers(const std::string& name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) {
    if (const auto* one = std::get_if<std::int64_t>(&found->second)) return {*one};
  }
  const NumberArray& array = promised<NumberArray>(values_, name);
  return {array.values.begin(), array.values.end()};
}

const NumberArray& Params::numbers(const std::string& name) const {
  return promised<NumberArray>(values_, name);
}

bool Params::is_text(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() && std::holds_alternative<std::string>(found->second);
}

Place Params::place(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? step_place_ : found->second;
}

}  // namespace tessera::graph
