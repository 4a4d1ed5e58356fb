// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "elementwise_program.hpp"
#include "ops/operation.hpp"

namespace tessera::ops {

/// The formula of a step, from its parameters and the names of its inputs.
using FormulaText =
    std::function<std::string(const graph::Params&, const std::vector<std::string>& names)>;

/// An operation that is a formula of its inputs: shape rule, choices and actions are the same for
/// all of them. The caller fills in what its page says.
///
/// Shapes broadcast as in numpy. Layouts: the output is cut as an input of its shape lies, or by
/// rows; an input that doesn't repeat along the cut axes is cut the same way, others are
/// replicated. Nothing is sent but redistributions; a formula that refuses NaN ends in one
/// agreement.
Operation elementwise_operation(std::string name, graph::InputsSpec inputs,
                                std::vector<graph::ParamSpec> params, FormulaText formula);

/// An operation that is this formula of its step's inputs, for a step that was made of several.
Operation formula_operation(Formula formula);

/// The shape to which the shapes broadcast. Throws Error(graph) naming the first that doesn't fit.
Shape broadcast_shape(const std::vector<graph::TensorInfo>& inputs,
                      const std::vector<std::string>& names);

/// The layout of an input of shape `shape` beside an output that is cut by `output`.
layout::Layout broadcast_layout(const Shape& shape, const layout::Layout& output);

/// Emits output = program(inputs) on this rank's parts: every input in its broadcast_layout beside
/// the output's. `first_nan` as in kernels::evaluate; invalid where nothing is refused.
void emit_program(const std::string& label, const kernels::Program& program,
                  const std::vector<Placed>& inputs, const Placed& output, BufferId first_nan,
                  Emitter& emitter);

/// A real parameter as it is written in a formula: "(2)", "(-0.5)", "(-inf)". A whole number
/// becomes an integer, which leaves the type of integer tensors alone.
std::string formula_number(const graph::Params& params, const std::string& name);

}  // namespace tessera::ops
