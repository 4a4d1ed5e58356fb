// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "factor.hpp"

#include <algorithm>
#include <limits>

#include "device/kokkos.hpp"
#include "factor_batch.hpp"
#include "factor_device.hpp"
#include "factor_host.hpp"

namespace tessera::kernels {

namespace {

using namespace factor_detail;

template <class T>
Block<T> matrix_of(const Tile& a, const Sizes& sizes, std::int64_t batch) {
  return {sizes.rows,
          sizes.columns,
          {a.as<T>() + batch * sizes.rows * sizes.columns, sizes.columns, 1}};
}

template <class T>
Stack<element_t<T>> stack_of(const Tile& a, const Sizes& sizes, std::int64_t* pivots,
                             std::int64_t* failures) {
  return {reinterpret_cast<element_t<T>*>(a.as<T>()),
          sizes.batches,
          sizes.rows,
          sizes.columns,
          pivots,
          failures};
}

template <class T>
void lu_on_host(const Tile& a, const Sizes& sizes, std::int64_t* pivots, std::int64_t* failures,
                void* scratch) {
  const std::int64_t steps = std::min(sizes.rows, sizes.columns);
  for_each_matrix(
      sizes, HostSpace().concurrency(), scratch,
      [&](int threads) { return lu_bytes<T>(sizes.rows, sizes.columns, threads); },
      [&](std::int64_t batch, const Workshop& workshop) {
        failures[batch] =
            lu_matrix(matrix_of<T>(a, sizes, batch), pivots + batch * steps, workshop);
      });
}

template <class T>
void cholesky_on_host(const Tile& a, const Sizes& sizes, std::int64_t* failures, void* scratch) {
  for_each_matrix(
      sizes, HostSpace().concurrency(), scratch,
      [&](int threads) { return cholesky_bytes<T>(sizes.rows, threads); },
      [&](std::int64_t batch, const Workshop& workshop) {
        failures[batch] = cholesky_matrix(matrix_of<T>(a, sizes, batch), workshop);
      });
}

}  // namespace

std::int64_t lu_scratch_bytes(device::Backend backend, DType dtype, const Shape& shape,
                              int threads) {
  if (backend != device::Backend::host) return 0;
  const Sizes sizes = sizes_of(shape);
  return visit_floating(dtype, [&]<class T>(std::type_identity<T>) {
    return scratch_for(sizes, threads,
                       [&](int each) { return lu_bytes<T>(sizes.rows, sizes.columns, each); });
  });
}

std::int64_t cholesky_scratch_bytes(device::Backend backend, DType dtype, const Shape& shape,
                                    int threads) {
  if (backend != device::Backend::host) return 0;
  const Sizes sizes = sizes_of(shape);
  return visit_floating(dtype, [&]<class T>(std::type_identity<T>) {
    return scratch_for(sizes, threads,
                       [&](int each) { return cholesky_bytes<T>(sizes.rows, each); });
  });
}

void lu(const device::Stream& stream, const Tile& a, std::int64_t* pivots, std::int64_t* failures,
        void* scratch) {
  require(a.contiguous(), "a factorisation works on dense tiles");
  const Sizes sizes = sizes_of(a.extent());
  if (sizes.batches == 0) return;
  visit_floating(a.dtype, [&]<class T>(std::type_identity<T>) {
    if (stream.backend == device::Backend::host) {
      lu_on_host<T>(a, sizes, pivots, failures, scratch);
    } else {
      const auto stack = stack_of<T>(a, sizes, pivots, failures);
      on_space(stream, [&](const auto& space) { lu_on_device<T>(space, stack); });
    }
  });
}

void cholesky(const device::Stream& stream, const Tile& a, std::int64_t* failures, void* scratch) {
  require(a.contiguous(), "a factorisation works on dense tiles");
  const Sizes sizes = sizes_of(a.extent());
  require(sizes.rows == sizes.columns, "a Cholesky factorisation takes square matrices");
  if (sizes.batches == 0) return;
  visit_floating(a.dtype, [&]<class T>(std::type_identity<T>) {
    if (stream.backend == device::Backend::host) {
      cholesky_on_host<T>(a, sizes, failures, scratch);
    } else {
      const auto stack = stack_of<T>(a, sizes, nullptr, failures);
      on_space(stream, [&](const auto& space) { cholesky_on_device<T>(space, stack); });
    }
  });
}

namespace {

template <class Space>
void permute(const Space& space, std::int64_t batches, std::int64_t rows, std::int64_t steps,
             const std::int64_t* pivots, std::int64_t* permutation) {
  Kokkos::parallel_for(
      "tessera::permutation_of", range(space, batches), KOKKOS_LAMBDA(const std::int64_t batch) {
        std::int64_t* row = permutation + batch * rows;
        for (std::int64_t i = 0; i < rows; ++i) row[i] = i;
        for (std::int64_t k = 0; k < steps; ++k) {
          const std::int64_t pivot = pivots[batch * steps + k];
          // Behind a singular matrix' last pivot there is only what the memory held before.
          if (pivot < k || pivot >= rows) return;
          const std::int64_t upper = row[k];
          row[k] = row[pivot];
          row[pivot] = upper;
        }
      });
}

/// The first of the elements [begin, begin + count) that isn't finite; R are real parts.
template <class R>
struct FindNotFinite {
  const R* data;
  std::int64_t rows, columns;
  std::int64_t parts;
  bool lower;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool bad(std::int64_t row, std::int64_t column) const {
    const R* x = data + (row * columns + column) * parts;
    return !is_finite(x[0]) || (parts == 2 && !is_finite(x[1]));
  }
  /// One element.
  KOKKOS_INLINE_FUNCTION void operator()(const std::int64_t index, std::int64_t& first) const {
    const std::int64_t row = index / columns;
    const std::int64_t column = index % columns;
    if (lower && column > row % rows) return;
    if (index < first && bad(row, column)) first = index;
  }
  /// One row, the usual case at the speed of memory.
  [[nodiscard]] std::int64_t in_row(std::int64_t row) const {
    const std::int64_t end = lower ? std::min(row % rows + 1, columns) : columns;
    const R* x = data + row * columns * parts;
    R sum = 0;
    for (std::int64_t i = 0; i < end * parts; ++i) sum += (x[i] - x[i]) != 0 ? R{1} : R{0};
    if (sum == 0) return std::numeric_limits<std::int64_t>::max();
    std::int64_t column = 0;
    while (column < end && !bad(row, column)) ++column;
    return column < end ? row * columns + column : std::numeric_limits<std::int64_t>::max();
  }
};

template <class R, class Space>
std::int64_t find(const Space& space, const FindNotFinite<R>& finder, std::int64_t elements) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  Kokkos::parallel_reduce("tessera::first_not_finite", range(space, elements), finder,
                          Kokkos::Min<std::int64_t>(first));
  space.fence();
  return first;
}

template <class R>
std::int64_t find_on_host(const FindNotFinite<R>& finder, std::int64_t rows) {
  std::int64_t result = std::numeric_limits<std::int64_t>::max();
  Kokkos::parallel_reduce(
      "tessera::first_not_finite", range(HostSpace(), rows),
      [=](const std::int64_t row, std::int64_t& first) {
        first = std::min(first, finder.in_row(row));
      },
      Kokkos::Min<std::int64_t>(result));
  return result;
}

/// R: the type of the elements' real parts.
template <class R>
std::int64_t find_in(const device::Stream& stream, const Tile& a, bool lower) {
  const Sizes sizes = sizes_of(a.extent());
  const FindNotFinite<R> finder{a.as<const R>(), sizes.rows, sizes.columns,
                                is_complex(a.dtype) ? 2 : 1, lower};
  if (stream.backend == device::Backend::host) {
    return find_on_host(finder, sizes.batches * sizes.rows);
  }
  return on_space(stream, [&](const auto& space) { return find(space, finder, a.elements()); });
}

}  // namespace

void permutation_of(const device::Stream& stream, std::int64_t batches, std::int64_t rows,
                    std::int64_t steps, const std::int64_t* pivots, std::int64_t* permutation) {
  on_space(stream,
           [&](const auto& space) { permute(space, batches, rows, steps, pivots, permutation); });
}

std::int64_t first_not_finite(const device::Stream& stream, const Tile& a, bool lower) {
  require(a.contiguous(), "a factorisation works on dense tiles");
  if (a.box.empty()) return -1;
  const bool single = real_of(a.dtype) == DType::float32;
  const std::int64_t first =
      single ? find_in<float>(stream, a, lower) : find_in<double>(stream, a, lower);
  return first == std::numeric_limits<std::int64_t>::max() ? -1 : first;
}

}  // namespace tessera::kernels
