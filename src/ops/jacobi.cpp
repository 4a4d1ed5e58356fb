// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/elementwise.hpp"
#include "ops/iterative.hpp"
#include "pack.hpp"

namespace tessera::ops {

namespace {

/// With a matrix whose iterations halve the residual.
double expected_turns(const IterationLimits& limits, std::int64_t /*n*/) {
  return std::ceil(1 - std::log2(std::clamp(limits.tolerance, 1e-16, 1.0)));
}

/// The rows with a zero on the diagonal end the run. `diagonal` is dense: [..., rows, 1].
std::optional<Error> zero_on_diagonal(const std::byte* diagonal, DType dtype, const Box& box) {
  const int rows_axis = box.axes() - 2;
  const std::int64_t elements = box.elements();
  return visit_floating(dtype, [&]<class T>(std::type_identity<T>) -> std::optional<Error> {
    const T* values = reinterpret_cast<const T*>(diagonal);
    const T* zero = std::find(values, values + elements, T(0));
    if (zero == values + elements) return std::nullopt;
    const std::int64_t at = zero - values;
    const std::int64_t row = box.origin[rows_axis] + at % box.extent[rows_axis];
    return Error(ErrorKind::numerical, "the diagonal has a zero in row " + std::to_string(row))
        .expected("a matrix whose diagonal dominates")
        .advice("reorder the rows, or use another solver");
  });
}

/// The diagonal of A, beside x, checked for zeros.
Placed emit_diagonal(IterativeSolver& solver, const std::string& name, Emitter& emitter) {
  const Placed a = solver.a();
  Shape shape = a.layout.shape();
  shape[shape.size() - 1] = 1;
  const Placed diagonal =
      emitter.scratch(name + " diagonal", a.dtype, broadcast_layout(shape, solver.x().layout));
  const Box box = diagonal.layout.box(emitter.rank());
  emitter.launch({name + ": diagonal",
                  {a.buffer},
                  {diagonal.buffer},
                  2.0 * static_cast<double>(box.elements() * size_of(a.dtype)),
                  0,
                  [=](RunContext& context) {
                    if (box.empty()) return;
                    // Row i of the matrix begins with column 0: its diagonal lies i + 1 elements
                    // behind that of row i - 1's.
                    Tile from = context.tile(a);
                    const int rows_axis = box.axes() - 2;
                    from.data = static_cast<std::byte*>(from.data) +
                                box.origin[rows_axis] * size_of(a.dtype);
                    from.box = box;
                    from.strides[rows_axis] += 1;
                    from.global = shape;
                    kernels::copy_box(context.stream(), from, context.tile(diagonal), box);
                  }});
  emitter.collective({name + ": zeros on the diagonal?",
                      {diagonal.buffer},
                      {},
                      8,
                      2,
                      [=, ranks = emitter.ranks()](RunContext& context) {
                        throw_together(
                            context, ranks,
                            zero_on_diagonal(context.data(diagonal.buffer), diagonal.dtype, box));
                      }});
  return diagonal;
}

/// Emits r = b - A x and who goes on: weights of 1, and 0 for systems that rest.
class Jacobi {
 public:
  Jacobi(const Step& step, Emitter& emitter)
      : emitter_(emitter), name_(step.node.name), solver_(step, emitter) {}

  void emit() {
    const Placed diagonal = emit_diagonal(solver_, name_, emitter_);
    solver_.start(false);
    const Placed x = solver_.x();
    r_ = solver_.vector("residual");
    goes_on_ = solver_.numbers("goes on");
    look(0);
    const IterationLimits& limits = solver_.limits();
    emitter_.begin_loop_until({name_ + ": iterations", solver_.flag(), limits.most,
                               expected_turns(limits, solver_.shape().n())});
    solver_.steps().evaluate("x", "where(w != 0, x + r / d, x)",
                             {{"w", goes_on_}, {"x", x}, {"r", r_}, {"d", diagonal}}, x);
    look(1);
    emitter_.end_loop();
    solver_.finish();
  }

 private:
  /// `turn`: iterations since the last look.
  void look(std::int64_t turn) {
    solver_.residual(r_);
    const Placed norms = solver_.norm(r_);
    solver_.control("residual", {norms}, {goes_on_}, {solver_.flag()},
                    [norms, weights = goes_on_, flag = solver_.flag(), turn](RunContext& context,
                                                                             const Control& all) {
                      const SystemNumbers r_norm(context, norms);
                      SystemNumbers goes_on(context, weights);
                      for (std::int64_t i = 0; i < all.count; ++i) {
                        SystemState& state = all.states[i];
                        if (state.outcome == Outcome::running) {
                          state.iterations += turn;
                          if (all.note(i, r_norm[i])) judge(state, all.limits);
                        }
                        goes_on.set(i, state.active() ? 1 : 0);
                      }
                      *reinterpret_cast<std::int64_t*>(context.data(flag)) = all_rest(all);
                    });
  }

  static void judge(SystemState& state, const IterationLimits& limits) {
    if (state.residual <= limits.tolerance) {
      state.outcome = Outcome::converged;
    } else if (state.iterations == limits.most) {
      state.outcome = Outcome::exhausted;
    }
  }

  Emitter& emitter_;
  std::string name_;
  IterativeSolver solver_;
  Placed r_;
  Placed goes_on_;
};

void emit(const Step& step, Emitter& emitter) { Jacobi(step, emitter).emit(); }

}  // namespace

Operation jacobi_operation() {
  Operation operation = iterative_operation("jacobi", expected_turns, emit);
  operation.summary =
      "Solves A x = b for a matrix whose diagonal dominates by Jacobi's iteration. Not converged, "
      "diverged, or a zero on the diagonal: exit code 6.";
  operation.error_bound = "|b - A x| <= tolerance |b|, up to the rounding of that product";
  operation.rounding =
      "r = b - A x with A x as matvec; |r| as norm2; x + r / d as div and add, d the diagonal";
  operation.source = "textbook";
  return operation;
}

}  // namespace tessera::ops
