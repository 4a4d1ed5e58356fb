// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/reduction.hpp"

namespace tessera::ops {

namespace {

using kernels::Merge;
using kernels::ReduceTask;
using kernels::Reduction;
using layout::Layout;

/// Results [begin, begin + count) of the flattened result.
struct Range {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  [[nodiscard]] std::int64_t end() const { return begin + count; }
};

Range overlap_of(const Range& a, const Range& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max<std::int64_t>(std::min(a.end(), b.end()) - begin, 0)};
}

/// Which results a rank holds: a combined result is replicated or cut along its outermost axis.
Range held_results(const Layout& layout, Rank rank) {
  const std::int64_t all = element_count(layout.shape());
  const int axis = layout.split_axis();
  if (layout.is_replicated() || axis < 0) return {0, layout.is_replicated() ? all : 0};
  const Box box = layout.box(rank);
  const std::int64_t each = all / std::max<std::int64_t>(layout.shape()[axis], 1);
  return {box.origin[axis] * each, box.extent[axis] * each};
}

/// Everything that the emitted functions need, by value.
struct Work {
  ReductionPlan plan;
  ReduceTask task;
  std::int64_t words = 0;
  int ranks = 1;
  std::int64_t elements = 0;  ///< per result, over all ranks
  std::vector<BufferId> inputs;
  BufferId out;
  BufferId states, scratch, fault, keys, nans;
  std::int64_t scratch_bytes = 0;
  int threads = 1;
  std::int64_t block = 0;  ///< results whose states are held at a time
  bool faults = false;     ///< the results have to be checked
  // Of the reduced axes, for indices.
  Extents local, origin, global;
};

std::int64_t* words_at(RunContext& context, BufferId buffer) {
  return reinterpret_cast<std::int64_t*>(context.data(buffer));
}

const void* input_at(RunContext& context, const Work& work, std::size_t which) {
  return which < work.inputs.size() ? context.data(work.inputs[which]) : nullptr;
}

kernels::Scratch scratch_of(RunContext& context, const Work& work) {
  return {context.data(work.scratch), work.scratch_bytes, work.threads};
}

kernels::ReduceCounts counts_of(RunContext& context, const Work& work, std::int64_t first) {
  const bool counted = work.plan.ignore_nan && work.plan.what == Reduction::mean;
  return {work.elements, counted ? words_at(context, work.nans) + first : nullptr};
}

std::byte* result_at(RunContext& context, const Work& work, std::int64_t index) {
  return context.data(work.out) +
         index * size_of(kernels::reduced_dtype(work.plan.what, work.plan.dtype));
}

/// States of this rank's part, indices made global.
void run_parts(RunContext& context, const Work& work, const Range& range) {
  std::int64_t* states = words_at(context, work.states);
  kernels::reduce_parts(context.stream(), work.task, input_at(context, work, 0),
                        input_at(context, work, 1), range.begin, range.count, states,
                        scratch_of(context, work));
  if (kernels::reduce_merge(work.task) == Merge::first_largest) {
    kernels::reduce_globalise(context.stream(), range.count, states, work.local, work.origin,
                              work.global);
  }
}

std::optional<Error> fault_of(RunContext& context, const Work& work, std::int64_t fault) {
  (void)context;
  const std::string name = work.plan.what == Reduction::argmin   ? "argmin"
                           : work.plan.what == Reduction::argmax ? "argmax"
                                                                 : "the result";
  switch (static_cast<kernels::ReduceFault>(fault)) {
    case kernels::ReduceFault::none:
      return std::nullopt;
    case kernels::ReduceFault::overflow:
      return Error(ErrorKind::numerical, name + " doesn't fit int64")
          .advice("cast the input to float64 first");
    case kernels::ReduceFault::all_nan:
      return Error(ErrorKind::numerical, name + " of elements that are all NaN")
          .advice("NaN are left out because of \"nan\": \"ignore\"");
  }
  return std::nullopt;
}

std::int64_t read_word(RunContext& context, BufferId buffer) {
  std::int64_t value = 0;
  device::copy(context.stream(), &value, context.data(buffer), sizeof value);
  device::fence(context.stream());
  return value;
}

/// Results that lie whole on this rank: states and results block by block.
void run_local(RunContext& context, const Work& work) {
  const std::int64_t results = work.task.shape.results();
  if (kernels::reduce_exact_whole(context.stream(), work.task, input_at(context, work, 0),
                                  counts_of(context, work, 0), context.data(work.out),
                                  work.threads)) {
    return;
  }
  std::int64_t fault = 0;
  for (std::int64_t first = 0; first < results; first += work.block) {
    const Range range{first, std::min(work.block, results - first)};
    run_parts(context, work, range);
    kernels::reduce_finish(context.stream(), work.task, range.count, words_at(context, work.states),
                           counts_of(context, work, first), result_at(context, work, first),
                           words_at(context, work.fault));
    if (work.faults) fault = std::max(fault, read_word(context, work.fault));
  }
  if (!work.faults) return;
  const std::optional<Error> error = fault_of(context, work, fault);
  if (work.ranks > 1)
    device::copy(context.stream(), context.data(work.fault), &fault, sizeof fault);
  if (work.ranks == 1 && error) throw *error;
}

/// All ranks learn whether one of them has a fault.
void emit_fault_check(const Work& work, const std::string& name, Emitter& emitter) {
  if (!work.faults || work.ranks == 1) return;
  emitter.collective({name + ": check", {work.fault}, {}, 8, 2, [work](RunContext& context) {
                        const std::int64_t fault = read_word(context, work.fault);
                        throw_together(context, work.ranks, fault_of(context, work, fault));
                      }});
}

/// Adds states up over the ranks; where the results are spread each rank gets its own only.
void add_states(RunContext& context, const Work& work, const Range& range, const Layout& results) {
  comm::Communicator& communicator = context.communicator();
  const Merge merge = kernels::reduce_merge(work.task);
  const DType dtype = merge == Merge::add_float64 ? DType::float64 : DType::int64;
  const comm::ReduceOp op = merge == Merge::max_int64 ? comm::ReduceOp::max : comm::ReduceOp::sum;
  std::int64_t* states = words_at(context, work.states);
  if (results.is_replicated()) {
    communicator.all_reduce(states, range.count * work.words, dtype, op);
    return;
  }
  std::vector<std::int64_t> counts;
  std::int64_t before = 0;
  for (Rank rank = 0; rank < communicator.size(); ++rank) {
    if (rank == communicator.rank()) {
      for (const std::int64_t count : counts) before += count;
    }
    counts.push_back(overlap_of(range, held_results(results, rank)).count * work.words);
  }
  communicator.reduce_scatter(states, counts, dtype, op, states + before);
}

void merge_states(RunContext& context, const Work& work, const Range& range,
                  const Layout& results) {
  comm::Communicator& communicator = context.communicator();
  std::int64_t* states = words_at(context, work.states);
  std::int64_t* keys = words_at(context, work.keys);
  const std::int64_t count = range.count;
  switch (kernels::reduce_merge(work.task)) {
    case Merge::first_largest: {
      std::int64_t* indices = keys + count;
      kernels::reduce_split_keys(context.stream(), count, states, keys);
      device::fence(context.stream());
      communicator.all_reduce(keys, count, DType::int64, comm::ReduceOp::max);
      kernels::reduce_split_indices(context.stream(), count, states, keys, indices);
      device::fence(context.stream());
      communicator.all_reduce(indices, count, DType::int64, comm::ReduceOp::min);
      kernels::reduce_join(context.stream(), count, keys, indices, states);
      return;
    }
    case Merge::fold: {
      const std::vector<std::int64_t> bytes(communicator.size(), 8 * count * work.words);
      communicator.all_gather(states, bytes, keys);
      kernels::reduce_fold(context.stream(), work.task, communicator.size(), count, keys, states);
      return;
    }
    default:
      add_states(context, work, range, results);
  }
}

/// Whether every rank has all merged states of a block, or only those of the results that it holds.
bool has_all_states(const Work& work, const Layout& results) {
  const Merge merge = kernels::reduce_merge(work.task);
  return results.is_replicated() || merge == Merge::first_largest || merge == Merge::fold;
}

/// The results of a block that this rank holds.
void finish_block(RunContext& context, const Work& work, const Range& range,
                  const Layout& results) {
  const Range held = held_results(results, context.communicator().rank());
  const Range mine = overlap_of(range, held);
  std::int64_t before = 0;  // states of other ranks' results that lie in front
  if (has_all_states(work, results)) {
    before = mine.begin - range.begin;
  } else {
    for (Rank rank = 0; rank < context.communicator().rank(); ++rank) {
      before += overlap_of(range, held_results(results, rank)).count;
    }
  }
  kernels::reduce_finish(
      context.stream(), work.task, mine.count, words_at(context, work.states) + before * work.words,
      counts_of(context, work, mine.begin - held.begin),
      result_at(context, work, mine.begin - held.begin), words_at(context, work.fault));
}

/// One block of results: the part's states, the merge, the results.
void emit_block(const Work& work, const Range& range, const std::string& name,
                const Layout& results, Emitter& emitter) {
  const double state_bytes = 8.0 * static_cast<double>(range.count * work.words);
  const double share = static_cast<double>(range.count) /
                       static_cast<double>(std::max<std::int64_t>(work.task.shape.results(), 1));
  const double elements =
      share * static_cast<double>(work.task.shape.results() * work.task.shape.elements());
  const double read = elements * static_cast<double>(size_of(work.plan.dtype)) *
                      static_cast<double>(work.inputs.size());
  emitter.launch({name,
                  work.inputs,
                  {work.states, work.scratch},
                  read + state_bytes,
                  elements,
                  [work, range](RunContext& context) { run_parts(context, work, range); }});
  const double volume = results.is_replicated() ? 2 * state_bytes : state_bytes;
  emitter.collective({name + ": merge",
                      {work.states},
                      {work.states, work.keys},
                      volume,
                      2.0 * std::max(1, work.ranks - 1),
                      [work, range, results](RunContext& context) {
                        merge_states(context, work, range, results);
                      }});
  emitter.launch({name + ": round",
                  {work.states, work.nans},
                  {work.out, work.fault, work.states},
                  2 * state_bytes,
                  0,
                  [work, range, results](RunContext& context) {
                    finish_block(context, work, range, results);
                  }});
  emit_fault_check(work, name, emitter);
}

/// A mean that leaves NaN out: their number per result that this rank holds goes to `work.nans`.
void emit_nan_counts(Work& work, const Step& step, ReductionMode mode, Emitter& emitter);

Work make_work(const ReductionPlan& plan, const Step& step, ReductionMode mode, Emitter& emitter) {
  const Layout& layout = step.inputs[0].layout;
  const Layout& results = step.outputs[0].layout;
  const std::string& name = step.node.name;
  Work work;
  work.plan = plan;
  work.task = plan.task(plan.local_extent(layout, emitter.rank(), mode));
  work.words = kernels::reduce_words(work.task);
  work.ranks = emitter.ranks();
  work.elements = 1;
  const bool one_box = layout.is_block();
  const Box box = one_box ? layout.box(emitter.rank()) : Box::whole(plan.shape);
  const Shape extent = layout.local_extent(emitter.rank());
  for (int axis = 0; axis < plan.shape.size(); ++axis) {
    if (!plan.reduced[static_cast<std::size_t>(axis)]) continue;
    work.elements *= plan.shape[axis];
    work.local.push_back(extent[axis]);
    work.origin.push_back(mode == ReductionMode::local ? 0 : box.origin[axis]);
    work.global.push_back(plan.shape[axis]);
  }
  for (const Placed& input : step.inputs) work.inputs.push_back(input.buffer);
  work.out = step.outputs[0].buffer;
  const std::int64_t count = work.task.shape.results();
  work.block = std::max<std::int64_t>(1, std::min(count, state_block_bytes / (8 * work.words)));
  work.states = emitter.scratch(name + " states", 8 * work.words * std::min(work.block, count));
  work.scratch_bytes =
      kernels::reduce_scratch_bytes(work.task, emitter.backend(), emitter.threads());
  work.threads = emitter.threads();
  work.scratch = emitter.scratch(name + " scratch", work.scratch_bytes);
  work.fault = emitter.scratch(name + " fault", 8);
  const Merge merge = kernels::reduce_merge(work.task);
  const bool combined = mode == ReductionMode::combined;
  const std::int64_t gathered = merge == Merge::first_largest ? 2
                                : merge == Merge::fold        ? work.words * emitter.ranks()
                                                              : 0;
  work.keys = emitter.scratch(name + " merge", combined ? 8 * gathered * work.block : 0);
  work.faults =
      (is_integer(plan.dtype) && (plan.what == Reduction::sum || plan.what == Reduction::prod ||
                                  plan.what == Reduction::dot)) ||
      (plan.ignore_nan && merge == Merge::first_largest);
  const std::int64_t held =
      combined ? held_results(results, emitter.rank()).count : work.task.shape.results();
  const bool counted = plan.ignore_nan && plan.what == Reduction::mean;
  work.nans = emitter.scratch(name + " NaN counts", counted ? 8 * held : 0);
  return work;
}

void emit_work(Work work, const Step& step, ReductionMode mode, Emitter& emitter) {
  const std::string& name = step.node.name;
  const Layout& results = step.outputs[0].layout;
  if (work.plan.ignore_nan && work.plan.what == Reduction::mean) {
    emit_nan_counts(work, step, mode, emitter);
  }
  const std::int64_t count = work.task.shape.results();
  if (mode == ReductionMode::combined) {
    for (std::int64_t first = 0; first < count; first += work.block) {
      emit_block(work, {first, std::min(work.block, count - first)}, name, results, emitter);
    }
    return;
  }
  const double elements = static_cast<double>(count * work.task.shape.elements());
  const double bytes = elements * static_cast<double>(size_of(work.plan.dtype)) *
                           static_cast<double>(work.inputs.size()) +
                       static_cast<double>(count * size_of(step.outputs[0].dtype));
  std::vector<BufferId> reads = work.inputs;
  reads.push_back(work.nans);
  emitter.launch({name,
                  reads,
                  {work.out, work.states, work.scratch, work.fault},
                  bytes,
                  elements,
                  [work](RunContext& context) { run_local(context, work); }});
  emit_fault_check(work, name, emitter);
}

void emit_nan_counts(Work& work, const Step& step, ReductionMode mode, Emitter& emitter) {
  ReductionPlan counting = work.plan;
  counting.what = Reduction::count_nan;
  counting.exact = false;
  counting.ignore_nan = false;
  Step inner{
      step.node, step.choice, step.inputs, {{work.nans, DType::int64, step.outputs[0].layout}}};
  emit_work(make_work(counting, inner, mode, emitter), inner, mode, emitter);
}

}  // namespace

void throw_together(RunContext& context, int ranks, const std::optional<Error>& mine) {
  if (ranks > 1) {
    context.communicator().agree(mine);
  } else if (mine) {
    throw *mine;
  }
}

void emit_nan_refusal(const Placed& input, const std::string& name, Emitter& emitter) {
  ReductionPlan counting{};
  counting.what = Reduction::count_nan;
  counting.dtype = input.dtype;
  counting.shape = input.layout.shape();
  counting.reduced.fill(true);
  Work work;
  work.plan = counting;
  work.task = counting.task(input.layout.local_extent(emitter.rank()));
  work.words = 1;
  work.ranks = emitter.ranks();
  work.inputs = {input.buffer};
  work.states = emitter.scratch(name + " NaN", 8);
  work.scratch_bytes =
      kernels::reduce_scratch_bytes(work.task, emitter.backend(), emitter.threads());
  work.threads = emitter.threads();
  work.scratch = emitter.scratch(name + " scratch", work.scratch_bytes);
  const double bytes =
      static_cast<double>(input.layout.local_elements(emitter.rank()) * size_of(input.dtype));
  emitter.launch({name + ": look for NaN",
                  work.inputs,
                  {work.states, work.scratch},
                  bytes,
                  0,
                  [work](RunContext& context) {
                    run_parts(context, work, {0, 1});
                  }});
  const bool replicated = input.layout.is_replicated();
  emitter.collective({name + ": NaN found", {work.states}, {}, 8, 2, [=](RunContext& context) {
                        std::int64_t count = read_word(context, work.states);
                        if (!replicated && work.ranks > 1) {
                          count = context.communicator().all_reduce(count, comm::ReduceOp::sum);
                        }
                        if (count == 0) return;
                        throw_together(context, work.ranks,
                                       Error(ErrorKind::numerical, "NaN among the elements")
                                           .expected("none, as \"nan\" is \"error\"")
                                           .found(std::to_string(count)));
                      }});
}

void emit_reduction(const ReductionPlan& plan, const Step& step, Emitter& emitter) {
  ReductionMode mode{};
  require(reduction_mode(plan, step.inputs[0].layout, mode), "a reduction chose this layout");
  if (plan.refuse_nan) {
    for (const Placed& input : step.inputs) emit_nan_refusal(input, step.node.name, emitter);
  }
  emit_work(make_work(plan, step, mode, emitter), step, mode, emitter);
}

}  // namespace tessera::ops
