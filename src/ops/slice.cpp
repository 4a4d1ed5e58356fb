// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/selection.hpp"
#include "ops/operation.hpp"
#include "ops/view.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;
using Resolved = Selection::Resolved;

Resolved resolved(const Shape& shape, const graph::Params& params) {
  try {
    return Selection::parse(params.text("select")).resolve(shape);
  } catch (Error& error) {
    if (error.kind() == ErrorKind::graph) error.at(params.place("select"));
    throw;
  }
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::TensorInfo& in = context.inputs[0];
  return {{in.dtype, resolved(in.shape, context.params).shape}};
}

/// What of one axis [begin, end) the selection takes: numbers of selected indices, half-open.
struct Taken {
  std::int64_t first = 0;
  std::int64_t last = 0;
  [[nodiscard]] std::int64_t count() const { return last - first; }
};

Taken taken(const Resolved& selection, int axis, std::int64_t begin, std::int64_t end) {
  const std::int64_t start = selection.start[axis];
  const std::int64_t step = selection.step[axis];
  const auto below = [&](std::int64_t border) {  // how many selected indices lie below it
    const std::int64_t distance = std::max<std::int64_t>(border - start, 0);
    return std::min((distance + step - 1) / step, selection.count[axis]);
  };
  return {below(begin), below(end)};
}

/// The input's parts as they lie in the slice; in the flat view of a single element where the
/// selection keeps no axis.
View sliced_view(const Layout& in, const Resolved& selection, Rank self) {
  View view;
  view.replicated = in.is_replicated();
  for (Rank rank = 0; rank < in.ranks(); ++rank) {
    const Box part = in.box(rank);
    const Strides strides = row_major_strides(part.extent);
    Box box;
    bool missed = part.empty();
    std::int64_t offset = 0;
    Strides kept_strides;
    for (int axis = 0; axis < part.axes(); ++axis) {
      const Taken range = taken(selection, axis, part.origin[axis], part.end(axis));
      missed = missed || range.count() == 0;
      const std::int64_t first = selection.start[axis] + range.first * selection.step[axis];
      offset += (first - part.origin[axis]) * strides[axis];
      const auto& kept = selection.kept;
      if (std::find(kept.begin(), kept.end(), axis) == kept.end()) continue;
      box.origin.push_back(range.first);
      box.extent.push_back(range.count());
      kept_strides.push_back(strides[axis] * selection.step[axis]);
    }
    if (selection.kept.empty()) {
      box = {{0}, {1}};
      kept_strides = {1};
    }
    if (missed) box = Box::whole(Extents::filled(box.axes(), 0));
    view.boxes.push_back(box);
    if (rank != self || missed) continue;
    view.strides = kept_strides;
    view.offset = offset;
  }
  if (view.strides.empty()) view.strides = Extents::filled(view.boxes.front().axes(), 1);
  return view;
}

View target_view(const Layout& out, Rank self) {
  return out.shape().empty() ? flat_view(out) : own_view(out, self);
}

/// Layouts that the result may have: cut along the axis that the input is cut along, where the
/// slice keeps it (then little or nothing moves), or by rows.
std::vector<Layout> targets(const Layout& in, const Resolved& selection) {
  if (in.is_replicated()) return {Layout::replicated(selection.shape, in.ranks())};
  std::vector<Layout> result;
  const auto& kept = selection.kept;
  const auto found = std::find(kept.begin(), kept.end(), in.split_axis());
  if (found != kept.end()) {
    result.push_back(
        Layout::along(selection.shape, static_cast<int>(found - kept.begin()), in.ranks()));
  }
  const Layout rows = Layout::rows(selection.shape, in.ranks());
  if (result.empty() || result.front() != rows) result.push_back(rows);
  return result;
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const graph::TensorInfo& info = node.input_infos[0];
  const Resolved selection = resolved(info.shape, node.params);
  const Layout in =
      context.current[0].is_block() ? context.current[0] : Layout::rows(info.shape, context.ranks);
  std::vector<Choice> result;
  for (const Layout& out : targets(in, selection)) {
    const MoveCost cost = move_cost(sliced_view(in, selection, 0), target_view(out, 0), info.dtype);
    Choice choice;
    choice.algorithm = cost.messages > 0 ? "exchange" : "local";
    choice.inputs = {in};
    choice.outputs = {out};
    choice.message_bytes = cost.bytes;
    choice.messages = cost.messages;
    choice.memory_bytes =
        2.0 * static_cast<double>(out.max_local_elements() * size_of(info.dtype)) +
        2.0 * cost.bytes;
    result.push_back(std::move(choice));
  }
  return result;
}

void emit(const Step& step, Emitter& emitter) {
  const Placed in = step.inputs[0];
  const Placed out = step.outputs[0];
  const Resolved selection = resolved(in.layout.shape(), step.node.params);
  move(emitter, in, sliced_view(in.layout, selection, emitter.rank()), out,
       target_view(out.layout, emitter.rank()), "slice");
}

}  // namespace

Operation slice_operation() {
  Operation operation;
  operation.signature.name = "slice";
  operation.signature.inputs.names = {"x"};
  operation.signature.params = {
      {.name = "select",
       .type = graph::ParamType::text,
       .doc = "the selection, as an input's: \"[0:100, ::2, -1]\"; an integer drops its axis, "
              "\"...\" stands for the axes left out, steps are positive"}};
  operation.signature.infer = infer;
  operation.family = "data";
  operation.summary = "A part of a tensor: ranges with steps along its axes.";
  operation.shape_rule = "the selection's, as numpy's basic slicing";
  operation.types = "any; the result has the input's type";
  operation.error_bound = "none: a copy";
  operation.rounding = "a copy; NaN keep their bits";
  operation.distributed =
      "the parts that ranks hold are sent to where balanced blocks of the result want them, and "
      "nothing is sent where the cut axis is taken whole";
  operation.example = R"({"op": "slice", "in": "x", "select": "[:, 2:8:2]"})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
