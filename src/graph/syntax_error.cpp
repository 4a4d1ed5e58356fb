// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "graph/json_cursor.hpp"

namespace tessera::graph {
namespace {

using After = ParserState::After;
using Inside = ParserState::Inside;

/// The word, number or sign under the cursor, short enough for a message.
std::string token_text(std::string_view rest) {
  constexpr std::size_t longest = 40;
  if (rest.empty()) return "the end of the file";
  std::size_t bytes = 1;
  if (rest.front() == '"') {
    bytes = std::min(string_token_bytes(rest), rest.find('\n'));
  } else if (std::string_view(",:[]{}").find(rest.front()) == std::string_view::npos) {
    bytes = std::min(rest.find_first_of(",:[]{}\" \t\r\n"), rest.size());
  }
  std::string text(rest.substr(0, std::min(bytes, longest)));
  return bytes > longest ? text + "..." : text;
}

/// The code unit of \uXXXX at the start of `text`; -1 when it isn't one.
int unicode_escape(std::string_view text) {
  int unit = 0;
  if (text.size() < 6 || !text.starts_with("\\u")) return -1;
  const auto [stopped, code] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  return code == std::errc{} && stopped == text.data() + 6 && unit >= 0 ? unit : -1;
}

/// Bytes of the escape at the start of `text`; 0 when it is none of JSON's.
std::size_t escape_bytes(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] != 'u')
    return std::string_view("\"\\/bfnrt").find(text[1]) == std::string_view::npos ? 0 : 2;
  const int unit = unicode_escape(text);
  const bool first_of_pair = unit >= 0xD800 && unit <= 0xDBFF;
  const bool second_of_pair = unit >= 0xDC00 && unit <= 0xDFFF;
  if (unit < 0 || second_of_pair) return 0;
  if (!first_of_pair) return 6;
  const int second = unicode_escape(text.substr(6));
  return second >= 0xDC00 && second <= 0xDFFF ? 12 : 0;
}

class Explainer {
 public:
  Explainer(const Document& document, ParserState state) : document_(document), state_(state) {}

  Error explain() {
    JsonCursor& cursor = state_.cursor;
    if (!cursor.skip_space()) return comment();
    if (document_.text.find_first_not_of(" \t\r\n") == std::string::npos)
      return here("the graph file is empty");
    if (state_.after == After::value) {
      if (state_.inside == Inside::nothing) {
        return wrong("nothing after the graph's last }", token_text(cursor.rest()));
      }
      if (cursor.at_end()) return ends_inside();
      if (cursor.peek() != ',')
        return wrong(std::string("a comma or ") + closing(), token_text(cursor.rest()));
      const Place comma = document_.place(cursor.position());
      cursor.advance(1);
      if (!cursor.skip_space()) return comment();
      if (cursor.peek() == closing()) {
        return Error(ErrorKind::graph,
                     std::string("the comma before ") + closing() + " is one too many")
            .advice("remove it")
            .at(comma);
      }
    }
    if (cursor.at_end() && state_.inside != Inside::nothing) return ends_inside();
    if (state_.after == After::key) {
      if (cursor.peek() != ':') return wrong("a colon after the key", token_text(cursor.rest()));
      cursor.advance(1);
      if (!cursor.skip_space()) return comment();
      if (cursor.at_end()) return ends_inside();
    } else if (state_.inside == Inside::object) {
      return key();
    }
    return value();
  }

 private:
  Error here(std::string message) const {
    return Error(ErrorKind::graph, std::move(message))
        .at(document_.place(state_.cursor.position()));
  }
  Error wrong(std::string expected, std::string found) const {
    return here("the graph isn't valid JSON").expected(std::move(expected)).found(std::move(found));
  }
  [[nodiscard]] char closing() const { return state_.inside == Inside::object ? '}' : ']'; }

  Error comment() const {
    if (state_.cursor.rest().starts_with("/*"))
      return here("a comment that begins with /* isn't closed with */");
    return wrong("a comment, // or /*", token_text(state_.cursor.rest()));
  }

  Error ends_inside() const {
    const std::string what = state_.inside == Inside::object ? "an object" : "a list";
    return here("the file ends inside " + what + " that begins at " +
                std::to_string(state_.opened.line) + ":" + std::to_string(state_.opened.column))
        .advice(std::string("close it with ") + closing());
  }

  Error key() const {
    const std::string_view rest = state_.cursor.rest();
    if (rest.starts_with('"')) return text();
    const std::string found = token_text(rest);
    const bool word = rest.front() == '\'' || rest.front() == '_' ||
                      std::isalpha(static_cast<unsigned char>(rest.front())) != 0;
    if (word) return wrong("a key in double quotes", found);
    return wrong(
        state_.after == After::opening ? "a key in double quotes or }" : "a key in double quotes",
        found);
  }

  Error value() const {
    const std::string_view rest = state_.cursor.rest();
    const std::string found = token_text(rest);
    if (rest.empty()) return wrong("a value", found);
    if (rest.front() == '"') return text();
    if (rest.front() == '\'') return wrong("texts in double quotes", found);
    if (is_json_number(found)) {
      return here("the number " + found + " is too large for float64")
          .expected("at most 1.7976931348623157e308");
    }
    if (std::string_view("+-.0123456789").find(rest.front()) != std::string_view::npos) {
      return wrong("a number like 3, -0.5 or 1e-3", found);
    }
    static constexpr std::array<std::array<std::string_view, 2>, 9> meant = {
        {{"True", "true"},
         {"False", "false"},
         {"None", "null"},
         {"NaN", "\"nan\""},
         {"nan", "\"nan\""},
         {"Infinity", "\"inf\""},
         {"inf", "\"inf\""},
         {"yes", "true"},
         {"no", "false"}}};
    for (const auto& [written, json] : meant) {
      if (found == written) return wrong(std::string(json), found);
    }
    if (std::string_view(",:]}").find(rest.front()) != std::string_view::npos)
      return wrong("a value", found);
    return wrong("a value; texts stand in double quotes", found);
  }

  /// A string that starts under the cursor and is broken somewhere.
  Error text() const {
    JsonCursor cursor = state_.cursor;
    const auto broken = [&](std::string message) {
      return Error(ErrorKind::graph, std::move(message)).at(document_.place(cursor.position()));
    };
    for (cursor.advance(1); !cursor.at_end(); cursor.advance(1)) {
      const char c = cursor.peek();
      if (c == '\n' || c == '\r') break;
      if (static_cast<unsigned char>(c) < 0x20U) {
        return broken("the text holds a control character")
            .advice("write it as an escape like \\t");
      }
      if (cursor.offset() + 1 == state_.bytes_read) {
        return broken("the text holds bytes that aren't UTF-8")
            .advice("save the graph file as UTF-8");
      }
      if (c != '\\') continue;
      const std::size_t bytes = escape_bytes(cursor.rest());
      if (bytes == 0) {
        const std::size_t shown = cursor.rest().starts_with("\\u") ? 6 : 2;
        const std::string_view line = cursor.rest().substr(0, cursor.rest().find_first_of("\r\n"));
        return broken("the text holds a broken escape")
            .expected(R"(\" \\ \/ \b \f \n \r \t or \u and four hexadecimal digits of a character)")
            .found(std::string(line.substr(0, shown)))
            .advice(R"(a backslash itself is written \\)");
      }
      cursor.advance(bytes - 1);
    }
    return here("the text isn't closed on its line")
        .expected("a double quote at its end")
        .found(token_text(state_.cursor.rest()));
  }

  const Document& document_;
  ParserState state_;
};

}  // namespace

Error syntax_error(const Document& document, ParserState state) {
  return Explainer(document, state).explain();
}

}  // namespace tessera::graph
