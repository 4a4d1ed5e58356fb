// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/digest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checksum.hpp"

namespace tessera::data {
namespace {

std::uint32_t sum_of(const void* data, std::size_t bytes) {
  Checksum sum;
  sum.append(data, bytes);
  return sum.value;
}

std::string line_of(const Attribute& attribute) {
  const auto line = [&](const char* kind, std::uint32_t sum) {
    return fmt::format("attribute {} {} {:08x}\n", attribute.name, kind, sum);
  };
  if (const auto* text = std::get_if<std::string>(&attribute.value))
    return line("text", digest_of(*text));
  if (const auto* whole = std::get_if<std::int64_t>(&attribute.value))
    return line("int64", sum_of(whole, sizeof(*whole)));
  const double real = std::get<double>(attribute.value);
  return line("float64", sum_of(&real, sizeof(real)));
}

}  // namespace

std::string description(std::vector<Attribute> attributes, std::vector<DatasetSummary> datasets) {
  std::sort(attributes.begin(), attributes.end(),
            [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
  std::sort(datasets.begin(), datasets.end(),
            [](const DatasetSummary& a, const DatasetSummary& b) { return a.path < b.path; });
  std::string text = "tessera file 1\n";
  for (const Attribute& attribute : attributes) text += line_of(attribute);
  for (const DatasetSummary& dataset : datasets) {
    text += fmt::format("dataset {} {} {} {:08x}\n", dataset.path, name_of(dataset.dtype),
                        to_string(dataset.shape), dataset.checksum);
  }
  return text;
}

std::uint32_t digest_of(const std::string& text) { return sum_of(text.data(), text.size()); }

}  // namespace tessera::data
