// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ops/operation.hpp"
#include "reduce.hpp"

namespace tessera::ops {

/// What an operation of the family says about itself; the rest is shared.
struct ReductionSpec {
  std::string name;
  kernels::Reduction what;
  bool complex_numbers;  ///< takes complex elements
  bool needs_elements;   ///< has no value for no elements
  std::string summary;
  std::string types;
  std::string error_bound;
  std::string rounding;
  std::string source;
  std::string example;
};

/// `axes`, `keepdims` and `nan`.
[[nodiscard]] std::vector<graph::ParamSpec> reduction_params(bool with_axes);
[[nodiscard]] bool keeps_dims(const graph::Params& params);

/// A reduction over all or given axes with the parameters `axes`, `keepdims` and `nan`.
[[nodiscard]] Operation reduction_operation(ReductionSpec spec);

/// The type and shape of a reduction's result. Throws Error(graph).
[[nodiscard]] std::vector<graph::TensorInfo> infer_reduction(const ReductionSpec& spec,
                                                             const graph::InferContext& context);
/// How reductions are distributed, for their pages.
[[nodiscard]] std::string reduction_distribution();

/// Which axes go, as `axes` says (all when it was left out). Throws Error(graph) for an axis that
/// isn't there or is named twice.
using AxisFlags = std::array<bool, max_axes>;
[[nodiscard]] AxisFlags reduced_axes(const graph::Params& params, int axes);

/// The shape without the reduced axes, or with extent 1 in their place.
[[nodiscard]] Shape shape_without(const Shape& shape, const AxisFlags& reduced, bool keepdims);

/// How the ranks share a reduction.
enum class ReductionMode {
  local,    ///< every result lies whole on a rank: no messages
  combined  ///< the ranks' states are merged
};

/// A reduction as planned: shared by `choices` and `emit`.
struct ReductionPlan {
  kernels::Reduction what;
  DType dtype;
  bool exact;  ///< RN(exact result)
  bool ignore_nan;
  bool refuse_nan;
  bool uncut;       ///< one tree over all elements of a result: no rank border may go through it
  double ddof = 0;  ///< var, std
  AxisFlags reduced{};
  Shape shape;   ///< of the input
  Shape result;  ///< of the output

  [[nodiscard]] std::int64_t results() const { return element_count(result); }
  /// The rank's part: kept axes are whole where states are combined.
  [[nodiscard]] Shape local_extent(const layout::Layout& layout, Rank rank,
                                   ReductionMode mode) const;
  [[nodiscard]] kernels::ReduceTask task(const Shape& extent) const;
};

[[nodiscard]] ReductionPlan plan_reduction(kernels::Reduction what, const graph::Node& node,
                                           Recipe recipe);
/// A part of a composed operation: elements of one type over given axes, no NaN policy.
[[nodiscard]] ReductionPlan plan_reduction(kernels::Reduction what, const graph::TensorInfo& x,
                                           const AxisFlags& reduced, bool keepdims, Recipe recipe);

/// Results up to this size are given to every rank.
inline constexpr std::int64_t replicated_bytes = std::int64_t{1} << 20;
/// States of so many bytes are held at a time.
inline constexpr std::int64_t state_block_bytes = std::int64_t{16} << 20;

/// What can be done with an input that lies like this; false when nothing can.
[[nodiscard]] bool reduction_mode(const ReductionPlan& plan, const layout::Layout& layout,
                                  ReductionMode& mode);

/// Where the result of a reduction of an input in this layout lies.
[[nodiscard]] layout::Layout result_layout(const ReductionPlan& plan, const layout::Layout& layout);

[[nodiscard]] std::vector<Choice> reduction_choices(const ReductionPlan& plan,
                                                    const ChoiceContext& context, int inputs);
void emit_reduction(const ReductionPlan& plan, const Step& step, Emitter& emitter);

/// Ends the run on all ranks where an element of the input is NaN.
void emit_nan_refusal(const Placed& input, const std::string& name, Emitter& emitter);

/// Throws on every rank when any has an error; a no-op collective otherwise. `ranks` as planned.
void throw_together(RunContext& context, int ranks, const std::optional<Error>& mine);

}  // namespace tessera::ops
