// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>

namespace tessera::graph {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Letters to insert, delete, replace or swap with their neighbour to come from a to b (optimal
/// string alignment; three rows of the table suffice).
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string in_quotes(const std::string& name) {
  constexpr std::size_t longest = 80;
  std::string text = "\"";
  for (const char c : name) {
    const bool starts_character = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (text.size() > longest && starts_character) return text + "...\"";
    text += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
  }
  return text + "\"";
}

std::string listed(const std::vector<std::string>& names, const std::string& last) {
  constexpr std::size_t most = 12;
  const std::size_t shown = names.size() > most ? most - 1 : names.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " " + last + " " : ", ";
    text += in_quotes(names[i]);
  }
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::string nearest(const std::string& name, const std::vector<std::string>& names) {
  std::string best;
  // Of one or two letters, only the same ones in another case are near.
  std::size_t least = name.size() < 3 ? 1 : std::max<std::size_t>(1, (name.size() + 1) / 3) + 1;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(lower(name), lower(candidate));
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& names,
                       const std::string& none) {
  if (names.empty()) return none;
  const std::string near = nearest(name, names);
  if (!near.empty()) return "did you mean " + in_quotes(near) + "?";
  return std::string(names.size() == 1 ? "there is " : "there are ") + listed(names);
}

}  // namespace tessera::graph
