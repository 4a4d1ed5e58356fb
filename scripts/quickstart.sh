#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# Usage: scripts/quickstart.sh
#
# From nothing to a first result: sets up, builds the program, makes the demonstration data, runs
# the heat graph on two ranks and draws the result. Everything it makes is in quickstart/.
#
#   -h, --help       print this text

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname -- "$0")/lib.sh"

case ${1:-} in
  "") ;;
  -h | --help)
    print_help "$0"
    exit 0
    ;;
  *) unknown_option "$1" ;;
esac

out=$repo/quickstart
tessera=$repo/build/release/apps/tessera/tessera

"$repo/scripts/setup.sh" || exit
configure release
build release --target tessera

mkdir -p "$out"
python=$(find_python) || exit
"$python" "$repo/inputs/heat/make_data.py" ||
  die "the demonstration data could not be made; correct what is named above, then run $program again"

say "running: mpirun -n 2 tessera run inputs/heat/heat.json"
allow_mpi_in_containers
cores=$(nproc)
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$((cores < 2 ? 1 : cores / 2))}
mpirun -n 2 "$tessera" run "$repo/inputs/heat/heat.json" \
  -o "$out/heat.h5" --overwrite --log "$out/heat.log" ||
  die "the run failed; its message above says why"

"$python" "$repo/inputs/picture.py" "$repo/inputs/heat/plate.h5:/temperature" "$out/heat.h5:/u" \
  --range 20 400 -o "$out/heat.png" ||
  die "the picture could not be drawn; the result itself is in $out/heat.h5"

say "done after $(elapsed)"
say "  result:   $out/heat.h5"
say "  picture:  $out/heat.png"
say "  logs:     $out/heat.log/ (begin with summary.txt)"
say "your turn: ${tessera#"$repo"/} run inputs/heat/heat.json -o heat.h5 --set steps=5000"
say "other examples are in inputs/README.md"
