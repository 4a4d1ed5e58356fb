// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines in and out of a block: element e of the block is a vector of real parts
// at 2 e and a vector of imaginary parts at 2 e + 1, a lane per line.
#include <algorithm>

#include "fft_lines.hpp"
#include "fft_simd.hpp"

namespace tessera::kernels::fft_detail {

/// The lines of one block. Lanes beyond `count` repeat the first line and are
/// never written.
template <class T>
struct Group {
  static constexpr int width = lanes<T>;
  int count = 0;
  std::int64_t in[width];
  std::int64_t out[width];
  std::int64_t twiddle[width];  ///< the index along the job's twiddle axis
  std::int64_t in_stride = 0;   ///< between neighbouring lanes; 0 where they are not evenly spaced
  std::int64_t out_stride = 0;
  bool twiddles_ascend = false;  ///< by one from lane to lane
  bool twiddles_equal = false;

  void place(const LineJob<T>& job, std::int64_t first);

 private:
  static std::int64_t even_stride(const std::int64_t* offsets, int used);
};

template <class T>
std::int64_t Group<T>::even_stride(const std::int64_t* offsets, int used) {
  if (used < width) return 0;
  const std::int64_t stride = offsets[1] - offsets[0];
  for (int i = 2; i < width; ++i) {
    if (offsets[i] - offsets[i - 1] != stride) return 0;
  }
  return stride;
}

template <class T>
void Group<T>::place(const LineJob<T>& job, std::int64_t first) {
  const int axes = job.extents.size();
  Index index = Extents::filled(axes, 0);
  std::int64_t rest = first;
  for (int axis = axes - 1; axis >= 0; --axis) {
    index[axis] = rest % job.extents[axis];
    rest /= job.extents[axis];
  }
  count = static_cast<int>(std::min<std::int64_t>(width, job.lines() - first));
  for (int i = 0; i < width; ++i) {
    if (i >= count) {
      in[i] = in[0];
      out[i] = out[0];
      twiddle[i] = twiddle[0];
      continue;
    }
    in[i] = out[i] = 0;
    for (int axis = 0; axis < axes; ++axis) {
      in[i] += index[axis] * job.in.strides[axis];
      out[i] += index[axis] * job.out.strides[axis];
    }
    twiddle[i] = axes > 0 ? index[job.twiddle_axis] : 0;
    for (int axis = axes - 1; axis >= 0; --axis) {  // the next line
      if (++index[axis] < job.extents[axis]) break;
      index[axis] = 0;
    }
  }
  in_stride = even_stride(in, count);
  out_stride = even_stride(out, count);
  twiddles_ascend = twiddles_equal = true;
  for (int i = 1; i < width; ++i) {
    twiddles_ascend = twiddles_ascend && twiddle[i] == twiddle[0] + i;
    twiddles_equal = twiddles_equal && twiddle[i] == twiddle[0];
  }
}

/// 1 for parts that alternate re, im; -1 for im, re; 0 otherwise.
template <class T>
int alternation(const Lines<T>& lines) {
  if (lines.re == nullptr || lines.im == nullptr) return 0;
  return lines.im == lines.re + 1 ? 1 : lines.re == lines.im + 1 ? -1 : 0;
}

/// Lines of neighbouring memory: the vectors lie in memory as they are needed.
template <class T>
void load_adjacent(const Group<T>& group, const Lines<const T>& lines, std::int64_t n,
                   vector_t<T>* block) {
  using V = vector_t<T>;
  const T* re = lines.re == nullptr ? nullptr : lines.re + group.in[0];
  const T* im = lines.im == nullptr ? nullptr : lines.im + group.in[0];
  for (std::int64_t e = 0; e < n; ++e) {
    block[2 * e] = re == nullptr ? V{} : load_vector(re + e * lines.step);
    block[2 * e + 1] = im == nullptr ? V{} : load_vector(im + e * lines.step);
  }
}

/// Neighbouring lines whose parts alternate.
template <class T, int Order>
void load_alternating(const Group<T>& group, const T* from, std::int64_t step, std::int64_t n,
                      vector_t<T>* block) {
  from += group.in[0];
  for (std::int64_t e = 0; e < n; ++e, from += step) {
    // The next group's lines lie beside these: far steps defeat the hardware's own prefetching.
    __builtin_prefetch(from + 2 * lanes<T>);
    __builtin_prefetch(from + 3 * lanes<T>);
    const vector_t<T> low = load_vector(from);
    const vector_t<T> high = load_vector(from + lanes<T>);
    block[2 * e + (Order < 0)] = shuffle<T, EveryOther<0>>(low, high);
    block[2 * e + (Order > 0)] = shuffle<T, EveryOther<1>>(low, high);
  }
}

/// Dense lines, anywhere: squares of values are transposed in registers.
/// `Order` as in `alternation`; with 0 the values are real parts only (2:
/// imaginary parts only). Returns the elements that were done.
template <class T, int Order>
std::int64_t load_dense(const Group<T>& group, const T* from, std::int64_t n, vector_t<T>* block) {
  constexpr int w = lanes<T>;
  constexpr bool pairs = Order == 1 || Order == -1;
  constexpr int step = pairs ? w / 2 : w;
  std::int64_t e = 0;
  for (; e + step <= n; e += step) {
    vector_t<T> square[w];
    for (int i = 0; i < w; ++i) square[i] = load_vector(from + group.in[i] + (pairs ? 2 : 1) * e);
    transpose<T>(square);
    for (int i = 0; i < w; ++i) {
      if constexpr (pairs) {
        block[2 * e + (Order > 0 ? i : i ^ 1)] = square[i];
      } else {
        block[2 * (e + i) + (Order == 2)] = square[i];
        block[2 * (e + i) + (Order != 2)] = vector_t<T>{};
      }
    }
  }
  return e;
}

template <class T>
void load_scattered(const Group<T>& group, const Lines<const T>& lines, std::int64_t begin,
                    std::int64_t n, vector_t<T>* block) {
  for (std::int64_t e = begin; e < n; ++e) {
    vector_t<T> re{};
    vector_t<T> im{};
    for (int i = 0; i < lanes<T>; ++i) {
      if (lines.re != nullptr) re[i] = lines.re[group.in[i] + e * lines.step];
      if (lines.im != nullptr) im[i] = lines.im[group.in[i] + e * lines.step];
    }
    block[2 * e] = re;
    block[2 * e + 1] = im;
  }
}

/// The first n elements of the group's lines.
template <class T>
void load(const Group<T>& group, const Lines<const T>& lines, std::int64_t n, vector_t<T>* block) {
  const int order = alternation(lines);
  if (group.in_stride == 1 && order == 0) return load_adjacent(group, lines, n, block);
  if (group.in_stride == 2 && order == 1)
    return load_alternating<T, 1>(group, lines.re, lines.step, n, block);
  if (group.in_stride == 2 && order == -1)
    return load_alternating<T, -1>(group, lines.im, lines.step, n, block);
  std::int64_t done = 0;
  if (lines.step == 2 && order == 1) done = load_dense<T, 1>(group, lines.re, n, block);
  if (lines.step == 2 && order == -1) done = load_dense<T, -1>(group, lines.im, n, block);
  if (lines.step == 1 && lines.im == nullptr) done = load_dense<T, 0>(group, lines.re, n, block);
  if (lines.step == 1 && lines.re == nullptr) done = load_dense<T, 2>(group, lines.im, n, block);
  load_scattered(group, lines, done, n, block);
}

template <class T>
void store_adjacent(const Group<T>& group, const Lines<T>& lines, std::int64_t n,
                    const vector_t<T>* block) {
  T* re = lines.re == nullptr ? nullptr : lines.re + group.out[0];
  T* im = lines.im == nullptr ? nullptr : lines.im + group.out[0];
  for (std::int64_t e = 0; e < n; ++e) {
    if (re != nullptr) store_vector(re + e * lines.step, block[2 * e]);
    if (im != nullptr) store_vector(im + e * lines.step, block[2 * e + 1]);
  }
}

template <class T, int Order>
void store_alternating(const Group<T>& group, T* to, std::int64_t step, std::int64_t n,
                       const vector_t<T>* block) {
  constexpr int w = lanes<T>;
  to += group.out[0];
  for (std::int64_t e = 0; e < n; ++e, to += step) {
    const vector_t<T> first = block[2 * e + (Order < 0)];
    const vector_t<T> second = block[2 * e + (Order > 0)];
    store_vector(to, shuffle<T, Interleave<w, 0>>(first, second));
    store_vector(to + w, shuffle<T, Interleave<w, 1>>(first, second));
  }
}

template <class T, int Order>
std::int64_t store_dense(const Group<T>& group, T* to, std::int64_t n, const vector_t<T>* block) {
  constexpr int w = lanes<T>;
  constexpr bool pairs = Order == 1 || Order == -1;
  constexpr int step = pairs ? w / 2 : w;
  std::int64_t e = 0;
  for (; e + step <= n; e += step) {
    vector_t<T> square[w];
    for (int i = 0; i < w; ++i) {
      square[i] =
          pairs ? block[2 * e + (Order > 0 ? i : i ^ 1)] : block[2 * (e + i) + (Order == 2)];
    }
    transpose<T>(square);
    T* line = to + (pairs ? 2 : 1) * e;
    if (group.count == w) {
      for (int i = 0; i < w; ++i) store_vector(line + group.out[i], square[i]);
    } else {
      for (int i = 0; i < group.count; ++i) store_vector(line + group.out[i], square[i]);
    }
  }
  return e;
}

template <class T>
void store_scattered(const Group<T>& group, const Lines<T>& lines, std::int64_t begin,
                     std::int64_t n, const vector_t<T>* block) {
  for (std::int64_t e = begin; e < n; ++e) {
    for (int i = 0; i < group.count; ++i) {
      if (lines.re != nullptr) lines.re[group.out[i] + e * lines.step] = block[2 * e][i];
      if (lines.im != nullptr) lines.im[group.out[i] + e * lines.step] = block[2 * e + 1][i];
    }
  }
}

template <class T>
void store(const Group<T>& group, const Lines<T>& lines, std::int64_t n, const vector_t<T>* block) {
  const int order = alternation(lines);
  if (group.out_stride == 1 && order == 0) return store_adjacent(group, lines, n, block);
  if (group.out_stride == 2 && order == 1)
    return store_alternating<T, 1>(group, lines.re, lines.step, n, block);
  if (group.out_stride == 2 && order == -1)
    return store_alternating<T, -1>(group, lines.im, lines.step, n, block);
  std::int64_t done = 0;
  if (lines.step == 2 && order == 1) done = store_dense<T, 1>(group, lines.re, n, block);
  if (lines.step == 2 && order == -1) done = store_dense<T, -1>(group, lines.im, n, block);
  if (lines.step == 1 && lines.im == nullptr) done = store_dense<T, 0>(group, lines.re, n, block);
  if (lines.step == 1 && lines.re == nullptr) done = store_dense<T, 2>(group, lines.im, n, block);
  store_scattered(group, lines, done, n, block);
}

/// Multiplies element k of each line by the job's factor for it.
template <class T>
void apply_twiddles(const Group<T>& group, const LineJob<T>& job, std::int64_t n,
                    vector_t<T>* block) {
  using V = vector_t<T>;
  for (std::int64_t k = 0; k < n; ++k) {
    const T* w = job.twiddles + 2 * k * job.twiddle_row;
    V wr{};
    V wi{};
    if (group.twiddles_ascend) {
      const V low = load_vector(w + 2 * group.twiddle[0]);
      const V high = load_vector(w + 2 * group.twiddle[0] + lanes<T>);
      wr = shuffle<T, EveryOther<0>>(low, high);
      wi = shuffle<T, EveryOther<1>>(low, high);
    } else if (group.twiddles_equal) {
      wr = splat<V>(w[2 * group.twiddle[0]]);
      wi = splat<V>(w[2 * group.twiddle[0] + 1]);
    } else {
      for (int i = 0; i < lanes<T>; ++i) {
        wr[i] = w[2 * group.twiddle[i]];
        wi[i] = w[2 * group.twiddle[i] + 1];
      }
    }
    const Complex<V> product = times<V>({block[2 * k], block[2 * k + 1]}, wr, wi);
    block[2 * k] = product.re;
    block[2 * k + 1] = product.im;
  }
}

}  // namespace tessera::kernels::fft_detail
