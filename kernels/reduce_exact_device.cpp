// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Exact reductions on a GPU: pairs of float64 in registers, limbs behind them.
#include "reduce_exact_kinds.hpp"
#include "reduce_launch.hpp"

namespace tessera::kernels {

#ifdef KOKKOS_ENABLE_CUDA
namespace {

/// Adds `value` to the pair; what doesn't fit goes to the state.
KOKKOS_INLINE_FUNCTION void add_or_deposit(exact::Pair& pair, std::int64_t* state,
                                           const exact::Grid& grid, double value) {
  const exact::Pair before = pair;
  const double rest = pair.add(value);
  if (rest == 0.0) return;
  if (rest - rest == 0.0 && pair.high - pair.high == 0.0) {
    exact::deposit(state, grid, rest);
    return;
  }
  pair = before;  // infinite, NaN, or the sum would overflow
  exact::deposit(state, grid, value);
}

KOKKOS_INLINE_FUNCTION void add_product_or_deposit(exact::Pair& pair, std::int64_t* state, double a,
                                                   double b) {
  double p = 0.0;
  double error = 0.0;
  const bool safe = exact::product_parts(a, b, p, error);
  if (safe && fabs(p) <= 0x1p1000) {
    add_or_deposit(pair, state, exact::product_grid(), p);
    if (error != 0.0) add_or_deposit(pair, state, exact::product_grid(), error);
  } else {
    exact::deposit_product(state, a, b);
  }
}

/// GPU: thread (k, chunk) takes elements chunk, chunk + chunks, ... of result k, by pairs with
/// limbs behind them.
template <class T, ExactKind Kind, bool Ignore>
struct ExactThread {
  using R = real_t<T>;
  static constexpr bool complex = is_complex_type<T>;
  static constexpr exact::Grid grid =
      Kind == ExactKind::values ? exact::value_grid() : exact::product_grid();
  static constexpr int components = complex && Kind != ExactKind::squares ? 2 : 1;

  PartView<T> part;
  std::int64_t chunks;
  std::int64_t* partial;

  KOKKOS_INLINE_FUNCTION void add(exact::Pair* pairs, std::int64_t* state, std::int64_t i) const {
    if (Ignore && (is_nan_element(part.x, i) || (part.y != nullptr && is_nan_element(part.y, i))))
      return;
    const exact::Grid where = grid;
    std::int64_t* second = state + where.words();
    const R* a = reinterpret_cast<const R*>(part.x) + (complex ? 2 * i : i);
    const double re = static_cast<double>(a[0]);
    const double im = complex ? static_cast<double>(a[complex ? 1 : 0]) : 0.0;
    if (Kind == ExactKind::values) {
      add_or_deposit(pairs[0], state, where, re);
      if (complex) add_or_deposit(pairs[1], second, where, im);
    } else if (Kind == ExactKind::squares) {
      add_product_or_deposit(pairs[0], state, re, re);
      if (complex) add_product_or_deposit(pairs[0], state, im, im);
    } else {
      const R* b = reinterpret_cast<const R*>(part.y) + (complex ? 2 * i : i);
      const double other = static_cast<double>(b[0]);
      add_product_or_deposit(pairs[0], state, re, other);
      if (complex) {
        const double other_im = static_cast<double>(b[complex ? 1 : 0]);
        add_product_or_deposit(pairs[0], state, im, other_im);
        add_product_or_deposit(pairs[1], second, re, other_im);
        add_product_or_deposit(pairs[1], second, -im, other);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t task) const {
    const exact::Grid where = grid;
    std::int64_t* state = partial + task * components * where.words();
    for (std::int64_t w = 0; w < components * where.words(); ++w) state[w] = 0;
    exact::Pair pairs[2];
    const std::int64_t offset = part.kept.at(part.first + task % part.count);
    std::int64_t pending = 0;
    for (std::int64_t r = task / part.count; r < part.elements; r += chunks) {
      add(pairs, state, offset + part.reduced.at(r));
      if (++pending % (1 << 18) == 0) {
        for (int c = 0; c < components; ++c) exact::carry(state + c * where.words(), where.limbs);
      }
    }
    for (int c = 0; c < components; ++c) {
      std::int64_t* own = state + c * where.words();
      exact::deposit(own, where, pairs[c].high);
      if (pairs[c].low != 0.0) exact::deposit(own, where, pairs[c].low);
      exact::carry(own, where.limbs);
    }
  }
};

template <class T, ExactKind Kind, bool Ignore>
void exact_on_device(const device::Stream& stream, const PartView<T>& part, std::int64_t* states,
                     const Scratch& scratch) {
  using Thread = ExactThread<T, Kind, Ignore>;
  constexpr std::int64_t wanted = 1 << 14;
  constexpr std::int64_t words = Thread::grid.words();
  const std::int64_t fitting = scratch.bytes / (8 * Thread::components * words);
  const std::int64_t chunks = std::max<std::int64_t>(
      1, std::min({part.elements / 64, wanted / part.count, fitting / part.count}));
  std::int64_t* const partial = chunks > 1 ? static_cast<std::int64_t*>(scratch.data) : states;
  for_each(stream, "exact reduction", part.count * chunks, Thread{part, chunks, partial});
  if (chunks == 1) return;
  const std::int64_t number = part.count * Thread::components;
  for_each(stream, "merge exact sums", number,
           MergeChunks{words, Thread::grid.limbs, number, chunks, partial, states});
}

}  // namespace
#endif

template <class T>
void exact_device_parts(const device::Stream& stream, const ReduceTask& task,
                        const PartView<T>& part, std::int64_t* states, const Scratch& scratch) {
#ifdef KOKKOS_ENABLE_CUDA
  visit_exact_kind(task.what, [&]<ExactKind Kind>(std::integral_constant<ExactKind, Kind>) {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (Kind == ExactKind::squares) {
        exact_on_device<T, Kind, false>(stream, part, states, scratch);
      }
    } else if (task.ignore_nan) {
      exact_on_device<T, Kind, true>(stream, part, states, scratch);
    } else {
      exact_on_device<T, Kind, false>(stream, part, states, scratch);
    }
  });
#else
  (void)stream, (void)task, (void)part, (void)states, (void)scratch;
  require(false, "a build without CUDA has no device stream");
#endif
}

template void exact_device_parts(const device::Stream&, const ReduceTask&,
                                 const PartView<std::uint8_t>&, std::int64_t*, const Scratch&);
template void exact_device_parts(const device::Stream&, const ReduceTask&,
                                 const PartView<std::int32_t>&, std::int64_t*, const Scratch&);
template void exact_device_parts(const device::Stream&, const ReduceTask&,
                                 const PartView<std::int64_t>&, std::int64_t*, const Scratch&);
template void exact_device_parts(const device::Stream&, const ReduceTask&, const PartView<float>&,
                                 std::int64_t*, const Scratch&);
template void exact_device_parts(const device::Stream&, const ReduceTask&, const PartView<double>&,
                                 std::int64_t*, const Scratch&);
template void exact_device_parts(const device::Stream&, const ReduceTask&,
                                 const PartView<std::complex<float>>&, std::int64_t*,
                                 const Scratch&);
template void exact_device_parts(const device::Stream&, const ReduceTask&,
                                 const PartView<std::complex<double>>&, std::int64_t*,
                                 const Scratch&);

}  // namespace tessera::kernels
