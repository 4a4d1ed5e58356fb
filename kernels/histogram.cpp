// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "histogram.hpp"

#include <algorithm>

#include "device/kokkos.hpp"

namespace tessera::kernels {

namespace {

/// Parts of the elements that are counted on their own on the host.
std::int64_t host_parts(int threads) { return threads == 1 ? 1 : 4 * std::int64_t{threads}; }

struct Binning {
  Bins bins;
  double width;  ///< of a bin
  double scale;  ///< bins per unit

  explicit Binning(const Bins& b)
      : bins(b),
        width((b.high - b.low) / static_cast<double>(b.number)),
        scale(static_cast<double>(b.number) / (b.high - b.low)) {}

  KOKKOS_INLINE_FUNCTION double edge(std::int64_t i) const {
    return i == bins.number ? bins.high : bins.low + static_cast<double>(i) * width;
  }
  /// -1 for none. The division may round across a border; the borders decide.
  KOKKOS_INLINE_FUNCTION std::int64_t bin_of(double x) const {
    if (!(x >= bins.low && x <= bins.high)) return -1;
    auto i = static_cast<std::int64_t>((x - bins.low) * scale);
    if (i >= bins.number) i = bins.number - 1;
    if (x < edge(i)) {
      --i;
    } else if (i + 1 < bins.number && x >= edge(i + 1)) {
      ++i;
    }
    return i;
  }
};

template <class T, class Space>
void count_atomically(const Space& space, const Binning& binning, const T* x, std::int64_t n,
                      std::int64_t* counts) {
  Kokkos::parallel_for(
      "tessera::clear counts", range(space, binning.bins.number),
      KOKKOS_LAMBDA(const std::int64_t i) { counts[i] = 0; });
  Kokkos::parallel_for(
      "tessera::histogram", range(space, n), KOKKOS_LAMBDA(const std::int64_t i) {
        const std::int64_t bin = binning.bin_of(static_cast<double>(x[i]));
        if (bin >= 0) Kokkos::atomic_add(counts + bin, std::int64_t{1});
      });
}

template <class T>
void count_by_parts(const Binning& binning, const T* x, std::int64_t n, std::int64_t* counts,
                    std::int64_t* partial, std::int64_t parts) {
  const std::int64_t bins = binning.bins.number;
  Kokkos::parallel_for(
      "tessera::histogram", range(HostSpace(), parts), [=](const std::int64_t part) {
        std::int64_t* own = partial + part * bins;
        std::fill(own, own + bins, 0);
        const std::int64_t end = n / parts * (part + 1) + std::min(part + 1, n % parts);
        for (std::int64_t i = n / parts * part + std::min(part, n % parts); i < end; ++i) {
          const std::int64_t bin = binning.bin_of(static_cast<double>(x[i]));
          if (bin >= 0) ++own[bin];
        }
      });
  Kokkos::parallel_for("tessera::add counts", range(HostSpace(), bins),
                       [=](const std::int64_t bin) {
                         std::int64_t sum = 0;
                         for (std::int64_t part = 0; part < parts; ++part)
                           sum += partial[part * bins + bin];
                         counts[bin] = sum;
                       });
}

template <class Space>
void fill_edges(const Space& space, const Binning& binning, double* edges) {
  Kokkos::parallel_for(
      "tessera::histogram edges", range(space, binning.bins.number + 1),
      KOKKOS_LAMBDA(const std::int64_t i) { edges[i] = binning.edge(i); });
}

}  // namespace

std::int64_t histogram_scratch_bytes(std::int64_t bins, device::Backend backend, int threads) {
  return backend == device::Backend::host ? 8 * bins * host_parts(threads) : 0;
}

void histogram(const device::Stream& stream, const Bins& bins, DType dtype, const void* x,
               std::int64_t n, std::int64_t* counts, void* scratch, int threads) {
  const Binning binning(bins);
  visit(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto* elements = static_cast<const T*>(x);
      if (stream.backend == device::Backend::host) {
        count_by_parts(binning, elements, n, counts, static_cast<std::int64_t*>(scratch),
                       host_parts(threads));
      } else {
        on_space(stream,
                 [&](const auto& space) { count_atomically(space, binning, elements, n, counts); });
      }
    } else {
      require(false, "complex numbers have no order");
    }
  });
}

void histogram_edges(const device::Stream& stream, const Bins& bins, double* edges) {
  const Binning binning(bins);
  on_space(stream, [&](const auto& space) { fill_edges(space, binning, edges); });
}

}  // namespace tessera::kernels
