# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# What the scripts share. Source it after `set -euo pipefail`.
# shellcheck shell=bash

repo=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
program=$(basename -- "$0")
export repo

say() { printf '%s: %s\n' "$program" "$*"; }
warn() { printf '%s: %s\n' "$program" "$*" >&2; }

# Ends the script. The text says what happened and, in its last sentence, what to do.
die() {
  trap - ERR
  warn "$*"
  exit 1
}

# Any command that fails without an answer of its own still ends in one plain sentence.
set -E
trap 'die "stopped at line $LINENO of ${BASH_SOURCE[0]##*/}; correct what the lines above name, then run $program again"' ERR

# Prints the comment block at the top of a script: its --help.
print_help() {
  sed -n '/^# SPDX/d; 2,/^[^#]/{/^#/{s/^# \{0,1\}//;p}}' "$1" | sed '/./,$!d'
}

unknown_option() {
  warn "unknown option '$1'; '$program --help' lists those there are"
  exit 2
}

have() { command -v "$1" > /dev/null 2>&1; }

# Parallel compilations: one a core, but no more than memory allows (about 1.5 GiB each).
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo 2> /dev/null) || memory=$cores
  if [ "${memory:-0}" -lt 1 ]; then memory=1; fi
  echo $((cores < memory ? cores : memory))
}

# Prints a Python that has numpy and h5py: the distribution's before the first on PATH, as a
# virtual environment or a version manager on PATH seldom has h5py.
find_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} /usr/bin/python3 python3; do
    if "$candidate" -c 'import h5py, numpy' > /dev/null 2>&1; then
      echo "$candidate"
      return 0
    fi
  done
  die "no Python here has numpy and h5py; install python3-numpy and python3-h5py or set PYTHON"
}

# Prints the prefix of a Kokkos built for CUDA: Kokkos_ROOT_CUDA, or the one of preset cuda. Nothing
# when there is none.
find_cuda_kokkos() {
  local prefix
  for prefix in ${Kokkos_ROOT_CUDA:+"$Kokkos_ROOT_CUDA"} "$repo/.deps/kokkos-cuda"; do
    if grep -qs 'Kokkos_DEVICES.*CUDA' "$prefix"/lib*/cmake/Kokkos/KokkosConfig*.cmake; then
      echo "$prefix"
      return 0
    fi
  done
}

# configure PRESET [CMAKE OPTION...]: runs CMake, through ccache where there is one.
configure() {
  local preset=$1
  shift
  if have ccache; then
    export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
    set -- "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache" "$@"
    if [ "$preset" = cuda ]; then set -- "-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache" "$@"; fi
  fi
  (cd "$repo" && cmake --preset "$preset" "$@") ||
    die "CMake could not configure preset '$preset'; correct what it names above, or remove build/$preset and try again"
}

# build PRESET [CMAKE BUILD OPTION...]
build() {
  local preset=$1
  shift
  (cd "$repo" && cmake --build --preset "$preset" --parallel "$(jobs)" "$@") ||
    die "preset '$preset' does not compile; the first error above names the file to correct"
}

# Lets mpirun start several ranks in a small container, where tests and the quick start run:
#  - mpirun refuses root and more ranks than cores, and both are usual there;
#  - it binds ranks to cores, so that tests which run side by side would share the first core;
#  - single-copy transfers between processes need a system call that containers forbid;
#  - the network interfaces there may not reach each other, and one machine needs none.
# All of this is wrong on a cluster, so job scripts and the program itself never set it. The
# PRTE names are those of Open MPI 5.
allow_mpi_in_containers() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1
  export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
  export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader
  export OMP_PROC_BIND=${OMP_PROC_BIND:-false}
}

# Prints the time since the script began, for closing lines.
elapsed() { printf '%d min %02d s' $((SECONDS / 60)) $((SECONDS % 60)); }
