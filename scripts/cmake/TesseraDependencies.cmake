# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
# Libraries that we use; each as one target.

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(MPI REQUIRED COMPONENTS C)
if(TESSERA_CUDA)
  include(TesseraCuda)  # before Kokkos, whose package needs the CUDA language
endif()
find_package(Kokkos 3.4 REQUIRED)
if(TESSERA_CUDA)
  tessera_check_cuda_kokkos()
endif()
find_package(nlohmann_json 3.10 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
# Parallel HDF5 where it is found, serial otherwise: both work (see src/data/README.md).
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 1.10 REQUIRED COMPONENTS C HL)

find_package(PkgConfig REQUIRED)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)

add_library(tessera_hdf5 INTERFACE)
target_include_directories(tessera_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS} ${HDF5_INCLUDE_DIRS})
target_link_libraries(tessera_hdf5 INTERFACE ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
if(HDF5_IS_PARALLEL)
  target_link_libraries(tessera_hdf5 INTERFACE MPI::MPI_C)
endif()
