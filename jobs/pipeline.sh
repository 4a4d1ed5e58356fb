#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# A pipeline: a job per graph, each started when the one before is done, and a last one that checks
# every result. Run this by hand on the machine where you call sbatch; it submits and returns.
#
#   jobs/pipeline.sh GRAPH...
#
# The result of NAME.json is NAME.h5 beside it, so that the next graph reads "NAME.h5:/DATASET".
# If a job fails, Slurm cancels those after it. SBATCH_PARTITION and the other SBATCH_ variables of
# sbatch(1) hold for all jobs; options for one step go into its line below.

set -euo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)

if [ $# -eq 0 ]; then
  echo "pipeline.sh: no graph; say jobs/pipeline.sh GRAPH..." >&2
  exit 2
fi
for graph in "$@"; do
  if [ ! -f "$graph" ]; then
    echo "pipeline.sh: there is no graph '$graph'; nothing was submitted" >&2
    exit 2
  fi
done

# after JOB: what makes a job wait for JOB, and go away where JOB fails. Nothing for the first.
after() { if [ -n "$1" ]; then echo "--dependency=afterok:$1 --kill-on-invalid-dep=yes"; fi; }

job=
results=()
for graph in "$@"; do
  graph=$(realpath -- "$graph")
  result=${graph%.json}.h5
  # shellcheck disable=SC2046  # none or two words
  job=$(sbatch --parsable $(after "$job") "$here/cpu-multi.sbatch" "$graph" "$result" --overwrite)
  job=${job%%;*} # with several clusters: JOB;CLUSTER
  echo "job $job: $graph -> $result"
  results+=("$result")
done
# shellcheck disable=SC2046
job=$(sbatch --parsable $(after "$job") "$here/verify.sbatch" "${results[@]}")
job=${job%%;*}
echo "job $job: tessera verify ${results[*]}"
echo "follow them with squeue --me; what they print is in tessera-JOB.out here"
