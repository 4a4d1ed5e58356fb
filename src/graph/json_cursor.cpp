// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/json_cursor.hpp"

#include <cctype>

namespace tessera::graph {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

JsonCursor::JsonCursor(std::string_view text) : text_(text) {
  if (text.starts_with(byte_order_mark)) offset_ = byte_order_mark.size();
}

void JsonCursor::advance(std::size_t bytes) {
  for (; bytes > 0 && !at_end(); --bytes, ++offset_) {
    if (text_[offset_] == '\n') {
      ++position_.line;
      position_.column = 1;
    } else if (!continues_character(text_[offset_])) {
      ++position_.column;
    }
  }
}

bool JsonCursor::skip_space() {
  while (!at_end()) {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      advance(1);
    } else if (c == '/') {
      const bool one_line = rest().starts_with("//");
      if (!one_line && !rest().starts_with("/*")) return false;
      const std::string_view terminator = one_line ? "\n" : "*/";
      const auto end = rest().find(terminator, 2);
      if (end == std::string_view::npos && !one_line) return false;
      advance(end == std::string_view::npos ? rest().size() : end + terminator.size());
    } else {
      break;
    }
  }
  return true;
}

void JsonCursor::skip_to_token() {
  while (skip_space() && (peek() == ',' || peek() == ':')) advance(1);
}

std::size_t string_token_bytes(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

std::size_t number_token_bytes(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[bytes])) != 0 ||
          std::string_view("+-._").find(text[bytes]) != std::string_view::npos)) {
    ++bytes;
  }
  return bytes;
}

bool is_json_number(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t first = i;
    while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0) ++i;
    return i - first;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const bool leading_zero = i < text.size() && text[i] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (leading_zero && whole > 1)) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

}  // namespace tessera::graph
