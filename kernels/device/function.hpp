// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions shared by GPU kernels and by host-only fast paths, which must not include Kokkos (see
// kernels/README.md): the same as KOKKOS_INLINE_FUNCTION and KOKKOS_FORCEINLINE_FUNCTION.
#ifdef __CUDACC__
#define TESSERA_INLINE_FUNCTION __host__ __device__ inline
#define TESSERA_FORCEINLINE_FUNCTION __host__ __device__ __forceinline__
#else
#define TESSERA_INLINE_FUNCTION inline
#define TESSERA_FORCEINLINE_FUNCTION inline __attribute__((always_inline))
#endif
