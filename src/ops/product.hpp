// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "matmul.hpp"
#include "ops/operation.hpp"

namespace tessera::ops {

/// C[..., m, n] = A[..., m, k] B[..., k, n] on ranks: what matmul and matvec share.
struct ProductShape {
  DType dtype = DType::float64;
  kernels::MatmulForm form;
  Shape a, b, c;
  bool vector = false;  ///< B is [k] and C is [m]

  [[nodiscard]] int c_batches() const { return c.size() - (vector ? 1 : 2); }
  [[nodiscard]] int a_m() const { return a.size() - (form.transpose_a ? 1 : 2); }
  [[nodiscard]] int a_k() const { return a.size() - (form.transpose_a ? 2 : 1); }
  [[nodiscard]] int b_k() const { return vector ? 0 : b.size() - (form.transpose_b ? 1 : 2); }
  [[nodiscard]] int b_n() const { return vector ? -1 : b.size() - (form.transpose_b ? 2 : 1); }
  [[nodiscard]] int c_m() const { return c_batches(); }
  [[nodiscard]] int c_n() const { return vector ? -1 : c_batches() + 1; }
  [[nodiscard]] std::int64_t k() const { return a[a_k()]; }

  /// What a rank needs of A and B for its part of C and the panel `begin <= k < end`; empty boxes
  /// where its part of C is empty.
  [[nodiscard]] Box need_a(const Box& part, std::int64_t begin, std::int64_t end) const;
  [[nodiscard]] Box need_b(const Box& part, std::int64_t begin, std::int64_t end) const;
};

/// What the descriptions of matmul and matvec share.
Operation product_operation();

/// Throws Error(graph) unless both inputs have one type, of those that can be multiplied.
void refuse_unlike_types(const std::vector<graph::TensorInfo>& inputs);

/// One choice per cut of C: over every process grid of m and n, along every batch axis, and whole
/// on every rank. A and B are taken as they lie.
std::vector<Choice> product_choices(const ProductShape& shape, const ChoiceContext& context);

/// The C-stationary algorithm: every rank computes its part of C, panel of k by panel of k. A rank
/// that lacks parts of a panel of A or B gets them from the ranks that hold them while it
/// multiplies the panel before.
///
///     grid 2 x 2, rank 1 at panel p:      A        B p        C
///                                       . p . .    . #      .  #
///                                       . . . .    . .      .  .
///
/// With A and B cut to the same grid this is SUMMA (van de Geijn, Watts, 1997), but any block
/// layout will do, so that nothing is redistributed first.
void emit_product(const ProductShape& shape, const Step& step, Emitter& emitter);

}  // namespace tessera::ops
