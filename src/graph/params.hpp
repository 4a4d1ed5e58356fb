// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/extents.hpp"

namespace tessera::graph {

/// A number, or a nested list of numbers of regular shape, as written in the graph.
struct NumberArray {
  Shape shape;
  std::vector<double> values;  ///< row-major
  bool integral = true;        ///< every value was written as an integer
  friend bool operator==(const NumberArray&, const NumberArray&) = default;
};

/// The value of a parameter, after parameters were substituted and types checked.
using ParamValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, NumberArray>;

enum class ParamType {
  boolean,
  integer,
  real,  ///< a number; written as a number, the name of a graph parameter, or "inf", "-inf", "nan"
  text,
  texts,     ///< a list of strings
  integers,  ///< a list of integers; one integer is taken as a list of one
  numbers    ///< a number or nested lists of numbers of regular shape
};

/// "3", "0.1", "\"fixed\"", "[0, 1]": as it would be written in a graph. Numbers round-trip.
[[nodiscard]] std::string to_string(const ParamValue& value);
/// The shortest decimal text that reads back as the same number; "inf", "-inf", "nan".
[[nodiscard]] std::string number_text(double value);

/// What an operation says about one of its parameters.
struct ParamSpec {
  std::string name;
  ParamType type = ParamType::real;
  std::string doc;
  std::optional<ParamValue>
      fallback{};         ///< without one the parameter must be given, unless `optional`
  bool optional = false;  ///< may be left out without a fallback
  std::vector<std::string> choices{};  ///< for text: the words allowed (empty: any)
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  bool or_text = false;  ///< for numbers: a word of `choices` is allowed instead
};

/// What may be written for it: "an integer of at least 1", "one of \"fixed\" or \"zero\"".
[[nodiscard]] std::string expected_text(const ParamSpec& spec);

/// The checked parameters of one step. Getters throw an internal error for a name or type that the
/// operation's ParamSpecs don't promise.
class Params {
 public:
  void set(std::string name, ParamValue value, Place place = {});
  /// Where parameters stand that the graph doesn't give.
  void set_step_place(Place place) { step_place_ = std::move(place); }
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  [[nodiscard]] double real(const std::string& name) const;
  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] const std::vector<std::string>& texts(const std::string& name) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const;
  [[nodiscard]] const NumberArray& numbers(const std::string& name) const;
  [[nodiscard]] bool is_text(const std::string& name) const;
  /// Where the parameter's value stands in the graph file; the step's own place when it was left
  /// out.
  [[nodiscard]] Place place(const std::string& name) const;
  /// All in name order, for printing and hashing.
  [[nodiscard]] const std::map<std::string, ParamValue>& all() const { return values_; }

 private:
  std::map<std::string, ParamValue> values_;
  std::map<std::string, Place> places_;
  Place step_place_;
};

}  // namespace tessera::graph
