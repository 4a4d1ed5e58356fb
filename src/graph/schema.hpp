// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "graph/graph.hpp"

namespace tessera::graph {

/// The JSON Schema (draft 7, which editors know best) of graph files: accepts every graph that can
/// be resolved, and refuses unknown keys, operations and parameters, wrong types, words and ranges.
/// What needs more than one place of the file (names of tensors, shapes) or the data is left to
/// `resolve`. `summary` gives one sentence on an operation.
[[nodiscard]] std::string json_schema(
    const Catalogue& catalogue, const std::function<std::string(const std::string&)>& summary = {});

}  // namespace tessera::graph
