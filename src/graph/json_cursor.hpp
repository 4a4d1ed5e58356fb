// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "graph/document.hpp"

namespace tessera::graph {

/// Walks over a JSON text beside the parser, which says what each token is but not where: between
/// two tokens there is only white space, comments, commas and colons.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text);

  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] bool at_end() const { return offset_ >= text_.size(); }
  /// The byte under the cursor; 0 at the end.
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[offset_]; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(offset_); }
  [[nodiscard]] Position position() const { return position_; }

  void advance(std::size_t bytes);
  /// To the first byte that is neither white space nor part of a comment. False when a comment
  /// isn't one, or doesn't end: the cursor then stands on it.
  bool skip_space();
  /// To the next token that isn't a comma or a colon.
  void skip_to_token();

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  Position position_{1, 1};
};

/// Bytes of the string at the start of `text`, with its quotes.
[[nodiscard]] std::size_t string_token_bytes(std::string_view text);
/// Bytes of the number, or of the word that takes its place, at the start of `text`.
[[nodiscard]] std::size_t number_token_bytes(std::string_view text);

/// JSON's own grammar of numbers: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
[[nodiscard]] bool is_json_number(std::string_view text);

/// What the parser had understood when it gave up.
struct ParserState {
  enum class After { nothing, opening, key, value };
  enum class Inside { nothing, object, list };

  JsonCursor cursor;  ///< behind the last token that was understood
  After after = After::nothing;
  Inside inside = Inside::nothing;
  Position opened;             ///< where the innermost object or list begins
  std::size_t bytes_read = 0;  ///< by the parser
};

/// Says in plain words, with line and column, why the text stops being JSON there.
[[nodiscard]] Error syntax_error(const Document& document, ParserState state);

}  // namespace tessera::graph
