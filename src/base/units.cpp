// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"

namespace tessera {

namespace {

/// Three significant digits, without trailing zeros after the point being hidden: 1.50, 15.0, 150.
std::string three_digits(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string format_bytes(double bytes) {
  constexpr std::array<const char*, 6> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return (unit == 0 ? fmt::format("{:.0f}", bytes) : three_digits(bytes)) + " " + units[unit];
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3) return three_digits(seconds * 1e6) + " us";
  if (seconds < 1) return three_digits(seconds * 1e3) + " ms";
  if (seconds < 120) return three_digits(seconds) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 7200) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string format_rate(double per_second, std::string_view unit) {
  constexpr std::array<const char*, 5> prefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (per_second >= 1000 && prefix + 1 < prefixes.size()) {
    per_second /= 1000;
    ++prefix;
  }
  return three_digits(per_second) + " " + prefixes[prefix] + std::string(unit) + "/s";
}

std::int64_t parse_bytes(std::string_view text) {
  const auto refuse = [&]() -> Error {
    return Error(ErrorKind::usage, "can't read a size")
        .expected("a number with a unit, such as 512MiB or 2GiB")
        .found("\"" + std::string(text) + "\"");
  };
  const std::string copy(text);
  char* rest = nullptr;
  const double number = std::strtod(copy.c_str(), &rest);
  if (rest == copy.c_str() || !(number >= 0)) throw refuse();
  std::string unit;
  for (; *rest != '\0'; ++rest) {
    if (!std::isspace(static_cast<unsigned char>(*rest))) {
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*rest)));
    }
  }
  constexpr std::string_view letters = "kmgtp";
  double scale = 1;
  if (!unit.empty() && unit != "b") {
    const auto power = letters.find(unit[0]);
    const std::string tail = unit.substr(1);
    if (power == std::string_view::npos || (tail != "" && tail != "ib" && tail != "b"))
      throw refuse();
    // "GB" is decimal; "G" alone is binary, as Slurm and ulimit mean it.
    scale = std::pow(tail == "b" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
  }
  const double bytes = number * scale;
  if (bytes > 9e18) throw refuse();
  return static_cast<std::int64_t>(bytes);
}

}  // namespace tessera
