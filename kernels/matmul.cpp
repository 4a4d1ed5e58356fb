// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "matmul.hpp"

#include <algorithm>
#include <utility>

#include "device/kokkos.hpp"
#include "matmul_device.hpp"
#include "matmul_host.hpp"

namespace tessera::kernels {

namespace {

using namespace matmul_detail;

/// Calls `f` with the C++ type of a product's elements.
template <class F>
decltype(auto) visit_product(DType dtype, F&& f) {
  switch (dtype) {
    case DType::int32:
      return f(std::type_identity<std::int32_t>{});
    case DType::int64:
      return f(std::type_identity<std::int64_t>{});
    default:
      return visit_floating(dtype, std::forward<F>(f));
  }
}

template <class T>
Matrix<T> matrix(const Tile& tile, bool transpose) {
  const int axes = tile.box.axes();
  Matrix<T> result{tile.as<T>(), tile.strides[axes - 2], tile.strides[axes - 1]};
  if (transpose) std::swap(result.row, result.column);
  return result;
}

/// The stride of an operand along a batch axis of C: 0 where it lacks the axis or has extent 1.
std::int64_t batch_stride(const Tile& tile, int c_axes, int axis) {
  const int own = axis - (c_axes - tile.box.axes());
  return own < 0 || tile.extent()[own] == 1 ? 0 : tile.strides[own];
}

Batches batches_of(const Tile& a, const Tile& b, const Tile& c) {
  Batches result;
  const int axes = c.box.axes();
  for (int axis = 0; axis < axes - 2; ++axis) {
    const std::int64_t extent = c.extent()[axis];
    result.count *= extent;
    if (extent == 1) continue;
    const int i = result.axes++;
    result.extent[i] = extent;
    result.a[i] = batch_stride(a, axes, axis);
    result.b[i] = batch_stride(b, axes, axis);
    result.c[i] = c.strides[axis];
  }
  return result;
}

template <class T>
Product<T> product_of(const Tile& a, const Tile& b, const Tile& c, const MatmulForm& form) {
  Product<T> p;
  const int a_axes = a.box.axes();
  p.m = c.extent()[c.box.axes() - 2];
  p.n = c.extent().back();
  p.k = a.extent()[form.transpose_a ? a_axes - 2 : a_axes - 1];
  const std::int64_t b_k = b.extent()[b.box.axes() - (form.transpose_b ? 1 : 2)];
  require(p.k == b_k, "the operands of a product have one extent along k");
  p.a = matrix<const T>(a, form.transpose_a);
  p.b = matrix<const T>(b, form.transpose_b);
  p.c = matrix<T>(c, false);
  p.conjugate_a = form.conjugate_a;
  p.conjugate_b = form.conjugate_b;
  p.negate_a = form.negate_a;
  p.onto_c = form.onto_c;
  return p;
}

template <class T>
Product<T> at_batch(const Product<T>& p, const Batches& batches, std::int64_t batch) {
  Product<T> result = p;
  result.a.data += batch_offset(batches, batches.a, batch);
  result.b.data += batch_offset(batches, batches.b, batch);
  result.c.data += batch_offset(batches, batches.c, batch);
  return result;
}

void on_threads(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  if (count == 1) return task(0);
  const auto* f = &task;
  Kokkos::parallel_for("tessera::matmul", range(HostSpace(), count),
                       [=](const std::int64_t i) { (*f)(i); });
}

void one_after_another(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  for (std::int64_t i = 0; i < count; ++i) task(i);
}

/// Enough products to keep every thread busy with its own, or products too small to be shared.
bool products_apart(std::int64_t batches, std::int64_t m, std::int64_t n, std::int64_t k,
                    int threads) {
  constexpr double shared = 1e6;  // multiplications; 20 us of one core, a few barriers' worth
  const double size = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return threads == 1 || batches >= 4 * threads || (batches > 1 && size < shared);
}

template <class T>
void multiply_on_host(const Product<T>& p, const Batches& batches, void* scratch) {
  const int threads = HostSpace().concurrency();
  if (!products_apart(batches.count, p.m, p.n, p.k, threads)) {
    for (std::int64_t batch = 0; batch < batches.count; ++batch) {
      multiply(at_batch(p, batches, batch), scratch, threads, on_threads);
    }
    return;
  }
  const std::int64_t bytes = scratch_bytes<T>(p.m, p.n, p.k, 1);
  const std::int64_t groups = std::min<std::int64_t>(threads, batches.count);
  on_threads(groups, [&](std::int64_t group) {
    const Parallel serial = one_after_another;
    void* own = static_cast<char*>(scratch) + group * bytes;
    const std::int64_t end = (group + 1) * batches.count / groups;
    for (std::int64_t batch = group * batches.count / groups; batch < end; ++batch) {
      multiply(at_batch(p, batches, batch), own, 1, serial);
    }
  });
}

}  // namespace

std::int64_t matmul_scratch_bytes(device::Backend backend, DType dtype, const Shape& c,
                                  std::int64_t k, int threads) {
  if (backend != device::Backend::host || element_count(c) == 0) return 0;
  const std::int64_t m = c[c.size() - 2];
  const std::int64_t n = c.back();
  const std::int64_t batches = element_count(c) / (m * n);
  return visit_product(dtype, [&]<class T>(std::type_identity<T>) {
    if (!products_apart(batches, m, n, k, threads)) return scratch_bytes<T>(m, n, k, threads);
    return std::min<std::int64_t>(threads, batches) * scratch_bytes<T>(m, n, k, 1);
  });
}

void matmul(const device::Stream& stream, const Tile& a, const Tile& b, const Tile& c,
            const MatmulForm& form, void* scratch) {
  require(a.dtype == c.dtype && b.dtype == c.dtype, "a product has one element type");
  if (c.box.empty()) return;
  const Batches batches = batches_of(a, b, c);
  visit_product(c.dtype, [&]<class T>(std::type_identity<T>) {
    const Product<T> p = product_of<T>(a, b, c, form);
    if (stream.backend == device::Backend::host) {
      multiply_on_host(p, batches, scratch);
    } else {
      on_space(stream, [&](const auto& space) { multiply_on_device(space, p, batches); });
    }
  });
}

namespace {

template <class R, class Space>
void add_parts(const Space& space, const R* panel, R* total, std::int64_t n) {
  Kokkos::parallel_for(
      "tessera::add_panel", range(space, n),
      KOKKOS_LAMBDA(const std::int64_t i) { total[i] = canonical_number(total[i] + panel[i]); });
}

}  // namespace

void add_panel(const device::Stream& stream, const Tile& panel, const Tile& total) {
  require(panel.dtype == total.dtype && panel.extent() == total.extent() && panel.contiguous() &&
              total.contiguous(),
          "panels are dense tiles of one shape");
  const std::int64_t n = total.elements() * (is_complex(total.dtype) ? 2 : 1);
  visit_floating(real_of(total.dtype), [&]<class R>(std::type_identity<R>) {
    on_space(stream,
             [&](const auto& space) { add_parts(space, panel.as<const R>(), total.as<R>(), n); });
  });
}

}  // namespace tessera::kernels
