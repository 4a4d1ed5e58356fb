#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# Usage: scripts/bench.sh cpu [--no-build] [--only WORD] [--repeats N] [--save NAME]
#
# Builds the benchmarks (preset release), runs them beside their peers on this machine, and prints
# one table of ratios with the goals. Takes about two minutes; nothing else should run meanwhile.
# Exit status 1 says that a goal was missed.
#
#   --no-build       take the programs as they are
#   --only WORD      the cases whose name contains this
#   --repeats N      turns of each case (default and least: 7)
#   --save NAME      also write tests/bench/results/NAME.json
#   -h, --help       print this text

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname -- "$0")/lib.sh"

build_first=yes
kind=
options=()
while [ $# -gt 0 ]; do
  case $1 in
    cpu) kind=$1 ;;
    --no-build) build_first= ;;
    --only | --repeats | --save)
      [ -n "${2:-}" ] || die "$1 needs a value; '$program --help' says which"
      options+=("$1" "$2")
      shift
      ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *) unknown_option "$1" ;;
  esac
  shift
done
if [ -z "$kind" ]; then
  warn "say what to measure: $program cpu"
  exit 2
fi

if [ -n "$build_first" ]; then
  configure release
  build release --target benchmarks
fi

python=$(find_python)
allow_mpi_in_containers
# OpenBLAS shall choose its kernels by the processor, as a fair peer does.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
status=0
"$python" "$repo/tests/bench/bench.py" --build "$repo/build/release" ${options[@]+"${options[@]}"} || status=$?
exit "$status"
