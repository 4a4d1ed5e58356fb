// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/iterative.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "ops/elementwise.hpp"
#include "ops/product.hpp"
#include "pack.hpp"

namespace tessera::ops {

namespace {

using kernels::Reduction;
using layout::AxisSplit;
using layout::Layout;

/// Vectors as matrices of one column.
Placed with_columns(const Placed& placed, bool vector) {
  if (!vector) return placed;
  Shape shape = placed.layout.shape();
  shape.push_back(1);
  if (placed.layout.is_replicated()) {
    return {placed.buffer, placed.dtype, Layout::replicated(shape, placed.layout.ranks())};
  }
  std::vector<AxisSplit> splits = placed.layout.splits();
  splits.emplace_back();
  return {placed.buffer, placed.dtype, Layout(shape, std::move(splits), placed.layout.ranks())};
}

/// Three significant digits, for messages.
std::string short_text(double value) {
  if (!std::isfinite(value)) return graph::number_text(value);
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3);
  return {text.data(), end.ptr};
}

Error failure_of(const SystemState& state, const IterationLimits& limits,
                 const std::string& which) {
  const std::string after = " after " + std::to_string(state.iterations) + " iterations";
  if (state.outcome == Outcome::not_positive) {
    return Error(ErrorKind::numerical, "the matrix is not positive definite" + which)
        .expected("p . A p > 0")
        .found(short_text(state.curvature) + after);
  }
  if (state.outcome == Outcome::diverged) {
    return Error(ErrorKind::numerical, "diverged" + which + after)
        .found("a residual of " + short_text(state.r_norm));
  }
  const bool stagnated = state.outcome == Outcome::stagnated;
  return Error(ErrorKind::numerical,
               "not converged" + which + after +
                   (stagnated ? "; rounding keeps the residual from falling" : ""))
      .expected("a relative residual of at most " + short_text(limits.tolerance))
      .found(short_text(state.residual))
      .advice(stagnated ? "raise tolerance, use a wider type, or set allow_unconverged"
                        : "raise max_iterations or tolerance, or set allow_unconverged");
}

/// The first of this rank's systems that failed. `box` is its part of `systems`.
std::optional<Error> first_failure(const Control& control, const Box& box, const Shape& systems) {
  for (std::int64_t i = 0; i < control.count; ++i) {
    const SystemState& state = control.states[i];
    const bool unconverged =
        state.outcome != Outcome::converged && !control.limits.allow_unconverged;
    if (!state.broken() && !unconverged) continue;
    std::string which;
    if (element_count(systems) > 1) {
      Index index = Extents::filled(systems.size(), 0);
      std::int64_t rest = i;
      for (int axis = systems.size() - 1; axis >= 0; --axis) {
        index[axis] = box.origin[axis] + rest % box.extent[axis];
        rest /= box.extent[axis];
      }
      which = " in system " + to_string(index);
    }
    return failure_of(state, control.limits, which);
  }
  return std::nullopt;
}

}  // namespace

Shape SystemShape::systems() const {
  Shape shape;
  for (int axis = 0; axis < b.size(); ++axis) {
    if (axis != rows_axis()) shape.push_back(b[axis]);
  }
  return shape;
}

IterationLimits iteration_limits(const graph::Params& params) {
  return {params.real("tolerance"), params.integer("max_iterations"),
          params.flag("allow_unconverged")};
}

double SystemNumbers::operator[](std::int64_t i) const {
  const std::byte* at = data_ + i * size_of(dtype_);
  if (real_of(dtype_) == DType::float32) return *reinterpret_cast<const float*>(at);
  return *reinterpret_cast<const double*>(at);
}

void SystemNumbers::set(std::int64_t i, double value) {
  std::byte* at = data_ + i * size_of(dtype_);
  if (dtype_ == DType::float32) {
    *reinterpret_cast<float*>(at) = static_cast<float>(value);
  } else {
    *reinterpret_cast<double*>(at) = value;
  }
}

bool Control::note(std::int64_t i, double r_norm) const {
  SystemState& state = states[i];
  state.r_norm = r_norm;
  // Without a right-hand side x = 0 solves the system.
  state.residual = state.b_norm == 0 ? 0 : r_norm / state.b_norm;
  history[i * (limits.most + 1) + state.iterations] = state.residual;
  if (!std::isfinite(state.residual)) state.outcome = Outcome::diverged;
  return state.outcome == Outcome::running;
}

std::int64_t all_rest(const Control& control) {
  bool active = false;
  for (std::int64_t i = 0; i < control.count; ++i) {
    if (control.states[i].broken()) return 1;
    active = active || control.states[i].active();
  }
  return active ? 0 : 1;
}

IterativeSolver::IterativeSolver(const Step& step, Emitter& emitter)
    : step_(step),
      emitter_(emitter),
      steps_(step, emitter),
      shape_(system_shape(step.node.input_infos)),
      limits_(iteration_limits(step.node.params)),
      a_(step.inputs[0]),
      b_(with_columns(step.inputs[1], shape_.vector)),
      x_(with_columns(step.outputs[0], shape_.vector)) {
  flag_ = emitter.scratch(step.node.name + " flag", sizeof(std::int64_t));
}

Placed IterativeSolver::vector(const std::string& label) {
  return emitter_.scratch(step_.node.name + " " + label, x_.dtype, x_.layout);
}

Placed IterativeSolver::numbers(const std::string& label) {
  return emitter_.scratch(step_.node.name + " " + label, b_norms_.dtype, b_norms_.layout);
}

Placed IterativeSolver::norm(const Placed& v) {
  AxisFlags axes{};
  axes[static_cast<std::size_t>(shape_.rows_axis())] = true;
  return steps_.reduce(Reduction::norm2, v, axes, true);
}

Placed IterativeSolver::dot(const Placed& v, const Placed& w) {
  AxisFlags axes{};
  axes[static_cast<std::size_t>(shape_.rows_axis())] = true;
  return steps_.dot(v, w, axes, true);
}

void IterativeSolver::start(bool scaled) {
  scaled_ = scaled;
  b_norms_ = norm(b_);
  count_ = b_norms_.layout.local_elements(emitter_.rank());
  states_ = emitter_.scratch(step_.node.name + " states",
                             count_ * static_cast<std::int64_t>(sizeof(SystemState)));
  factor_ = numbers("factor");
  inverse_ = numbers("inverse factor");
  // The largest power of two whose inverse is a normal number too.
  const int most = real_of(shape_.dtype) == DType::float32 ? 126 : 1022;
  const Placed norms = b_norms_;
  const Placed factors = factor_;
  const Placed inverses = inverse_;
  control("begin", {norms}, {factors, inverses}, {}, [=](RunContext& context, const Control& all) {
    const SystemNumbers b_norm(context, norms);
    SystemNumbers factor(context, factors);
    SystemNumbers inverse(context, inverses);
    const std::int64_t filled = all.count * (all.limits.most + 1);
    std::fill_n(all.history, filled, std::numeric_limits<double>::quiet_NaN());
    for (std::int64_t i = 0; i < all.count; ++i) {
      const double norm = b_norm[i];
      const bool usual = scaled && std::isfinite(norm) && norm > 0;
      const int exponent = usual ? std::clamp(-std::ilogb(norm), -most, most) : 0;
      factor.set(i, std::ldexp(1.0, exponent));
      inverse.set(i, std::ldexp(1.0, -exponent));
      all.states[i] = SystemState{};
      all.states[i].b_norm = std::ldexp(norm, exponent);
    }
  });
  if (step_.inputs.size() == 3) {
    const Placed x0 = with_columns(step_.inputs[2], shape_.vector);
    steps_.evaluate("start", "where(b != 0, f * x, 0)",
                    {{"b", b_norms_}, {"f", factor_}, {"x", x0}}, x_);
    return;
  }
  const std::int64_t bytes = x_.layout.local_elements(emitter_.rank()) * size_of(x_.dtype);
  emitter_.launch({step_.node.name + ": start",
                   {},
                   {x_.buffer},
                   static_cast<double>(bytes),
                   0,
                   [x = x_.buffer, bytes](RunContext& context) {
                     kernels::fill_bytes(context.stream(), context.data(x), bytes, 0);
                   }});
}

void IterativeSolver::product(const Placed& v, const Placed& out) {
  Placed whole = v;
  if (v.layout.ranks() > 1 && !v.layout.is_replicated() &&
      v.layout.split_axis() == shape_.rows_axis()) {
    whole.layout = Layout::replicated(v.layout.shape(), v.layout.ranks());
    whole = emitter_.scratch(step_.node.name + " gathered", v.dtype, whole.layout);
    emitter_.redistribute(v, whole, step_.node.name + ": gather");
  }
  ProductShape shape;
  shape.dtype = shape_.dtype;
  shape.a = shape_.a;
  shape.b = v.layout.shape();
  shape.c = out.layout.shape();
  emit_product(shape, {step_.node, step_.choice, {a_, whole}, {out}}, emitter_);
}

void IterativeSolver::residual(const Placed& r) {
  product(x_, r);
  if (scaled_) {
    steps_.evaluate("residual", "fma(f, b, -r)", {{"f", factor_}, {"b", b_}, {"r", r}}, r);
  } else {
    steps_.evaluate("residual", "b - r", {{"b", b_}, {"r", r}}, r);
  }
}

void IterativeSolver::control(const std::string& label, const std::vector<Placed>& reads,
                              const std::vector<Placed>& writes, const std::vector<BufferId>& flags,
                              std::function<void(RunContext&, const Control&)> work) {
  const BufferId history = step_.outputs[1].buffer;
  Launch launch;
  launch.label = step_.node.name + ": " + label;
  launch.reads = {states_, history};
  launch.writes = {states_, history};
  for (const Placed& placed : reads) launch.reads.push_back(placed.buffer);
  for (const Placed& placed : writes) launch.writes.push_back(placed.buffer);
  launch.writes.insert(launch.writes.end(), flags.begin(), flags.end());
  launch.bytes = 2.0 * static_cast<double>(count_ * sizeof(SystemState));
  launch.on_host = true;
  launch.run = [states = states_, history, count = count_, limits = limits_,
                work = std::move(work)](RunContext& context) {
    work(context, {reinterpret_cast<SystemState*>(context.data(states)), count,
                   reinterpret_cast<double*>(context.data(history)), limits});
  };
  emitter_.launch(std::move(launch));
}

void IterativeSolver::finish() {
  if (scaled_) {
    steps_.evaluate("finish", "f * x", {{"f", inverse_}, {"x", x_}}, x_);
  }
  const Placed iterations = step_.outputs[2];
  const Placed residuals = step_.outputs[3];
  control("outcome", {}, {iterations, residuals}, {}, [=](RunContext& context, const Control& all) {
    auto* counts = reinterpret_cast<std::int64_t*>(context.data(iterations.buffer));
    auto* values = reinterpret_cast<double*>(context.data(residuals.buffer));
    for (std::int64_t i = 0; i < all.count; ++i) {
      counts[i] = all.states[i].iterations;
      values[i] = all.states[i].residual;
    }
  });
  const Box box = iterations.layout.box(emitter_.rank());
  const Shape systems = shape_.systems();
  emitter_.collective({step_.node.name + ": converged?",
                       {states_},
                       {},
                       8,
                       2,
                       [=, states = states_, count = count_, limits = limits_,
                        ranks = emitter_.ranks()](RunContext& context) {
                         const Control all{reinterpret_cast<SystemState*>(context.data(states)),
                                           count, nullptr, limits};
                         throw_together(context, ranks, first_failure(all, box, systems));
                       }});
}

}  // namespace tessera::ops
