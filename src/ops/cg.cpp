// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/iterative.hpp"

namespace tessera::ops {

namespace {

/// With a condition number of 100 the error falls by (10 - 1) / (10 + 1) per iteration; n
/// iterations would be exact.
double expected_turns(const IterationLimits& limits, std::int64_t n) {
  const double wanted = std::clamp(limits.tolerance, 1e-16, 1.0);
  return std::min(std::ceil(5 * std::log(2 / wanted)),
                  static_cast<double>(std::max<std::int64_t>(n, 1)));
}

/// Below this the recurrence of the residuals says nothing about x any more.
double unit_roundoff(DType dtype) { return real_of(dtype) == DType::float32 ? 0x1p-24 : 0x1p-53; }

/// Conjugate gradients. Rounding makes the residual of the recurrence drift away from b - A x, so
/// that a system that has converged by the former is looked at again: where b - A x isn't small
/// enough it goes on from there (a restart), unless restarts don't help any more.
class ConjugateGradients {
 public:
  ConjugateGradients(const Step& step, Emitter& emitter)
      : emitter_(emitter), name_(step.node.name), solver_(step, emitter) {}

  void emit() {
    solver_.start(true);
    x_ = solver_.x();
    r_ = solver_.vector("residual");
    p_ = solver_.vector("direction");
    q_ = solver_.vector("A times direction");
    alpha_ = solver_.numbers("alpha");
    beta_ = solver_.numbers("beta");
    done_ = emitter_.scratch(name_ + " done", sizeof(std::int64_t));
    solver_.control("not done", {}, {}, {done_},
                    [done = done_](RunContext& context, const Control& /*all*/) {
                      *reinterpret_cast<std::int64_t*>(context.data(done)) = 0;
                    });
    const IterationLimits& limits = solver_.limits();
    // Every restart but the last halves a residual or takes the last iteration.
    emitter_.begin_loop_until({name_ + ": restarts", done_, limits.most + 1, 2});
    verify();
    emitter_.begin_loop_until({name_ + ": iterations", solver_.flag(), limits.most,
                               expected_turns(limits, solver_.shape().n()) / 2});
    iterate();
    emitter_.end_loop();
    emitter_.end_loop();
    solver_.finish();
  }

 private:
  /// r = b - A x, p = r, and which systems are solved by that.
  void verify() {
    solver_.residual(r_);
    const Placed norms = solver_.norm(r_);
    solver_.control(
        "verify", {norms}, {}, {solver_.flag(), done_},
        [norms, done = done_, flag = solver_.flag()](RunContext& context, const Control& all) {
          const SystemNumbers r_norm(context, norms);
          for (std::int64_t i = 0; i < all.count; ++i) {
            SystemState& state = all.states[i];
            if (state.outcome == Outcome::running && all.note(i, r_norm[i])) {
              judge(state, all.limits);
            }
          }
          const std::int64_t end = all_rest(all);
          *reinterpret_cast<std::int64_t*>(context.data(flag)) = end;
          *reinterpret_cast<std::int64_t*>(context.data(done)) = end;
        });
    solver_.steps().evaluate("direction", "+r", {{"r", r_}}, p_);
  }

  static void judge(SystemState& state, const IterationLimits& limits) {
    if (state.residual <= limits.tolerance) {
      state.outcome = Outcome::converged;
    } else if (state.iterations == limits.most) {
      state.outcome = Outcome::exhausted;
    } else if (state.iterations > 0 && !(state.residual < state.verified / 2)) {
      state.outcome = Outcome::stagnated;
    }
    state.verified = state.residual;
    state.resting = 0;
  }

  /// One iteration of Hestenes and Stiefel's algorithm.
  void iterate() {
    Composition& steps = solver_.steps();
    solver_.product(p_, q_);
    find_alpha(solver_.dot(p_, q_));
    // A resting system keeps every bit of x: x + 0 p might change the sign of a zero.
    steps.evaluate("x", "where(a != 0, fma(a, p, x), x)", {{"a", alpha_}, {"p", p_}, {"x", x_}},
                   x_);
    steps.evaluate("r", "fma(-a, q, r)", {{"a", alpha_}, {"q", q_}, {"r", r_}}, r_);
    find_beta(solver_.norm(r_));
    steps.evaluate("p", "fma(b, p, r)", {{"b", beta_}, {"p", p_}, {"r", r_}}, p_);
  }

  /// alpha = r . r / p . A p
  void find_alpha(const Placed& curvatures) {
    solver_.control("alpha", {curvatures}, {alpha_}, {},
                    [curvatures, alphas = alpha_](RunContext& context, const Control& all) {
                      const SystemNumbers curvature(context, curvatures);
                      SystemNumbers alpha(context, alphas);
                      for (std::int64_t i = 0; i < all.count; ++i) {
                        alpha.set(i, 0);
                        SystemState& state = all.states[i];
                        if (!state.active()) continue;
                        state.curvature = curvature[i];
                        if (state.curvature > 0) {
                          alpha.set(i, state.r_norm * state.r_norm / state.curvature);
                        } else {
                          state.outcome = std::isnan(state.curvature) ? Outcome::diverged
                                                                      : Outcome::not_positive;
                        }
                      }
                    });
  }

  /// beta = the new r . r over the old one
  void find_beta(const Placed& norms) {
    solver_.control("beta", {norms}, {beta_}, {solver_.flag(), done_},
                    [norms, betas = beta_, flag = solver_.flag(), done = done_,
                     rest = unit_roundoff(x_.dtype)](RunContext& context, const Control& all) {
                      const SystemNumbers r_norm(context, norms);
                      SystemNumbers beta(context, betas);
                      bool broken = false;
                      for (std::int64_t i = 0; i < all.count; ++i) {
                        beta.set(i, 0);
                        SystemState& state = all.states[i];
                        if (state.active()) {
                          const double ratio = r_norm[i] / state.r_norm;
                          ++state.iterations;
                          if (all.note(i, r_norm[i])) beta.set(i, ratio * ratio);
                          const bool small = state.residual <= std::max(all.limits.tolerance, rest);
                          state.resting = small || state.iterations == all.limits.most ? 1 : 0;
                        }
                        broken = broken || state.broken();
                      }
                      *reinterpret_cast<std::int64_t*>(context.data(flag)) = all_rest(all);
                      *reinterpret_cast<std::int64_t*>(context.data(done)) = broken ? 1 : 0;
                    });
  }

  Emitter& emitter_;
  std::string name_;
  IterativeSolver solver_;
  Placed x_, r_, p_, q_;
  Placed alpha_, beta_;
  BufferId done_;  ///< no system needs a restart
};

void emit(const Step& step, Emitter& emitter) { ConjugateGradients(step, emitter).emit(); }

}  // namespace

Operation cg_operation() {
  Operation operation = iterative_operation("cg", expected_turns, emit);
  operation.summary =
      "Solves A x = b for a symmetric (Hermitian) positive definite matrix by conjugate gradients. "
      "Not converged, not positive definite (p . A p <= 0) or diverged: exit code 6.";
  operation.error_bound =
      "|b - A x| <= tolerance |b|, up to the rounding of that product: convergence is judged by "
      "b - A x itself. An x that rounding keeps from the tolerance is not converged";
  operation.rounding =
      "b and x scaled by the power of two that brings |b| into [1, 2). A p as matvec, p . A p as "
      "dot, |r| as norm2; in float64 alpha = |r|^2 / p . A p and beta = (|r new| / |r|)^2, rounded "
      "to the type; x = fma(alpha, p, x), r = fma(-alpha, A p, r), p = fma(beta, p, r). Where |r| "
      "/ "
      "|b| is at most the tolerance, or half an ULP of 1, r = b - A x (A x as matvec) and p = r, "
      "until that r is small enough or isn't halved any more";
  operation.source =
      "Hestenes, Stiefel, Methods of conjugate gradients for solving linear systems, J. Res. NBS "
      "49 "
      "(1952)";
  return operation;
}

}  // namespace tessera::ops
