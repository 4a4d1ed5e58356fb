// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The convolution on a CPU, free of Kokkos: blocks of the input are copied, with their padding, so
// that the register tiles of convolution_micro.hpp read neighbours from neighbouring addresses.
#include "convolution_problem.hpp"

namespace tessera::kernels::convolution_detail {

/// Bytes of scratch that `convolve_on_host` needs; a multiple of 64.
template <class T>
[[nodiscard]] std::int64_t host_scratch_bytes(const Problem<T>& problem, int threads);

/// `scratch` is aligned to 64 bytes.
template <class T>
void convolve_on_host(const Problem<T>& problem, int threads, void* scratch);

}  // namespace tessera::kernels::convolution_detail
