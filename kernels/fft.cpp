// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "fft.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fft_transformer.hpp"

namespace tessera::kernels {

namespace {

using namespace fft_detail;

RealPart real_part(const FftPlan& plan) {
  switch (plan.kind) {
    case FftKind::complex:
      return RealPart::none;
    case FftKind::real_to_complex:
      return plan.halved() ? RealPart::split_pairs : RealPart::first_half;
    case FftKind::complex_to_real:
      return plan.halved() ? RealPart::merge_pairs : RealPart::hermitian;
  }
  return RealPart::none;
}

/// The lines of a tile along `axis`, in the order of memory, neighbouring axes
/// of both tiles merged.
struct LineShape {
  Extents extents, in, out;  // strides in elements of the tiles
};

LineShape lines_of(const Tile& in, const Tile& out, int axis) {
  LineShape shape;
  for (int a = 0; a < in.extent().size(); ++a) {
    if (a == axis || in.extent()[a] == 1) continue;
    const std::int64_t extent = in.extent()[a];
    const int last = shape.extents.size() - 1;
    if (last >= 0 && shape.in[last] == extent * in.strides[a] &&
        shape.out[last] == extent * out.strides[a]) {
      shape.extents[last] *= extent;
      shape.in[last] = in.strides[a];
      shape.out[last] = out.strides[a];
    } else {
      shape.extents.push_back(extent);
      shape.in.push_back(in.strides[a]);
      shape.out.push_back(out.strides[a]);
    }
  }
  if (shape.extents.empty()) {
    shape.extents = {1};
    shape.in = shape.out = {0};
  }
  return shape;
}

Strides times(const Strides& strides, std::int64_t factor) {
  Strides result = strides;
  for (int i = 0; i < result.size(); ++i) result[i] *= factor;
  return result;
}

/// Elements of a complex tile; those of a real tile, or its pairs of
/// neighbours.
template <class T>
Lines<T> view(T* data, bool complex, bool pairs, std::int64_t stride, const Strides& lines) {
  if (complex) return {data, data + 1, 2 * stride, times(lines, 2)};
  if (pairs) return {data, data + stride, 2 * stride, lines};
  return {data, nullptr, stride, lines};
}

template <class T>
void transform(const device::Stream& stream, const FftPlan& plan, const FftJob& job, const Tile& in,
               const Tile& out) {
  const LineShape shape = lines_of(in, out, job.axis);
  LineJob<T> lines;
  lines.extents = shape.extents;
  lines.scale = static_cast<T>(job.scale);
  lines.real = real_part(plan);
  lines.in = view<const T>(in.as<const T>(), is_complex(in.dtype),
                           lines.real == RealPart::split_pairs, in.strides[job.axis], shape.in);
  lines.out = view<T>(out.as<T>(), is_complex(out.dtype), lines.real == RealPart::merge_pairs,
                      out.strides[job.axis], shape.out);
  if (plan.kind == FftKind::complex_to_real) {
    lines.out = lines.out.swapped();
  } else if (plan.kind == FftKind::complex && job.inverse) {
    lines.in = lines.in.swapped();
    lines.out = lines.out.swapped();
  }
  const Means means{stream.backend, job.portable, job.threads};
  Transformer<T>(stream, {&plan, static_cast<const T*>(job.table)}, means)
      .run(0, lines, static_cast<std::byte*>(job.scratch));
}

}  // namespace

std::int64_t fft_table_bytes(const FftPlan& plan, DType real) {
  return plan.table_elements * 2 * size_of(real);
}

std::int64_t fft_scratch_bytes(const FftPlan& plan, DType real, std::int64_t lines,
                               device::Backend backend, int threads, bool portable) {
  if (lines == 0) return 0;
  return scratch_bytes(plan, 0, real_part(plan), lines, size_of(real),
                       {backend, portable, threads});
}

double fft_flops(const FftPlan& plan, std::int64_t lines) {
  const double n = static_cast<double>(plan.length);
  const double per_line = 5 * n * std::log2(n) * (plan.kind == FftKind::complex ? 1 : 0.5);
  return per_line * static_cast<double>(lines);
}

void fft(const device::Stream& stream, const FftPlan& plan, const FftJob& job, const Tile& in,
         const Tile& out) {
  if (in.elements() == 0 || out.elements() == 0) return;
  const std::int64_t half = plan.length / 2 + 1;
  require(
      in.extent()[job.axis] == (plan.kind == FftKind::complex_to_real ? half : plan.length) &&
          out.extent()[job.axis] == (plan.kind == FftKind::real_to_complex ? half : plan.length),
      "the tiles of an FFT have the plan's length");
  if (real_of(out.dtype) == DType::float32) {
    transform<float>(stream, plan, job, in, out);
  } else {
    transform<double>(stream, plan, job, in, out);
  }
}

}  // namespace tessera::kernels
