// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "base/selection.hpp"

#include <charconv>

namespace tessera {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

[[noreturn]] void refuse(std::string_view selection, std::string_view part) {
  throw Error(ErrorKind::graph, "the selection " + quoted(selection) + " can't be read")
      .expected("integers, ranges like 0:10 or ::2, and one ...")
      .found(quoted(part));
}

std::optional<std::int64_t> optional_integer(std::string_view text, std::string_view selection,
                                             std::string_view part) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stopped != end) refuse(selection, part);
  return value;
}

/// An index or a border of a range, counted from the front.
std::int64_t from_front(std::int64_t value, std::int64_t extent) {
  return value < 0 ? value + extent : value;
}

std::string axis_text(int axis, std::int64_t extent) {
  return "axis " + std::to_string(axis) + " of extent " + std::to_string(extent);
}

}  // namespace

Selection Selection::parse(std::string_view text) {
  Selection result;
  result.text_ = std::string(text);
  const std::string_view whole = trimmed(text);
  if (whole.size() < 2 || whole.front() != '[' || whole.back() != ']') {
    throw Error(ErrorKind::graph, "a selection stands in brackets")
        .expected("for example \"[0:100, :]\"")
        .found(quoted(text));
  }
  std::string_view rest = whole.substr(1, whole.size() - 2);
  bool ellipsis_seen = false;
  while (true) {
    const auto comma = rest.find(',');
    const std::string_view part = trimmed(rest.substr(0, comma));
    if (part.empty()) refuse(text, part);
    Part& made = result.parts_.emplace_back();
    if (part == "...") {
      if (ellipsis_seen) {
        throw Error(ErrorKind::graph, "the selection " + quoted(text) + " has two ellipses")
            .expected("at most one ...");
      }
      ellipsis_seen = true;
      made.kind = Part::Kind::ellipsis;
    } else if (const auto colon = part.find(':'); colon == std::string_view::npos) {
      made.kind = Part::Kind::index;
      made.start = optional_integer(part, text, part);
    } else {
      const std::string_view after = part.substr(colon + 1);
      const auto second = after.find(':');
      made.start = optional_integer(part.substr(0, colon), text, part);
      made.stop = optional_integer(after.substr(0, second), text, part);
      if (second != std::string_view::npos) {
        made.step = optional_integer(after.substr(second + 1), text, part).value_or(1);
      }
      if (made.step < 1) {
        throw Error(ErrorKind::graph,
                    "the selection " + quoted(text) + " has a step that isn't positive")
            .expected("a step of at least 1")
            .found(std::to_string(made.step));
      }
    }
    if (comma == std::string_view::npos) break;
    rest = rest.substr(comma + 1);
  }
  return result;
}

Selection::Resolved Selection::resolve(const Shape& dataset) const {
  const int axes = dataset.size();
  const bool has_ellipsis = std::any_of(parts_.begin(), parts_.end(), [](const Part& part) {
    return part.kind == Part::Kind::ellipsis;
  });
  const int named = static_cast<int>(parts_.size()) - (has_ellipsis ? 1 : 0);
  if (named > axes) {
    throw Error(ErrorKind::graph,
                "the selection " + quoted(text_) + " names more axes than the dataset has")
        .expected("at most " + std::to_string(axes))
        .found(std::to_string(named));
  }

  Resolved result;
  const auto keep = [&](std::int64_t start, std::int64_t step, std::int64_t count) {
    result.kept.push_back(result.start.size());
    result.shape.push_back(count);
    result.start.push_back(start);
    result.step.push_back(step);
    result.count.push_back(count);
  };
  const auto keep_whole_axes = [&](int how_many) {
    for (int i = 0; i < how_many; ++i) keep(0, 1, dataset[result.start.size()]);
  };
  for (const Part& part : parts_) {
    if (part.kind == Part::Kind::ellipsis) {
      keep_whole_axes(axes - named);
      continue;
    }
    const int axis = result.start.size();
    const std::int64_t extent = dataset[axis];
    if (part.kind == Part::Kind::index) {
      const std::int64_t index = from_front(*part.start, extent);
      if (index < 0 || index >= extent) {
        throw Error(ErrorKind::graph,
                    "the selection " + quoted(text_) + " leaves " + axis_text(axis, extent))
            .expected(extent == 0 ? "no index, for the axis is empty"
                                  : "an index from " + std::to_string(-extent) + " to " +
                                        std::to_string(extent - 1))
            .found(std::to_string(*part.start));
      }
      result.start.push_back(index);
      result.step.push_back(1);
      result.count.push_back(1);
      continue;
    }
    const std::int64_t start = from_front(part.start.value_or(0), extent);
    const std::int64_t stop = from_front(part.stop.value_or(extent), extent);
    if (start < 0 || stop > extent || start > stop) {
      // numpy would clip the range; a batch job that gets less than it asked for should hear of it.
      throw Error(ErrorKind::graph,
                  "the selection " + quoted(text_) + " leaves " + axis_text(axis, extent))
          .expected("a range inside 0:" + std::to_string(extent))
          .found(std::to_string(start) + ":" + std::to_string(stop));
    }
    keep(start, part.step, (stop - start) / part.step + ((stop - start) % part.step != 0 ? 1 : 0));
  }
  keep_whole_axes(axes - result.start.size());
  return result;
}

}  // namespace tessera
