// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fft.hpp"
#include "ops/operation.hpp"

namespace tessera::ops {

enum class FftVariant { fft, ifft, rfft, irfft };

[[nodiscard]] constexpr bool is_inverse(FftVariant variant) {
  return variant == FftVariant::ifft || variant == FftVariant::irfft;
}

/// The transform of one axis, in the order in which they are carried out.
struct FftAxis {
  int axis = 0;
  std::int64_t length = 1;
  kernels::FftKind kind = kernels::FftKind::complex;
};

/// A step of the family, read from its node. The canonical order, which bitexact keeps on any
/// number of ranks: fft and rfft from the last axis to the first (rfft its halved axis before all
/// others), ifft and irfft from the first to the last (irfft its halved axis after all others). So
/// a transform and its inverse, each on its own slabs, hand each other the layout that they need.
struct FftProblem {
  FftVariant variant = FftVariant::fft;
  Shape in_shape;
  Shape out_shape;
  DType in_type = DType::complex128;
  DType out_type = DType::complex128;
  std::vector<FftAxis> axes;
  double scale = 1;  ///< multiplies the result of the last transform

  /// Between the first and the last transform: complex, its halved axis halved.
  [[nodiscard]] const Shape& inner_shape() const {
    return variant == FftVariant::irfft ? in_shape : out_shape;
  }
  [[nodiscard]] DType inner_type() const {
    return variant == FftVariant::irfft ? in_type : out_type;
  }
};

[[nodiscard]] FftProblem fft_problem(FftVariant variant, const graph::Node& node);
/// As above for a transform that is a part of another step. The last of `axes` is the halved one of
/// rfft and irfft; `norm` is one of the words of that parameter.
[[nodiscard]] FftProblem fft_problem(FftVariant variant, const graph::TensorInfo& in,
                                     const graph::TensorInfo& out, std::vector<int> axes,
                                     const std::string& norm);

/// A stretch of a route: a layout of the inner shape, and the axes that are transformed in it.
struct FftStage {
  std::vector<layout::AxisSplit> splits;
  std::vector<int> axes;
  bool single = false;  ///< all on rank 0
};

/// Stages are joined by exchanges; as numbers it is a choice's `details`.
using FftRoute = std::vector<FftStage>;
[[nodiscard]] std::vector<std::int64_t> encode(const FftRoute& route);
[[nodiscard]] FftRoute decode_fft_route(const std::vector<std::int64_t>& details, int axes);

[[nodiscard]] std::vector<Choice> fft_choices(const FftProblem& problem,
                                              const ChoiceContext& context);
void emit_fft(const FftProblem& problem, const Step& step, Emitter& emitter);

/// The operation but for the texts of its own: signature with checks, choices, emission.
[[nodiscard]] Operation fft_family_operation(FftVariant variant, const std::string& name);

}  // namespace tessera::ops
