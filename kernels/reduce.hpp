// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/dtype.hpp"
#include "base/extents.hpp"
#include "base/recipe.hpp"
#include "device/device.hpp"

namespace tessera::kernels {

enum class Reduction {
  sum,
  mean,
  prod,
  min,
  max,
  argmin,
  argmax,
  norm1,  ///< float32 and float64
  norm2,
  norminf,  ///< float32 and float64
  var,      ///< float32 and float64
  std,      ///< float32 and float64
  dot,
  count_nan
};

/// The geometry of a reduction on one rank: the axes that stay and the axes that go, neighbours of
/// one kind merged and axes of extent 1 left out, both row-major. Element (k, r) lies at kept(k) +
/// reduced(r).
struct ReduceShape {
  Extents kept_extent;
  Strides kept_stride;
  Extents reduced_extent;
  Strides reduced_stride;

  /// `reduced[axis]` tells which axes of a dense row-major tensor of these extents go.
  static ReduceShape of(const Shape& extent, const bool* reduced);
  [[nodiscard]] std::int64_t results() const { return element_count(kept_extent); }
  /// Elements per result.
  [[nodiscard]] std::int64_t elements() const { return element_count(reduced_extent); }
};

/// What is reduced and how.
struct ReduceTask {
  Reduction what = Reduction::sum;
  DType dtype = DType::float64;  ///< of the elements
  bool exact = false;       ///< RN(exact result): sum, mean, norm2, dot of floating-point elements
  bool ignore_nan = false;  ///< leave NaN out
  double ddof = 0;          ///< var, std: divided by the number of elements less this
  ReduceShape shape;
};

/// How the states of parts become one.
enum class Merge {
  add_float64,
  add_int64,
  max_int64,
  first_largest,  ///< pairs (key, index): the largest key, among equals the lowest index
  fold            ///< by `reduce_fold`, in rank order
};

/// The element type of the result: integers sum and multiply in int64 and have float64 means and
/// norms.
[[nodiscard]] DType reduced_dtype(Reduction what, DType dtype);

/// A state is what a part of the elements amounts to: so many 8-byte words per result, stored one
/// result after the other. States of several parts are merged word by word.
[[nodiscard]] std::int64_t reduce_words(const ReduceTask& task);
[[nodiscard]] Merge reduce_merge(const ReduceTask& task);
/// What `reduce_parts` needs beside its states.
[[nodiscard]] std::int64_t reduce_scratch_bytes(const ReduceTask& task, device::Backend backend,
                                                int threads);

/// Memory and threads that a reduction may use.
struct Scratch {
  void* data = nullptr;
  std::int64_t bytes = 0;
  int threads = 1;  ///< host threads that share the work
};

/// The states of results [first, first + count) of this rank's part. `y` only for dot.
void reduce_parts(const device::Stream& stream, const ReduceTask& task, const void* x,
                  const void* y, std::int64_t first, std::int64_t count, std::int64_t* states,
                  Scratch scratch);

/// Index states count elements of this rank's part; this makes them indices into the whole tensor's
/// reduced axes. `local` and `global` are the extents of the reduced axes, `origin` this part's.
void reduce_globalise(const device::Stream& stream, std::int64_t count, std::int64_t* states,
                      const Extents& local, const Extents& origin, const Extents& global);

/// For `Merge::first_largest`: keys to one array and, once the largest keys are known, the indices
/// of the states that have them (INT64_MAX for others) to another; and both back into states.
void reduce_split_keys(const device::Stream& stream, std::int64_t count, const std::int64_t* states,
                       std::int64_t* keys);
void reduce_split_indices(const device::Stream& stream, std::int64_t count,
                          const std::int64_t* states, const std::int64_t* keys,
                          std::int64_t* indices);
void reduce_join(const device::Stream& stream, std::int64_t count, const std::int64_t* keys,
                 const std::int64_t* indices, std::int64_t* states);

/// For `Merge::fold`: `parts` arrays of `count` states, one after the other, combined in that order
/// into `states`.
void reduce_fold(const device::Stream& stream, const ReduceTask& task, int parts,
                 std::int64_t count, const std::int64_t* gathered, std::int64_t* states);

/// What went wrong in a finish; 0 for nothing.
enum class ReduceFault : std::int64_t { none = 0, overflow = 1, all_nan = 2 };

/// How many elements each result has.
struct ReduceCounts {
  std::int64_t elements = 0;           ///< of the whole tensor, per result
  const std::int64_t* nans = nullptr;  ///< NaN per result that are left out (mean), or null
};

/// States to results; exact states are used up. `fault` gets a ReduceFault (it is cleared first).
void reduce_finish(const device::Stream& stream, const ReduceTask& task, std::int64_t count,
                   std::int64_t* states, const ReduceCounts& counts, void* out,
                   std::int64_t* fault);

/// As `reduce_parts` and `reduce_finish` in one for exact sums, means and norms of results that lie
/// whole on this rank: much faster where the results are many, same bits. False when it has no such
/// path for the task and nothing was done.
[[nodiscard]] bool reduce_exact_whole(const device::Stream& stream, const ReduceTask& task,
                                      const void* x, const ReduceCounts& counts, void* out,
                                      int threads);

/// Norms [first, first + count) of the task's results from the states of norm2, ready to divide by:
/// three arrays of as many numbers as results, the norm being root * 2^exponent with root in [1,
/// 2), and 2^-exponent (0 where that isn't a normal number). A norm of 0 becomes 1, a norm below
/// `eps` becomes eps.
void reduce_norms(const device::Stream& stream, const ReduceTask& task, std::int64_t first,
                  std::int64_t count, std::int64_t* states, double eps, double* norms);
/// out = x / norm, result by result of the task's shape: scaled by the power of two first, then one
/// division in float64.
void divide_by_norms(const device::Stream& stream, const ReduceTask& task, const void* x,
                     const double* norms, void* out);

}  // namespace tessera::kernels
