// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/operation.hpp"

namespace tessera::ops {

// Every operation is one function, named in list.inc. An explicit list, because self-registration
// through static objects is dropped by linkers.
#define TESSERA_OPERATION(name) Operation name##_operation();
#include "ops/list.inc"
#undef TESSERA_OPERATION

const std::vector<Operation>& all_operations() {
  static const std::vector<Operation> operations = {
#define TESSERA_OPERATION(name) name##_operation(),
#include "ops/list.inc"
#undef TESSERA_OPERATION
  };
  return operations;
}

const Operation* find_operation(const std::string& name) {
  const auto& all = all_operations();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Operation& op) { return op.signature.name == name; });
  return found == all.end() ? nullptr : &*found;
}

graph::Catalogue catalogue() {
  graph::Catalogue result;
  result.find = [](const std::string& name) {
    const Operation* op = find_operation(name);
    return op == nullptr ? nullptr : &op->signature;
  };
  for (const Operation& op : all_operations()) result.names.push_back(op.signature.name);
  return result;
}

}  // namespace tessera::ops
