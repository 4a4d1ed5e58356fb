// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "scan.hpp"

#include <algorithm>
#include <numeric>

#include "ops/axis.hpp"
#include "ops/reduction.hpp"
#include "ops/scan_operation.hpp"

namespace tessera::ops {

namespace {

using kernels::scan_tile;
using kernels::ScanTask;
using layout::AxisSplit;
using layout::Layout;

int axis_of(const graph::Node& node) {
  return axis_param(node.params, "axis", node.input_infos[0].shape.size());
}

/// Cut along the scanned axis at multiples of the tile.
Layout cut_by_tiles(const Shape& shape, int axis, int ranks) {
  const std::int64_t tiles = (shape[axis] + scan_tile - 1) / scan_tile;
  const std::int64_t each = std::max<std::int64_t>((tiles + ranks - 1) / ranks, 1);
  std::vector<AxisSplit> splits(static_cast<std::size_t>(shape.size()));
  splits[static_cast<std::size_t>(axis)] = {ranks, each * scan_tile};
  return {shape, splits, ranks};
}

bool is_cut(const Layout& layout, int axis) {
  return layout.splits()[static_cast<std::size_t>(axis)].parts > 1;
}

ScanTask task_of(const graph::Node& node, bool product, const Shape& extent) {
  const int axis = axis_of(node);
  ScanTask task;
  task.product = product;
  task.exclusive = node.params.flag("exclusive");
  task.dtype = node.input_infos[0].dtype;
  for (int i = 0; i < axis; ++i) task.outer *= extent[i];
  task.length = extent[axis];
  for (int i = axis + 1; i < extent.size(); ++i) task.inner *= extent[i];
  return task;
}

/// Bytes of all ranks' totals.
std::int64_t gathered_bytes(const ScanTask& whole) {
  return whole.lines() * whole.tiles() * kernels::scan_total_bytes(whole.dtype);
}

Choice choice_for(const graph::Node& node, bool product, const Layout& layout) {
  const graph::TensorInfo& x = node.input_infos[0];
  Choice choice;
  const bool cut = layout.ranks() > 1 && is_cut(layout, axis_of(node));
  choice.algorithm = cut ? "totals of tiles gathered" : "local";
  choice.inputs = {layout};
  choice.outputs = {layout};
  const auto elements = static_cast<double>(layout.max_local_elements());
  choice.memory_bytes = elements * static_cast<double>((cut ? 2 : 1) * size_of(x.dtype) +
                                                       size_of(node.output_infos[0].dtype));
  choice.flops = elements * 3;
  if (cut) {
    choice.message_bytes = static_cast<double>(gathered_bytes(task_of(node, product, x.shape)));
    choice.messages = layout.ranks() - 1;
  }
  return choice;
}

std::vector<Choice> choices(bool product, const graph::Node& node, const ChoiceContext& context) {
  const Shape& shape = node.input_infos[0].shape;
  const int axis = axis_of(node);
  std::vector<Layout> layouts;
  const auto add = [&](const Layout& layout) {
    if (std::find(layouts.begin(), layouts.end(), layout) == layouts.end())
      layouts.push_back(layout);
  };
  if (context.current[0].is_block() && !is_cut(context.current[0], axis)) add(context.current[0]);
  for (int other = 0; other < shape.size(); ++other) {
    if (other != axis && shape[other] > 1) add(Layout::along(shape, other, context.ranks));
  }
  if (!product) add(cut_by_tiles(shape, axis, context.ranks));
  add(Layout::single(shape, context.ranks));
  std::vector<Choice> result;
  for (const Layout& layout : layouts) result.push_back(choice_for(node, product, layout));
  return result;
}

/// Ends the run on all ranks where an integer result doesn't fit.
void emit_check(const Step& step, BufferId fault, Emitter& emitter) {
  if (!is_integer(step.inputs[0].dtype)) return;
  const int ranks = emitter.ranks();
  emitter.collective({step.node.name + ": check", {fault}, {}, 8, 2, [=](RunContext& context) {
                        std::int64_t found = 0;
                        device::copy(context.stream(), &found, context.data(fault), sizeof found);
                        device::fence(context.stream());
                        std::optional<Error> error;
                        if (found != 0) {
                          error = Error(ErrorKind::numerical, "a result doesn't fit int64");
                          error->advice("cast the input to float64 first");
                        }
                        throw_together(context, ranks, error);
                      }});
}

void emit(bool product, const Step& step, Emitter& emitter) {
  const Placed in = step.inputs[0];
  const Placed out = step.outputs[0];
  const std::string& name = step.node.name;
  const Layout& layout = in.layout;
  const int axis = axis_of(step.node);
  const Rank self = emitter.rank();
  const ScanTask task = task_of(step.node, product, layout.local_extent(self));
  const bool cut = emitter.ranks() > 1 && is_cut(layout, axis);
  const int threads = emitter.threads();
  const std::int64_t size = kernels::scan_total_bytes(in.dtype);
  const bool totals_needed = cut || kernels::scan_needs_totals(task, emitter.backend(), threads);
  const BufferId totals =
      emitter.scratch(name + " totals", totals_needed ? task.lines() * task.tiles() * size : 0);
  const BufferId fault = emitter.scratch(name + " fault", sizeof(std::int64_t));
  const auto bytes = static_cast<double>(layout.local_elements(self) * size_of(in.dtype));
  const auto out_bytes = static_cast<double>(layout.local_elements(self) * size_of(out.dtype));
  BufferId offsets;
  if (cut) {
    std::vector<std::int64_t> tiles, tile_bytes;
    for (Rank rank = 0; rank < emitter.ranks(); ++rank) {
      const ScanTask other = task_of(step.node, product, layout.local_extent(rank));
      tiles.push_back(other.tiles());
      tile_bytes.push_back(other.lines() * other.tiles() * size);
    }
    const std::int64_t all = std::accumulate(tile_bytes.begin(), tile_bytes.end(), std::int64_t{0});
    const BufferId gathered = emitter.scratch(name + " all totals", all);
    offsets = totals;
    emitter.launch({name + ": totals", {in.buffer}, {totals}, bytes, 0, [=](RunContext& context) {
                      kernels::scan_totals(context.stream(), task, context.data(in.buffer),
                                           context.data(totals));
                    }});
    emitter.collective({name + ": gather totals",
                        {totals},
                        {gathered},
                        static_cast<double>(all),
                        static_cast<double>(emitter.ranks() - 1),
                        [=](RunContext& context) {
                          device::fence(context.stream());
                          context.communicator().all_gather(context.data(totals), tile_bytes,
                                                            context.data(gathered));
                        }});
    emitter.launch({name + ": offsets",
                    {gathered},
                    {totals},
                    static_cast<double>(all),
                    0,
                    [=](RunContext& context) {
                      kernels::scan_offsets(context.stream(), task, tiles,
                                            context.communicator().rank(), context.data(gathered),
                                            context.data(totals));
                    }});
  }
  std::vector<BufferId> reads = {in.buffer};
  std::vector<BufferId> writes = {out.buffer, fault};
  (cut ? reads : writes).push_back(totals);
  emitter.launch(
      {name, reads, writes, bytes + out_bytes, step.choice.flops, [=](RunContext& context) {
         kernels::scan_finish(context.stream(), task, context.data(in.buffer),
                              cut ? context.data(totals) : nullptr, context.data(totals), threads,
                              context.data(out.buffer),
                              reinterpret_cast<std::int64_t*>(context.data(fault)));
       }});
  emit_check(step, fault, emitter);
}

}  // namespace

Operation scan_operation(const std::string& name, bool product) {
  Operation operation;
  operation.signature.name = name;
  operation.signature.inputs.names = {"x"};
  operation.signature.params = {
      {.name = "axis",
       .type = graph::ParamType::integer,
       .doc = "The axis to go along; a negative one counts from the end.",
       .fallback = graph::ParamValue{std::int64_t{-1}}},
      {.name = "exclusive",
       .type = graph::ParamType::boolean,
       .doc = std::string("Leave every element out of its own result, so that the first is ") +
              (product ? "1." : "0."),
       .fallback = graph::ParamValue{false}}};
  operation.signature.infer = [](const graph::InferContext& context) {
    const graph::TensorInfo& x = context.inputs[0];
    axis_param(context.params, "axis", x.shape.size());
    return std::vector<graph::TensorInfo>{{kernels::scanned_dtype(x.dtype), x.shape}};
  };
  operation.family = "scans";
  operation.shape_rule = "the input's";
  operation.types =
      "Integers -> int64 (an overflow is refused, never wrapped); floating-point and complex types "
      "stay, carried in float64.";
  operation.choices = [product](const graph::Node& node, const ChoiceContext& context) {
    return choices(product, node, context);
  };
  operation.emit = [product](const Step& step, Emitter& emitter) { emit(product, step, emitter); };
  return operation;
}

}  // namespace tessera::ops
