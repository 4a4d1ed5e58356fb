# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
# Toolchain for 64-bit Arm (Raspberry Pi, Jetson) on a machine of another kind. scripts/cross.sh makes the
# folder with the distribution's Arm libraries that TESSERA_SYSROOT names.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
if(NOT TESSERA_SYSROOT)
  set(TESSERA_SYSROOT $ENV{TESSERA_SYSROOT})
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TESSERA_SYSROOT)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${TESSERA_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Indirect needs of the libraries lie in the sysroot too; the linker looks for them by itself.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${TESSERA_SYSROOT}/usr/lib/aarch64-linux-gnu")

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)  # Kokkos lies outside the sysroot
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${TESSERA_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${TESSERA_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${TESSERA_SYSROOT}/usr/share/pkgconfig)
