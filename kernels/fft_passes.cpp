// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fft_batch.hpp"

namespace tessera::kernels::fft_detail {

/// One Stockham pass (the formula stands in fft_block_passes.hpp), one
/// butterfly per index. Lines are numbered from `first_in` in the source and
/// from `first_out` in the target: work arrays hold a part.
template <class T>
struct Pass {
  Batch<const T> in;
  Batch<T> out;
  std::int64_t first_in = 0;
  std::int64_t first_out = 0;
  std::int64_t m = 1;
  std::int64_t s = 1;
  int radix = 1;
  const T* factors = nullptr;  ///< of this pass; the roots of a prime radix come before them
  const T* roots = nullptr;
  T scale = 1;  ///< of the last pass; as in LineJob
  const T* twiddles = nullptr;
  std::int64_t twiddle_row = 0;
  int twiddle_axis = 0;

  /// Writes element k of output j of butterfly (p, q).
  KOKKOS_INLINE_FUNCTION void conclude(std::int64_t line, std::int64_t at, std::int64_t k,
                                       Complex<T> value) const {
    if (scale != T(1)) value = {scale * value.re, scale * value.im};
    if (twiddles != nullptr) {
      const T* w = twiddles + 2 * (k * twiddle_row + out.index(line + first_out, twiddle_axis));
      value = times<T>(value, w[0], w[1]);
    }
    out.put(at + k * out.step, value);
  }

  template <class Small>
  KOKKOS_INLINE_FUNCTION void butterfly(std::int64_t i, Complex<T>* a, const Small& small) const {
    const std::int64_t line = i / (m * s);
    const std::int64_t rest = i - line * (m * s);
    const std::int64_t p = rest / s;
    const std::int64_t q = rest - p * s;
    const std::int64_t from = in.offset(line + first_in);
    const std::int64_t to = out.offset(line + first_out);
    for (int j = 0; j < radix; ++j)
      a[j] = in.template get<T>(from + (q + s * (p + m * j)) * in.step);
    small(a);
    for (int k = 0; k < radix; ++k) {
      if (p > 0 && k > 0) {
        const T* w = factors + 2 * ((radix - 1) * p + k - 1);
        a[k] = times<T>(a[k], w[0], w[1]);
      }
      conclude(line, to, q + s * (radix * p + k), a[k]);
    }
  }
};

template <class T, int R>
struct ButterflyPass {
  Pass<T> pass;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    Complex<T> a[R];
    pass.butterfly(i, a, [](Complex<T>* b) { Butterfly<R>::apply(b); });
  }
};

template <class T>
struct ButterflyPass<T, 1> {  // a line of one element: only the ends of the job
  Pass<T> pass;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    pass.conclude(i, pass.out.offset(i + pass.first_out), 0,
                  pass.in.template get<T>(pass.in.offset(i + pass.first_in)));
  }
};

template <class T>
struct PrimePass {
  Pass<T> pass;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    Complex<T> a[largest_radix];
    const TableRoots<T> roots{pass.roots};
    const int radix = pass.radix;
    pass.butterfly(i, a, [roots, radix](Complex<T>* b) {
      odd_transform<largest_radix / 2>(b, radix, radix / 2, roots);
    });
  }
};

template <class T, class Kernel>
void launch(const device::Stream& stream, std::int64_t n, const Kernel& kernel) {
  on_space(stream,
           [&](const auto& space) { Kokkos::parallel_for("fft pass", range(space, n), kernel); });
}

template <class T>
void launch_pass(const device::Stream& stream, std::int64_t lines, const Pass<T>& pass) {
  const std::int64_t n = lines * pass.m * pass.s;
  switch (pass.radix) {
    case 1:
      return launch<T>(stream, n, ButterflyPass<T, 1>{pass});
    case 2:
      return launch<T>(stream, n, ButterflyPass<T, 2>{pass});
    case 3:
      return launch<T>(stream, n, ButterflyPass<T, 3>{pass});
    case 4:
      return launch<T>(stream, n, ButterflyPass<T, 4>{pass});
    case 5:
      return launch<T>(stream, n, ButterflyPass<T, 5>{pass});
    case 7:
      return launch<T>(stream, n, ButterflyPass<T, 7>{pass});
    case 8:
      return launch<T>(stream, n, ButterflyPass<T, 8>{pass});
    case 11:
      return launch<T>(stream, n, ButterflyPass<T, 11>{pass});
    case 13:
      return launch<T>(stream, n, ButterflyPass<T, 13>{pass});
    case 16:
      return launch<T>(stream, n, ButterflyPass<T, 16>{pass});
    default:
      return launch<T>(stream, n, PrimePass<T>{pass});
  }
}

/// All passes over `count` lines from number `first`.
template <class T>
void run_part(const device::Stream& stream, const FftNode& node, const T* table,
              const LineJob<T>& job, std::int64_t first, std::int64_t count, T* work) {
  const std::int64_t n = node.length;
  const auto work_lines = [&](int which) {
    T* begin = work + which * 2 * n * count;
    return Lines<T>{begin, begin + 1, 2, {2 * n}};
  };
  const int passes = std::max<int>(1, static_cast<int>(node.radices.size()));
  Pass<T> pass;
  pass.m = n;
  pass.factors = table;
  for (int i = 0; i < passes; ++i) {
    const bool last = i + 1 == passes;
    pass.radix = n == 1 ? 1 : node.radices[i];
    pass.m /= pass.radix;
    pass.roots = pass.factors;
    const bool table_roots = pass.radix > 1 && !fft_has_butterfly(pass.radix);
    if (table_roots) pass.factors += 2 * pass.radix;
    pass.in = i == 0 ? make_batch(job.extents, job.in)
                     : make_batch<const T>({count}, constant(work_lines((i - 1) % 2)));
    pass.first_in = i == 0 ? first : 0;
    pass.out = last ? make_batch(job.extents, job.out) : make_batch({count}, work_lines(i % 2));
    pass.first_out = last ? first : 0;
    if (last) {
      pass.scale = job.scale;
      pass.twiddles = job.twiddles;
      pass.twiddle_row = job.twiddle_row;
      pass.twiddle_axis = job.twiddle_axis;
    }
    launch_pass(stream, count, pass);
    pass.factors += 2 * pass.m * (pass.radix - 1);
    pass.s *= pass.radix;
  }
}

template <class T>
void run_passes(const device::Stream& stream, const Tables<T>& tables, int index,
                const LineJob<T>& job, T* work, std::int64_t capacity) {
  const FftNode& node = tables.node(index);
  const std::int64_t batch = std::max<std::int64_t>(1, capacity / node.length);
  for (std::int64_t first = 0; first < job.lines(); first += batch) {
    run_part(stream, node, tables.of(node), job, first, std::min(batch, job.lines() - first), work);
  }
}

template void run_passes(const device::Stream&, const Tables<float>&, int, const LineJob<float>&,
                         float*, std::int64_t);
template void run_passes(const device::Stream&, const Tables<double>&, int, const LineJob<double>&,
                         double*, std::int64_t);

}  // namespace tessera::kernels::fft_detail
