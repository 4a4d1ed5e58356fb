#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# Usage: scripts/cross.sh [OPTION...]
#
# Builds tessera for 64-bit Arm (Raspberry Pi, Jetson) on a machine of another kind, into
# build/aarch64. The compiler is installed from the distribution's packages; the distribution's Arm
# libraries are unpacked below .deps/aarch64 and nothing else is installed. The program runs where
# the distribution's release is the same, or newer with the same library versions.
#
#   --arch NAME      value of -march (default: armv8-a, which every such board runs; Jetson Orin
#                    takes armv8.2-a)
#   --prove          then run one small graph per family of operations on both processors, the Arm
#                    program under user-mode emulation: bitexact results must be the same files
#   -h, --help       print this text

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname -- "$0")/lib.sh"

root=$repo/.deps/aarch64
sysroot=$root/sysroot
packages=(libopenmpi-dev libhdf5-openmpi-dev nlohmann-json3-dev libcli11-dev libfmt-dev
  libspdlog-dev libxxhash-dev libisal-dev zlib1g-dev libc6-dev libgomp1)

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo; then
    sudo -- "$@"
  else
    die "installing packages needs root; run '$*' as root, then $program again"
  fi
}

# need PROGRAM PACKAGE: installs the package where the program is missing.
need() {
  if have "$1"; then return 0; fi
  say "installing $2"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Use-Pty=0 install --no-install-recommends "$2" > /dev/null ||
    die "apt-get could not install $2; check the network and the package lists, then run $program again"
}

# The distribution's own entries, for the other architecture. Ubuntu keeps that one elsewhere.
write_entries() {
  local folder=$1 file
  mkdir -p "$folder"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    if [ ! -r "$file" ]; then continue; fi
    sed -E -e '/^Architectures:/d; s/arch=[a-z0-9,]+//' \
      -e 's#https?://[a-z.]*(archive|security)\.ubuntu\.com/ubuntu#http://ports.ubuntu.com/ubuntu-ports#' \
      "$file" > "$folder/$(basename "$file")"
  done
}

# apt works on lists and a package database of its own: nothing in /etc/apt or /var/lib changes.
make_sysroot() {
  local work=$root/apt options deb
  if [ -e "$sysroot/.complete" ]; then
    say "the Arm libraries are in $sysroot"
    return 0
  fi
  say "fetching the distribution's Arm libraries (about 120 MB)"
  rm -rf "$work" "$sysroot"
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$sysroot"
  write_entries "$work/sources"
  : > "$work/status"
  options=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root
    -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/sources"
    -o Dir::State::Lists="$work/lists" -o Dir::State::status="$work/status"
    -o Dir::Cache="$work/cache")
  # An entry may have no Arm packages. Then the others still count.
  apt-get "${options[@]}" update > "$work/apt.log" 2>&1 || true
  apt-get "${options[@]}" -y --download-only --no-install-recommends install "${packages[@]}" \
    >> "$work/apt.log" 2>&1 || {
    tail -n 5 "$work/apt.log" >&2
    die "the distribution's Arm packages could not be had; check the network, then run $program again"
  }
  for deb in "$work"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$sysroot"; done
  # Links with absolute targets would lead out of the folder.
  (cd "$sysroot" && find . -lname '/*' -printf '%P\t%l\n' |
    while IFS=$'\t' read -r link target; do
      ln -sfnr -- ".$target" "$link"
    done)
  link_alternatives
  rm -rf "$work"
  touch "$sysroot/.complete"
}

# What the packages' own scripts would link when installed: Open MPI's headers and pkg-config file.
link_alternatives() {
  local lib=$sysroot/usr/lib/aarch64-linux-gnu
  if [ ! -e "$lib/pkgconfig/ompi-c.pc" ]; then
    ln -sr -- "$lib"/openmpi/lib/pkgconfig/ompi-c.pc "$lib/pkgconfig/ompi-c.pc"
  fi
}

# Kokkos by setup.sh's own routes, compiled for the other processor.
make_kokkos() {
  CMAKE_TOOLCHAIN_FILE=$repo/scripts/cmake/aarch64.cmake Kokkos_ROOT='' CMAKE_PREFIX_PATH='' \
    "$repo/scripts/setup.sh" --kokkos-only --prefix "$root/kokkos"
}

build_program() {
  local launcher=()
  if have ccache; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake -S "$repo" -B "$repo/build/aarch64" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS_RELEASE="-O3 -g1 -DNDEBUG" \
    -DCMAKE_TOOLCHAIN_FILE="$repo/scripts/cmake/aarch64.cmake" -DTESSERA_SYSROOT="$sysroot" \
    -DCMAKE_PREFIX_PATH="$root/kokkos" -DTESSERA_ARCH="$arch" -DTESSERA_TESTS=OFF \
    "${launcher[@]}" ||
    die "CMake could not configure the Arm build; correct what it names above, or remove build/aarch64 and try again"
  cmake --build "$repo/build/aarch64" --parallel "$(jobs)" ||
    die "the Arm build does not compile; the first error above names the file to correct"
  say "the program is build/aarch64/apps/tessera/tessera"
}

prove() {
  need qemu-aarch64-static qemu-user-static
  [ -x "$repo/build/release/apps/tessera/tessera" ] ||
    die "there is no program for this machine to compare with; run scripts/test.sh or scripts/quickstart.sh first"
  allow_mpi_in_containers
  "$(find_python)" "$repo/tests/cross/same_bits.py" --source "$repo" \
    --tessera "$repo/build/release/apps/tessera/tessera" \
    --other "$repo/build/aarch64/apps/tessera/tessera" \
    --launcher "qemu-aarch64-static -L $sysroot"
}

arch=armv8-a
proof=
while [ $# -gt 0 ]; do
  case $1 in
    --arch)
      [ -n "${2:-}" ] || die "--arch needs a name; say --arch armv8.2-a"
      arch=$2
      shift
      ;;
    --prove) proof=yes ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *) unknown_option "$1" ;;
  esac
  shift
done

have apt-get || die "there is no apt-get here; this script needs Debian or Ubuntu"
export TESSERA_SYSROOT=$sysroot
need aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
make_sysroot
make_kokkos
build_program
if [ -n "$proof" ]; then prove; fi
