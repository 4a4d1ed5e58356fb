// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "exact_round.hpp"
#include "reduce_launch.hpp"
#include "reduce_shape.hpp"
#include "reducers.hpp"

namespace tessera::kernels {

namespace {

/// Norms as they are divided by: planes of `count` numbers.
struct Norms {
  const double* root;
  const double* exponent;
  const double* factor;  ///< 2^-exponent; 0 where it isn't a normal number
};

struct SetNorms {
  bool exact;
  int words;
  std::int64_t* states;
  double eps;
  double* norms;
  std::int64_t plane;  ///< length of the arrays

  KOKKOS_INLINE_FUNCTION exact::Root root_of(std::int64_t k) const {
    if (exact) return exact::finish_root(states + k * words);
    const double* state = reinterpret_cast<const double*>(states) + k * words;
    if (words == 1) return {sqrt(state[0]), 0};
    const double small = state[0], middle = state[1], big = state[2];
    if (big != 0.0) return {sqrt(big + middle * 0x1p-600 * 0x1p-600), 600};
    if (middle != 0.0) return {sqrt(middle + small * 0x1p-600 * 0x1p-600), 0};
    return {sqrt(small), -600};
  }
  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t k) const {
    exact::Root norm = root_of(k);
    if (eps > 0.0 && ldexp(norm.root, norm.exponent) < eps) norm = {eps, 0};
    if (norm.root == 0.0) norm = {1.0, 0};
    if (norm.root - norm.root == 0.0) {  // finite: one representation of one norm
      int shift = 0;
      norm.root = 2 * frexp(norm.root, &shift);
      norm.exponent += shift - 1;
    }
    norms[k] = norm.root;
    norms[plane + k] = norm.exponent;
    norms[2 * plane + k] =
        norm.exponent > -1000 && norm.exponent < 1000 ? ldexp(1.0, -norm.exponent) : 0.0;
  }
};

KOKKOS_INLINE_FUNCTION double divided(double x, double root, double exponent, double factor) {
  const double scaled = factor != 0.0 ? x * factor : ldexp(x, -static_cast<int>(exponent));
  const double result = scaled / root;
  return result == result ? result : exact::canonical_nan();
}

/// Lines of contiguous elements: one norm per line where a reduced axis is contiguous, else one per
/// column.
template <class R, int Reals>
struct DivideLines {
  const R* x;
  R* out;
  Norms norms;
  Walk outer_kept;  ///< of the lines
  Walk outer_reduced;
  std::int64_t outer_reduced_count;
  std::int64_t inner;  ///< elements of a line
  std::int64_t pieces;
  std::int64_t piece;
  bool columns;

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t task) const {
    const std::int64_t part = task % pieces;
    const std::int64_t line = task / pieces;
    const std::int64_t k = line / outer_reduced_count;
    const std::int64_t start = outer_kept.at(k) + outer_reduced.at(line % outer_reduced_count);
    const std::int64_t begin = part * piece;
    const std::int64_t end = begin + piece < inner ? begin + piece : inner;
    if (columns) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t n = k * inner + i;
        store(start + i, norms.root[n], norms.exponent[n], norms.factor[n]);
      }
      return;
    }
    const double root = norms.root[k], exponent = norms.exponent[k], factor = norms.factor[k];
    for (std::int64_t i = begin; i < end; ++i) store(start + i, root, exponent, factor);
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, double root, double exponent,
                                    double factor) const {
    for (int c = 0; c < Reals; ++c) {
      const double value = static_cast<double>(x[i * Reals + c]);
      out[i * Reals + c] = static_cast<R>(divided(value, root, exponent, factor));
    }
  }
};

/// The walk without its fastest axis.
Walk outer_of(Walk walk) {
  if (walk.axes > 0) --walk.axes;
  return walk;
}

template <class T>
void divide(const device::Stream& stream, const ReduceTask& task, const void* x, const Norms& norms,
            void* out) {
  using R = real_t<T>;
  constexpr int reals = is_complex_type<T> ? 2 : 1;
  const Walk kept(task.shape.kept_extent, task.shape.kept_stride);
  const Walk reduced(task.shape.reduced_extent, task.shape.reduced_stride);
  const std::int64_t elements = task.shape.elements();
  const std::int64_t results = task.shape.results();
  if (elements == 0 || results == 0) return;
  const bool columns = kept.axes > 0 && kept.inner_stride() == 1;
  const std::int64_t inner = columns ? kept.inner() : reduced.inner();
  const std::int64_t piece = stream.backend == device::Backend::host ? 8192 : 1;
  const std::int64_t pieces = (inner + piece - 1) / piece;
  const std::int64_t outer_reduced = columns ? elements : elements / inner;
  const std::int64_t outer_kept = columns ? results / inner : results;
  for_each(
      stream, "divide by norms", outer_kept * outer_reduced * pieces,
      DivideLines<R, reals>{static_cast<const R*>(x), static_cast<R*>(out), norms,
                            columns ? outer_of(kept) : kept, columns ? reduced : outer_of(reduced),
                            outer_reduced, inner, pieces, piece, columns});
}

}  // namespace

void reduce_norms(const device::Stream& stream, const ReduceTask& task, std::int64_t first,
                  std::int64_t count, std::int64_t* states, double eps, double* norms) {
  for_each(stream, "norms", count,
           SetNorms{task.exact, static_cast<int>(reduce_words(task)), states, eps, norms + first,
                    task.shape.results()});
}

void divide_by_norms(const device::Stream& stream, const ReduceTask& task, const void* x,
                     const double* norms, void* out) {
  const std::int64_t count = task.shape.results();
  visit_floating(task.dtype, [&]<class T>(std::type_identity<T>) {
    divide<T>(stream, task, x, {norms, norms + count, norms + 2 * count}, out);
  });
}

}  // namespace tessera::kernels
