# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
message(STATUS "tessera ${PROJECT_VERSION}: build ${CMAKE_BUILD_TYPE}, -march=${TESSERA_ARCH}"
  ", sanitizers \"${TESSERA_SANITIZE}\", CUDA ${TESSERA_CUDA}")
message(STATUS "  Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}), HDF5 ${HDF5_VERSION} (parallel: ${HDF5_IS_PARALLEL})"
  ", MPI ${MPI_C_VERSION}, fmt ${fmt_VERSION}")
