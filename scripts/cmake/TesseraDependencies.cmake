# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
# Libraries that we use; each as one target.

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
if(CMAKE_CROSSCOMPILING)  # CMake would ask the compiler wrappers of this machine, not of the other
  pkg_check_modules(mpi REQUIRED IMPORTED_TARGET ompi-c)
  add_library(MPI::MPI_C ALIAS PkgConfig::mpi)
else()
  find_package(MPI REQUIRED COMPONENTS C)
endif()
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
if(CMAKE_CROSSCOMPILING)
  pkg_search_module(HDF5 REQUIRED hdf5-openmpi hdf5)
  set(HDF5_C_HL_LIBRARIES ${HDF5_LINK_LIBRARIES})
  string(FIND "${HDF5_MODULE_NAME}" "mpi" HDF5_IS_PARALLEL)
  list(TRANSFORM HDF5_IS_PARALLEL REPLACE "^-1$" "FALSE")
  list(TRANSFORM HDF5_IS_PARALLEL REPLACE "^[0-9]+$" "TRUE")
else()
  set(HDF5_PREFER_PARALLEL ON)
  find_package(HDF5 1.10 REQUIRED COMPONENTS C HL)
endif()

pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)

add_library(tessera_hdf5 INTERFACE)
target_include_directories(tessera_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS} ${HDF5_INCLUDE_DIRS})
target_link_libraries(tessera_hdf5 INTERFACE ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
if(HDF5_IS_PARALLEL)
  target_link_libraries(tessera_hdf5 INTERFACE MPI::MPI_C)
endif()
