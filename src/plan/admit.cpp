// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/units.hpp"
#include "plan/plan.hpp"

namespace tessera::plan {

namespace {

/// Beyond this many ranks nobody is advised to go.
constexpr int most_ranks = 4096;
/// Up to this many ranks every rank is planned; beyond, the first, the last and a few between.
constexpr int all_ranks_planned = 16;

std::vector<Rank> sample_ranks(int ranks) {
  std::vector<Rank> sample;
  if (ranks <= all_ranks_planned) {
    for (Rank rank = 0; rank < ranks; ++rank) sample.push_back(rank);
  } else {
    sample = {0, 1, ranks / 2, ranks - 2, ranks - 1};
  }
  return sample;
}

bool fits(const Needs& needs, const Budget& budget) {
  return needs.peak_bytes <= budget.host && needs.device_bytes <= budget.device;
}

bool fits_on(const graph::Graph& graph, PlanOptions options, int ranks, const Budget& budget) {
  options.ranks = ranks;
  options.ranks_per_node = std::min(options.ranks_per_node, ranks);
  return fits(job_needs(graph, options), budget);
}

/// The smallest rank count above the present one that fits; 0 if none does.
int ranks_that_fit(const graph::Graph& graph, const PlanOptions& options, const Budget& budget) {
  int too_few = options.ranks;
  int enough = 0;
  for (int ranks = options.ranks * 2; ranks <= most_ranks; ranks *= 2) {
    if (fits_on(graph, options, ranks, budget)) {
      enough = ranks;
      break;
    }
    too_few = ranks;
  }
  if (enough == 0) return 0;
  while (enough - too_few > 1) {
    const int middle = too_few + (enough - too_few) / 2;
    (fits_on(graph, options, middle, budget) ? enough : too_few) = middle;
  }
  return enough;
}

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

}  // namespace

Needs job_needs(const graph::Graph& graph, PlanOptions options) {
  Needs needs;
  const std::vector<Rank> sample = sample_ranks(options.ranks);
  for (const Rank rank : sample) {
    options.rank = rank;
    const Plan plan = make_plan(graph, options);
    needs.peak_bytes = std::max(needs.peak_bytes, plan.peak_bytes());
    needs.device_bytes = std::max(needs.device_bytes, plan.device_bytes());
    needs.seconds = std::max(needs.seconds, plan.seconds);
    needs.message_bytes += plan.message_bytes;
  }
  needs.message_bytes *= static_cast<double>(options.ranks) / static_cast<double>(sample.size());
  return needs;
}

void admit(const graph::Graph& graph, const PlanOptions& options, const Budget& budget) {
  const Needs needs = job_needs(graph, options);
  if (fits(needs, budget)) return;
  const bool host = needs.peak_bytes > budget.host;  // and perhaps the GPU too
  const std::int64_t needed = host ? needs.peak_bytes : needs.device_bytes;
  const std::int64_t allowed = host ? budget.host : budget.device;
  std::string advice = "give " + bytes_text(needed) + " per rank (" +
                       (host ? "--memory " : "--device-memory ") +
                       std::to_string((needed >> 20) + 1) + "MiB)";
  const int ranks = ranks_that_fit(graph, options, budget);
  if (ranks > 0) {
    advice += " or run on " + std::to_string(ranks) + " ranks";
  } else {
    advice += "; more ranks alone won't do";
  }
  throw Error(ErrorKind::does_not_fit, "the run doesn't fit: it needs " + bytes_text(needed) +
                                           (host ? "" : " of GPU memory") + " per rank on " +
                                           std::to_string(options.ranks) + " rank(s), but " +
                                           bytes_text(allowed) + " are allowed")
      .advice(advice)
      .at({graph.file});
}

}  // namespace tessera::plan
