// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace tessera {

/// Why a run ends early. Each kind has one exit code (see `exit_code`).
enum class ErrorKind {
  usage,         ///< the command line is wrong
  graph,         ///< the graph or an input is refused
  does_not_fit,  ///< the plan needs more memory than there is
  io,            ///< reading or writing a file failed
  numerical,     ///< singular, not positive definite, not converged
  communicator,  ///< a rank or the communicator failed
  stopped,       ///< stopped on request, state saved
  internal       ///< a mistake of ours
};

/// design: 2 usage, 3 graph, 4 does not fit, 5 io, 6 numerical, 7 communicator, 75 stopped, 70
/// internal.
[[nodiscard]] int exit_code(ErrorKind kind);

/// Where an error belongs. Empty members are left out of the text.
struct Place {
  std::string file;     ///< the graph file, or the HDF5 file
  int line = 0;         ///< 1-based; 0 when unknown
  int column = 0;       ///< 1-based; 0 when unknown
  std::string step;     ///< the user's name of a step
  std::string dataset;  ///< an HDF5 path
};

/// The one exception type: what happened, where, what was expected and found, what to do.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);

  Error& at(Place place);
  Error& expected(std::string text);
  Error& found(std::string text);
  Error& advice(std::string text);

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const Place& place() const { return place_; }
  /// One line: `step "u": message: expected X, found Y; advice (graph.json:7:14)`.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  void compose();

  ErrorKind kind_;
  std::string message_;
  std::string expected_;
  std::string found_;
  std::string advice_;
  Place place_;
  std::string text_;
};

/// Ends the run with an internal error when a promise inside the program is broken; never compiled
/// away.
void require(bool holds, const char* promise);

}  // namespace tessera
