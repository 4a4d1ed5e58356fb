// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "fft_sweeps.hpp"

#include <algorithm>

#include "fft_batch.hpp"

namespace tessera::kernels::fft_detail {

/// The lines of a job; `at_in(line)` and `at_out(line)` are taken once per run
/// of elements.
template <class T>
struct Ends {
  Batch<const T> in;
  Batch<T> out;
  const T* factors = nullptr;
  std::int64_t n = 0;
  T scale = 1;

  KOKKOS_INLINE_FUNCTION Complex<T> get(std::int64_t begin, std::int64_t k) const {
    return in.template get<T>(begin + k * in.step);
  }
  KOKKOS_INLINE_FUNCTION Complex<T> got(std::int64_t begin, std::int64_t k) const {
    return {out.re[begin + k * out.step], out.im[begin + k * out.step]};
  }
  KOKKOS_INLINE_FUNCTION void put(std::int64_t begin, std::int64_t k,
                                  const Complex<T>& value) const {
    out.put(begin + k * out.step, value);
  }
  KOKKOS_INLINE_FUNCTION Complex<T> times_factor(const Complex<T>& value, std::int64_t k) const {
    return times<T>(value, factors[2 * k], factors[2 * k + 1]);
  }
};

template <class T>
struct TwiddleSweep {
  Ends<T> ends;
  std::int64_t row;
  int axis;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t line, std::int64_t, std::int64_t to,
                                         std::int64_t k) const {
    ends.put(to, k, ends.times_factor(ends.got(to, k), k * row + ends.out.index(line, axis)));
  }
};

template <class T>
struct ChirpSweep {
  Ends<T> ends;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t, std::int64_t from, std::int64_t to,
                                         std::int64_t k) const {
    ends.put(to, k, k < ends.n ? ends.times_factor(ends.get(from, k), k) : Complex<T>{T(0), T(0)});
  }
};

template <class T>
struct SpectrumSweep {
  Ends<T> ends;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t, std::int64_t, std::int64_t to,
                                         std::int64_t k) const {
    const Complex<T> product = ends.times_factor(ends.got(to, k), k);
    ends.put(to, k, {product.im, product.re});
  }
};

template <class T>
struct ChirpBackSweep {
  Ends<T> ends;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t, std::int64_t from, std::int64_t to,
                                         std::int64_t k) const {
    const Complex<T> value = ends.get(from, k);
    Complex<T> product = ends.times_factor({value.im, value.re}, k);
    if (ends.scale != T(1)) product = {ends.scale * product.re, ends.scale * product.im};
    ends.put(to, k, product);
  }
};

template <class T>
struct SplitSweep {
  Ends<T> ends;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t, std::int64_t from, std::int64_t to,
                                         std::int64_t k) const {
    const Complex<T> z = ends.get(from, k == ends.n ? 0 : k);
    const Complex<T> mirror = ends.get(from, k == 0 ? 0 : ends.n - k);
    const T* w = ends.factors + 2 * k;
    ends.put(to, k, split_pair<T>(z, mirror, w[0], w[1], ends.scale * T(0.5)));
  }
};

template <class T>
struct MergeSweep {
  Ends<T> ends;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t, std::int64_t from, std::int64_t to,
                                         std::int64_t k) const {
    Complex<T> x = ends.get(from, k);
    Complex<T> mirror = ends.get(from, ends.n - k);
    if (k == 0) x.im = mirror.im = T(0);
    const T* w = ends.factors + 2 * k;
    const Complex<T> merged = merge_pair<T>(x, mirror, w[0], w[1]);
    ends.put(to, k, {merged.im, merged.re});
  }
};

template <class T>
struct CopySweep {
  Ends<T> ends;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t, std::int64_t from, std::int64_t to,
                                         std::int64_t k) const {
    Complex<T> value = ends.get(from, k);
    if (ends.scale != T(1)) value = {ends.scale * value.re, ends.scale * value.im};
    ends.put(to, k, value);
  }
};

template <class T>
struct MirrorSweep {
  Ends<T> ends;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t, std::int64_t from, std::int64_t to,
                                         std::int64_t k) const {
    Complex<T> value = ends.get(from, 2 * k > ends.n ? ends.n - k : k);
    if (k == 0) value.im = T(0);
    if (2 * k > ends.n) value.im = -value.im;
    ends.put(to, k, {value.im, value.re});
  }
};

/// Runs of elements of one line per index: long ones on the host, single
/// elements on a GPU.
template <class T, template <class> class Sweep>
struct Runs {
  Sweep<T> sweep;
  std::int64_t elements, run, per_line;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t line = i / per_line;
    const std::int64_t begin = (i - line * per_line) * run;
    const std::int64_t end = begin + run < elements ? begin + run : elements;
    const std::int64_t from = sweep.ends.in.offset(line);
    const std::int64_t to = sweep.ends.out.offset(line);
    for (std::int64_t k = begin; k < end; ++k) sweep(line, from, to, k);
  }
};

template <class T, template <class> class Sweep>
void over_elements(const device::Stream& stream, std::int64_t lines, std::int64_t elements,
                   const Sweep<T>& sweep) {
  const std::int64_t run = stream.backend == device::Backend::host ? 1024 : 1;
  const std::int64_t per_line = (elements + run - 1) / run;
  const Runs<T, Sweep> runs{sweep, elements, run, per_line};
  on_space(stream, [&](const auto& space) {
    Kokkos::parallel_for("fft sweep", range(space, lines * per_line), runs);
  });
}

template <class T>
Ends<T> ends_of(const LineJob<T>& job, std::int64_t n, const T* factors) {
  return {make_batch(job.extents, job.in), make_batch(job.extents, job.out), factors, n, job.scale};
}

template <class T>
void Sweeps<T>::twiddle(const LineJob<T>& job, std::int64_t n) const {
  const TwiddleSweep<T> sweep{ends_of(job, n, job.twiddles), job.twiddle_row, job.twiddle_axis};
  over_elements<T>(stream, job.lines(), n, sweep);
}

template <class T>
void Sweeps<T>::chirp(const LineJob<T>& job, std::int64_t n, std::int64_t padded,
                      const T* factors) const {
  over_elements<T>(stream, job.lines(), padded, ChirpSweep<T>{ends_of(job, n, factors)});
}

template <class T>
void Sweeps<T>::spectrum(const LineJob<T>& job, std::int64_t n, const T* factors) const {
  over_elements<T>(stream, job.lines(), n, SpectrumSweep<T>{ends_of(job, n, factors)});
}

template <class T>
void Sweeps<T>::chirp_back(const LineJob<T>& job, std::int64_t n, const T* factors) const {
  over_elements<T>(stream, job.lines(), n, ChirpBackSweep<T>{ends_of(job, n, factors)});
}

template <class T>
void Sweeps<T>::split_pairs(const LineJob<T>& job, std::int64_t n, const T* roots) const {
  over_elements<T>(stream, job.lines(), n + 1, SplitSweep<T>{ends_of(job, n, roots)});
}

template <class T>
void Sweeps<T>::merge_pairs(const LineJob<T>& job, std::int64_t n, const T* roots) const {
  over_elements<T>(stream, job.lines(), n, MergeSweep<T>{ends_of(job, n, roots)});
}

template <class T>
void Sweeps<T>::copy(const LineJob<T>& job, std::int64_t n) const {
  over_elements<T>(stream, job.lines(), n, CopySweep<T>{ends_of<T>(job, n, nullptr)});
}

template <class T>
void Sweeps<T>::mirror(const LineJob<T>& job, std::int64_t n) const {
  over_elements<T>(stream, job.lines(), n, MirrorSweep<T>{ends_of<T>(job, n, nullptr)});
}

template struct Sweeps<float>;
template struct Sweeps<double>;

}  // namespace tessera::kernels::fft_detail
