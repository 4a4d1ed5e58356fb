// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <utility>

namespace tessera {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::graph:
      return 3;
    case ErrorKind::does_not_fit:
      return 4;
    case ErrorKind::io:
      return 5;
    case ErrorKind::numerical:
      return 6;
    case ErrorKind::communicator:
      return 7;
    case ErrorKind::stopped:
      return 75;
    case ErrorKind::internal:
      return 70;
  }
  return 70;
}

Error::Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {
  compose();
}

Error& Error::at(Place place) {
  place_ = std::move(place);
  compose();
  return *this;
}

Error& Error::expected(std::string text) {
  expected_ = std::move(text);
  compose();
  return *this;
}

Error& Error::found(std::string text) {
  found_ = std::move(text);
  compose();
  return *this;
}

Error& Error::advice(std::string text) {
  advice_ = std::move(text);
  compose();
  return *this;
}

void Error::compose() {
  text_.clear();
  if (!place_.step.empty()) text_ += "step \"" + place_.step + "\": ";
  text_ += message_;
  if (!expected_.empty()) text_ += ": expected " + expected_;
  if (!found_.empty()) text_ += (expected_.empty() ? ": found " : ", found ") + found_;
  if (!advice_.empty()) text_ += "; " + advice_;
  std::string where = place_.file;
  if (!where.empty() && place_.line > 0) {
    where += ":" + std::to_string(place_.line);
    if (place_.column > 0) where += ":" + std::to_string(place_.column);
  }
  if (!place_.dataset.empty()) where += (where.empty() ? "" : ":") + place_.dataset;
  if (!where.empty()) text_ += " (" + where + ")";
}

void require(bool holds, const char* promise) {
  if (!holds) throw Error(ErrorKind::internal, std::string("internal error: ") + promise);
}

}  // namespace tessera
