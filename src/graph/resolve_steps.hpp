// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/document.hpp"
#include "graph/graph.hpp"
#include "graph/resolve_params.hpp"

namespace tessera::graph {

/// A step as the file has it, with its operation found.
struct WrittenStep {
  const Member* member = nullptr;
  const Signature* signature = nullptr;
  Reader reader;
};

/// Where a tensor of some name comes from, before steps are put in order.
struct Origin {
  int input = -1;  ///< index of the input, or -1
  int step = -1;   ///< index of the step in the file, or -1
  int output = 0;  ///< of the step
  friend bool operator==(const Origin&, const Origin&) = default;
};

/// All names that steps and outputs may use: inputs, steps, and `step.output` for further outputs.
class TensorNames {
 public:
  TensorNames(const std::vector<Input>& inputs, const std::vector<WrittenStep>& steps);
  /// Throws for an unknown name, saying what was probably meant.
  [[nodiscard]] Origin find(const Value& name, const Reader& reader) const;

 private:
  void add(const std::string& name, Origin origin, Position position, const Reader& reader);

  struct Entry {
    Origin origin;
    Position position;
  };
  std::map<std::string, Entry> entries_;
  std::vector<std::string> names_;  ///< as written, for suggestions
};

/// What a step takes, and how its formula and messages call it.
struct StepInputs {
  std::vector<Origin> origins;
  std::vector<std::string> names;
  std::vector<Position> positions;
};

/// Finds the operation of every step.
[[nodiscard]] std::vector<WrittenStep> read_steps(const Document& document,
                                                  const Catalogue& catalogue);
/// Reads "in": a name, a list of names, or an object where the operation's inputs have names.
[[nodiscard]] StepInputs read_step_inputs(const WrittenStep& step, const TensorNames& names);
/// An order in which every step comes after those that it needs, otherwise that of the file. Throws
/// when steps wait for one another.
[[nodiscard]] std::vector<int> execution_order(const std::vector<WrittenStep>& steps,
                                               const std::vector<StepInputs>& inputs);

}  // namespace tessera::graph
