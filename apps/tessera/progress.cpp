// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "base/units.hpp"

namespace tessera::apps {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int bar_width = 30;
constexpr double seconds_between_frames = 0.1;
constexpr double seconds_between_lines = 30;

double share_done(const run::Progress& progress) {
  if (!(progress.predicted_total > 0)) return 0;
  return std::clamp(progress.predicted_done / progress.predicted_total, 0.0, 1.0);
}

void draw_bar(const run::Progress& progress) {
  const double share = share_done(progress);
  const int full = static_cast<int>(share * bar_width);
  const std::string bar = std::string(static_cast<std::size_t>(full), '#') +
                          std::string(static_cast<std::size_t>(bar_width - full), '.');
  fmt::print(stderr, "\r[{}] {:3.0f} %  {:<40.40}", bar, 100 * share, progress.label);
  std::fflush(stderr);
}

}  // namespace

std::function<void(const run::Progress&)> make_progress() {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto begin = Clock::now();
  auto last = std::make_shared<Clock::time_point>(begin);
  return [terminal, begin, last](const run::Progress& progress) {
    const auto now = Clock::now();
    const double since = std::chrono::duration<double>(now - *last).count();
    if (since < (terminal ? seconds_between_frames : seconds_between_lines)) return;
    *last = now;
    if (terminal) {
      draw_bar(progress);
    } else {
      fmt::print(stderr, "tessera: {:.0f} % after {}: {}\n", 100 * share_done(progress),
                 format_seconds(std::chrono::duration<double>(now - begin).count()),
                 progress.label);
    }
  };
}

void end_progress() {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r{:80}\r", "");
}

}  // namespace tessera::apps
