// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/units.hpp"
#include "record/logs.hpp"

namespace tessera::record {

namespace {

/// The spans of one step and phase, over all ranks.
struct Row {
  std::string step;
  std::string name;
  Phase phase = Phase::compute;
  std::string algorithm;
  std::map<int, double> seconds;  ///< per rank
  double bytes = 0;
  double flops = 0;
  double predicted = 0;
  double first_start = 0;

  [[nodiscard]] double total() const {
    double sum = 0;
    for (const auto& [rank, value] : seconds) sum += value;
    return sum;
  }
  [[nodiscard]] double slowest() const {
    double most = 0;
    for (const auto& [rank, value] : seconds) most = std::max(most, value);
    return most;
  }
};

/// Stages and files keep their own names; what a step does is gathered by phase.
std::string row_name(const Span& span) { return span.step.empty() ? span.label : span.step; }

std::vector<Row> gather(const std::vector<RankLog>& ranks) {
  std::map<std::pair<std::string, Phase>, Row> rows;
  for (const RankLog& log : ranks) {
    for (const Span& span : log.spans) {
      const auto [place, fresh] = rows.try_emplace({row_name(span), span.phase});
      Row& row = place->second;
      if (fresh) {
        row.step = span.step;
        row.name = row_name(span);
        row.phase = span.phase;
        row.first_start = span.start;
      }
      if (row.algorithm.empty()) row.algorithm = span.algorithm;
      row.seconds[log.rank] += span.busy;
      row.bytes += span.bytes;
      row.flops += span.flops;
      row.predicted += span.predicted;
      row.first_start = std::min(row.first_start, span.start);
    }
  }
  std::vector<Row> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::sort(sorted.begin(), sorted.end(),
            [](const Row& a, const Row& b) { return a.first_start < b.first_start; });
  return sorted;
}

std::string rate(double amount, double seconds, const char* unit) {
  return amount > 0 && seconds > 0 ? format_rate(amount / seconds, unit) : "";
}

double mean_wall(const std::vector<RankLog>& ranks) {
  double sum = 0;
  for (const RankLog& log : ranks) sum += log.wall;
  return ranks.empty() ? 0 : sum / static_cast<double>(ranks.size());
}

/// How often the data-dependent loops ran; ranks may differ where they share nothing.
std::string loops(const std::vector<RankLog>& ranks) {
  std::map<std::string, std::map<int, std::int64_t>> turns;
  for (const RankLog& log : ranks) {
    for (const Span& span : log.spans) {
      if (span.turns >= 0) turns[row_name(span) + ", " + span.label][log.rank] += span.turns;
    }
  }
  std::string out;
  for (const auto& [name, by_rank] : turns) {
    std::int64_t least = by_rank.begin()->second;
    std::int64_t most = least;
    for (const auto& [rank, count] : by_rank) {
      least = std::min(least, count);
      most = std::max(most, count);
    }
    out += least == most ? fmt::format("{}: {} turns\n", name, most)
                         : fmt::format("{}: {} to {} turns\n", name, least, most);
  }
  return out;
}

constexpr std::size_t most_rows =
    200;  // a graph of thousands of steps still gives a page that one reads

void print_row(std::string& out, const Row& row, double count, double wall, const Limits& limits) {
  const double mean = row.total() / count;
  const double per_rank = row.total() > 0 ? row.bytes / row.total() : 0;
  const bool memory =
      row.phase == Phase::compute && limits.copy_bytes_per_second > 0 && row.bytes > 0;
  out += fmt::format(
      "{:<22} {:<12} {:<16} {:>11} {:>11} {:>6.1f} {:>11} {:>12} {:>14} {:>8}\n",
      row.name.substr(0, 22), name_of(row.phase), row.algorithm.substr(0, 16), format_seconds(mean),
      format_seconds(row.slowest()), wall > 0 ? 100 * mean / wall : 0,
      row.predicted > 0 ? format_seconds(row.predicted / count) : "",
      rate(row.bytes, row.total(), "B"), rate(row.flops, row.total(), "FLOP"),
      memory ? fmt::format("{:.0f} %", 100 * per_rank / limits.copy_bytes_per_second) : "");
}

}  // namespace

double coverage(const std::vector<RankLog>& ranks) {
  double spans = 0;
  double wall = 0;
  for (const RankLog& log : ranks) {
    wall += log.wall;
    for (const Span& span : log.spans) spans += span.busy;
  }
  return wall > 0 ? spans / wall : 0;
}

std::string summary(const std::vector<RankLog>& ranks, const Limits& limits) {
  const double count = std::max<double>(1, static_cast<double>(ranks.size()));
  const double wall = mean_wall(ranks);
  std::string out = fmt::format(
      "{} rank(s), wall clock {}; measured copy speed {} per rank (bytes read + written)\n"
      "Seconds are means over ranks, \"slowest\" is the slowest rank's; rates are per rank.\n\n",
      ranks.size(), format_seconds(wall), format_rate(limits.copy_bytes_per_second, "B"));
  out += fmt::format("{:<22} {:<12} {:<16} {:>11} {:>11} {:>6} {:>11} {:>12} {:>14} {:>8}\n",
                     "step", "phase", "algorithm", "seconds", "slowest", "%", "predicted", "rate",
                     "arithmetic", "of copy");
  const std::vector<Row> rows = gather(ranks);
  double total = 0;
  double rest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    total += rows[i].total() / count;
    if (i < most_rows) {
      print_row(out, rows[i], count, wall, limits);
    } else {
      rest += rows[i].total() / count;
    }
  }
  if (rows.size() > most_rows) {
    out += fmt::format("{:<22} {:<12} {:<16} {:>11}\n",
                       fmt::format("{} more rows", rows.size() - most_rows), "", "",
                       format_seconds(rest));
  }
  out += fmt::format("{:<22} {:<12} {:<16} {:>11} {:>11} {:>6.1f}\n", "sum of the rows", "", "",
                     format_seconds(total), "", wall > 0 ? 100 * total / wall : 0);
  out += fmt::format("{:<22} {:<12} {:<16} {:>11} {:>11} {:>6.1f}\n\n", "not accounted for", "", "",
                     format_seconds(std::max(0.0, wall - total)), "",
                     wall > 0 ? 100 * std::max(0.0, wall - total) / wall : 0);
  out += loops(ranks);
  std::int64_t planned = 0;
  std::int64_t measured = 0;
  for (const RankLog& log : ranks) {
    planned = std::max(planned, log.planned_bytes);
    measured = std::max(measured, log.measured_bytes);
  }
  out += fmt::format("peak memory of the busiest rank: planned {}, measured {}\n",
                     format_bytes(static_cast<double>(planned)),
                     format_bytes(static_cast<double>(measured)));
  return out;
}

}  // namespace tessera::record
