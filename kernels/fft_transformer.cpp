// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "fft_transformer.hpp"

#include <algorithm>
#include <cstdlib>

namespace tessera::kernels::fft_detail {

namespace {

// Complex numbers that are worked on at a time between the steps of a node:
// half of a core's second-level cache; on a GPU enough to fill it.
constexpr std::int64_t host_portion = std::int64_t{1} << 15;
constexpr std::int64_t device_portion = std::int64_t{1} << 22;

std::int64_t portion(const Means& means) { return means.blocks() ? host_portion : device_portion; }

/// Lines of `length` that a node takes at a time, out of `lines`: at least
/// enough to fill vectors with `inner` lines made of each.
std::int64_t lines_at_a_time(const Means& means, std::int64_t length, std::int64_t inner,
                             std::int64_t lines) {
  const std::int64_t full = (block_lanes<float>() + inner - 1) / inner;
  const std::int64_t wanted = std::max({std::int64_t{1}, portion(means) / length, full});
  return std::max<std::int64_t>(1, std::min(wanted, lines));
}

std::int64_t capacity_of_passes(const Means& means, std::int64_t length, std::int64_t lines) {
  return length * std::max<std::int64_t>(1, std::min(lines, portion(means) / length));
}

std::int64_t aligned(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

bool is_leaf(const FftPlan& plan, int node, RealPart real, const Means& means) {
  if (means.blocks()) return fits_block(plan, node);
  return real == RealPart::none && plan.nodes[node].kind == FftNode::Kind::direct;
}

/// Calls f(part, count, first): the job's lines in parts of at most `most`
/// along the last axis, whose extent is then `count`, and which is the only
/// one.
template <class T, class F>
void for_parts(const LineJob<T>& job, std::int64_t most, const F& f) {
  const int last = job.extents.size() - 1;
  const std::int64_t inner = job.extents[last];
  const std::int64_t outer = inner == 0 ? 0 : job.lines() / inner;
  for (std::int64_t i = 0; i < outer; ++i) {
    std::int64_t rest = i;
    std::int64_t in = 0;
    std::int64_t out = 0;
    for (int axis = last - 1; axis >= 0; --axis) {
      const std::int64_t index = rest % job.extents[axis];
      rest /= job.extents[axis];
      in += index * job.in.strides[axis];
      out += index * job.out.strides[axis];
    }
    const std::int64_t in_stride = job.in.strides[last];
    const std::int64_t out_stride = job.out.strides[last];
    for (std::int64_t first = 0; first < inner; first += most) {
      LineJob<T> part = job;
      part.extents = {std::min(most, inner - first)};
      part.in = job.in.offset(in + first * in_stride);
      part.out = job.out.offset(out + first * out_stride);
      part.in.strides = {in_stride};
      part.out.strides = {out_stride};
      f(part);
    }
  }
}

template <class T>
Lines<T> complex_lines(std::byte* begin, std::int64_t step, Strides strides) {
  T* data = reinterpret_cast<T*>(begin);
  return {data, data + 1, step, strides};
}

}  // namespace

std::int64_t scratch_bytes(const FftPlan& plan, int index, RealPart real, std::int64_t lines,
                           std::int64_t size_of_real, const Means& means) {
  const FftNode& node = plan.nodes[index];
  if (is_leaf(plan, index, real, means)) {
    return means.blocks()
               ? aligned(means.threads * block_bytes(plan, index))
               : aligned(4 * capacity_of_passes(means, node.length, lines) * size_of_real);
  }
  const auto inner = [&](int child, std::int64_t count) {
    return scratch_bytes(plan, child, RealPart::none, count, size_of_real, means);
  };
  const std::int64_t pair = 2 * size_of_real;
  if (real != RealPart::none) {
    const std::int64_t count = lines_at_a_time(means, node.length, 1, lines);
    return aligned(count * node.length * pair) + inner(index, count);
  }
  if (node.kind == FftNode::Kind::chirp) {
    const std::int64_t m = plan.nodes[node.first].length;
    const std::int64_t count = lines_at_a_time(means, m, 1, lines);
    return aligned(count * m * pair) + inner(node.first, count);
  }
  const std::int64_t n1 = plan.nodes[node.first].length;
  const std::int64_t n2 = plan.nodes[node.second].length;
  const std::int64_t count = lines_at_a_time(means, node.length, n1, lines);
  return aligned(count * node.length * pair) +
         std::max(inner(node.first, count * n2), inner(node.second, count * n1));
}

template <class T>
void Transformer<T>::run_leaf(int node, const LineJob<T>& job, std::byte* scratch) const {
  if (means_.blocks()) {
    run_blocks(tables_, node, job, scratch, means_.threads);
  } else {
    const std::int64_t capacity =
        capacity_of_passes(means_, tables_.node(node).length, job.lines());
    run_passes(stream_, tables_, node, job, reinterpret_cast<T*>(scratch), capacity);
  }
}

template <class T>
void Transformer<T>::run(int index, const LineJob<T>& job, std::byte* scratch) const {
  const FftNode& node = tables_.node(index);
  if (is_leaf(*tables_.plan, index, job.real, means_)) return run_leaf(index, job, scratch);
  if (job.real != RealPart::none) return run_real(index, job, scratch);
  LineJob<T> plain = job;
  plain.twiddles = nullptr;
  if (node.kind == FftNode::Kind::split) {
    run_split(node, plain, scratch);
  } else {
    run_chirp(node, plain, scratch);
  }
  if (job.twiddles != nullptr) sweeps_.twiddle(job, node.length);
}

/// Columns, twiddles, rows: with j = j1 n2 + j2 and k = k1 + k2 n1,
///   X_k = sum_j2 [ w^(j2 k1) sum_j1 x_j exp(-2 pi i j1 k1 / n1) ] exp(-2 pi i
///   j2 k2 / n2).
template <class T>
void Transformer<T>::run_split(const FftNode& node, const LineJob<T>& job,
                               std::byte* scratch) const {
  const std::int64_t n1 = tables_.node(node.first).length;
  const std::int64_t n2 = tables_.node(node.second).length;
  const std::int64_t most = lines_at_a_time(means_, node.length, n1, job.lines());
  std::byte* rest =
      scratch + aligned(most * node.length * 2 * static_cast<std::int64_t>(sizeof(T)));
  for_parts(job, most, [&](const LineJob<T>& part) {
    const std::int64_t count = part.extents[0];
    // The work array keeps neighbours of the input neighbours: lines if they
    // are closer than elements.
    const std::int64_t in_line = part.in.strides[0];
    const bool lines_inside = std::abs(in_line) < std::abs(part.in.step);
    const std::int64_t element = lines_inside ? 2 * count : 2;
    const std::int64_t line = lines_inside ? 2 : 2 * node.length;

    LineJob<T> columns;
    columns.twiddles = tables_.of(node);
    columns.twiddle_row = n2;
    columns.in = part.in;
    columns.in.step = part.in.step * n2;
    columns.out = complex_lines<T>(scratch, element * n2, {});
    if (lines_inside) {
      columns.extents = {n2, count};
      columns.in.strides = {part.in.step, in_line};
      columns.out.strides = {element, line};
      columns.twiddle_axis = 0;
    } else {
      columns.extents = {count, n2};
      columns.in.strides = {in_line, part.in.step};
      columns.out.strides = {line, element};
      columns.twiddle_axis = 1;
    }
    run(node.first, columns, rest);

    LineJob<T> rows;
    rows.scale = part.scale;
    rows.in = constant(complex_lines<T>(scratch, element, {}));
    rows.out = part.out;
    rows.out.step = part.out.step * n1;
    const std::int64_t out_line = part.out.strides[0];
    if (std::abs(out_line) < std::abs(part.out.step)) {
      rows.extents = {n1, count};
      rows.in.strides = {element * n2, line};
      rows.out.strides = {part.out.step, out_line};
    } else {
      rows.extents = {count, n1};
      rows.in.strides = {line, element * n2};
      rows.out.strides = {out_line, part.out.step};
    }
    run(node.second, rows, rest);
  });
}

template <class T>
void Transformer<T>::run_chirp(const FftNode& node, const LineJob<T>& job,
                               std::byte* scratch) const {
  const std::int64_t n = node.length;
  const std::int64_t m = tables_.node(node.first).length;
  const T* factors = tables_.of(node);
  const std::int64_t most = lines_at_a_time(means_, m, 1, job.lines());
  std::byte* rest = scratch + aligned(most * m * 2 * static_cast<std::int64_t>(sizeof(T)));
  for_parts(job, most, [&](const LineJob<T>& part) {
    const Lines<T> work = complex_lines<T>(scratch, 2, {2 * m});
    LineJob<T> enter = part;
    enter.out = work;
    sweeps_.chirp(enter, n, m, factors);
    LineJob<T> inside;
    inside.extents = part.extents;
    inside.in = constant(work);
    inside.out = work;
    run(node.first, inside, rest);
    sweeps_.spectrum(inside, m, factors + 2 * n);
    run(node.first, inside, rest);
    LineJob<T> leave = part;
    leave.in = constant(work);
    sweeps_.chirp_back(leave, n, factors);
  });
}

template <class T>
void Transformer<T>::run_real(int index, const LineJob<T>& job, std::byte* scratch) const {
  const std::int64_t n = tables_.node(index).length;
  const std::int64_t most = lines_at_a_time(means_, n, 1, job.lines());
  std::byte* rest = scratch + aligned(most * n * 2 * static_cast<std::int64_t>(sizeof(T)));
  for_parts(job, most, [&](const LineJob<T>& part) {
    const Lines<T> work = complex_lines<T>(scratch, 2, {2 * n});
    LineJob<T> enter = part;
    enter.real = RealPart::none;
    enter.out = work;
    enter.scale = 1;
    LineJob<T> leave = part;
    leave.real = RealPart::none;
    leave.in = constant(work);
    switch (part.real) {
      case RealPart::split_pairs:
        run(index, enter, rest);
        return sweeps_.split_pairs(leave, n, tables_.real());
      case RealPart::first_half:
        run(index, enter, rest);
        return sweeps_.copy(leave, n / 2 + 1);
      case RealPart::merge_pairs:
        sweeps_.merge_pairs(enter, n, tables_.real());
        return run(index, leave, rest);
      default:
        sweeps_.mirror(enter, n);
        return run(index, leave, rest);
    }
  });
}

template class Transformer<float>;
template class Transformer<double>;

}  // namespace tessera::kernels::fft_detail
