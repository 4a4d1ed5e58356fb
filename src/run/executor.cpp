// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "run/executor.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::run {

namespace {

record::Phase phase_of(ops::ActionKind kind) {
  switch (kind) {
    case ops::ActionKind::read:
      return record::Phase::read;
    case ops::ActionKind::upload:
      return record::Phase::upload;
    case ops::ActionKind::launch:
      return record::Phase::compute;
    case ops::ActionKind::exchange:
      return record::Phase::communicate;
    case ops::ActionKind::wait:
      return record::Phase::wait;
    case ops::ActionKind::download:
      return record::Phase::download;
    case ops::ActionKind::write:
      return record::Phase::write;
    case ops::ActionKind::agree:
      return record::Phase::wait;
    case ops::ActionKind::loop:
      return record::Phase::compute;
  }
  return record::Phase::compute;
}

/// Turns of one action (in loops and over items) that get a line of their own in the timing log;
/// later ones are added up in one.
constexpr std::int64_t turns_recorded = 1000;

}  // namespace

Executor::Executor(const graph::Graph& graph, const plan::Plan& plan, comm::Communicator& world,
                   device::Stream stream, record::Recorder& recorder, ExecutorOptions options)
    : graph_(graph),
      plan_(plan),
      world_(world),
      self_(plan.batched ? comm::make_self() : nullptr),
      group_(plan.batched ? self_.get() : &world),
      stream_(stream),
      recorder_(recorder),
      options_(std::move(options)),
      arena_(device::arena_space(stream.backend), plan.arena_bytes),
      staging_(device::staging_space(stream.backend), plan.staging_bytes),
      inputs_(graph) {
  // Memories that are apart on the host exist for tests only: what was not copied shall be seen.
  if (plan.options.apart && stream.backend == device::Backend::host) {
    for (const device::Memory* memory : {&arena_, &staging_}) {
      std::fill_n(memory->data(), memory->bytes(), std::byte{0xff});
    }
  }
}

void Executor::run() {
  recorder_.stage(record::Phase::startup, "arena and executor");
  run_all(plan_.prologue);
  if (plan_.batched) {
    for (std::int64_t i = 0; i < plan_.items; ++i) {
      item_ = plan_.first_item + i;
      if (graph::one_file_per_item(graph_)) inputs_.begin_item();
      run_all(plan_.actions);
    }
  } else {
    run_all(plan_.actions);
  }
  run_all(plan_.epilogue);
  for (record::Span& span : merged_spans_) recorder_.add(std::move(span));
  recorder_.begin_stage();
}

void Executor::run_all(const std::vector<ops::Action>& actions) {
  for (const ops::Action& action : actions) {
    if (action.kind == ops::ActionKind::loop) {
      run_loop(action);
    } else {
      run_one(action);
    }
  }
}

void Executor::run_loop(const ops::Action& loop) {
  if (loop.until.valid()) return run_loop_until(loop);
  for (std::int64_t turn = 0; turn < loop.repeat; ++turn) run_all(loop.body);
}

void Executor::run_loop_until(const ops::Action& loop) {
  const double done_after = predicted_done_ + loop.seconds;
  record::Span span = describe(loop);
  span.start = recorder_.now();
  span.predicted = 0;  // that of the spans inside
  span.turns = 0;
  while (span.turns < loop.repeat && !raised(loop.until)) {
    run_all(loop.body);
    ++span.turns;
  }
  span.end = recorder_.now();
  add_span(loop, std::move(span));
  predicted_done_ = done_after;  // whatever number of turns was expected
}

bool Executor::raised(BufferId flag) {
  on_host_ = plan_.options.apart;
  std::int64_t value = 0;
  std::memcpy(&value, data(flag), sizeof value);
  return value != 0;
}

void Executor::run_one(const ops::Action& action) {
  record::Span span = describe(action);
  span.start = recorder_.now();
  try {
    on_host_ = plan_.options.apart && ops::side_of(action) == ops::Side::host;
    if (ops::side_of(action) == ops::Side::both) {
      copy_between(action);
    } else {
      action.run(*this);
    }
    device::fence(stream_);
  } catch (Error& error) {
    if (action.step.valid() && error.place().step.empty()) {
      const graph::Node& node = graph_.nodes[static_cast<std::size_t>(action.step.value)];
      Place place = error.place();
      place.step = node.name;
      if (place.file.empty()) {
        place.file = node.place.file;
        place.line = node.place.line;
        place.column = node.place.column;
      }
      error.at(std::move(place));
    }
    throw;
  }
  span.end = recorder_.now();
  span.busy = span.end - span.start;
  add_span(action, std::move(span));
  predicted_done_ += action.seconds;
  if (options_.progress) options_.progress({action.label, predicted_done_, plan_.seconds});
}

void Executor::add_span(const ops::Action& action, record::Span span) {
  const std::int64_t turn = ++turns_[&action];
  if (turn <= turns_recorded) {
    recorder_.add(std::move(span));
    return;
  }
  const auto [place, fresh] = merged_.try_emplace(&action, merged_spans_.size());
  if (fresh) {
    merged_spans_.push_back(std::move(span));
    return;
  }
  record::Span& total = merged_spans_[place->second];
  total.end = span.end;
  total.busy += span.busy;
  total.bytes += span.bytes;
  total.flops += span.flops;
  total.predicted += span.predicted;
  if (span.turns >= 0) total.turns += span.turns;
  ++total.count;
}

record::Span Executor::describe(const ops::Action& action) const {
  record::Span span;
  span.phase = phase_of(action.kind);
  if (action.step.valid())
    span.step = graph_.nodes[static_cast<std::size_t>(action.step.value)].name;
  span.label = action.label;
  span.algorithm = action.algorithm;
  span.bytes = action.bytes;
  span.flops = action.flops;
  span.predicted = action.seconds;
  return span;
}

void Executor::copy_between(const ops::Action& action) {
  for (const ops::Piece& piece : action.copies) {
    const auto which = static_cast<std::size_t>(piece.buffer.value);
    std::byte* device = arena_.data() + plan_.buffers[which].offset + piece.offset;
    std::byte* host = staging_.data() + plan_.host_buffers[which].offset + piece.offset;
    const bool up = action.kind == ops::ActionKind::upload;
    device::copy(stream_, up ? device : host, up ? host : device, piece.bytes);
  }
}

std::byte* Executor::data(BufferId buffer) {
  const auto which = static_cast<std::size_t>(buffer.value);
  return on_host_ ? staging_.data() + plan_.host_buffers[which].offset
                  : arena_.data() + plan_.buffers[which].offset;
}

void Executor::hold(ExchangeId exchange, std::unique_ptr<comm::Request> request) {
  requests_[exchange] = std::move(request);
}

std::unique_ptr<comm::Request> Executor::take(ExchangeId exchange) {
  const auto found = requests_.find(exchange);
  require(found != requests_.end() && found->second != nullptr,
          "an exchange is waited for after its start");
  return std::move(found->second);
}

void Executor::read_input(int input, const Box& box, std::byte* into) {
  inputs_.read(input, item_, box, into);
}

void Executor::note_input(int input, const std::byte* data, std::int64_t bytes) {
  inputs_.note(input, data, bytes);
}

std::int64_t Executor::item_offset(int output) const {
  if (!graph_.batched || graph::one_file_per_item(graph_)) return 0;
  return item_ * element_count(graph_.outputs[static_cast<std::size_t>(output)].info.shape);
}

void Executor::write_output(int output, std::int64_t first_element, const std::byte* data,
                            std::int64_t bytes) {
  outputs_->write(output, item_offset(output) + first_element, data, bytes);
}

void Executor::write_item(int output, std::int64_t item, const std::byte* data,
                          std::int64_t bytes) {
  const std::int64_t elements =
      element_count(graph_.outputs[static_cast<std::size_t>(output)].info.shape);
  outputs_->write(output, item * elements, data, bytes);
}

void Executor::note_output(int output, std::int64_t first_element, const std::byte* data,
                           std::int64_t bytes) {
  outputs_->note(output, item_offset(output) + first_element, data, bytes);
}

void Executor::create_outputs() {
  const bool own_file = graph::one_file_per_item(graph_);
  comm::Communicator& group = own_file ? *self_ : world_;
  outputs_ = std::make_unique<OutputSet>(graph_, options_.output, group, own_file ? item_ : -1);
  outputs_->create();
}

void Executor::sync_outputs() { outputs_->sync(); }
void Executor::verify_outputs() { outputs_->verify(); }
void Executor::publish_outputs() {
  outputs_->publish(inputs_.checksums());
  outputs_.reset();
}

}  // namespace tessera::run
