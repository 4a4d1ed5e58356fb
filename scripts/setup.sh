#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# Usage: scripts/setup.sh [OPTION...]
#
# Installs what tessera is built from: compilers and libraries from the distribution's packages,
# and Kokkos from the first of: an installed one, the package libkokkos-dev, the upstream release,
# the source package trilinos, the package libtrilinos-kokkos-dev. For Debian 12 and 13 and Ubuntu
# 22.04 and 24.04, as root or with sudo. Safe to repeat: a second run changes nothing.
#
#   --no-optional    leave out FFTW and OpenBLAS, which only the recipe `fast` uses
#   --lint           also install clang-format, clang-tidy and shellcheck
#   --kokkos-only    leave the packages alone (they come from elsewhere, such as modules)
#   --cuda           also make the preset cuda ready; nvcc, NCCL and a Kokkos built for CUDA must be there
#   --prefix DIR     where to build Kokkos (default: .deps/kokkos); set Kokkos_ROOT=DIR to build
#   --print-kokkos   print the CMake folder of the Kokkos in use, and do nothing else
#   -h, --help       print this text
#
# Environment: Kokkos_ROOT, Kokkos_DIR and CMAKE_PREFIX_PATH point to an installed Kokkos;
# Kokkos_ROOT_CUDA points to one built for CUDA, which .deps/kokkos-cuda then leads to;
# TESSERA_KOKKOS_URL and TESSERA_KOKKOS_TAG name a git repository and a tag to build instead.
# To start over, remove the folder .deps.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=scripts/lib_kokkos.sh
. "$repo/scripts/lib_kokkos.sh"

# ca-certificates: git fetches Kokkos over https. ninja and make, as the presets use the first
# and people the second.
packages=(
  g++ cmake ninja-build make git ca-certificates pkg-config ccache
  openmpi-bin libopenmpi-dev libhdf5-openmpi-dev
  libgtest-dev libgmock-dev nlohmann-json3-dev libcli11-dev libfmt-dev libspdlog-dev
  libxxhash-dev libisal-dev libpng-dev zlib1g-dev
  python3 python3-numpy python3-scipy python3-h5py python3-jsonschema
)
optional_packages=(libfftw3-dev libopenblas-dev)
lint_packages=(clang-format clang-tidy shellcheck)

can_be_root() { [ "$(id -u)" -eq 0 ] || have sudo; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo; then
    sudo -- "$@"
  else
    die "installing packages needs root; run 'apt-get install ${missing[*]-}' as root, then $program again"
  fi
}

# Refreshes the package lists, once a run.
apt_updated=
apt_update() {
  if [ -n "$apt_updated" ]; then return 0; fi
  say "refreshing the package lists"
  as_root apt-get -qq -o DPkg::Lock::Timeout=300 update ||
    die "apt-get update failed; check the network and the entries below /etc/apt/sources.list.d"
  apt_updated=yes
}

# install_now PACKAGE...
install_now() {
  say "installing: $*"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Use-Pty=0 install --no-install-recommends "$@" > /dev/null ||
    die "apt-get could not install these packages; check the network and, on Ubuntu, that the component 'universe' is enabled, then run $program again"
}

# find_missing PACKAGE...: sets missing to those that are not installed.
find_missing() {
  local installed package
  # shellcheck disable=SC2016  # dpkg-query's own placeholders
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2> /dev/null |
    sed -n 's/ installed$//p') || true
  missing=()
  for package in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'$package$'\n'* ]] || missing+=("$package")
  done
}

install_packages() {
  have apt-get ||
    die "there is no apt-get here; install the counterparts of: ${packages[*]}, then run '$program --kokkos-only'"
  find_missing "${packages[@]}"
  if [ "${#missing[@]}" -eq 0 ]; then
    say "all ${#packages[@]} packages are installed"
    return 0
  fi
  apt_update
  install_now "${missing[@]}"
}

print_kokkos() {
  if stamp_is_valid; then
    stamp_value folder
  elif have cmake && find_kokkos > /dev/null; then
    echo "$kokkos_folder"
  else
    die "no Kokkos is ready; run '$program' first"
  fi
}

# Says in one sentence what a build with CUDA lacks, or makes .deps/kokkos-cuda lead to its Kokkos.
prepare_cuda() {
  local prefix nvcc toolkit
  nvcc=$(command -v "${CUDACXX:-nvcc}") ||
    die "there is no nvcc; install CUDA 12 or later and put its bin folder on PATH, or leave out --cuda"
  toolkit=$(dirname -- "$(dirname -- "$(realpath -- "$nvcc")")")
  compgen -G "${NCCL_ROOT:-$toolkit}/include/nccl.h" > /dev/null ||
    compgen -G "/usr/include/nccl.h" > /dev/null ||
    die "NCCL was not found; install its package libnccl-dev or set NCCL_ROOT to its folder"
  prefix=$(find_cuda_kokkos)
  [ -n "$prefix" ] ||
    die "no Kokkos built for CUDA was found; set Kokkos_ROOT_CUDA to one with CUDA, OpenMP and Serial that was built as a CMake language (kernels/README.md)"
  if [ "$(realpath -- "$prefix")" != "$(realpath -m -- "$repo/.deps/kokkos-cuda")" ]; then
    ln -sfn -- "$(realpath -- "$prefix")" "$repo/.deps/kokkos-cuda"
  fi
  say "the Kokkos for CUDA is in $prefix; next: cmake --preset cuda"
}

action=setup
kokkos_only=
cuda=
while [ $# -gt 0 ]; do
  case $1 in
    --no-optional) optional_packages=() ;;
    --lint) packages+=("${lint_packages[@]}") ;;
    --kokkos-only) kokkos_only=yes ;;
    --cuda) cuda=yes ;;
    --prefix)
      [ -n "${2:-}" ] || die "--prefix needs a folder; say --prefix DIR"
      kokkos_prefix=$(realpath -m -- "$2")
      kokkos_stamp=$kokkos_prefix.stamp
      shift
      ;;
    --print-kokkos) action=print ;;
    -h | --help) action=help ;;
    *) unknown_option "$1" ;;
  esac
  shift
done

case $action in
  help) print_help "$0" ;;
  print) print_kokkos ;;
  setup)
    packages+=(${optional_packages[@]+"${optional_packages[@]}"})
    if [ -z "$kokkos_only" ]; then install_packages; fi
    prepare_kokkos
    if [ -n "$cuda" ]; then prepare_cuda; fi
    say "ready after $(elapsed); next: scripts/quickstart.sh or scripts/test.sh"
    ;;
esac
