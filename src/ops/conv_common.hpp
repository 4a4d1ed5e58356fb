// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "convolution.hpp"
#include "ops/operation.hpp"

namespace tessera::ops {

/// A convolution of tensors as the graph has them, and how the kernel sees their axes: batches,
/// channels, spatial axes.
struct ConvProblem {
  kernels::Convolution form;
  DType dtype = DType::float64;
  Shape in;
  Shape out;
  Shape weights;           ///< as the kernel sees them: [O, C / groups, taps...]
  std::vector<int> order;  ///< the tensors' axis of every axis of the kernel; -1: channels, of
                           ///< which there is one, without an axis

  /// The axis of `order` that channels lie along.
  [[nodiscard]] int channel() const { return static_cast<int>(order.size()) - form.axes - 1; }
  /// Fused multiply-adds per element of the result, times four for complex numbers.
  [[nodiscard]] double chain() const;
  /// The cells of the input that a part of the result is computed from.
  [[nodiscard]] Box need(const Box& part) const;
  /// A tile of one of the two tensors as the kernel sees it.
  [[nodiscard]] Tile arranged(const Tile& tile) const;
  /// All tiles, their data left out, for a part of the result and cells of the input.
  [[nodiscard]] kernels::ConvolutionTiles tiles(const Box& part, const Box& cells) const;
};

/// The result cut along every axis in turn, with the input as it lies and the weights on all ranks.
std::vector<Choice> conv_choices(const ConvProblem& problem, const graph::Node& node,
                                 const ChoiceContext& context);

/// Every rank computes its part of the result. The part whose windows lie within what the rank
/// holds of the input is computed from there; for the rest cells are fetched from the ranks that
/// hold them:
///
///     rank 1 of 3, cut along y:       held rows    = = = =
///     needs                                      - = = = = -      -: from ranks 0 and 2
///     computes from what it holds                    # #
///     and from a copy of 4 rows at each edge       #     #
void emit_conv(const ConvProblem& problem, const Step& step, Emitter& emitter);

/// Throws Error(graph) unless all inputs have one floating-point or complex type.
void check_conv_types(const graph::InferContext& context);

}  // namespace tessera::ops
