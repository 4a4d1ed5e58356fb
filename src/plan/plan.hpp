// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/machine.hpp"
#include "graph/graph.hpp"
#include "ops/operation.hpp"

namespace tessera::plan {

/// How files are read and written: by every rank, or through one rank per node (reading) and rank 0
/// (writing).
enum class IoMode { parallel, funnel };

/// The rates by which algorithms are chosen. Recipe `ordered` promises equal bits on every run, so
/// its choices may not follow measurements, which differ from day to day: they use the assumed
/// rates. The other recipes choose by what was measured; bitexact results don't depend on the
/// choice.
[[nodiscard]] inline Machine choosing_machine(Recipe recipe, const Machine& measured) {
  return recipe == Recipe::ordered ? Machine{} : measured;
}

/// The numbers that a plan is built from. No communicator is involved: any job can be planned
/// anywhere.
struct PlanOptions {
  int ranks = 1;
  Rank rank = 0;
  int ranks_per_node = 1;
  int threads = 1;
  IoMode io = IoMode::parallel;
  device::Backend backend = device::Backend::host;
  /// The kernels' memory isn't the host's: data are copied between the two.
  bool apart = false;
  bool fuse = true;   ///< chains of element-wise steps run as one
  Machine machine{};  ///< for predicting seconds
};

/// A piece of the rank's arena.
struct Buffer {
  std::string label;
  std::int64_t bytes = 0;
  int first = -1;           ///< number of the first action that uses it
  int last = -1;            ///< and of the last
  std::int64_t offset = 0;  ///< in the arena
};

/// How a step is carried out.
struct StepPlan {
  StepId id;
  std::string name;
  std::string op;
  std::string algorithm;
  std::vector<layout::Layout> inputs;
  std::vector<layout::Layout> outputs;
  std::vector<graph::TensorInfo> output_infos;
  double seconds = 0;      ///< predicted, redistribution of its inputs included
  bool left_out = false;   ///< no output needs it
  std::string taken_into;  ///< the step that it runs as a part of; empty: it runs by itself
};

/// What one rank will do, in order, and the memory that it takes. Plain data but for the functions
/// to run. A batched graph's `actions` run once per item of this rank; `prologue` and `epilogue`
/// run once.
struct Plan {
  PlanOptions options;
  Recipe recipe = Recipe::ordered;
  Machine choosing;  ///< rates that the choices were made by
  bool batched = false;
  std::int64_t first_item = 0;  ///< this rank's items
  std::int64_t items = 1;
  std::vector<ops::Action> prologue;
  std::vector<ops::Action> actions;
  std::vector<ops::Action> epilogue;
  std::vector<Buffer> buffers;  ///< indexed by BufferId
  /// The host's copies of buffers, indexed alike, where the kernels' memory is apart.
  std::vector<Buffer> host_buffers;
  std::vector<StepPlan> steps;
  std::int64_t arena_bytes = 0;    ///< of this rank: where its kernels work
  std::int64_t staging_bytes = 0;  ///< of the host's copies
  std::int64_t fixed_bytes = 0;    ///< program, libraries, message buffers: measured once
  double seconds = 0;              ///< predicted
  double message_bytes = 0;        ///< sent by this rank
  double read_bytes = 0;
  double write_bytes = 0;

  /// Of the host's memory, and of the GPU's where that is apart.
  [[nodiscard]] std::int64_t peak_bytes() const {
    return fixed_bytes + (options.apart ? staging_bytes : arena_bytes);
  }
  [[nodiscard]] std::int64_t device_bytes() const { return options.apart ? arena_bytes : 0; }
};

/// Chooses layouts and algorithms by predicted cost, inserts exchanges, places buffers.
[[nodiscard]] Plan make_plan(const graph::Graph& graph, const PlanOptions& options);

/// The needs of a whole job: the busiest rank's memory and the totals over ranks.
struct Needs {
  std::int64_t peak_bytes = 0;    ///< of the host's memory, on the rank that needs most
  std::int64_t device_bytes = 0;  ///< of the GPU's memory, likewise
  double message_bytes = 0;       ///< over all ranks
  double seconds = 0;             ///< of the slowest rank
};
[[nodiscard]] Needs job_needs(const graph::Graph& graph, PlanOptions options);

/// What each rank may use of the host's memory and of its GPU's.
struct Budget {
  std::int64_t host = 0;
  std::int64_t device = std::numeric_limits<std::int64_t>::max();
};

/// Returns when every rank's peak fits the budget; otherwise throws Error(does_not_fit) that says
/// what is needed, and with how many ranks or how much memory it would fit.
void admit(const graph::Graph& graph, const PlanOptions& options, const Budget& budget);

/// The plan for people: steps, layouts, memory, actions; and as JSON.
[[nodiscard]] std::string describe(const graph::Graph& graph, const Plan& plan, const Needs& needs);
[[nodiscard]] std::string describe_json(const graph::Graph& graph, const Plan& plan,
                                        const Needs& needs);

}  // namespace tessera::plan
