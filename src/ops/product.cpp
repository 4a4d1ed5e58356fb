// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/product.hpp"

#include <algorithm>
#include <string>

#include "ops/panel_exchange.hpp"
#include "pack.hpp"

namespace tessera::ops {

namespace {

using layout::AxisSplit;
using layout::Layout;

/// The part of an operand along the batch axes of C; axes that it lacks or shares are left out.
Box need(const Shape& operand, const Box& part, int c_batches, int matrix_axes) {
  Box box = Box::whole(operand);
  const int batches = operand.size() - matrix_axes;
  for (int axis = 0; axis < batches; ++axis) {
    const int c_axis = axis + c_batches - batches;
    if (operand[axis] == 1) continue;
    box.origin[axis] = part.origin[c_axis];
    box.extent[axis] = part.extent[c_axis];
  }
  return box;
}

void set_range(Box& box, int axis, std::int64_t begin, std::int64_t end) {
  box.origin[axis] = begin;
  box.extent[axis] = end - begin;
}

Box nothing(const Shape& shape) {
  return {Extents::filled(shape.size(), 0), Extents::filled(shape.size(), 0)};
}

double flops_per_element(DType dtype) { return is_complex(dtype) ? 8 : 2; }

/// Panels of k. Wide enough for the kernel and for few messages; a power of two, so that the panels
/// end where the chains of sums do.
std::int64_t panel_width(std::int64_t k) {
  std::int64_t width = 512;
  while (width < kernels::matmul_panel && k > 64 * width) width *= 2;
  return width;
}

/// Whether every rank already has what it needs of an operand.
bool all_in_place(const Layout& operand, const Layout& c, const ProductShape& shape, bool is_a) {
  if (operand.is_replicated()) return true;
  for (Rank rank = 0; rank < c.ranks(); ++rank) {
    const Box part = c.box(rank);
    const Box box = is_a ? shape.need_a(part, 0, shape.k()) : shape.need_b(part, 0, shape.k());
    if (!box.empty() && intersect(box, operand.box(rank)) != box) return false;
  }
  return true;
}

struct Traffic {
  double elements = 0;  ///< sent or received, whichever is more
  double peers = 0;
};

/// What moves to and from one rank, for one operand.
Traffic traffic_of(const Layout& operand, const Layout& c, const ProductShape& shape, bool is_a,
                   Rank self) {
  if (operand.is_replicated()) return {};
  const auto needed = [&](Rank rank) {
    return is_a ? shape.need_a(c.box(rank), 0, shape.k()) : shape.need_b(c.box(rank), 0, shape.k());
  };
  const Box mine = operand.box(self);
  const Box wanted = needed(self);
  double sent = 0;
  double received = 0;
  double peers = 0;
  for (Rank rank = 0; rank < c.ranks(); ++rank) {
    if (rank == self) continue;
    const auto out = static_cast<double>(intersect(mine, needed(rank)).elements());
    const auto in = static_cast<double>(intersect(wanted, operand.box(rank)).elements());
    sent += out;
    received += in;
    peers += out > 0 || in > 0 ? 1 : 0;
  }
  return {std::max(sent, received), peers};
}

/// Fills in what a cut of C costs. Balanced blocks: the first rank, the last and one between show
/// the busiest.
void add_costs(const ProductShape& shape, Choice& choice) {
  const Layout& c = choice.outputs[0];
  const auto size = static_cast<double>(size_of(shape.dtype));
  const auto k = static_cast<double>(shape.k());
  const bool local = all_in_place(choice.inputs[0], c, shape, true) &&
                     all_in_place(choice.inputs[1], c, shape, false);
  const auto panels =
      local
          ? 1.0
          : static_cast<double>((shape.k() + panel_width(shape.k()) - 1) / panel_width(shape.k()));
  for (const Rank rank : {0, c.ranks() / 2, c.ranks() - 1}) {
    const Box part = c.box(rank);
    const auto elements = static_cast<double>(part.elements());
    const auto operands = static_cast<double>(shape.need_a(part, 0, shape.k()).elements() +
                                              shape.need_b(part, 0, shape.k()).elements());
    double moved = 0;
    double messages = 0;
    for (const int which : {0, 1}) {
      const Traffic traffic = traffic_of(choice.inputs[which], c, shape, which == 0, rank);
      moved += traffic.elements * size;
      messages += traffic.peers * panels;
    }
    choice.flops = std::max(choice.flops, flops_per_element(shape.dtype) * elements * k);
    choice.message_bytes = std::max(choice.message_bytes, moved);
    choice.messages = std::max(choice.messages, messages);
    // C is read and written once per panel; what moves is packed and unpacked.
    choice.memory_bytes =
        std::max(choice.memory_bytes, size * (operands + elements * (2 * panels - 1)) + 4 * moved);
    choice.scratch_bytes = std::max(
        choice.scratch_bytes, static_cast<std::int64_t>(2 * 2 * moved / std::max(panels, 1.0)));
  }
}

std::vector<Layout> cuts_of(const ProductShape& shape, int ranks) {
  std::vector<Layout> cuts;
  for (int rows = ranks; rows >= 1; --rows) {
    if (ranks % rows != 0 || (shape.vector && rows != ranks)) continue;
    std::vector<AxisSplit> splits(static_cast<std::size_t>(shape.c.size()));
    splits[static_cast<std::size_t>(shape.c_m())].parts = rows;
    if (!shape.vector) splits[static_cast<std::size_t>(shape.c_n())].parts = ranks / rows;
    cuts.emplace_back(shape.c, splits, ranks);
  }
  for (int axis = 0; axis < shape.c_batches(); ++axis) {
    if (shape.c[axis] > 1) cuts.push_back(Layout::along(shape.c, axis, ranks));
  }
  cuts.push_back(Layout::replicated(shape.c, ranks));
  return cuts;
}

std::string algorithm_of(const ProductShape& shape, const Choice& choice) {
  const Layout& c = choice.outputs[0];
  const bool local = all_in_place(choice.inputs[0], c, shape, true) &&
                     all_in_place(choice.inputs[1], c, shape, false);
  if (c.ranks() == 1 || local) return "local";
  if (c.is_replicated()) return "replicated";
  return "C-stationary, " + c.describe();
}

Tile with_unit_axis(Tile tile) {
  tile.box.origin.push_back(0);
  tile.box.extent.push_back(1);
  tile.strides.push_back(1);
  tile.global.push_back(1);
  return tile;
}

}  // namespace

Box ProductShape::need_a(const Box& part, std::int64_t begin, std::int64_t end) const {
  if (part.empty() || begin >= end) return nothing(a);
  Box box = need(a, part, c_batches(), 2);
  set_range(box, a_m(), part.origin[c_m()], part.end(c_m()));
  set_range(box, a_k(), begin, end);
  return box;
}

Box ProductShape::need_b(const Box& part, std::int64_t begin, std::int64_t end) const {
  if (part.empty() || begin >= end) return nothing(b);
  Box box = need(b, part, c_batches(), vector ? 1 : 2);
  if (!vector) set_range(box, b_n(), part.origin[c_n()], part.end(c_n()));
  set_range(box, b_k(), begin, end);
  return box;
}

Operation product_operation() {
  Operation operation;
  operation.family = "linear algebra";
  operation.types =
      "float32, float64, complex64, complex128, int32, int64; both inputs and the result have one "
      "type; integers wrap like numpy's";
  operation.error_bound =
      "|C - exact| <= 2 (k + 2) u |A| |B|, element by element (u: half an ULP of 1)";
  operation.rounding =
      "one chain of fused multiply-adds per element from +0, k ascending; complex: re = fma(ar, "
      "br, "
      "re), re = fma(-ai, bi, re), im = fma(ar, bi, im), im = fma(ai, br, im). Above 65,536 k: one "
      "chain per panel of 65,536 k, the panels' sums added from left to right. A NaN is stored as "
      "the positive quiet NaN. All recipes use this order";
  operation.distributed =
      "C-stationary: C is cut over a process grid, every factorisation of the ranks is priced; "
      "panels "
      "of 512 k or more come from the ranks that hold them while the panel before is multiplied "
      "(SUMMA, for operands in any block layout); small results are computed on every rank";
  operation.source =
      "van de Geijn, Watts, SUMMA, Concurrency 9 (1997); Goto, van de Geijn, ACM TOMS 34 (2008); "
      "Van Zee, van de Geijn, BLIS, ACM TOMS 41 (2015)";
  return operation;
}

void refuse_unlike_types(const std::vector<graph::TensorInfo>& inputs) {
  if (inputs[0].dtype != inputs[1].dtype) {
    throw Error(ErrorKind::graph, "the inputs have two element types")
        .expected("one type")
        .found(std::string(name_of(inputs[0].dtype)) + " and " +
               std::string(name_of(inputs[1].dtype)))
        .advice("cast one of them first");
  }
  if (inputs[0].dtype == DType::uint8) {
    throw Error(ErrorKind::graph, "matrices of uint8 can't be multiplied")
        .expected("float32, float64, complex64, complex128, int32 or int64")
        .found("uint8")
        .advice("cast them to int32 first");
  }
}

std::vector<Choice> product_choices(const ProductShape& shape, const ChoiceContext& context) {
  std::vector<Layout> inputs;
  for (const int which : {0, 1}) {
    const Layout& current = context.current[static_cast<std::size_t>(which)];
    inputs.push_back(current.is_block() ? current : Layout::rows(current.shape(), context.ranks));
  }
  std::vector<Layout> cuts = context.ranks == 1 ? std::vector<Layout>{Layout::rows(shape.c, 1)}
                                                : cuts_of(shape, context.ranks);
  std::vector<Choice> result;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const auto end = cuts.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(cuts.begin(), end, cuts[i]) != end) continue;
    Choice choice;
    choice.inputs = inputs;
    choice.outputs = {cuts[i]};
    choice.algorithm = algorithm_of(shape, choice);
    add_costs(shape, choice);
    result.push_back(choice);
  }
  return result;
}

namespace {

/// Emits the panels of one product.
class ProductEmitter {
 public:
  ProductEmitter(const ProductShape& shape, const Step& step, Emitter& emitter)
      : shape_(shape),
        a_(step.inputs[0]),
        b_(step.inputs[1]),
        c_(step.outputs[0]),
        emitter_(emitter),
        part_(c_.layout.box(emitter.rank())),
        local_(all_in_place(a_.layout, c_.layout, shape, true) &&
               all_in_place(b_.layout, c_.layout, shape, false)) {}

  void emit() {
    if (shape_.k() == 0) return emit_zeros();
    cut();
    PanelExchange a(emitter_, a_, "panel of A", panels_, [this](Rank rank, const KRange& range) {
      return shape_.need_a(c_.layout.box(rank), range.begin, range.end);
    });
    PanelExchange b(emitter_, b_, "panel of B", panels_, [this](Rank rank, const KRange& range) {
      return shape_.need_b(c_.layout.box(rank), range.begin, range.end);
    });
    reserve();
    ExchangeId coming = start(a, b, 0);
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      const ExchangeId here = coming;
      if (p + 1 < panels_.size()) coming = start(a, b, p + 1);
      if (!local_) emitter_.finish(here);
      a.assemble(p);
      b.assemble(p);
      if (!part_.empty()) multiply(p, a.source(p), b.source(p));
    }
  }

 private:
  void emit_zeros() {
    const std::int64_t bytes = part_.elements() * size_of(shape_.dtype);
    emitter_.launch({"zeros",
                     {},
                     {c_.buffer},
                     static_cast<double>(bytes),
                     0,
                     [c = c_, bytes](RunContext& context) {
                       kernels::fill_bytes(context.stream(), context.data(c.buffer), bytes, 0);
                     }});
  }

  void cut() {
    const std::int64_t width = local_ ? kernels::matmul_panel : panel_width(shape_.k());
    for (std::int64_t k = 0; k < shape_.k(); k += width) {
      panels_.push_back({k, std::min(k + width, shape_.k())});
    }
  }

  /// Integers are exact in any order: one chain will do.
  [[nodiscard]] bool several_chains() const {
    return shape_.k() > kernels::matmul_panel && !is_integer(shape_.dtype);
  }

  void reserve() {
    Shape extent = part_.extent;
    if (shape_.vector) extent.push_back(1);
    std::int64_t bytes = 0;
    for (const KRange& range : panels_) {
      bytes = std::max(bytes,
                       kernels::matmul_scratch_bytes(emitter_.backend(), shape_.dtype, extent,
                                                     range.end - range.begin, emitter_.threads()));
    }
    scratch_ = emitter_.scratch("blocks of A and B", bytes);
    if (several_chains()) {
      partial_ = emitter_.scratch("sum of one panel", part_.elements() * size_of(shape_.dtype));
    }
  }

  ExchangeId start(PanelExchange& a, PanelExchange& b, std::size_t p) {
    if (local_) return {};
    std::vector<Piece> sends;
    std::vector<Piece> receives;
    for (PanelExchange* operand : {&a, &b}) {
      operand->pack(p);
      operand->add_pieces(p, sends, receives);
    }
    return emitter_.start("panels", std::move(sends), std::move(receives));
  }

  void multiply(std::size_t p, const PanelSource& a, const PanelSource& b) {
    const KRange range = panels_[p];
    const bool chains = several_chains();
    const std::int64_t in_chain = chains ? range.begin % kernels::matmul_panel : range.begin;
    const bool partial = chains && range.begin >= kernels::matmul_panel;
    const BufferId target = partial ? partial_ : c_.buffer;
    kernels::MatmulForm form = shape_.form;
    form.onto_c = in_chain > 0;

    Launch launch;
    launch.label = "multiply";
    launch.reads = {a.buffer, b.buffer};
    launch.writes = {target, scratch_};
    const auto elements = static_cast<double>(part_.elements());
    launch.flops =
        flops_per_element(shape_.dtype) * elements * static_cast<double>(range.end - range.begin);
    launch.bytes = static_cast<double>(size_of(shape_.dtype)) *
                   (static_cast<double>(a.box.elements() + b.box.elements()) +
                    elements * (form.onto_c ? 2 : 1));
    launch.run = [a, b, c = c_, part = part_, target, form, scratch = scratch_,
                  vector = shape_.vector](RunContext& context) {
      Tile tile_b = b.tile(context);
      Tile tile_c = dense_tile(context.data(target), c.dtype, part, c.layout.shape());
      if (vector) {
        tile_b = with_unit_axis(tile_b);
        tile_c = with_unit_axis(tile_c);
      }
      kernels::matmul(context.stream(), a.tile(context), tile_b, tile_c, form,
                      context.data(scratch));
    };
    emitter_.launch(std::move(launch));
    const bool chain_ends = range.end % kernels::matmul_panel == 0 || range.end == shape_.k();
    if (partial && chain_ends) add_partial();
  }

  void add_partial() {
    const auto elements = static_cast<double>(part_.elements());
    emitter_.launch({"add the panel's sum",
                     {partial_},
                     {c_.buffer},
                     3 * elements * static_cast<double>(size_of(shape_.dtype)),
                     elements * (is_complex(shape_.dtype) ? 2 : 1),
                     [c = c_, part = part_, partial = partial_](RunContext& context) {
                       const Shape& global = c.layout.shape();
                       kernels::add_panel(
                           context.stream(),
                           dense_tile(context.data(partial), c.dtype, part, global),
                           dense_tile(context.data(c.buffer), c.dtype, part, global));
                     }});
  }

  ProductShape shape_;
  Placed a_, b_, c_;
  Emitter& emitter_;
  Box part_;    ///< of C, of this rank
  bool local_;  ///< no rank lacks anything
  std::vector<KRange> panels_;
  BufferId scratch_;
  BufferId partial_;
};

}  // namespace

void emit_product(const ProductShape& shape, const Step& step, Emitter& emitter) {
  ProductEmitter(shape, step, emitter).emit();
}

}  // namespace tessera::ops
