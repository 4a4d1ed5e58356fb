// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace tessera::graph {

/// A place in a text; columns count characters, not bytes.
struct Position {
  int line = 0;
  int column = 0;
};

struct Member;

/// A JSON value that knows where it stands.
struct Value {
  enum class Kind { null, boolean, integer, real, text, list, object };

  Kind kind = Kind::null;
  Position position;
  bool boolean = false;
  std::int64_t integer = 0;  ///< kind integer only
  double real = 0;           ///< kinds integer and real
  std::string text{};
  std::vector<Value> items{};
  std::vector<Member> members{};  ///< in the order of the file; keys are unique

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  [[nodiscard]] bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  /// Null when there is no such key, or this isn't an object.
  [[nodiscard]] const Member* find(const std::string& key) const;
};

struct Member {
  std::string key;
  Position position;  ///< of the key
  Value value;
};

/// A graph file: JSON with // and /* */ comments.
struct Document {
  std::string file;  ///< as given, for messages
  std::string text;
  Value root;

  [[nodiscard]] Place place(Position position) const {
    return {file, position.line, position.column, {}, {}};
  }
};

/// Reads a text. Throws one Error(graph) with line and column for what isn't JSON, a key that comes
/// twice, a number that float64 can't hold, or nesting deeper than 64.
[[nodiscard]] Document parse(std::string text, std::string file_name);

/// Whether the whole text is one JSON number.
[[nodiscard]] bool is_number_text(const std::string& text);

/// How a value is called in messages: `the number 3`, `the text "abc"`, `a list of 2`.
[[nodiscard]] std::string described(const Value& value);

}  // namespace tessera::graph
