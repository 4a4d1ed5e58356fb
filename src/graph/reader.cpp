// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/reader.hpp"

#include <algorithm>
#include <utility>

#include "graph/names.hpp"

namespace tessera::graph {

Place Reader::place(Position position) const {
  Place place = document_.place(position);
  place.step = step_;
  return place;
}

Error Reader::refusal(Position position, const std::string& message) const {
  return Error(ErrorKind::graph, (subject_.empty() ? "" : subject_ + ": ") + message)
      .at(place(position));
}

Error Reader::refusal(Position position, const Error& cause) const {
  return Error(cause.kind(), (subject_.empty() ? "" : subject_ + ": ") + cause.text())
      .at(place(position));
}

const Value& Reader::object(const Value& value, const std::string& what) const {
  if (!value.is(Value::Kind::object)) {
    throw refusal(value.position, what).expected("an object {...}").found(described(value));
  }
  return value;
}

const std::string& Reader::text(const Value& value, const std::string& what) const {
  if (!value.is(Value::Kind::text)) {
    throw refusal(value.position, what).expected("a text in double quotes").found(described(value));
  }
  return value.text;
}

std::int64_t Reader::integer(const Value& value, const std::string& what) const {
  if (!value.is(Value::Kind::integer)) {
    throw refusal(value.position, what).expected("an integer").found(described(value));
  }
  return value.integer;
}

void Reader::known_keys(const Value& object, const std::vector<std::string>& keys) const {
  for (const Member& member : object.members) {
    if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    Error error = refusal(member.position, "unknown key " + in_quotes(member.key));
    error.expected((keys.size() > 1 ? "one of " : "") + listed(keys, "or"));
    if (const std::string near = nearest(member.key, keys); !near.empty()) {
      error.advice("did you mean " + in_quotes(near) + "?");
    }
    throw error;
  }
}

const Member& Reader::needed(const Value& object, const std::string& key) const {
  if (const Member* member = object.find(key)) return *member;
  throw refusal(object.position, "the key " + in_quotes(key) + " is missing");
}

}  // namespace tessera::graph
