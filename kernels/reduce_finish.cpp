// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "exact_round.hpp"
#include "reduce_exact_kinds.hpp"
#include "reduce_launch.hpp"
#include "reduce_shape.hpp"
#include "reducers.hpp"

namespace tessera::kernels {

namespace {

KOKKOS_INLINE_FUNCTION double canonical(double x) { return x != x ? exact::canonical_nan() : x; }

/// Results of one element type from states; `operator()(k)` does result k.
struct FinishBase {
  Reduction what;
  std::int64_t* states;
  ReduceCounts counts;
  std::int64_t* fault;

  KOKKOS_INLINE_FUNCTION void report(ReduceFault kind) const {
    *fault = static_cast<std::int64_t>(kind);
  }
  /// Elements that count for result k.
  KOKKOS_INLINE_FUNCTION std::int64_t valid(std::int64_t k) const {
    return counts.nans == nullptr ? counts.elements : counts.elements - counts.nans[k];
  }
};

template <class R>
KOKKOS_INLINE_FUNCTION void store(R* out, std::int64_t i, double value) {
  out[i] = static_cast<R>(canonical(value));
}

/// Exact sums, means, dots and norms.
template <class R, int Components>
struct FinishExact : FinishBase {
  exact::Grid grid;
  R* out;

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t k) const {
    const exact::Format format = sizeof(R) == 4 ? exact::float32_format() : exact::float64_format();
    for (int c = 0; c < Components; ++c) {
      std::int64_t* state = states + (k * Components + c) * grid.words();
      const std::int64_t i = k * Components + c;
      if (what == Reduction::norm2) {
        const exact::Root root = exact::finish_root(state);
        store(out, i, ldexp(root.root, root.exponent));
      } else if (what == Reduction::mean && valid(k) == 0) {
        store(out, i, exact::canonical_nan());
      } else {
        store(out, i,
              exact::finish_sum(state, grid, counts.elements,
                                what == Reduction::mean ? valid(k) : 1, format));
      }
    }
  }
};

/// Sums, means, products, norms and variances in float64 states.
template <class R, int Components>
struct FinishReal : FinishBase {
  int words;  ///< 3: Blue's classes, or moments
  double ddof;
  R* out;

  KOKKOS_INLINE_FUNCTION double norm(const double* state) const {
    if (words == 1) return sqrt(state[0]);
    const double small = state[0], middle = state[1], big = state[2];
    if (big != 0.0) return sqrt(big + middle * 0x1p-600 * 0x1p-600) * 0x1p600;
    if (middle != 0.0) return sqrt(middle + small * 0x1p-600 * 0x1p-600);
    return sqrt(small) * 0x1p-600;
  }
  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t k) const {
    const double* state = reinterpret_cast<const double*>(states) + k * words;
    if (what == Reduction::norm2) {
      store(out, k, norm(state));
      return;
    }
    if (what == Reduction::var || what == Reduction::std) {
      const double freedom = state[0] - ddof;
      const double variance = freedom > 0.0 ? state[2] / freedom : exact::canonical_nan();
      store(out, k, what == Reduction::var ? variance : sqrt(variance));
      return;
    }
    for (int c = 0; c < Components; ++c) {
      double value = state[c];
      if (what == Reduction::mean) value = value / static_cast<double>(valid(k));
      if (counts.elements == 0 && what != Reduction::prod) value = 0.0;
      store(out, k * Components + c, value);
    }
  }
};

/// Digits of 32 bits: to int64, or divided for a mean.
struct FinishWide : FinishBase {
  int digits;
  void* out;

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t k) const {
    // The same digits on the grid of exact sums, so that carrying, sign and rounding are done
    // there.
    constexpr int limbs = 6;
    constexpr exact::Grid grid{limbs, 0};
    std::int64_t state[grid.words()] = {};
    for (int d = 0; d < digits; ++d) {
      const std::int64_t digit = states[k * digits + d];
      const std::uint64_t size = digit < 0 ? 0 - static_cast<std::uint64_t>(digit) : digit;
      exact::deposit_integer(state, size, 32 * d, digit < 0);
    }
    state[limbs + exact::not_negative_zero] = 1;
    if (what == Reduction::mean) {
      static_cast<double*>(out)[k] =
          exact::finish_sum(state, grid, counts.elements, counts.elements, exact::float64_format());
      return;
    }
    const bool negative = exact::make_magnitude(state, limbs);
    const std::uint64_t low =
        static_cast<std::uint64_t>(state[0]) | static_cast<std::uint64_t>(state[1]) << 40;
    bool over = state[1] >> 24 != 0;
    for (int j = 2; j < limbs; ++j) over = over || state[j] != 0;
    over = over || low > (negative ? 1ull << 63 : (1ull << 63) - 1);
    if (over) report(ReduceFault::overflow);
    static_cast<std::int64_t*>(out)[k] = static_cast<std::int64_t>(negative ? 0 - low : low);
  }
};

struct FinishIntegerProduct : FinishBase {
  std::int64_t* out;

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t k) const {
    const std::uint64_t size = static_cast<std::uint64_t>(states[2 * k]);
    const std::int64_t flags = states[2 * k + 1];
    const bool negative = (flags & 1) != 0;
    out[k] = 0;
    if ((flags & 4) != 0) return;
    if ((flags & 2) != 0 || size > (negative ? 1ull << 63 : (1ull << 63) - 1))
      report(ReduceFault::overflow);
    out[k] = static_cast<std::int64_t>(negative ? 0 - size : size);
  }
};

/// From an order key back to the element.
template <class T>
KOKKOS_INLINE_FUNCTION T element_of_key(std::int64_t key, bool minimum) {
  const bool none = key == INT64_MIN || key == INT64_MAX;
  const std::int64_t ordered = minimum ? ~key : key;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(ordered);
  } else if constexpr (sizeof(T) == 8) {
    if (none) return exact::canonical_nan();
    return exact::from_bits(static_cast<std::uint64_t>(ordered ^ ((ordered >> 63) & INT64_MAX)));
  } else {
    if (none) return static_cast<T>(exact::canonical_nan());
    const std::int32_t narrow = static_cast<std::int32_t>(ordered);
    union {
      std::int32_t bits;
      float value;
    } both;
    both.bits = narrow ^ ((narrow >> 31) & INT32_MAX);
    return both.value;
  }
}

template <class T>
struct FinishExtreme : FinishBase {
  T* out;
  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t k) const {
    out[k] = element_of_key<T>(states[k], what == Reduction::min);
  }
};

/// Words first, first + step, ... as they are: counts and indices.
struct FinishIndex : FinishBase {
  int words;
  std::int64_t* out;
  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t k) const {
    const std::int64_t value = states[k * words + words - 1];
    if (what != Reduction::count_nan && value == INT64_MAX) report(ReduceFault::all_nan);
    out[k] = value;
  }
};

struct ClearFault {
  std::int64_t* fault;
  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t) const { *fault = 0; }
};

template <class Finish>
void launch(const device::Stream& stream, std::int64_t count, const Finish& finish) {
  if (finish.fault != nullptr) for_each(stream, "clear fault", 1, ClearFault{finish.fault});
  for_each(stream, "finish reduction", count, finish);
}

template <class T>
void finish_floating(const device::Stream& stream, const ReduceTask& task, const FinishBase& base,
                     std::int64_t count, void* out) {
  using R = real_t<T>;
  constexpr int both = is_complex_type<T> ? 2 : 1;
  R* const values = static_cast<R*>(out);
  const bool norm = task.what == Reduction::norm2;
  if (task.exact) {
    const exact::Grid grid = exact_grid(task.what);
    if (norm) return launch(stream, count, FinishExact<R, 1>{base, grid, values});
    return launch(stream, count, FinishExact<R, both>{base, grid, values});
  }
  const int words = static_cast<int>(reduce_words(task));
  if (norm) return launch(stream, count, FinishReal<R, 1>{base, words, task.ddof, values});
  launch(stream, count, FinishReal<R, both>{base, words, task.ddof, values});
}

}  // namespace

void reduce_finish(const device::Stream& stream, const ReduceTask& task, std::int64_t count,
                   std::int64_t* states, const ReduceCounts& counts, void* out,
                   std::int64_t* fault) {
  const FinishBase base{task.what, states, counts, fault};
  switch (task.what) {
    case Reduction::count_nan:
      return launch(stream, count, FinishIndex{base, 1, static_cast<std::int64_t*>(out)});
    case Reduction::argmin:
    case Reduction::argmax:
      return launch(stream, count, FinishIndex{base, 2, static_cast<std::int64_t*>(out)});
    case Reduction::min:
    case Reduction::max:
    case Reduction::norminf:
      return visit(task.dtype, [&]<class T>(std::type_identity<T>) {
        if constexpr (!is_complex_type<T>)
          launch(stream, count, FinishExtreme<T>{base, static_cast<T*>(out)});
      });
    default:
      break;
  }
  if (!is_integer(task.dtype)) {
    return visit_floating(task.dtype, [&]<class T>(std::type_identity<T>) {
      finish_floating<T>(stream, task, base, count, out);
    });
  }
  if (task.what == Reduction::prod) {
    return launch(stream, count, FinishIntegerProduct{base, static_cast<std::int64_t*>(out)});
  }
  if (task.what == Reduction::norm2) return finish_floating<double>(stream, task, base, count, out);
  launch(stream, count, FinishWide{base, static_cast<int>(reduce_words(task)), out});
}

void reduce_globalise(const device::Stream& stream, std::int64_t count, std::int64_t* states,
                      const Extents& local, const Extents& origin, const Extents& global) {
  const Walk inside(local, local);
  const Walk start(origin, origin);
  const Walk whole(global, global);
  for_each(
      stream, "global indices", count, KOKKOS_LAMBDA(const std::int64_t k) {
        std::int64_t rest = states[2 * k + 1];
        if (rest == INT64_MAX) return;
        std::int64_t index = 0;
        std::int64_t stride = 1;
        for (int axis = inside.axes - 1; axis >= 0; --axis) {
          index += (rest % inside.extent[axis] + start.extent[axis]) * stride;
          rest /= inside.extent[axis];
          stride *= whole.extent[axis];
        }
        states[2 * k + 1] = index;
      });
}

void reduce_split_keys(const device::Stream& stream, std::int64_t count, const std::int64_t* states,
                       std::int64_t* keys) {
  for_each(
      stream, "keys", count, KOKKOS_LAMBDA(const std::int64_t k) { keys[k] = states[2 * k]; });
}

void reduce_split_indices(const device::Stream& stream, std::int64_t count,
                          const std::int64_t* states, const std::int64_t* keys,
                          std::int64_t* indices) {
  for_each(
      stream, "indices", count, KOKKOS_LAMBDA(const std::int64_t k) {
        indices[k] = states[2 * k] == keys[k] ? states[2 * k + 1] : INT64_MAX;
      });
}

void reduce_join(const device::Stream& stream, std::int64_t count, const std::int64_t* keys,
                 const std::int64_t* indices, std::int64_t* states) {
  for_each(
      stream, "keys and indices", count, KOKKOS_LAMBDA(const std::int64_t k) {
        states[2 * k] = keys[k];
        states[2 * k + 1] = indices[k];
      });
}

}  // namespace tessera::kernels
