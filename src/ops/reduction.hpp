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

/// A reduction over all or given axes with the parameters `axes`, `keepdims` and `nan`.
[[nodiscard]] Operation reduction_operation(ReductionSpec spec);

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
  bool uncut;  ///< one tree over all elements of a result: no rank border may go through it
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

/// Results up to this size are given to every rank.
inline constexpr std::int64_t replicated_bytes = std::int64_t{1} << 20;
/// States of so many bytes are held at a time.
inline constexpr std::int64_t state_block_bytes = std::int64_t{16} << 20;

/// What can be done with an input that lies like this; false when nothing can.
[[nodiscard]] bool reduction_mode(const ReductionPlan& plan, const layout::Layout& layout,
                                  ReductionMode& mode);

[[nodiscard]] std::vector<Choice> reduction_choices(const ReductionPlan& plan,
                                                    const ChoiceContext& context, int inputs);
void emit_reduction(const ReductionPlan& plan, const Step& step, Emitter& emitter);

/// Throws on every rank when any has an error; a no-op collective otherwise. `ranks` as planned.
void throw_together(RunContext& context, int ranks, const std::optional<Error>& mine);

}  // namespace tessera::ops
