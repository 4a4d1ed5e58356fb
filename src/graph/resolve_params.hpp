// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "graph/reader.hpp"

namespace tessera::graph {

/// A number of the graph, and whether it was written as an integer.
struct Number {
  double real = 0;
  std::optional<std::int64_t> integer{};
};

/// The graph's own parameters: "params", changed by --set.
class GraphParams {
 public:
  GraphParams(const Document& document,
              const std::vector<std::pair<std::string, std::string>>& set);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Null when there is none of that name; counts as a use.
  const Number* find(const std::string& name);
  /// In name order.
  [[nodiscard]] std::vector<std::pair<std::string, double>> values() const;
  /// One line for each parameter that no step used.
  [[nodiscard]] std::vector<std::string> warnings(const Reader& reader) const;

 private:
  struct Entry {
    Number number;
    Position position;
    bool used = false;
  };
  std::map<std::string, Entry> entries_;
  std::vector<std::string> names_;
};

/// The parameters that a step gives, checked against what the operation takes; defaults filled in.
[[nodiscard]] Params resolve_params(const Value& step, const Signature& signature,
                                    GraphParams& graph_params, const Reader& reader);

}  // namespace tessera::graph
