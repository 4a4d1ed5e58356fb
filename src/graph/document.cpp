// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/document.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "graph/json_cursor.hpp"
#include "graph/names.hpp"
#include "graph/params.hpp"

namespace tessera::graph {
namespace {

using Kind = Value::Kind;
using After = ParserState::After;
using Inside = ParserState::Inside;

// Values are freed recursively; no graph needs more.
constexpr std::size_t deepest_nesting = 64;

/// Takes the parser's events and gives each value its position.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(Document& document) : document_(document), cursor_(document.text) {}

  bool null() override { return add(Value{}, 4); }
  bool boolean(bool flag) override {
    return add({.kind = Kind::boolean, .position = {}, .boolean = flag}, flag ? 4 : 5);
  }
  bool number_integer(std::int64_t number) override { return add_integer(number); }
  bool number_unsigned(std::uint64_t number) override {
    if (std::in_range<std::int64_t>(number)) return add_integer(static_cast<std::int64_t>(number));
    return add_number({.kind = Kind::real, .position = {}, .real = static_cast<double>(number)});
  }
  bool number_float(double number, const std::string& /*digits*/) override {
    return add_number({.kind = Kind::real, .position = {}, .real = number});
  }
  bool string(std::string& text) override {
    cursor_.skip_to_token();
    refuse_control_characters(text, "the text", "\n\t");
    return add({.kind = Kind::text, .position = {}, .text = text},
               string_token_bytes(cursor_.rest()));
  }
  bool binary(nlohmann::json::binary_t& /*bytes*/) override { return false; }

  bool start_object(std::size_t /*elements*/) override { return open(Kind::object); }
  bool start_array(std::size_t /*elements*/) override { return open(Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    cursor_.skip_to_token();
    Value& object = *open_.back();
    if (const Member* earlier = object.find(name)) {
      throw Error(ErrorKind::graph, "the key \"" + name + "\" comes twice in one object")
          .found("the first at line " + std::to_string(earlier->position.line))
          .at(document_.place(cursor_.position()));
    }
    refuse_control_characters(name, "the key", "");
    object.members.push_back({name, cursor_.position(), {}});
    cursor_.advance(string_token_bytes(cursor_.rest()));
    after_ = After::key;
    return true;
  }

  bool parse_error(std::size_t bytes_read, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*why*/) override {
    throw syntax_error(document_, state(cursor_, bytes_read));
  }

 private:
  /// An escape like \u0000 would end a name early where a library takes C strings.
  void refuse_control_characters(const std::string& text, const std::string& what,
                                 std::string_view allowed) const {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte >= 0x20U && byte != 0x7FU) || allowed.find(c) != std::string_view::npos) continue;
      throw Error(ErrorKind::graph, what + " holds a control character")
          .at(document_.place(cursor_.position()));
    }
  }
  [[nodiscard]] ParserState state(const JsonCursor& cursor, std::size_t bytes_read) const {
    ParserState state{cursor, after_, Inside::nothing, {}, bytes_read};
    if (!open_.empty()) {
      state.inside = open_.back()->is(Kind::object) ? Inside::object : Inside::list;
      state.opened = open_.back()->position;
    }
    return state;
  }
  bool add_integer(std::int64_t number) {
    return add_number({.kind = Kind::integer,
                       .position = {},
                       .integer = number,
                       .real = static_cast<double>(number)});
  }
  bool add_number(Value value) {
    const JsonCursor before = cursor_;
    cursor_.skip_to_token();
    const std::size_t bytes = number_token_bytes(cursor_.rest());
    // The parser takes "01" for 0 and stumbles over the rest.
    if (!is_json_number(cursor_.rest().substr(0, bytes)))
      throw syntax_error(document_, state(before, 0));
    return add(std::move(value), bytes);
  }
  bool add(Value value, std::size_t token_bytes) {
    place(std::move(value), token_bytes);
    after_ = After::value;
    return true;
  }
  bool open(Kind kind) {
    Value& made = place({.kind = kind, .position = {}}, 1);
    if (open_.size() == deepest_nesting) {
      throw Error(ErrorKind::graph, "the graph nests too deeply")
          .expected("at most " + std::to_string(deepest_nesting) + " levels")
          .at(document_.place(made.position));
    }
    open_.push_back(&made);
    after_ = After::opening;
    return true;
  }
  bool close() {
    cursor_.skip_to_token();
    cursor_.advance(1);
    open_.pop_back();
    after_ = After::value;
    return true;
  }

  /// Puts the value where the text has it. Pointers in `open_` stay valid: only the innermost
  /// container grows, and it holds no open one.
  Value& place(Value value, std::size_t token_bytes) {
    cursor_.skip_to_token();
    value.position = cursor_.position();
    cursor_.advance(token_bytes);
    if (open_.empty()) return document_.root = std::move(value);
    Value& parent = *open_.back();
    if (parent.is(Kind::object)) return parent.members.back().value = std::move(value);
    return parent.items.emplace_back(std::move(value));
  }

  Document& document_;
  JsonCursor cursor_;
  std::vector<Value*> open_;
  After after_ = After::nothing;
};

/// The parser takes a zero byte for the end of the text, so that what follows would go unread.
void refuse_zero_bytes(const Document& document) {
  const auto zero = document.text.find('\0');
  if (zero == std::string::npos) return;
  JsonCursor cursor(document.text);
  cursor.advance(zero - cursor.offset());
  throw Error(ErrorKind::graph, "the graph isn't a text file: it holds a zero byte")
      .advice("save it as UTF-8")
      .at(document.place(cursor.position()));
}

}  // namespace

const Member* Value::find(const std::string& key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

Document parse(std::string text, std::string file_name) {
  Document document{std::move(file_name), std::move(text), {}};
  refuse_zero_bytes(document);
  Builder builder(document);
  nlohmann::json::sax_parse(document.text, &builder, nlohmann::json::input_format_t::json,
                            /*strict=*/true,
                            /*ignore_comments=*/true);
  return document;
}

bool is_number_text(const std::string& text) { return is_json_number(text); }

std::string described(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::real:
      return number_text(value.real);
    case Kind::text:
      return in_quotes(value.text);
    case Kind::list:
      return value.items.empty() ? "an empty list" : "a list";
    case Kind::object:
      return value.members.empty() ? "an empty object" : "an object";
  }
  return "?";
}

}  // namespace tessera::graph
