// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "comm/session.hpp"
#include "device/device.hpp"
#include "load.hpp"
#include "plan/plan.hpp"
#include "record/logs.hpp"
#include "record/recorder.hpp"
#include "run/files.hpp"

namespace tessera::apps {

/// Options of `tessera run`.
struct RunOptions {
  LoadOptions load;
  std::string log;  ///< folder for logs; empty: NAME.log beside the output
  std::string io = "auto";
  std::string backend = "host";
  std::string memory;         ///< per rank; empty: what is free
  std::string device_memory;  ///< of the GPU, likewise
  int threads = 0;            ///< per rank; 0: the CPUs allowed, shared by the node's ranks
  bool fuse = true;
  bool overwrite = false;
  bool quiet = false;
};

/// What every rank has once the job has started.
struct Job {
  RunOptions options;
  record::Recorder recorder;
  std::unique_ptr<comm::Session> session;
  std::unique_ptr<device::Runtime> runtime;
  device::Stream stream;
  graph::Graph graph;
  plan::PlanOptions planning;
  record::Limits limits;  ///< measured in this run

  [[nodiscard]] comm::Communicator& world() { return session->world(); }
};

/// The walk of one run: each stage takes what the one before it made.
void start_ranks(Job& job);      ///< MPI, threads, one build on all ranks
void read_graph(Job& job);       ///< text -> checked graph; output file and logs named
void measure_rates(Job& job);    ///< this machine's limits, measured or kept from before
void admit_plan(Job& job);       ///< every rank's memory fits, or exit 4
plan::Plan plan_rank(Job& job);  ///< this rank's actions and arena
void execute(Job& job, const plan::Plan& plan);  ///< read, compute, write, verify, publish
void report(Job& job, const plan::Plan& plan);   ///< logs and the closing lines

}  // namespace tessera::apps
