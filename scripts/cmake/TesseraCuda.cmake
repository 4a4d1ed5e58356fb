# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
# Read when TESSERA_CUDA is on: nvcc, the CUDA runtime, NCCL, and the flags of files that nvcc compiles.

# The GPUs that the kernels are written and tuned for: A100, RTX 30, Orin, RTX 40, H100/H200, B200, RTX 50.
set(tessera_cuda_architectures 80 86 87 89 90 100 120)
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "Compute capabilities of the GPUs: some of ${tessera_cuda_architectures}")
endif()
foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
  string(REGEX REPLACE "-(real|virtual)$" "" number "${architecture}")
  if(NOT number IN_LIST tessera_cuda_architectures)
    message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES names ${architecture}; use one or more of ${tessera_cuda_architectures}")
  endif()
endforeach()

# nvcc hands the host part of each file to the compiler of all other files, so that both agree on every type.
if(NOT CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX})
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER} CACHE FILEPATH "Host compiler that nvcc calls")
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # one runtime for us, Kokkos and NCCL
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "TESSERA_CUDA is on, but no nvcc was found; put nvcc on PATH, set CUDACXX to it, or set TESSERA_CUDA=OFF")
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  message(FATAL_ERROR "nvcc ${CMAKE_CUDA_COMPILER_VERSION} has no C++20; use CUDA 12.0 or later, or set TESSERA_CUDA=OFF")
endif()
# CMake before 3.25.2 does not know how nvcc is told C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)

find_package(CUDAToolkit QUIET)
if(NOT TARGET CUDA::cudart)
  message(FATAL_ERROR "The CUDA runtime that belongs to ${CMAKE_CUDA_COMPILER} was not found; set CUDAToolkit_ROOT to the toolkit's folder")
endif()

find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
find_library(NCCL_LIBRARY nccl HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
if(NOT NCCL_INCLUDE_DIR OR NOT NCCL_LIBRARY)
  message(FATAL_ERROR "NCCL (nccl.h and libnccl.so) was not found; install it or set NCCL_ROOT to its folder")
endif()
file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h nccl_version_lines REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+$")
list(TRANSFORM nccl_version_lines REPLACE "^#define NCCL_[A-Z]+ +" "")
list(JOIN nccl_version_lines "." NCCL_VERSION)
add_library(NCCL::nccl UNKNOWN IMPORTED)
set_target_properties(NCCL::nccl PROPERTIES
  IMPORTED_LOCATION "${NCCL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${NCCL_INCLUDE_DIR}")
target_link_libraries(NCCL::nccl INTERFACE CUDA::cudart)

# What every CUDA file of ours is compiled with. On the GPU as on the host nothing is contracted, flushed to
# zero or approximated: the recipes promise bits.
add_library(tessera_cuda_flags INTERFACE)
target_compile_options(tessera_cuda_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;--ftz=false;--prec-div=true;--prec-sqrt=true>"
  "$<$<COMPILE_LANGUAGE:CUDA>:--expt-extended-lambda;--expt-relaxed-constexpr>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-O3,-march=${TESSERA_ARCH},-ffp-contract=off>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-math-errno,-fno-trapping-math,${OpenMP_CXX_FLAGS}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>"
  # Not warned of: "never referenced", wrong inside generic lambdas, unsigned < 0 in templates, and GCC pragmas. The host's
  # compiler says both where they are true.
  "$<$<COMPILE_LANGUAGE:CUDA>:--diag-suppress=177,186,1675>")
if(TESSERA_WERROR)
  target_compile_options(tessera_cuda_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcompiler=-Werror>")
endif()

# tessera_compile_kernels_as_cuda(FOLDER SOURCES...): nvcc compiles the sources that include FOLDER/device/kokkos.hpp,
# themselves or through a header of FOLDER; all others stay with the host's compiler, which knows vector types.
function(tessera_compile_kernels_as_cuda folder)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers} ${ARGN})
  set(users "device/kokkos.hpp")
  set(found "device/kokkos.hpp")
  while(found)  # headers that include a header found before
    list(JOIN found "|" pattern)
    set(found "")
    list(REMOVE_ITEM headers ${users})
    foreach(header IN LISTS headers)
      file(STRINGS ${folder}/${header} line LIMIT_COUNT 1 REGEX "^#include \"(${pattern})\"")
      if(line)
        list(APPEND found ${header})
      endif()
    endforeach()
    list(APPEND users ${found})
  endwhile()
  list(JOIN users "|" pattern)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} line LIMIT_COUNT 1 REGEX "^#include \"(${pattern})\"")
    if(line)
      set_source_files_properties(${source} PROPERTIES LANGUAGE CUDA)
    endif()
  endforeach()
endfunction()

# Ends with a sentence unless the Kokkos found can be used from files that nvcc compiles.
function(tessera_check_cuda_kokkos)
  set(advice "set Kokkos_ROOT to one built for CUDA, or set TESSERA_CUDA=OFF")
  if(NOT "CUDA" IN_LIST Kokkos_DEVICES)
    message(FATAL_ERROR "TESSERA_CUDA is on, but Kokkos in ${Kokkos_DIR} has the devices ${Kokkos_DEVICES} only; ${advice}")
  endif()
  # Its package then sends every compilation through nvcc_wrapper, our own host code too.
  get_property(launcher GLOBAL PROPERTY RULE_LAUNCH_COMPILE)
  if(launcher MATCHES "kokkos_launch_compiler")
    message(FATAL_ERROR "Kokkos in ${Kokkos_DIR} was built through nvcc_wrapper; "
      "take one built with Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON: ${advice}")
  endif()
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    if(Kokkos_CUDA_ARCHITECTURES AND NOT architecture IN_LIST Kokkos_CUDA_ARCHITECTURES)
      message(WARNING "Kokkos in ${Kokkos_DIR} was built for the GPU architecture ${Kokkos_CUDA_ARCHITECTURES}, "
        "not ${architecture}: it may refuse to start there")
    endif()
  endforeach()
endfunction()
