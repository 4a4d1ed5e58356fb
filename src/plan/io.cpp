// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plan/planner.hpp"

// Files are read and written by rows of the whole tensor (contiguous ranges of the file). The
// actions call the run context, which knows the files.

namespace tessera::plan {

namespace {

/// What a leader reads, or the root writes, at a time for other ranks.
constexpr std::int64_t staging_bytes = std::int64_t{16} << 20;

double file_seconds(double bytes, double rate) { return bytes / rate + 1e-4; }

/// A box cut along its first axis into boxes of at most `staging_bytes` (one row at least).
std::vector<Box> row_chunks(const Box& box, std::int64_t element_bytes) {
  std::vector<Box> chunks;
  if (box.empty()) return chunks;
  if (box.axes() == 0) return {box};
  const std::int64_t rows = box.extent[0];
  const std::int64_t row_bytes = box.elements() / rows * element_bytes;
  const std::int64_t step = std::clamp<std::int64_t>(staging_bytes / row_bytes, 1, rows);
  for (std::int64_t begin = 0; begin < rows; begin += step) {
    Box chunk = box;
    chunk.origin[0] += begin;
    chunk.extent[0] = std::min(step, rows - begin);
    chunks.push_back(chunk);
  }
  return chunks;
}

std::int64_t bytes_of(const Box& box, DType dtype) { return box.elements() * size_of(dtype); }

std::int64_t largest_chunk(const std::vector<Box>& chunks, DType dtype) {
  std::int64_t most = 0;
  for (const Box& chunk : chunks) most = std::max(most, bytes_of(chunk, dtype));
  return most;
}

/// The element of the whole tensor at which a box of rows begins.
std::int64_t first_element(const Box& box, const Shape& shape) {
  if (shape.empty() || box.empty()) return 0;
  return box.origin[0] * (element_count(shape) / std::max<std::int64_t>(shape[0], 1));
}

}  // namespace

ops::Placed Planner::read_input(int input) {
  const graph::Input& source = graph_.inputs[static_cast<std::size_t>(input)];
  const layout::Layout layout = layout::Layout::rows(source.info.shape, ranks_);
  const ops::Placed placed = builder_.scratch(source.name, source.info.dtype, layout);
  const bool through_leader = plan_.options.io == IoMode::funnel && ranks_ > 1;
  if (through_leader) {
    read_through_leader(input, placed);
  } else {
    read_own(input, placed);
  }
  ops::Action note;
  note.kind = ops::ActionKind::launch;
  note.on_host = true;
  note.label = "checksum " + source.name;
  note.reads = {placed.buffer};
  note.bytes = static_cast<double>(bytes_of(layout.box(rank_), placed.dtype));
  note.seconds = note.bytes / plan_.options.machine.copy_bytes_per_second;
  note.run = [input, placed](ops::RunContext& context) {
    const Box box = placed.layout.box(context.communicator().rank());
    context.note_input(input, context.data(placed.buffer), bytes_of(box, placed.dtype));
  };
  builder_.add(std::move(note));
  return placed;
}

void Planner::read_own(int input, const ops::Placed& placed) {
  const Box box = placed.layout.box(rank_);
  ops::Action read;
  read.kind = ops::ActionKind::read;
  read.label = "read " + graph_.inputs[static_cast<std::size_t>(input)].name;
  read.writes = {placed.buffer};
  read.bytes = static_cast<double>(bytes_of(box, placed.dtype));
  read.seconds = file_seconds(read.bytes, plan_.options.machine.file_read_bytes_per_second);
  read.run = [input, box, buffer = placed.buffer](ops::RunContext& context) {
    if (!box.empty()) context.read_input(input, box, context.data(buffer));
  };
  builder_.add(std::move(read));
}

void Planner::read_through_leader(int input, const ops::Placed& placed) {
  const std::string label = "read " + graph_.inputs[static_cast<std::size_t>(input)].name;
  const int node = std::max(plan_.options.ranks_per_node, 1);
  const Rank leader = rank_ / node * node;
  const Rank end = std::min(leader + node, ranks_);
  if (placed.layout.is_replicated()) {  // a scalar: cheaper read than sent
    read_own(input, placed);
    return;
  }
  if (rank_ == leader) read_own(input, placed);
  std::int64_t staging = 0;
  for (Rank peer = leader + 1; peer < end; ++peer) {
    staging = std::max(
        staging,
        largest_chunk(row_chunks(placed.layout.box(peer), size_of(placed.dtype)), placed.dtype));
  }
  const BufferId stage = builder_.scratch(label + " staging", rank_ == leader ? staging : 0);
  std::size_t turns = 0;
  for (Rank peer = 0; peer < ranks_; ++peer) {
    turns = std::max(turns, row_chunks(placed.layout.box(peer), size_of(placed.dtype)).size());
  }
  // Every rank posts the same sequence of exchanges, most of them empty, so that channels agree.
  for (int offset = 1; offset < node; ++offset) {
    for (std::size_t turn = 0; turn < turns; ++turn) {
      const Rank peer = leader + offset;
      const auto chunks = peer < end ? row_chunks(placed.layout.box(peer), size_of(placed.dtype))
                                     : std::vector<Box>{};
      std::vector<ops::Piece> sends;
      std::vector<ops::Piece> receives;
      if (turn < chunks.size()) {
        const Box& chunk = chunks[turn];
        const std::int64_t bytes = bytes_of(chunk, placed.dtype);
        if (rank_ == leader) {
          ops::Action read;
          read.kind = ops::ActionKind::read;
          read.label = label + " for rank " + std::to_string(peer);
          read.writes = {stage};
          read.bytes = static_cast<double>(bytes);
          read.seconds = file_seconds(read.bytes, plan_.options.machine.file_read_bytes_per_second);
          read.run = [input, chunk, stage](ops::RunContext& context) {
            context.read_input(input, chunk, context.data(stage));
          };
          builder_.add(std::move(read));
          sends.push_back({peer, stage, 0, bytes});
        } else if (rank_ == peer) {
          const std::int64_t before = chunk.origin[0] - placed.layout.box(rank_).origin[0];
          receives.push_back({leader, placed.buffer, before * (bytes / chunk.extent[0]), bytes});
        }
      }
      if (sends.empty() && receives.empty()) {
        builder_.skip_exchange();
      } else {
        builder_.finish(builder_.start(label + " hand out", sends, receives));
      }
    }
  }
}

void Planner::write_outputs_of(TensorId tensor) {
  for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
    const graph::Output& output = graph_.outputs[i];
    if (output.tensor != tensor) continue;
    const int index = static_cast<int>(i);
    const layout::Layout& current = find(tensor).places.front().layout;
    const layout::Layout rows = layout::Layout::rows(output.info.shape, ranks_);
    // A replicated tensor is written by rank 0 as it lies.
    const ops::Placed placed =
        current.is_replicated() ? find(tensor).places.front() : placed_as(tensor, rows);
    const bool funnel = plan_.options.io == IoMode::funnel && plan_.options.ranks > 1;
    if (funnel && graph_.batched && !graph::one_file_per_item(graph_)) {
      write_item_through_root(index, placed);
    } else if (funnel && ranks_ > 1 && !placed.layout.is_replicated()) {
      write_through_root(index, placed);
    } else {
      write_own(index, placed);
    }
  }
}

void Planner::write_own(int output, const ops::Placed& placed) {
  const bool mine = !placed.layout.is_replicated() || rank_ == 0;
  const Box box = placed.layout.box(rank_);
  const std::int64_t bytes = mine ? bytes_of(box, placed.dtype) : 0;
  ops::Action write;
  write.kind = ops::ActionKind::write;
  write.label = "write " + graph_.outputs[static_cast<std::size_t>(output)].dataset;
  write.reads = {placed.buffer};
  write.bytes = static_cast<double>(bytes);
  write.seconds = file_seconds(write.bytes, plan_.options.machine.file_write_bytes_per_second);
  write.run = [output, bytes, first = first_element(box, placed.layout.shape()),
               buffer = placed.buffer](ops::RunContext& context) {
    if (bytes == 0) return;
    context.note_output(output, first, context.data(buffer), bytes);
    context.write_output(output, first, context.data(buffer), bytes);
  };
  builder_.add(std::move(write));
}

void Planner::write_through_root(int output, const ops::Placed& placed) {
  const std::string label = "write " + graph_.outputs[static_cast<std::size_t>(output)].dataset;
  const Box own = placed.layout.box(rank_);
  const std::int64_t own_bytes = bytes_of(own, placed.dtype);
  ops::Action note;
  note.kind = ops::ActionKind::launch;
  note.on_host = true;
  note.label = "checksum " + graph_.outputs[static_cast<std::size_t>(output)].dataset;
  note.reads = {placed.buffer};
  note.bytes = static_cast<double>(own_bytes);
  note.seconds = note.bytes / plan_.options.machine.copy_bytes_per_second;
  note.run = [output, own_bytes, first = first_element(own, placed.layout.shape()),
              buffer = placed.buffer](ops::RunContext& context) {
    context.note_output(output, first, context.data(buffer), own_bytes);
  };
  builder_.add(std::move(note));

  const auto add_write = [&](BufferId buffer, const Box& box) {
    const std::int64_t bytes = bytes_of(box, placed.dtype);
    ops::Action write;
    write.kind = ops::ActionKind::write;
    write.label = label;
    write.reads = {buffer};
    write.bytes = static_cast<double>(bytes);
    write.seconds = file_seconds(write.bytes, plan_.options.machine.file_write_bytes_per_second);
    write.run = [output, bytes, buffer,
                 first = first_element(box, placed.layout.shape())](ops::RunContext& context) {
      if (bytes > 0) context.write_output(output, first, context.data(buffer), bytes);
    };
    builder_.add(std::move(write));
  };
  if (rank_ == 0) add_write(placed.buffer, own);

  std::int64_t staging = 0;
  for (Rank peer = 1; peer < ranks_; ++peer) {
    staging = std::max(
        staging,
        largest_chunk(row_chunks(placed.layout.box(peer), size_of(placed.dtype)), placed.dtype));
  }
  const BufferId stage = builder_.scratch(label + " staging", rank_ == 0 ? staging : 0);
  for (Rank peer = 1; peer < ranks_; ++peer) {
    for (const Box& chunk : row_chunks(placed.layout.box(peer), size_of(placed.dtype))) {
      const std::int64_t bytes = bytes_of(chunk, placed.dtype);
      if (rank_ == 0) {
        builder_.finish(builder_.start(label + " collect", {}, {{peer, stage, 0, bytes}}));
        add_write(stage, chunk);
      } else if (rank_ == peer) {
        const std::int64_t before = chunk.origin[0] - own.origin[0];
        builder_.finish(
            builder_.start(label + " hand in",
                           {{0, placed.buffer, before * (bytes / chunk.extent[0]), bytes}}, {}));
      } else {
        builder_.skip_exchange();
      }
    }
  }
}

void Planner::write_item_through_root(int output, const ops::Placed& placed) {
  const std::string label = "write " + graph_.outputs[static_cast<std::size_t>(output)].dataset;
  const int ranks = plan_.options.ranks;
  const std::int64_t bytes = element_count(placed.layout.shape()) * size_of(placed.dtype);
  const BufferId stage = builder_.scratch(label + " staging", plan_.options.rank == 0 ? bytes : 0);
  std::vector<std::int64_t> first_items;
  for (Rank peer = 0; peer <= ranks; ++peer) {
    first_items.push_back(layout::balanced_begin(graph_.items, ranks, peer));
  }
  ops::Action write;
  write.kind = ops::ActionKind::write;
  write.label = label;
  write.reads = {placed.buffer};
  write.writes = {stage};
  write.bytes = static_cast<double>(plan_.options.rank == 0 ? bytes * ranks : 0);
  write.seconds = file_seconds(write.bytes, plan_.options.machine.file_write_bytes_per_second);
  write.run = [output, bytes, first_items, stage,
               buffer = placed.buffer](ops::RunContext& context) {
    comm::Communicator& world = context.world();
    const Rank self = world.rank();
    const std::int64_t turn = context.item() - first_items[static_cast<std::size_t>(self)];
    context.note_output(output, 0, context.data(buffer), bytes);
    if (self != 0) {
      world.send(context.data(buffer), bytes, 0, output);
      return;
    }
    context.write_item(output, context.item(), context.data(buffer), bytes);
    for (Rank peer = 1; peer < world.size(); ++peer) {
      const std::int64_t item = first_items[static_cast<std::size_t>(peer)] + turn;
      if (item >= first_items[static_cast<std::size_t>(peer) + 1]) continue;
      world.receive(context.data(stage), bytes, peer, output);
      context.write_item(output, item, context.data(stage), bytes);
    }
  };
  builder_.add(std::move(write));
}

void Planner::open_outputs() {
  if (graph_.batched && !graph::one_file_per_item(graph_)) builder_.append_to(plan_.prologue);
  ops::Action create;
  create.kind = ops::ActionKind::agree;
  create.label = "create output";
  create.run = [](ops::RunContext& context) { context.create_outputs(); };
  create.seconds = 1e-3;
  builder_.add(std::move(create));
  builder_.append_to(plan_.actions);
}

void Planner::close_outputs() {
  if (graph_.batched && !graph::one_file_per_item(graph_)) builder_.append_to(plan_.epilogue);
  using Stage = void (ops::RunContext::*)();
  const std::pair<const char*, Stage> stages[] = {
      {"sync output", &ops::RunContext::sync_outputs},
      {"verify output", &ops::RunContext::verify_outputs},
      {"publish output", &ops::RunContext::publish_outputs}};
  for (const auto& [label, stage] : stages) {
    ops::Action action;
    action.kind = ops::ActionKind::agree;
    action.label = label;
    action.run = [stage = stage](ops::RunContext& context) { (context.*stage)(); };
    action.seconds = 1e-3;
    builder_.add(std::move(action));
  }
}

}  // namespace tessera::plan
