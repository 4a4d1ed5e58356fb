// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "ops/formula.hpp"

namespace tessera::ops {

namespace {

int input_count(const Formula& formula) {
  int count = 0;
  for (const FormulaNode& node : formula.nodes) {
    if (node.kind == FormulaNode::Kind::input) count = std::max(count, node.input + 1);
  }
  return count;
}

}  // namespace

int uses_of(const Formula& formula, int which) {
  return static_cast<int>(
      std::count_if(formula.nodes.begin(), formula.nodes.end(), [&](const FormulaNode& node) {
        return node.kind == FormulaNode::Kind::input && node.input == which;
      }));
}

Formula renumber(Formula formula, const std::vector<int>& numbers) {
  for (FormulaNode& node : formula.nodes) {
    if (node.kind == FormulaNode::Kind::input) {
      node.input = numbers.at(static_cast<std::size_t>(node.input));
    }
  }
  return formula;
}

Formula substitute(const Formula& outer, int which, const Formula& inner, DType type) {
  Formula result = outer;
  const auto offset = static_cast<int>(outer.nodes.size());
  const int before = input_count(outer) - 1;
  for (FormulaNode node : inner.nodes) {
    for (int& child : node.children) child += offset;
    if (node.kind == FormulaNode::Kind::input) node.input += before;
    result.nodes.push_back(std::move(node));
  }
  for (int k = 0; k < offset; ++k) {
    FormulaNode& node = result.nodes[static_cast<std::size_t>(k)];
    if (node.kind != FormulaNode::Kind::input || node.input < which) continue;
    if (node.input > which) {
      --node.input;
      continue;
    }
    // As a conversion, which changes no value: a stored tensor is no written number, whose type
    // would follow what it meets, and abs(z) that was stored isn't the start of abs(z)^2.
    FormulaNode stored;
    stored.kind = FormulaNode::Kind::call;
    stored.position = node.position;
    stored.text = std::string(name_of(type));
    stored.children = {inner.root + offset};
    node = std::move(stored);
  }
  return result;
}

}  // namespace tessera::ops
