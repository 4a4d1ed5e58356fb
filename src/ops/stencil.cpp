// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "stencil.hpp"

#include <algorithm>

#include "ops/halo.hpp"
#include "ops/operation.hpp"
#include "ops/stencil_params.hpp"
#include "ops/stencil_weights.hpp"
#include "pack.hpp"

namespace tessera::ops {

namespace {

using kernels::Stencil;
using kernels::StencilPass;
using layout::Layout;

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::TensorInfo& in = context.inputs[0];
  if (is_integer(in.dtype)) {
    throw Error(ErrorKind::graph, "a stencil needs floating-point numbers")
        .expected("float32, float64, complex64 or complex128")
        .found(std::string(name_of(in.dtype)))
        .advice("convert the input with the operation \"cast\"");
  }
  (void)read_stencil(context.params, in.shape.size());
  return {in};
}

HaloSpec halo_spec(const Stencil& stencil, std::int64_t sweeps) {
  HaloSpec spec{stencil.axes, stencil.radius, stencil.boundary};
  for (int s = 0; s < spec.depth.size(); ++s) spec.depth[s] *= sweeps;
  const auto star = [](const Stencil::Tap& tap) {
    return std::count_if(tap.offset.begin(), tap.offset.end(),
                         [](std::int64_t i) { return i != 0; }) <= 1;
  };
  spec.corners = sweeps > 1 || !std::all_of(stencil.taps.begin(), stencil.taps.end(), star);
  return spec;
}

double flops_per_cell(const Stencil& stencil, DType dtype) {
  return 2.0 * static_cast<double>(stencil.taps.size()) * (is_complex(dtype) ? 2 : 1);
}

// ---- choices ------------------------------------------------------------------------------------

/// Part of the peak that rows of taps reach when they come from the cache: a load per multiply-add,
/// many of them across cache lines.
constexpr double flops_from_cache = 0.35;
constexpr std::int64_t most_sweeps_per_pass = 8;

/// The cost of all sweeps in one layout, so many of them per pass over the memory.
struct PassCost {
  std::int64_t sweeps = 1;
  double message_bytes = 0;
  double messages = 0;
  double memory_bytes = 0;
  double flops = 0;
  double seconds = 0;
};

class Costs {
 public:
  Costs(const Stencil& stencil, const graph::TensorInfo& info, std::int64_t repeat,
        const ChoiceContext& context)
      : stencil_(stencil), info_(info), repeat_(repeat), context_(context) {}

  [[nodiscard]] PassCost cost(const Layout& layout, std::int64_t sweeps) const {
    const Shape own = layout.local_extent(0);
    const auto cells = static_cast<double>(layout.max_local_elements());
    const auto size = static_cast<double>(size_of(info_.dtype));
    const auto passes = static_cast<double>((repeat_ + sweeps - 1) / sweeps);
    PassCost cost{sweeps};
    double extra = 0;  // cells that are computed twice, as a part of all
    double neighbours = 1;
    for (std::size_t s = 0; s < stencil_.axes.size(); ++s) {
      const int axis = stencil_.axes[s];
      const auto extent = static_cast<double>(std::max<std::int64_t>(own[axis], 1));
      const auto depth = static_cast<double>(sweeps * stencil_.radius[static_cast<int>(s)]);
      if (!layout.is_replicated() && layout.splits()[static_cast<std::size_t>(axis)].parts > 1) {
        cost.message_bytes += passes * 2 * depth * cells / extent * size;
        neighbours *= 3;
        extra += 3 * static_cast<double>(sweeps - 1) / static_cast<double>(sweeps) * depth / extent;
      }
      extra += static_cast<double>(sweeps - 1) / static_cast<double>(sweeps) * depth / extent;
    }
    cost.messages = passes * (neighbours - 1);
    cost.memory_bytes = std::max(passes, 1.0) * 2 * cells * size;
    cost.flops = static_cast<double>(repeat_) * cells * flops_per_cell(stencil_, info_.dtype);
    const Machine& machine = context_.machine;
    const double peak = real_of(info_.dtype) == DType::float32 ? machine.flops_float32_per_second
                                                               : machine.flops_float64_per_second;
    cost.seconds = cost.memory_bytes / machine.copy_bytes_per_second +
                   cost.flops * (1 + extra) / (flops_from_cache * peak) +
                   cost.messages * machine.message_seconds +
                   cost.message_bytes / machine.message_bytes_per_second;
    return cost;
  }

  /// The number of sweeps per pass that the user asks for, or the one that is cheapest.
  [[nodiscard]] PassCost best(const Layout& layout, std::int64_t asked) const {
    const bool several = context_.backend == device::Backend::host;
    const std::int64_t most = several ? std::min(asked > 0 ? asked : most_sweeps_per_pass,
                                                 std::max<std::int64_t>(repeat_, 1))
                                      : 1;
    if (asked > 0) return cost(layout, most);
    PassCost best = cost(layout, 1);
    for (std::int64_t sweeps = 2; sweeps <= most; ++sweeps) {
      const PassCost next = cost(layout, sweeps);
      if (next.seconds < best.seconds) best = next;
    }
    return best;
  }

 private:
  const Stencil& stencil_;
  const graph::TensorInfo& info_;
  std::int64_t repeat_;
  const ChoiceContext& context_;
};

/// The layouts worth a thought: as it lies, by rows, along an axis that needs no neighbours, and a
/// grid over the first two axes of the stencil.
std::vector<Layout> candidate_layouts(const Stencil& stencil, const Shape& shape,
                                      const ChoiceContext& context) {
  std::vector<Layout> layouts{Layout::rows(shape, context.ranks)};
  const auto add = [&](const Layout& layout) {
    if (std::find(layouts.begin(), layouts.end(), layout) == layouts.end()) {
      layouts.push_back(layout);
    }
  };
  if (context.current[0].is_block()) add(context.current[0]);
  for (int axis = 0; axis < shape.size(); ++axis) {
    const bool batch =
        std::find(stencil.axes.begin(), stencil.axes.end(), axis) == stencil.axes.end();
    if (batch && shape[axis] >= context.ranks) add(Layout::along(shape, axis, context.ranks));
  }
  if (stencil.axes.size() >= 2 && context.ranks >= 4) {
    std::int64_t rows = 1;  // the divisor of the rank count next to its root
    for (std::int64_t d = 1; d * d <= context.ranks; ++d) rows = context.ranks % d == 0 ? d : rows;
    std::vector<layout::AxisSplit> splits(static_cast<std::size_t>(shape.size()));
    splits[static_cast<std::size_t>(stencil.axes[0])].parts = context.ranks / rows;
    splits[static_cast<std::size_t>(stencil.axes[1])].parts = rows;
    if (rows > 1) add(Layout(shape, splits, context.ranks));
  }
  return layouts;
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const graph::TensorInfo& info = node.input_infos[0];
  const Stencil stencil = read_stencil(node.params, info.shape.size());
  const std::int64_t repeat = node.params.integer("repeat");
  const Costs costs(stencil, info, repeat, context);
  std::vector<Choice> result;
  for (const Layout& layout : candidate_layouts(stencil, info.shape, context)) {
    const PassCost cost = costs.best(layout, node.params.integer("sweeps_per_pass"));
    const bool halo = needs_halo(layout, halo_spec(stencil, 1)) && repeat > 0;
    Choice choice{halo ? "halo exchange" : "local", {layout}, {layout}};
    if (cost.sweeps > 1) {
      choice.algorithm += ", " + std::to_string(cost.sweeps) + " sweeps per pass";
    }
    choice.message_bytes = cost.message_bytes;
    choice.messages = cost.messages;
    choice.memory_bytes = cost.memory_bytes;
    choice.flops = cost.flops;
    choice.scratch_bytes =
        repeat > cost.sweeps ? layout.max_local_elements() * size_of(info.dtype) : 0;
    choice.details = {cost.sweeps};
    result.push_back(std::move(choice));
  }
  return result;
}

// ---- actions ------------------------------------------------------------------------------------

/// Passes over the tensor: out of one buffer into another, all sweeps of a pass at once.
class Passes {
 public:
  Passes(Emitter& emitter, const Stencil& stencil, const Layout& layout, DType dtype)
      : emitter_(emitter),
        stencil_(std::make_shared<const Stencil>(stencil)),
        layout_(layout),
        dtype_(dtype),
        own_(layout.box(emitter.rank())) {}

  /// Prepares passes of so many sweeps.
  void prepare(std::int64_t sweeps) {
    const HaloSpec spec = halo_spec(*stencil_, sweeps);
    sweeps_ = sweeps;
    exchange_.reset();
    interior_ = own_;
    edges_.clear();
    if (needs_halo(layout_, spec)) {
      exchange_.emplace(emitter_, layout_, dtype_, spec, "halo");
      split(spec);
    }
    std::int64_t bytes = scratch_bytes(interior_);
    for (const Box& edge : edges_) bytes = std::max(bytes, scratch_bytes(edge));
    scratch_ = emitter_.scratch("stencil tiles", bytes);
  }

  void emit(const Placed& from, const Placed& to) {
    if (!exchange_) return launch("sweep", {interior_}, from, to);
    // Ghost cells travel while the cells that don't read them are computed.
    const ExchangeId under_way = exchange_->start(emitter_, from);
    launch("sweep interior", {interior_}, from, to);
    exchange_->finish(emitter_, under_way);
    launch("sweep edges", edges_, from, to);
  }

 private:
  [[nodiscard]] StencilPass pass_over(const Box& region) const {
    return {region, static_cast<int>(sweeps_), emitter_.threads()};
  }
  [[nodiscard]] std::int64_t scratch_bytes(const Box& region) const {
    return kernels::stencil_scratch_bytes(*stencil_, dtype_, layout_.shape(), pass_over(region));
  }

  /// Cuts the own cells into those that need no ghost cells and slabs at the sides that do.
  void split(const HaloSpec& spec) {
    for (std::size_t s = 0; s < spec.axes.size(); ++s) {
      const int axis = spec.axes[s];
      const std::int64_t depth = spec.depth[static_cast<int>(s)];
      bool below = false;
      bool above = false;
      for (const Box& ghost : exchange_->halo().ghosts) {
        below = below || ghost.origin[axis] < own_.origin[axis];
        above = above || ghost.end(axis) > own_.end(axis);
      }
      if (below) cut_edge(axis, std::min(depth, interior_.extent[axis]), true);
      if (above) cut_edge(axis, std::min(depth, interior_.extent[axis]), false);
    }
    // A thin slab is mostly edge: one launch then, without the cells that several sweeps compute
    // twice where regions meet.
    if (2 * interior_.elements() < own_.elements()) {
      edges_ = {own_};
      for (int axis = 0; axis < interior_.axes(); ++axis) interior_.extent[axis] = 0;
    }
  }

  void cut_edge(int axis, std::int64_t depth, bool below) {
    Box edge = interior_;
    edge.extent[axis] = depth;
    interior_.extent[axis] -= depth;
    if (below) {
      interior_.origin[axis] += depth;
    } else {
      edge.origin[axis] = interior_.end(axis);
    }
    edges_.push_back(edge);
  }

  void launch(const std::string& label, const std::vector<Box>& regions, const Placed& from,
              const Placed& to) {
    std::int64_t cells = 0;
    for (const Box& region : regions) cells += region.elements();
    if (cells == 0) return;
    std::vector<BufferId> reads{from.buffer};
    std::function<std::vector<Tile>(RunContext&, const Placed&)> tiles;
    if (exchange_ && label != "sweep interior") {
      reads.push_back(exchange_->ghosts());
      tiles = exchange_->tiles();
    } else {
      tiles = [](RunContext& context, const Placed& tensor) {
        return std::vector<Tile>{context.tile(tensor)};
      };
    }
    std::vector<StencilPass> passes;
    for (const Box& region : regions) passes.push_back(pass_over(region));
    const std::string sweeps = sweeps_ > 1 ? " x" + std::to_string(sweeps_) : "";
    emitter_.launch(
        {label + sweeps,
         std::move(reads),
         {to.buffer, scratch_},
         2.0 * static_cast<double>(cells * size_of(dtype_)),
         static_cast<double>(cells * sweeps_) * flops_per_cell(*stencil_, dtype_),
         [stencil = stencil_, from, to, tiles, passes, scratch = scratch_](RunContext& context) {
           const std::vector<Tile> source = tiles(context, from);
           for (StencilPass pass : passes) {
             pass.scratch = context.data(scratch);
             kernels::apply_stencil(context.stream(), *stencil, source, context.tile(to), pass);
           }
         }});
  }

  Emitter& emitter_;
  std::shared_ptr<const Stencil> stencil_;  ///< shared with the emitted functions
  const Layout& layout_;
  DType dtype_;
  Box own_;
  std::int64_t sweeps_ = 1;
  std::optional<HaloExchange> exchange_;
  Box interior_;
  std::vector<Box> edges_;
  BufferId scratch_;
};

void emit_copy(const Placed& in, const Placed& out, Emitter& emitter) {
  const Box own = in.layout.box(emitter.rank());
  emitter.launch({"copy",
                  {in.buffer},
                  {out.buffer},
                  2.0 * static_cast<double>(own.elements() * size_of(in.dtype)),
                  0,
                  [in, out, own](RunContext& context) {
                    kernels::copy_box(context.stream(), context.tile(in), context.tile(out), own);
                  }});
}

void emit(const Step& step, Emitter& emitter) {
  const Placed& in = step.inputs[0];
  const Placed& out = step.outputs[0];
  const std::int64_t repeat = step.node.params.integer("repeat");
  if (repeat == 0) return emit_copy(in, out, emitter);
  const Stencil stencil = read_stencil(step.node.params, in.layout.shape().size());
  const std::int64_t sweeps = step.choice.details[0];
  const std::int64_t passes = (repeat + sweeps - 1) / sweeps;
  const std::int64_t first_sweeps = repeat - (passes - 1) * sweeps;

  // in -> ... -> out, back and forth between two buffers so that the last pass ends in `out`.
  const std::int64_t rest = passes - 1;
  const Placed work = rest > 0 ? emitter.scratch("stencil work", in.dtype, in.layout) : out;
  Passes pass(emitter, stencil, in.layout, in.dtype);
  pass.prepare(first_sweeps);
  pass.emit(in, rest % 2 == 0 ? out : work);
  if (rest == 0) return;
  if (first_sweeps != sweeps) pass.prepare(sweeps);
  if (rest % 2 == 1) pass.emit(work, out);
  emitter.begin_loop("two passes", rest / 2);
  pass.emit(out, work);
  pass.emit(work, out);
  emitter.end_loop();
}

std::vector<graph::ParamSpec> param_specs() {
  std::vector<std::string> names;
  std::string doc =
      "weights by offset, in nested lists of odd length (out[i] = sum of w[k] in[i + k - centre], "
      "as scipy.ndimage.correlate), or a name: ";
  for (const NamedWeights& named : all_named_weights()) {
    doc += (names.empty() ? "" : "; ") + named.name + ": " + named.doc;
    names.push_back(named.name);
  }
  using graph::ParamSpec;
  using graph::ParamType;
  const std::vector<std::string>& boundaries = stencil_boundary_names();
  return {
      ParamSpec{.name = "weights",
                .type = ParamType::numbers,
                .doc = doc,
                .choices = names,
                .or_text = true},
      ParamSpec{.name = "scale",
                .type = ParamType::real,
                .doc = "factor of all weights",
                .fallback = 1.0},
      ParamSpec{.name = "add_input",
                .type = ParamType::boolean,
                .doc = "add the input: out = in + scale * stencil(in), an explicit time step; "
                       "without it, true for the Laplacians by name and false for all other "
                       "weights",
                .optional = true},
      ParamSpec{.name = "repeat",
                .type = ParamType::integer,
                .doc = "how often the sweep is applied, each to the result of the one before; 0 "
                       "copies",
                .fallback = std::int64_t{1},
                .minimum = 0},
      ParamSpec{.name = "boundary",
                .type = ParamType::texts,
                .doc = "what lies beyond the ends, for all axes of the weights or one word for "
                       "each; for a b c d: fixed (cells within the radius of an end keep their "
                       "values), periodic (c d | a b c d | a b), reflect (b a | a b c d | d c), "
                       "mirror (c b | a b c d | c b), nearest (a a | a b c d | d d), constant "
                       "(`value` outside), zero; scipy.ndimage calls periodic \"grid-wrap\"",
                .fallback = std::vector<std::string>{"fixed"},
                .choices = boundaries},
      ParamSpec{.name = "value",
                .type = ParamType::real,
                .doc = "what lies outside with the boundary constant",
                .optional = true},
      ParamSpec{.name = "axes",
                .type = ParamType::integers,
                .doc = "the tensor's axes that those of the weights lie along; without it the "
                       "last ones",
                .optional = true},
      ParamSpec{.name = "sweeps_per_pass",
                .type = ParamType::integer,
                .doc = "how many sweeps are applied per pass over the memory and per exchange of "
                       "halos; 0: as many as are predicted to be fastest. The result has the same "
                       "bits",
                .fallback = std::int64_t{0},
                .minimum = 0,
                .maximum = 64},
  };
}

}  // namespace

Operation stencil_operation() {
  Operation op;
  op.signature = {.name = "stencil", .inputs = {{"x"}}, .params = param_specs(), .infer = infer};
  op.family = "stencil";
  op.summary =
      "Weighted sums over the neighbours of every cell in 1 to 3 axes, applied once or many times.";
  op.shape_rule = "as the input; axes that the weights don't lie along are a batch";
  op.types = "float32, float64, complex64, complex128; the result has the input's type";
  op.error_bound = "per sweep, (number of taps + 1) ULP of the sum of absolute values of the terms";
  op.rounding =
      "each weight is scale * weight in float64, rounded to the element's real type; per cell one "
      "chain of fused multiply-adds over the non-zero weights by offset, last axis fastest, from "
      "+0, or from the cell itself with add_input; values beyond the ends enter as taps; complex "
      "numbers part by part; a NaN is stored as the positive quiet NaN. All recipes do the same";
  op.distributed =
      "each rank keeps its part and receives the cells around it (halo) while it computes those "
      "that need none; several sweeps per exchange with deeper halos, computing some cells twice; "
      "slabs or a grid; no messages where only batch axes are cut";
  op.source =
      "overlapped tiling with a moving window: A. Nguyen et al., 3.5-D blocking optimization for "
      "stencil computations, SC 2010";
  op.example =
      R"({"op": "stencil", "in": "x", "weights": "laplace2d", "scale": 0.1, "repeat": 10, "boundary": "fixed"})";
  op.choices = choices;
  op.emit = emit;
  return op;
}

}  // namespace tessera::ops
