// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ops/factorization.hpp"

namespace tessera::ops {

/// One large matrix factored by all ranks: its columns are cut into panels that are dealt out in
/// turn. In step p the owner of panel p has factored it and sent it to all; everybody updates its
/// own columns to the right with it. The owner of panel p + 1 updates that one first, factors it
/// and sends it on its way before it updates the rest (look-ahead).
///
///   before step 1      rank 0 | rank 1 | rank 0 | rank 1         after it
///                      L0 U0  | U0     | U0     | U0             rank 1 has sent L1 to rank 0,
///                         L0  | A      | A      | A              which has meanwhile updated its A
///
/// The choice of this algorithm, or nothing where it isn't worth it: for small matrices, stacks,
/// one rank, and on a GPU.
[[nodiscard]] std::optional<Choice> panels_choice(const graph::Node& node,
                                                  const ChoiceContext& context, double flops);
[[nodiscard]] bool uses_panels(const Choice& choice);

/// What is factored, and where the results go.
struct PanelTensors {
  Placed in;   ///< in any block layout
  Placed out;  ///< in any block layout; also the input's place
  /// LU: on all ranks. The permutation may be left out.
  std::optional<Placed> pivots{};
  std::optional<Placed> permutation{};
};

/// Emits it: LU where there are pivots, Cholesky otherwise. Before, the board looks at all inputs
/// of the step.
void emit_panels(const Step& step, const PanelTensors& tensors,
                 const FaultBoard::Describe& describe, Emitter& emitter);
/// Its sentence for the operations' pages.
[[nodiscard]] std::string panels_distribution();

}  // namespace tessera::ops
