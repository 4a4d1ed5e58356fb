// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "comm/communicator.hpp"
#include "device/device.hpp"
#include "plan/plan.hpp"
#include "record/recorder.hpp"
#include "run/files.hpp"

namespace tessera::run {

/// What a run tells about itself while it goes on.
struct Progress {
  std::string label;
  double predicted_done = 0;  ///< seconds, as predicted
  double predicted_total = 0;
};

struct ExecutorOptions {
  OutputOptions output;
  std::function<void(const Progress&)> progress;  ///< may be empty; called after every action
};

/// Runs a plan's actions in order on one rank, and times them. It decides nothing.
class Executor : public ops::RunContext {
 public:
  Executor(const graph::Graph& graph, const plan::Plan& plan, comm::Communicator& world,
           device::Stream stream, record::Recorder& recorder, ExecutorOptions options);
  void run();

  [[nodiscard]] std::byte* data(BufferId buffer) override;
  [[nodiscard]] comm::Communicator& communicator() override { return *group_; }
  [[nodiscard]] comm::Communicator& world() override { return world_; }
  [[nodiscard]] device::Stream stream() const override { return stream_; }
  [[nodiscard]] Recipe recipe() const override { return plan_.recipe; }
  [[nodiscard]] std::int64_t item() const override { return item_; }
  void hold(ExchangeId exchange, std::unique_ptr<comm::Request> request) override;
  [[nodiscard]] std::unique_ptr<comm::Request> take(ExchangeId exchange) override;
  void read_input(int input, const Box& box, std::byte* into) override;
  void note_input(int input, const std::byte* data, std::int64_t bytes) override;
  void write_output(int output, std::int64_t first_element, const std::byte* data,
                    std::int64_t bytes) override;
  void write_item(int output, std::int64_t item, const std::byte* data,
                  std::int64_t bytes) override;
  void note_output(int output, std::int64_t first_element, const std::byte* data,
                   std::int64_t bytes) override;
  void create_outputs() override;
  void sync_outputs() override;
  void verify_outputs() override;
  void publish_outputs() override;

 private:
  void run_all(const std::vector<ops::Action>& actions);
  void run_one(const ops::Action& action);
  void run_loop(const ops::Action& loop);
  void copy_between(const ops::Action& action);
  void run_loop_until(const ops::Action& loop);
  [[nodiscard]] bool raised(BufferId flag);
  /// Adds a span, or to one span for all turns beyond the first many.
  void add_span(const ops::Action& action, record::Span span);
  [[nodiscard]] record::Span describe(const ops::Action& action) const;
  [[nodiscard]] std::int64_t item_offset(int output) const;

  const graph::Graph& graph_;
  const plan::Plan& plan_;
  comm::Communicator& world_;
  std::unique_ptr<comm::Communicator> self_;
  comm::Communicator* group_;
  device::Stream stream_;
  record::Recorder& recorder_;
  ExecutorOptions options_;
  device::Memory arena_;
  device::Memory staging_;  ///< the host's copies, where the kernels' memory is apart
  bool on_host_ = false;    ///< the action that runs works on them
  Inputs inputs_;
  std::unique_ptr<OutputSet> outputs_;
  std::unordered_map<ExchangeId, std::unique_ptr<comm::Request>> requests_;
  std::int64_t item_ = 0;
  double predicted_done_ = 0;
  std::unordered_map<const ops::Action*, std::size_t>
      merged_;  ///< spans of turns beyond the first many
  std::vector<record::Span> merged_spans_;
  std::unordered_map<const ops::Action*, std::int64_t> turns_;
};

}  // namespace tessera::run
