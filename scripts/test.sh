#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# Usage: scripts/test.sh [--preset NAME] [--no-setup] [-- CTEST OPTION...]
#
# Sets up, configures, builds and runs every test. The exit status is that of ctest.
#
#   --preset NAME    release (default), debug, asan, tsan or cuda
#   --no-setup       skip scripts/setup.sh
#   -h, --help       print this text
#
# What follows `--` goes to ctest: `scripts/test.sh -- -R layout` runs the tests of that name.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname -- "$0")/lib.sh"

preset=release
setup=yes
while [ $# -gt 0 ]; do
  case $1 in
    --preset)
      [ -n "${2:-}" ] || die "--preset needs a name; 'cmake --list-presets' prints them"
      preset=$2
      shift
      ;;
    --no-setup) setup= ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    --)
      shift
      break
      ;;
    *) unknown_option "$1" ;;
  esac
  shift
done

if [ -n "$setup" ]; then "$repo/scripts/setup.sh" || exit; fi
configure "$preset" -DTESSERA_TESTS=ON
build "$preset"

# Tests declare the processors they use, so that as many run side by side as there are cores.
# Threads of different ranks share the cores here: waiting ones must not spin.
allow_mpi_in_containers
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
status=0
(cd "$repo" && ctest --preset "$preset" --parallel "$(nproc)" "$@") || status=$?
if [ "$status" -eq 0 ]; then
  say "every test passed, after $(elapsed) in all"
else
  warn "ctest ended with status $status after $(elapsed); the failures are listed above, their output is in build/$preset/Testing/Temporary/LastTest.log"
fi
exit "$status"
