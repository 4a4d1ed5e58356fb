// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_common.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "ops/view.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

Box nothing(int axes) { return {Extents::filled(axes, 0), Extents::filled(axes, 0)}; }

/// A part of the result and the cells that it is computed from, which lie in this rank's part of
/// the input or are copied.
struct Piece {
  Box part;
  Box cells;
};

/// How one rank computes its part: what it can from its own cells, and up to two edges.
struct Pieces {
  Piece interior;
  std::array<Piece, 2> edges;
};

/// What of `part` along its axis `axis` has its windows inside [begin, end), where the ends of the
/// tensor don't count.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }
std::int64_t divided_down(std::int64_t a, std::int64_t b) { return a < 0 ? -1 : a / b; }

/// A spatial axis of the kernel by the tensors' axis; -1 for others.
int spatial_of(const ConvProblem& problem, int axis) {
  for (int s = 0; s < problem.form.axes; ++s) {
    const auto spatial =
        static_cast<std::size_t>(problem.channel()) + 1 + static_cast<std::size_t>(s);
    if (problem.order[spatial] == axis) return s;
  }
  return -1;
}

Range within(const ConvProblem& problem, int axis, const Box& part, const Box& held) {
  Range range{part.origin[axis], part.end(axis)};
  const int s = spatial_of(problem, axis);
  if (s < 0) return range;
  const std::int64_t stride = problem.form.stride[s];
  const std::int64_t padding = problem.form.padding[s];
  const std::int64_t reach = (problem.weights[2 + s] - 1) * problem.form.dilation[s];
  if (held.origin[axis] > 0) {
    range.first = std::max(range.first, divided_up(held.origin[axis] + padding, stride));
  }
  if (held.end(axis) < problem.in[axis]) {
    range.last =
        std::min(range.last, divided_down(held.end(axis) - 1 - reach + padding, stride) + 1);
  }
  range.last = std::max(range.last, range.first);
  return range;
}

Box with_range(Box box, int axis, std::int64_t first, std::int64_t last) {
  box.origin[axis] = first;
  box.extent[axis] = last - first;
  return box;
}

bool holds(const Box& box, const Box& part) { return part.empty() || intersect(box, part) == part; }

/// The cells for a part that isn't empty, else nothing.
Piece piece_of(const ConvProblem& problem, const Box& part) {
  if (part.empty()) return {part, nothing(part.axes())};
  const Box need = problem.need(part);
  return {part, need.empty() ? nothing(part.axes()) : need};
}

Pieces pieces_of(const ConvProblem& problem, const Layout& in, const Layout& out, Rank rank) {
  const Box held = in.box(rank);
  const Box part = out.box(rank);
  const Box none = nothing(part.axes());
  Pieces pieces{piece_of(problem, part), {Piece{none, none}, Piece{none, none}}};
  if (holds(held, pieces.interior.cells)) return pieces;
  const int axis = out.split_axis();
  if (axis >= 0) {
    const Range range = within(problem, axis, part, held);
    const Box inner = with_range(part, axis, range.first, range.last);
    // A thin part is mostly edge: one copy then.
    if (!inner.empty() && holds(held, problem.need(inner)) &&
        2 * inner.elements() >= part.elements()) {
      pieces.interior = piece_of(problem, inner);
      pieces.edges[0] = piece_of(problem, with_range(part, axis, part.origin[axis], range.first));
      pieces.edges[1] = piece_of(problem, with_range(part, axis, range.last, part.end(axis)));
      return pieces;
    }
  }
  pieces.edges[0] = pieces.interior;
  pieces.interior = {none, none};
  return pieces;
}

/// Where the copies of the ranks' edges lie.
View edge_view(const std::vector<Pieces>& pieces, std::size_t edge, Rank self) {
  View view;
  for (const Pieces& each : pieces) view.boxes.push_back(each.edges[edge].cells);
  view.strides = row_major_strides(view.boxes[static_cast<std::size_t>(self)].extent);
  return view;
}

std::vector<Pieces> all_pieces(const ConvProblem& problem, const Layout& in, const Layout& out) {
  std::vector<Pieces> result;
  result.reserve(static_cast<std::size_t>(out.ranks()));
  for (Rank rank = 0; rank < out.ranks(); ++rank) {
    result.push_back(pieces_of(problem, in, out, rank));
  }
  return result;
}

bool any_copied(const std::vector<Pieces>& pieces, std::size_t edge) {
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const Pieces& each) { return !each.edges[edge].cells.empty(); });
}

Choice choice_for(const ConvProblem& problem, const graph::Node& node, const Layout& in,
                  const Layout& out) {
  Choice choice;
  choice.inputs = {in};
  for (std::size_t k = 1; k < node.input_infos.size(); ++k) {
    choice.inputs.push_back(Layout::replicated(node.input_infos[k].shape, in.ranks()));
  }
  choice.outputs = {out};
  choice.algorithm = "local";
  const auto size = static_cast<double>(size_of(problem.dtype));
  const std::vector<Pieces> pieces = all_pieces(problem, in, out);
  for (const std::size_t edge : {0U, 1U}) {
    if (!any_copied(pieces, edge)) continue;
    const MoveCost cost = move_cost(own_view(in, 0), edge_view(pieces, edge, 0), problem.dtype);
    choice.message_bytes += cost.bytes;
    choice.messages += cost.messages;
    choice.algorithm = out.split_axis() == in.split_axis() ? "halo exchange" : "exchange";
    std::int64_t copied = 0;
    for (const Pieces& each : pieces) {
      copied = std::max(copied, each.edges[edge].cells.elements());
    }
    choice.scratch_bytes += copied * size_of(problem.dtype);
    choice.memory_bytes += 2 * static_cast<double>(copied) * size;
  }
  const auto elements = static_cast<double>(out.max_local_elements());
  const auto cells = static_cast<double>(problem.need(out.box(0)).elements());
  choice.flops = 2 * elements * problem.chain();
  choice.memory_bytes += size * (elements + cells);
  return choice;
}

/// Emits the launches of a rank's pieces.
class ConvEmission {
 public:
  ConvEmission(const ConvProblem& problem, const Step& step, Emitter& emitter)
      : problem_(problem),
        step_(step),
        emitter_(emitter),
        pieces_(all_pieces(problem, step.inputs[0].layout, step.outputs[0].layout)),
        mine_(pieces_[static_cast<std::size_t>(emitter.rank())]) {}

  void emit() {
    reserve();
    // Cells travel while what needs none of them is computed.
    std::array<std::function<void()>, 2> arrive;
    std::array<BufferId, 2> cells;
    const Placed in = step_.inputs[0];
    for (const std::size_t edge : {0U, 1U}) {
      cells[edge] = in.buffer;
      if (!any_copied(pieces_, edge)) continue;
      const std::string name = "edge " + std::to_string(edge + 1);
      const std::int64_t elements = mine_.edges[edge].cells.elements();
      const Placed copy{emitter_.scratch(name, elements * size_of(problem_.dtype)), problem_.dtype,
                        in.layout};
      cells[edge] = copy.buffer;
      arrive[edge] = start_move(emitter_, in, own_view(in.layout, emitter_.rank()), copy,
                                edge_view(pieces_, edge, emitter_.rank()), name);
    }
    launch("convolve", mine_.interior, in.buffer, in.layout.box(emitter_.rank()));
    for (const std::size_t edge : {0U, 1U}) {
      if (arrive[edge]) arrive[edge]();
      const Piece& piece = mine_.edges[edge];
      launch("convolve edge " + std::to_string(edge + 1), piece, cells[edge], piece.cells);
    }
  }

 private:
  void reserve() {
    std::int64_t bytes = 0;
    const auto add = [&](const Piece& piece, const Box& cells) {
      if (piece.part.empty()) return;
      bytes = std::max(bytes, kernels::convolution_scratch_bytes(emitter_.backend(), problem_.form,
                                                                 problem_.tiles(piece.part, cells),
                                                                 emitter_.threads()));
    };
    add(mine_.interior, step_.inputs[0].layout.box(emitter_.rank()));
    for (const Piece& edge : mine_.edges) add(edge, edge.cells);
    scratch_ = emitter_.scratch("blocks of the input", bytes);
  }

  void launch(const std::string& label, const Piece& piece, BufferId cells, const Box& box) {
    if (piece.part.empty()) return;
    Launch launch;
    launch.label = label;
    launch.reads = {cells};
    for (std::size_t k = 1; k < step_.inputs.size(); ++k) {
      launch.reads.push_back(step_.inputs[k].buffer);
    }
    const Placed out = step_.outputs[0];
    launch.writes = {out.buffer, scratch_};
    const auto elements = static_cast<double>(piece.part.elements());
    launch.flops = 2 * elements * problem_.chain();
    launch.bytes = static_cast<double>(size_of(problem_.dtype)) *
                   (elements + static_cast<double>(piece.cells.elements()));
    const Box whole = out.layout.box(emitter_.rank());
    launch.run = [problem = problem_, part = piece.part, cells, box, whole, out,
                  inputs = step_.inputs, threads = emitter_.threads(),
                  scratch = scratch_](RunContext& context) {
      kernels::ConvolutionTiles tiles = problem.tiles(part, box);
      tiles.input.data = context.data(cells);
      tiles.weights.data = context.data(inputs[1].buffer);
      if (inputs.size() > 2) tiles.bias.data = context.data(inputs[2].buffer);
      tiles.output = problem.arranged(
          dense_tile(context.data(out.buffer), out.dtype, whole, problem.out).sub(part));
      kernels::convolve(context.stream(), problem.form, tiles, threads, context.data(scratch));
    };
    emitter_.launch(std::move(launch));
  }

  const ConvProblem& problem_;
  const Step& step_;
  Emitter& emitter_;
  std::vector<Pieces> pieces_;
  Pieces mine_;
  BufferId scratch_;
};

}  // namespace

double ConvProblem::chain() const {
  double length = is_complex(dtype) ? 4 : 1;
  for (int axis = 1; axis < weights.size(); ++axis) length *= static_cast<double>(weights[axis]);
  return length;
}

Box ConvProblem::need(const Box& part) const {
  Box box = part;
  for (int k = 0; k < static_cast<int>(order.size()); ++k) {
    const int axis = order[static_cast<std::size_t>(k)];
    if (axis < 0 || k < channel()) continue;
    std::int64_t begin = part.origin[axis];
    std::int64_t end = part.end(axis);
    if (k == channel()) {
      const std::int64_t per_group = std::max<std::int64_t>(weights[0] / form.groups, 1);
      end = part.extent[axis] == 0 ? begin : (end - 1) / per_group + 1;
      begin = begin / per_group * weights[1];
      end *= weights[1];
    } else {
      const int s = k - channel() - 1;
      begin = begin * form.stride[s] - form.padding[s];
      end = (end - 1) * form.stride[s] - form.padding[s] + (weights[2 + s] - 1) * form.dilation[s] +
            1;
    }
    box.origin[axis] = std::clamp<std::int64_t>(begin, 0, in[axis]);
    box.extent[axis] = std::clamp<std::int64_t>(end, box.origin[axis], in[axis]) - box.origin[axis];
  }
  return box;
}

Tile ConvProblem::arranged(const Tile& tile) const {
  Tile result{tile.data, tile.dtype, {}, {}, {}};
  for (const int axis : order) {
    result.box.origin.push_back(axis < 0 ? 0 : tile.box.origin[axis]);
    result.box.extent.push_back(axis < 0 ? 1 : tile.box.extent[axis]);
    result.strides.push_back(axis < 0 ? 0 : tile.strides[axis]);
    result.global.push_back(axis < 0 ? 1 : tile.global[axis]);
  }
  return result;
}

kernels::ConvolutionTiles ConvProblem::tiles(const Box& part, const Box& cells) const {
  kernels::ConvolutionTiles result;
  result.input = arranged(dense_tile(nullptr, dtype, cells, in));
  result.weights = dense_tile(nullptr, dtype, Box::whole(weights), weights);
  result.bias = dense_tile(nullptr, dtype, Box::whole({weights[0]}), {weights[0]});
  result.output = arranged(dense_tile(nullptr, dtype, part, out));
  return result;
}

std::vector<Choice> conv_choices(const ConvProblem& problem, const graph::Node& node,
                                 const ChoiceContext& context) {
  const Layout in =
      context.current[0].is_block() ? context.current[0] : Layout::rows(problem.in, context.ranks);
  std::vector<Layout> cuts;
  const auto add = [&](const Layout& layout) {
    if (std::find(cuts.begin(), cuts.end(), layout) == cuts.end()) cuts.push_back(layout);
  };
  if (context.ranks == 1) {
    add(Layout::rows(problem.out, 1));
  } else {
    for (int axis = 0; axis < problem.out.size(); ++axis) {
      add(Layout::along(problem.out, axis, context.ranks));
    }
    if (in.is_replicated()) add(Layout::replicated(problem.out, context.ranks));
  }
  std::vector<Choice> result;
  result.reserve(cuts.size());
  for (const Layout& out : cuts) result.push_back(choice_for(problem, node, in, out));
  return result;
}

void emit_conv(const ConvProblem& problem, const Step& step, Emitter& emitter) {
  ConvEmission(problem, step, emitter).emit();
}

void check_conv_types(const graph::InferContext& context) {
  const DType first = context.inputs[0].dtype;
  if (is_integer(first)) {
    throw Error(ErrorKind::graph, "a convolution needs floating-point numbers")
        .expected("float32, float64, complex64 or complex128")
        .found(std::string(name_of(first)))
        .advice("convert the inputs with the operation \"cast\"");
  }
  for (std::size_t k = 1; k < context.inputs.size(); ++k) {
    if (context.inputs[k].dtype == first) continue;
    throw Error(ErrorKind::graph, "the inputs have different element types")
        .expected("\"" + context.input_names[k] + "\" of type " + std::string(name_of(first)) +
                  ", as the first")
        .found(std::string(name_of(context.inputs[k].dtype)))
        .advice("convert one with the operation \"cast\"");
  }
}

}  // namespace tessera::ops
