// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.hpp"

#include <utility>

namespace tessera::record {

const char* name_of(Phase phase) {
  switch (phase) {
    case Phase::startup:
      return "startup";
    case Phase::read:
      return "read";
    case Phase::upload:
      return "upload";
    case Phase::compute:
      return "compute";
    case Phase::communicate:
      return "communicate";
    case Phase::download:
      return "download";
    case Phase::write:
      return "write";
    case Phase::wait:
      return "wait";
    case Phase::report:
      return "report";
  }
  return "?";
}

Recorder::Recorder()
    : begin_(std::chrono::steady_clock::now()),
      origin_(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
                  .count()) {}

double Recorder::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Recorder::add(Span span) { spans_.push_back(std::move(span)); }

void Recorder::stage(Phase phase, std::string label) {
  Span span;
  span.phase = phase;
  span.label = std::move(label);
  span.start = stage_begin_;
  span.end = now();
  span.busy = span.end - span.start;
  stage_begin_ = span.end;
  spans_.push_back(std::move(span));
}

}  // namespace tessera::record
