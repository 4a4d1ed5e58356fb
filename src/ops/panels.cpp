// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/panels.hpp"

#include <algorithm>
#include <utility>

#include "factor.hpp"
#include "factor_panels.hpp"
#include "pack.hpp"

namespace tessera::ops {

namespace {

using kernels::OwnColumns;
using kernels::Panel;
using kernels::PanelTask;
using layout::Layout;

constexpr std::int64_t smallest_matrix = 192;

std::int64_t panel_width(std::int64_t columns) { return columns < 1024 ? 32 : 128; }

Layout dealt(const Shape& shape, std::int64_t width, int ranks) {
  return {shape, {{1, 0}, {ranks, width}}, ranks};
}

/// Boxes on their way between a block layout and dealt columns: each peer's are packed one after
/// another into one message.
class Move {
 public:
  struct Parcel {
    Box box;
    std::int64_t offset = 0;  ///< bytes in the packed buffer
  };
  Move(const std::vector<layout::Transfer>& transfers, DType dtype) {
    std::int64_t bytes = 0;
    for (const layout::Transfer& transfer : transfers) {
      if (pieces_.empty() || pieces_.back().peer != transfer.peer) {
        pieces_.push_back({transfer.peer, {}, bytes, 0});
      }
      parcels_.push_back({transfer.box, bytes});
      const std::int64_t size = transfer.box.elements() * size_of(dtype);
      pieces_.back().bytes += size;
      bytes += size;
    }
    bytes_ = bytes;
  }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<Parcel>& parcels() const { return parcels_; }
  [[nodiscard]] std::vector<Piece> pieces(BufferId buffer) const {
    std::vector<Piece> result = pieces_;
    for (Piece& piece : result) piece.buffer = buffer;
    return result;
  }

 private:
  std::vector<Parcel> parcels_;
  std::vector<Piece> pieces_;
  std::int64_t bytes_ = 0;
};

/// One factorisation as this rank sees it: what the emitted functions keep.
struct PanelWork {
  PanelWork(const Step& step, const PanelTensors& tensors, FaultBoard faults,
            const Emitter& emitter)
      : name(step.node.name),
        in(tensors.in),
        out(tensors.out),
        pivots(tensors.pivots ? tensors.pivots->buffer : BufferId{}),
        permutation(tensors.permutation),
        inputs(step.inputs),
        board(std::move(faults)),
        self(emitter.rank()),
        ranks(emitter.ranks()),
        shape(in.layout.shape()),
        width(step.choice.details.front()),
        columns(dealt(shape, width, ranks)),
        own_extent(columns.local_extent(self)),
        task{in.dtype, !tensors.pivots, shape[0], emitter.threads()} {
    const std::int64_t steps = std::min(shape[0], shape[1]);
    for (std::int64_t begin = 0; begin < steps; begin += width) {
      panels.push_back({begin, std::min(width, shape[1] - begin)});
    }
  }

  [[nodiscard]] Rank owner(std::size_t panel) const {
    return static_cast<Rank>(static_cast<std::int64_t>(panel) % ranks);
  }
  [[nodiscard]] BufferId message(std::size_t panel) const { return messages[panel % 2]; }
  /// How many of this rank's columns lie in front of a panel's border.
  [[nodiscard]] std::int64_t columns_before(std::int64_t column) const {
    const std::int64_t round = width * ranks;
    const std::int64_t rest = std::clamp<std::int64_t>(column % round - self * width, 0, width);
    return std::min(column / round * width + rest, own_extent[1]);
  }
  [[nodiscard]] OwnColumns own(RunContext& context, std::int64_t first, std::int64_t count) const {
    return {context.data(local), own_extent[1], first, count};
  }
  /// The matrix' blocks of columns among this rank's [first, first + count): where each begins
  /// there, its first column, its width.
  struct OwnBlock {
    std::int64_t first, column, count;
  };
  [[nodiscard]] std::vector<OwnBlock> blocks(std::int64_t first, std::int64_t count) const {
    std::vector<OwnBlock> result;
    for (std::int64_t at = first; at < first + count; at += width) {
      const std::int64_t column = (at / width * ranks + self) * width;
      result.push_back({at, column, std::min(width, first + count - at)});
    }
    return result;
  }
  [[nodiscard]] double bytes_of(std::int64_t elements) const {
    return static_cast<double>(elements * size_of(task.dtype));
  }

  /// A box that lies within one block of columns, in this rank's storage.
  [[nodiscard]] Tile own_tile(RunContext& context, const Box& box) const {
    const Index place = columns.local_index(box.origin);
    const std::int64_t stride = own_extent[1];
    std::byte* data = context.data(local) + (place[0] * stride + place[1]) * size_of(task.dtype);
    return Tile{data, task.dtype, box, {stride, 1}, shape};
  }

  void run_update(RunContext& context, const Panel& panel, BufferId buffer, std::int64_t first,
                  std::int64_t count) const {
    if (kernels::stopped_at(context.data(buffer)) >= 0) return;
    if (!task.cholesky) {
      kernels::update_columns(task, panel, context.data(buffer), own(context, first, count), 0,
                              context.data(scratch));
      return;
    }
    for (const OwnBlock& block : blocks(first, count)) {
      kernels::update_columns(task, panel, context.data(buffer),
                              own(context, block.first, block.count), block.column,
                              context.data(scratch));
    }
  }

  std::string name;
  Placed in, out;
  BufferId pivots;
  std::optional<Placed> permutation;
  std::vector<Placed> inputs;  ///< of the step
  FaultBoard board;
  Rank self;
  int ranks;
  Shape shape;
  std::int64_t width;
  Layout columns;  ///< dealt out
  Shape own_extent;
  PanelTask task;
  std::vector<Panel> panels;
  BufferId local, scratch, stopped;
  BufferId messages[2];
};

/// Emits the steps.
class PanelEmitter {
 public:
  PanelEmitter(const Step& step, const PanelTensors& tensors, const FaultBoard& board,
               Emitter& emitter)
      : work_(step, tensors, board, emitter), emitter_(emitter) {}

  void emit() {
    reserve();
    check_input();
    move(work_.in, true);
    ExchangeId coming = produce(0);
    for (std::size_t p = 0; p < work_.panels.size(); ++p) {
      emitter_.finish(coming);
      note(p);
      const bool more = p + 1 < work_.panels.size();
      const std::int64_t first =
          work_.columns_before(work_.panels[p].begin + work_.panels[p].width);
      std::int64_t ahead = 0;
      if (more && work_.owner(p + 1) == work_.self) {
        ahead = work_.panels[p + 1].width;
        update(p, first, ahead, "update the next panel");
      }
      if (more) coming = produce(p + 1);
      update(p, first + ahead, work_.own_extent[1] - first - ahead, "update");
    }
    if (work_.task.cholesky) clear();
    move(work_.out, false);
    finish();
  }

 private:
  void reserve() {
    work_.local = emitter_.scratch(work_.name + " columns",
                                   element_count(work_.own_extent) * size_of(work_.task.dtype));
    std::int64_t message = 0;
    std::int64_t room = 0;
    for (std::size_t p = 0; p < work_.panels.size(); ++p) {
      const Panel& panel = work_.panels[p];
      message = std::max(message, kernels::panel_message_bytes(work_.task, panel));
      if (work_.owner(p) == work_.self)
        room = std::max(room, kernels::panel_scratch_bytes(work_.task, panel));
      const std::int64_t first = work_.columns_before(panel.begin + panel.width);
      const auto measure = [&](std::int64_t from, std::int64_t count) {
        if (count <= 0) return;
        if (!work_.task.cholesky) {
          room = std::max(room, kernels::update_scratch_bytes(work_.task, panel, count, 0));
          return;
        }
        for (const PanelWork::OwnBlock& block : work_.blocks(from, count)) {
          room = std::max(
              room, kernels::update_scratch_bytes(work_.task, panel, block.count, block.column));
        }
      };
      const std::int64_t rest = work_.own_extent[1] - first;
      measure(first, std::min(work_.width, rest));
      measure(first, rest);
      measure(first + work_.width, rest - work_.width);
    }
    for (BufferId& buffer : work_.messages)
      buffer = emitter_.scratch(work_.name + " panel", message);
    work_.scratch = emitter_.scratch(work_.name + " scratch", room);
    work_.stopped = emitter_.scratch(work_.name + " stopped", 8);
  }

  void check_input() {
    std::vector<BufferId> reads;
    std::int64_t bytes = 0;
    for (const Placed& input : work_.inputs) {
      reads.push_back(input.buffer);
      bytes += input.layout.local_elements(work_.self) * size_of(input.dtype);
    }
    emitter_.launch({work_.name + ": look for infinity and NaN",
                     std::move(reads),
                     {work_.board.faults(), work_.stopped},
                     static_cast<double>(bytes),
                     0,
                     [work = work_](RunContext& context) {
                       work.board.clear(context, context.stream());
                       for (std::size_t input = 0; input < work.inputs.size(); ++input) {
                         const bool lower = input == 0 && work.task.cholesky;
                         (void)work.board.finite(context, context.stream(), static_cast<int>(input),
                                                 lower);
                       }
                       *reinterpret_cast<std::int64_t*>(context.data(work.stopped)) = -1;
                     }});
    work_.board.emit_check(emitter_);
  }

  /// Between a block layout and this rank's columns.
  void move(const Placed& block, bool gather) {
    const layout::Overlap overlap = gather
                                        ? layout::overlap(block.layout, work_.columns, work_.self)
                                        : layout::overlap(work_.columns, block.layout, work_.self);
    const Move out(overlap.sends, work_.task.dtype);
    const Move in(overlap.receives, work_.task.dtype);
    const std::string label =
        gather ? work_.name + ": deal out columns" : work_.name + ": collect columns";
    const BufferId sent = emitter_.scratch(label + " send", out.bytes());
    const BufferId received = emitter_.scratch(label + " receive", in.bytes());
    const auto block_tile = [block](RunContext& context) { return context.tile(block); };
    const auto copies = overlap.copies;
    const BufferId from = gather ? block.buffer : work_.local;
    const BufferId to = gather ? work_.local : block.buffer;
    emitter_.launch(
        {label + " pack",
         {from},
         {sent, to},
         2 * (static_cast<double>(out.bytes()) + kept_bytes(copies)),
         0,
         [=, work = work_, dtype = work_.task.dtype, parcels = out.parcels()](RunContext& context) {
           for (const Move::Parcel& parcel : parcels) {
             const Tile packed = dense_tile(context.data(sent) + parcel.offset, dtype, parcel.box,
                                            parcel.box.extent);
             const Tile source = gather ? block_tile(context) : work.own_tile(context, parcel.box);
             kernels::copy_box(context.stream(), source, packed, parcel.box);
           }
           for (const Box& box : copies) {
             const Tile mine = work.own_tile(context, box);
             const Tile theirs = block_tile(context);
             kernels::copy_box(context.stream(), gather ? theirs : mine, gather ? mine : theirs,
                               box);
           }
         }});
    emitter_.finish(emitter_.start(label, out.pieces(sent), in.pieces(received)));
    emitter_.launch(
        {label + " unpack",
         {received},
         {to},
         2 * static_cast<double>(in.bytes()),
         0,
         [=, work = work_, dtype = work_.task.dtype, parcels = in.parcels()](RunContext& context) {
           for (const Move::Parcel& parcel : parcels) {
             const Tile packed = dense_tile(context.data(received) + parcel.offset, dtype,
                                            parcel.box, parcel.box.extent);
             const Tile target = gather ? work.own_tile(context, parcel.box) : block_tile(context);
             kernels::copy_box(context.stream(), packed, target, parcel.box);
           }
         }});
  }

  [[nodiscard]] double kept_bytes(const std::vector<Box>& boxes) const {
    std::int64_t elements = 0;
    for (const Box& box : boxes) elements += box.elements();
    return work_.bytes_of(elements);
  }

  /// The owner factors a panel; it goes on its way to all others.
  ExchangeId produce(std::size_t p) {
    const Panel panel = work_.panels[p];
    const BufferId buffer = work_.message(p);
    const std::int64_t bytes = kernels::panel_message_bytes(work_.task, panel);
    std::vector<Piece> sends;
    std::vector<Piece> receives;
    if (work_.owner(p) == work_.self) {
      const std::int64_t first = work_.columns_before(panel.begin);
      const auto rows = static_cast<double>(work_.shape[0] - panel.begin);
      const auto w = static_cast<double>(panel.width);
      emitter_.launch({work_.name + ": factor panel",
                       {work_.stopped},
                       {work_.local, buffer, work_.scratch},
                       4.0 * static_cast<double>(bytes),
                       products_of(work_.task.dtype) * rows * w * w,
                       [work = work_, panel, first, buffer](RunContext& context) {
                         kernels::factor_panel(
                             work.task, panel, work.own(context, first, panel.width),
                             *reinterpret_cast<std::int64_t*>(context.data(work.stopped)),
                             context.data(buffer), context.data(work.scratch));
                       }});
      for (Rank rank = 0; rank < work_.ranks; ++rank) {
        if (rank != work_.self) sends.push_back({rank, buffer, 0, bytes});
      }
    } else {
      receives.push_back({work_.owner(p), buffer, 0, bytes});
    }
    return emitter_.start(work_.name + ": panel", std::move(sends), std::move(receives));
  }

  /// What a message tells besides the panel.
  void note(std::size_t p) {
    const BufferId buffer = work_.message(p);
    std::vector<BufferId> writes = {work_.stopped};
    if (!work_.task.cholesky) writes.push_back(work_.pivots);
    if (!work_.task.cholesky) writes.push_back(work_.local);
    emitter_.launch(
        {work_.name + ": interchanges",
         {buffer},
         std::move(writes),
         work_.bytes_of(2 * work_.width * work_.own_extent[1]),
         0,
         [work = work_, panel = work_.panels[p], buffer](RunContext& context) {
           const std::int64_t stopped = kernels::stopped_at(context.data(buffer));
           *reinterpret_cast<std::int64_t*>(context.data(work.stopped)) = stopped;
           if (stopped >= 0 || work.task.cholesky) return;
           kernels::read_pivots(panel, context.data(buffer), work.shape[0],
                                reinterpret_cast<std::int64_t*>(context.data(work.pivots)));
           kernels::exchange_rows(work.task, panel, context.data(buffer),
                                  work.own(context, 0, work.columns_before(panel.begin)));
         }});
  }

  void update(std::size_t p, std::int64_t first, std::int64_t count, const std::string& label) {
    if (count <= 0) return;
    const BufferId buffer = work_.message(p);
    const Panel panel = work_.panels[p];
    const auto w = static_cast<double>(panel.width);
    const auto rows = static_cast<double>(work_.shape[0] - panel.begin - panel.width);
    const double part = work_.task.cholesky ? 1 : 2;
    emitter_.launch({work_.name + ": " + label,
                     {buffer, work_.stopped},
                     {work_.local, work_.scratch},
                     work_.bytes_of(2 * count * (work_.shape[0] - panel.begin)),
                     products_of(work_.task.dtype) * part * rows * w * static_cast<double>(count),
                     [work = work_, panel, buffer, first, count](RunContext& context) {
                       work.run_update(context, panel, buffer, first, count);
                     }});
  }

  void clear() {
    emitter_.launch({work_.name + ": clear above",
                     {},
                     {work_.local},
                     work_.bytes_of(element_count(work_.own_extent)) / 2,
                     0,
                     [work = work_](RunContext& context) {
                       for (const PanelWork::OwnBlock& block : work.blocks(0, work.own_extent[1])) {
                         kernels::clear_above(
                             work.task, work.own(context, block.first, block.count), block.column);
                       }
                     }});
  }

  void finish() {
    std::vector<BufferId> writes = {work_.board.faults(), work_.board.failures()};
    if (work_.permutation) writes.push_back(work_.permutation->buffer);
    std::vector<BufferId> reads = {work_.stopped};
    if (!work_.task.cholesky) reads.push_back(work_.pivots);
    emitter_.launch(
        {work_.name + ": end", std::move(reads), std::move(writes),
         16.0 * static_cast<double>(work_.shape[0]), 0, [work = work_](RunContext& context) {
           const auto numbers = [&](BufferId buffer) {
             return reinterpret_cast<std::int64_t*>(context.data(buffer));
           };
           *work.board.failures(context) = *numbers(work.stopped);
           work.board.collect(context, context.stream());
           if (!work.permutation) return;
           kernels::permutation_of(context.stream(), 1, work.shape[0],
                                   std::min(work.shape[0], work.shape[1]), numbers(work.pivots),
                                   numbers(work.permutation->buffer));
         }});
    work_.board.emit_check(emitter_);
  }

  PanelWork work_;
  Emitter& emitter_;
};

}  // namespace

std::optional<Choice> panels_choice(const graph::Node& node, const ChoiceContext& context,
                                    double flops) {
  const graph::TensorInfo& a = node.input_infos[0];
  if (context.ranks == 1 || context.backend != device::Backend::host || a.shape.size() != 2 ||
      std::min(a.shape[0], a.shape[1]) < smallest_matrix) {
    return std::nullopt;
  }
  const Layout& current = context.current[0];
  const bool rows = current.is_block() && !current.is_replicated();
  const Layout layout = rows ? current : Layout::rows(a.shape, context.ranks);
  const std::int64_t width = panel_width(a.shape[1]);
  Choice choice;
  choice.algorithm = "panels of " + std::to_string(width) + " columns dealt out";
  choice.inputs = {layout};
  choice.outputs = {layout};
  for (std::size_t i = 1; i < node.output_infos.size(); ++i) {
    choice.outputs.push_back(Layout::replicated(node.output_infos[i].shape, context.ranks));
  }
  const double ranks = context.ranks;
  const auto elements = static_cast<double>(element_count(a.shape));
  const double bytes = elements * static_cast<double>(size_of(a.dtype));
  const auto panels = static_cast<double>((std::min(a.shape[0], a.shape[1]) + width - 1) / width);
  // The ranks wait for the last panels, which hardly anything can hide.
  choice.flops = flops * (1 / ranks + 1.5 / panels);
  choice.message_bytes = bytes * (ranks - 1) / ranks * (0.5 + 2 / ranks);
  choice.messages = panels * (ranks - 1) / ranks + 2 * (ranks - 1);
  choice.memory_bytes = bytes / ranks * (panels + 8);
  choice.scratch_bytes = static_cast<std::int64_t>(3 * bytes / ranks);
  choice.details = {width};
  return choice;
}

bool uses_panels(const Choice& choice) { return !choice.details.empty(); }

std::string panels_distribution() {
  return " Or, on CPUs, its panels of columns are dealt out to the ranks in turn: the owner of a "
         "panel factors it and sends it to all, which update their own columns with it, the next "
         "panel first. The bits are the same";
}

void emit_panels(const Step& step, const PanelTensors& tensors,
                 const FaultBoard::Describe& describe, Emitter& emitter) {
  const Shape& shape = tensors.in.layout.shape();
  const FaultBoard board(step, Layout::replicated(shape, emitter.ranks()), shape.back(), describe,
                         emitter);
  PanelEmitter(step, tensors, board, emitter).emit();
}

}  // namespace tessera::ops
