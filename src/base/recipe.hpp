// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace tessera {

/// What bits a result has: see the README's table of recipes.
enum class Recipe {
  fast,     ///< fastest path; error bound stated per operation
  ordered,  ///< same bits for the same build, machine, ranks and threads
  bitexact  ///< same bits for any ranks, threads, tiles, backend
};

[[nodiscard]] constexpr std::string_view name_of(Recipe recipe) {
  return recipe == Recipe::fast ? "fast" : recipe == Recipe::ordered ? "ordered" : "bitexact";
}

[[nodiscard]] constexpr std::optional<Recipe> recipe_named(std::string_view name) {
  if (name == "fast") return Recipe::fast;
  if (name == "ordered") return Recipe::ordered;
  if (name == "bitexact") return Recipe::bitexact;
  return std::nullopt;
}

}  // namespace tessera
