// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "plan/builder.hpp"

#include <algorithm>
#include <utility>

#include "ops/redistribute.hpp"
#include "plan/cost.hpp"

namespace tessera::plan {

namespace {

std::vector<BufferId> buffers_of(const std::vector<ops::Piece>& pieces) {
  std::vector<BufferId> buffers;
  for (const ops::Piece& piece : pieces) {
    if (piece.bytes > 0 &&
        std::find(buffers.begin(), buffers.end(), piece.buffer) == buffers.end()) {
      buffers.push_back(piece.buffer);
    }
  }
  return buffers;
}

std::vector<comm::Message> messages_of(ops::RunContext& context,
                                       const std::vector<ops::Piece>& pieces) {
  std::vector<comm::Message> messages;
  messages.reserve(pieces.size());
  for (const ops::Piece& piece : pieces) {
    if (piece.bytes == 0) continue;
    messages.push_back({piece.peer, context.data(piece.buffer) + piece.offset, piece.bytes});
  }
  return messages;
}

constexpr int channels = 1024;  // as many as Communicator::exchange keeps apart

}  // namespace

Builder::Builder(Plan& plan, int ranks, Rank rank)
    : plan_(plan), ranks_(ranks), rank_(rank), target_(&plan.actions) {}

BufferId Builder::scratch(std::string label, std::int64_t bytes) {
  require(bytes >= 0, "a buffer has no negative size");
  plan_.buffers.push_back({std::move(label), bytes});
  return BufferId{static_cast<std::int32_t>(plan_.buffers.size()) - 1};
}

ops::Placed Builder::scratch(std::string label, DType dtype, const layout::Layout& layout) {
  const std::int64_t bytes = layout.local_elements(rank_) * size_of(dtype);
  return {scratch(std::move(label), bytes), dtype, layout};
}

ops::Action Builder::action(ops::ActionKind kind, std::string label) const {
  ops::Action result;
  result.kind = kind;
  result.step = step_;
  result.label = std::move(label);
  result.algorithm = algorithm_;
  return result;
}

void Builder::launch(ops::Launch launch) {
  ops::Action result = action(ops::ActionKind::launch, std::move(launch.label));
  result.reads = std::move(launch.reads);
  result.writes = std::move(launch.writes);
  result.bytes = launch.bytes;
  result.flops = launch.flops;
  result.seconds = launch_seconds(plan_.options.machine, launch.bytes, launch.flops, dtype_);
  result.run = std::move(launch.run);
  result.on_host = launch.on_host;
  add(std::move(result));
}

void Builder::collective(ops::Collective collective) {
  if (ranks_ == 1) collective.bytes = 0;
  ops::Action result = action(ops::ActionKind::exchange, std::move(collective.label));
  result.reads = std::move(collective.reads);
  result.writes = std::move(collective.writes);
  result.bytes = collective.bytes;
  result.seconds =
      ranks_ == 1 ? 0
                  : message_seconds(plan_.options.machine, collective.bytes, collective.messages);
  result.run = std::move(collective.run);
  add(std::move(result));
}

ExchangeId Builder::start(std::string label, std::vector<ops::Piece> sends,
                          std::vector<ops::Piece> receives) {
  const ExchangeId id{static_cast<std::int32_t>(exchanges_.size())};
  UnderWay under_way{buffers_of(sends), buffers_of(receives), receives, 0, label};
  double messages = 0;
  for (const ops::Piece& piece : sends) {
    under_way.bytes += static_cast<double>(piece.bytes);
    messages += piece.bytes > 0 ? 1 : 0;
  }
  ops::Action result = action(ops::ActionKind::exchange, std::move(label));
  result.reads = under_way.reads;
  result.writes = under_way.writes;
  result.bytes = under_way.bytes;
  result.seconds = messages * plan_.options.machine.message_seconds;
  result.sends = sends;
  result.receives = receives;
  result.run = [id, sends = std::move(sends),
                receives = std::move(receives)](ops::RunContext& context) {
    const auto out = messages_of(context, sends);
    const auto in = messages_of(context, receives);
    context.hold(id, context.communicator().exchange(out, in, id.value % channels));
  };
  exchanges_.push_back(std::move(under_way));
  add(std::move(result));
  return id;
}

void Builder::finish(ExchangeId exchange) {
  const UnderWay& under_way = exchanges_.at(static_cast<std::size_t>(exchange.value));
  ops::Action result = action(ops::ActionKind::wait, under_way.label);
  result.reads = under_way.reads;
  result.writes = under_way.writes;
  result.receives = under_way.receives;
  result.seconds = message_seconds(plan_.options.machine, under_way.bytes, 0);
  result.run = [exchange](ops::RunContext& context) { context.take(exchange)->wait(); };
  add(std::move(result));
}

void Builder::redistribute(const ops::Placed& from, const ops::Placed& to,
                           const std::string& label) {
  ops::redistribute(*this, from, to, label);
}

void Builder::begin_loop(std::string label, std::int64_t count) {
  ops::Action loop = action(ops::ActionKind::loop, std::move(label));
  loop.repeat = count;
  loop.expected_turns = static_cast<double>(count);
  open_loops_.push_back(std::move(loop));
}

void Builder::begin_loop_until(ops::LoopUntil until) {
  ops::Action loop = action(ops::ActionKind::loop, std::move(until.label));
  loop.repeat = until.most;
  loop.until = until.flag;
  loop.expected_turns = std::min(until.expected_turns, static_cast<double>(until.most));
  loop.reads = {until.flag};
  open_loops_.push_back(std::move(loop));
}

void Builder::end_loop() {
  require(!open_loops_.empty(), "a loop ends after it began");
  ops::Action loop = std::move(open_loops_.back());
  open_loops_.pop_back();
  for (const ops::Action& inner : loop.body) loop.seconds += inner.seconds;
  loop.seconds *= loop.expected_turns;
  if (loop.repeat > 0 && !loop.body.empty()) add(std::move(loop));
}

void Builder::set_step(StepId step, std::string algorithm, DType dtype) {
  step_ = step;
  algorithm_ = std::move(algorithm);
  dtype_ = dtype;
}

void Builder::add(ops::Action action) {
  (open_loops_.empty() ? *target_ : open_loops_.back().body).push_back(std::move(action));
}

void Builder::skip_exchange() { exchanges_.emplace_back(); }

void Builder::append_to(std::vector<ops::Action>& actions) {
  require(open_loops_.empty(), "no loop is open when the list changes");
  target_ = &actions;
}

}  // namespace tessera::plan
