// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one header that includes Kokkos and hides the differences between its versions (3.4 to 5).
#include <Kokkos_Core.hpp>
#include <complex>
#include <type_traits>

#include "device/device.hpp"

namespace tessera::kernels {

using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// Starts Kokkos with a number of host threads (0: its own choice), without its hints about
/// binding.
inline void initialize(int threads) {
#if KOKKOS_VERSION >= 30700
  Kokkos::InitializationSettings settings;
  if (threads > 0) settings.set_num_threads(threads);
  settings.set_disable_warnings(true);
  Kokkos::initialize(settings);
#else
  Kokkos::InitArguments arguments;
  if (threads > 0) arguments.num_threads = threads;
  arguments.disable_warnings = true;
  Kokkos::initialize(arguments);
#endif
}

/// The type by which kernels handle elements of type T: std::complex becomes Kokkos::complex, which
/// has the same layout and works on GPUs.
template <class T>
struct element {
  using type = T;
};
template <class T>
struct element<std::complex<T>> {
  using type = Kokkos::complex<T>;
};
template <class T>
using element_t = typename element<T>::type;

template <class T>
inline constexpr bool is_complex_element = false;
template <class T>
inline constexpr bool is_complex_element<Kokkos::complex<T>> = true;

/// Calls `f(execution_space)` with an instance of the Kokkos execution space of the stream: the one
/// place where the backend becomes a type.
template <class F>
decltype(auto) on_space(const device::Stream& stream, F&& f) {
#ifdef KOKKOS_ENABLE_CUDA
  if (stream.backend == device::Backend::cuda) {
    // An instance of another stream allocates and waits, so the usual stream keeps Kokkos' own.
    const Kokkos::Cuda own;
    const auto native = static_cast<cudaStream_t>(stream.native);
    return f(native == nullptr || native == own.cuda_stream() ? own : Kokkos::Cuda(native));
  }
#endif
  (void)stream;
  return f(HostSpace());
}

/// A range policy over [0, n) with 64-bit indices on the given space.
template <class Space>
auto range(const Space& space, std::int64_t n) {
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, n);
}

}  // namespace tessera::kernels
