// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::record {

/// What a rank spends time on. Together they make up the wall clock.
enum class Phase { startup, read, upload, compute, communicate, download, write, wait, report };

[[nodiscard]] const char* name_of(Phase phase);

/// One stretch of time of one rank. Times are seconds since the rank's recorder began.
struct Span {
  Phase phase = Phase::compute;
  std::string step;   ///< the user's name of the step; empty for none
  std::string label;  ///< the action's label, as in the plan
  std::string algorithm;
  double start = 0;
  double end = 0;
  double bytes = 0;  ///< moved in memory, sent, read or written
  double flops = 0;
  double predicted = 0;    ///< seconds
  std::int64_t count = 1;  ///< several turns of a loop written as one
  double busy = 0;         ///< seconds inside; less than end - start where turns were merged
  /// Of a data-dependent loop: how often it really ran. Its seconds are those of the spans inside,
  /// so that `busy` is 0. -1 for everything else.
  std::int64_t turns = -1;
};

/// Collects the spans of one rank. Only the executor and the program's own stages add to it.
class Recorder {
 public:
  Recorder();

  /// Seconds since construction.
  [[nodiscard]] double now() const;
  /// Seconds since the epoch at construction, for lining ranks up.
  [[nodiscard]] double origin() const { return origin_; }
  void add(Span span);
  /// A stage of the program itself: from the end of the last stage (or the beginning) until now.
  void stage(Phase phase, std::string label);
  /// Where the next stage begins.
  void begin_stage() { stage_begin_ = now(); }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  std::chrono::steady_clock::time_point begin_;
  double origin_ = 0;
  double stage_begin_ = 0;
  std::vector<Span> spans_;
};

/// Everything that the logs are made of, for one rank.
struct RankLog {
  int rank = 0;
  double origin = 0;  ///< seconds since the epoch
  double wall = 0;    ///< seconds from start to end
  std::vector<Span> spans;
  std::int64_t planned_bytes = 0;   ///< peak memory that the plan says
  std::int64_t measured_bytes = 0;  ///< peak resident memory
};

}  // namespace tessera::record
