// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record/recorder.hpp"

namespace tessera::record {

/// What was measured of the machine, by which achieved rates are judged.
struct Limits {
  double copy_bytes_per_second =
      0;  ///< of one rank, all ranks copying at once; bytes read + written
};

/// Facts of the run for run.json: names and values, in the order in which they are printed. A value
/// that begins with '{' or '[' is taken as JSON.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// One rank's log as JSON lines: a header line, then a line per span. Non-finite numbers become
/// strings.
[[nodiscard]] std::string to_json_lines(const RankLog& log, const Limits& limits);
/// Reads the lines of any number of ranks back. Throws Error(io) naming the line.
[[nodiscard]] std::vector<RankLog> from_json_lines(const std::string& text,
                                                   Limits* limits = nullptr);

/// A table that adds up to the wall clock: seconds per step and phase (mean over ranks and slowest
/// rank), achieved rates and their share of the measured limit.
[[nodiscard]] std::string summary(const std::vector<RankLog>& ranks, const Limits& limits);
/// The share of the wall clock that the spans account for, averaged over ranks: 0 to 1.
[[nodiscard]] double coverage(const std::vector<RankLog>& ranks);

/// Chrome's trace format, one process per rank, one lane per phase; opens in Perfetto.
[[nodiscard]] std::string trace_json(const std::vector<RankLog>& ranks);

/// Writes timing.jsonl, trace.json, summary.txt and run.json into the folder, which is made if need
/// be. Throws Error(io).
void write_logs(const std::string& folder, const std::vector<RankLog>& ranks, const Limits& limits,
                const Facts& facts);

}  // namespace tessera::record
