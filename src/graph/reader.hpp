// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/document.hpp"

namespace tessera::graph {

/// Reads one part of a document (an input, a step, ...), with messages that say whose part it is.
class Reader {
 public:
  Reader(const Document& document, std::string subject)
      : document_(document), subject_(std::move(subject)) {}
  /// For a step: its name goes into the Place of every message.
  static Reader of_step(const Document& document, std::string name) {
    Reader reader(document, "");
    reader.step_ = std::move(name);
    return reader;
  }

  /// The graph's file and this line and column, with the step's name.
  [[nodiscard]] Place place(Position position) const;
  /// `subject: message`, at the position.
  [[nodiscard]] Error refusal(Position position, const std::string& message) const;
  /// Another part's error (a selection's, a file's), with whose it is and where.
  [[nodiscard]] Error refusal(Position position, const Error& cause) const;

  /// Each throws unless the value has that kind; `what` says what it is: `"select"`.
  const Value& object(const Value& value, const std::string& what) const;
  const std::string& text(const Value& value, const std::string& what) const;
  [[nodiscard]] std::int64_t integer(const Value& value, const std::string& what) const;
  /// Throws for a key of the object that isn't among these.
  void known_keys(const Value& object, const std::vector<std::string>& keys) const;
  /// Throws when the key isn't there.
  const Member& needed(const Value& object, const std::string& key) const;

 private:
  const Document& document_;
  std::string subject_;
  std::string step_;
};

}  // namespace tessera::graph
