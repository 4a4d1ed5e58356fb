// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/compose.hpp"

namespace tessera::ops {

/// What jacobi and cg share: systems A x = b, solved side by side by one loop. A system is one
/// matrix of the leading axes with one column of b; it ends on its own, and rests until the last
/// one ends.

/// The shapes of a step's systems. Inside, vectors are matrices of one column.
struct SystemShape {
  DType dtype = DType::float64;
  Shape a;              ///< [..., n, n]
  Shape b;              ///< [..., n] or [..., n, m]
  bool vector = false;  ///< b has no axis of columns

  [[nodiscard]] int rows_axis() const { return a.size() - 2; }  ///< of a and b
  [[nodiscard]] std::int64_t n() const { return a[rows_axis()]; }
  [[nodiscard]] std::int64_t columns() const { return vector ? 1 : b[b.size() - 1]; }
  /// [...] or [..., m]: one element per system.
  [[nodiscard]] Shape systems() const;
};

/// Of the inputs a, b and, where given, x0. Throws Error(graph) for types and shapes that don't
/// fit.
[[nodiscard]] SystemShape system_shape(const std::vector<graph::TensorInfo>& inputs);

/// What the step's parameters say.
struct IterationLimits {
  double tolerance = 0;  ///< of the relative residual |b - A x| / |b|
  std::int64_t most = 0;
  bool allow_unconverged = false;
};
[[nodiscard]] IterationLimits iteration_limits(const graph::Params& params);

enum class Outcome : std::int64_t {
  running,
  converged,
  exhausted,     ///< max_iterations
  stagnated,     ///< rounding keeps the residual from falling
  not_positive,  ///< p . A p <= 0
  diverged       ///< a residual that is no number
};

/// How far one system has come. Lives in a buffer, for host code between the kernels.
struct SystemState {
  double b_norm;
  double r_norm;
  double residual;   ///< r_norm / b_norm
  double verified;   ///< the residual when it was last computed from x
  double curvature;  ///< p . A p
  std::int64_t iterations;
  Outcome outcome;
  std::int64_t resting;  ///< not 0: changes nothing until the others rest too

  [[nodiscard]] bool active() const { return outcome == Outcome::running && resting == 0; }
  [[nodiscard]] bool broken() const {
    return outcome == Outcome::not_positive || outcome == Outcome::diverged;
  }
};

/// One number per system in memory: [..., 1, m].
class SystemNumbers {
 public:
  SystemNumbers(RunContext& context, const Placed& placed)
      : data_(context.data(placed.buffer)), dtype_(placed.dtype) {}
  [[nodiscard]] double operator[](std::int64_t i) const;  ///< the real part of a complex number
  void set(std::int64_t i, double value);                 ///< rounded to the type

 private:
  std::byte* data_;
  DType dtype_;
};

/// What host code between the kernels sees.
struct Control {
  SystemState* states = nullptr;
  std::int64_t count = 0;  ///< of this rank's systems
  double* history = nullptr;
  IterationLimits limits;
  /// Takes the norm of a system's residual into its state and history; a system whose residual is
  /// no number ends. Whether it goes on.
  [[nodiscard]] bool note(std::int64_t i, double r_norm) const;
};

/// Emits the parts of an iterative solver. All of a rank's decisions come from norms and dot
/// products that the ranks share bit for bit, so that all leave a loop in the same turn.
class IterativeSolver {
 public:
  IterativeSolver(const Step& step, Emitter& emitter);

  [[nodiscard]] Composition& steps() { return steps_; }
  [[nodiscard]] const Placed& a() const { return a_; }
  [[nodiscard]] const Placed& x() const { return x_; }
  /// Up when a loop is to end: see `all_rest`.
  [[nodiscard]] BufferId flag() const { return flag_; }
  [[nodiscard]] const IterationLimits& limits() const { return limits_; }
  [[nodiscard]] const SystemShape& shape() const { return shape_; }

  /// Scratch like x; one real number per system.
  [[nodiscard]] Placed vector(const std::string& label);
  [[nodiscard]] Placed numbers(const std::string& label);

  /// |b| and x = x0 or 0. `scaled`: until `finish`, b and x are multiplied by a power of two that
  /// brings |b| near 1, so that squares neither overflow nor underflow.
  void start(bool scaled);
  /// out = A v.
  void product(const Placed& v, const Placed& out);
  /// r = b - A x and its norms.
  void residual(const Placed& r);
  /// The norms of a vector.
  [[nodiscard]] Placed norm(const Placed& v);
  /// conj(v) . w
  [[nodiscard]] Placed dot(const Placed& v, const Placed& w);
  /// Host code on the states; it reads and writes numbers per system, and may write flags.
  void control(const std::string& label, const std::vector<Placed>& reads,
               const std::vector<Placed>& writes, const std::vector<BufferId>& flags,
               std::function<void(RunContext&, const Control&)> work);
  /// x as it was asked for, the other outputs, and the failure of the first system that failed.
  void finish();

 private:
  const Step& step_;
  Emitter& emitter_;
  Composition steps_;
  SystemShape shape_;
  IterationLimits limits_;
  Placed a_, b_, x_;
  Placed b_norms_;
  Placed factor_, inverse_;  ///< of the scaling
  bool scaled_ = false;
  BufferId states_;
  BufferId flag_;
  std::int64_t count_ = 0;  ///< of this rank's systems
};

/// A flag of a loop: 1 where no system is active any more, or one broke down.
[[nodiscard]] std::int64_t all_rest(const Control& control);

/// An operation of this name with everything that the solvers share; the caller adds what its page
/// says. `turns` are the iterations that the prediction reckons with.
[[nodiscard]] Operation iterative_operation(
    const std::string& name, std::function<double(const IterationLimits&, std::int64_t n)> turns,
    std::function<void(const Step&, Emitter&)> emit);

}  // namespace tessera::ops
