# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# What the job scripts share; they source it. After it, $tessera is the program, and there are:
#
#   fail TEXT             ends the job with this sentence
#   find_files GRAPH PATTERN FOLDER
#                         sets $graph, $graph_text, $pattern, $folder and the list $files
#   begin GRAPH RESULT    checks both, sets $graph and $result, prints what is about to run
#   need_gpus NUMBER      ends the job unless it has so many GPUs and tessera can use them
#   run_alone ARG...      tessera as one process, without MPI
#   run_ranks ARG...      tessera on every task of the job, with MPI
#   finish STATUS         prints where the result and the logs are, or what went wrong; ends the job
#
# Environment (sbatch --export=NAME=VALUE,... sets it for one job):
#   TESSERA            the program, where it isn't on PATH
#   TESSERA_LAUNCHER   srun or mpirun; default: srun where this Slurm has PMIx, else mpirun
#   TESSERA_NETWORK    the cluster's own network, such as 192.0.2.0/24, where nodes have several
# shellcheck shell=bash

# The steps of the job get this script's environment, although the job got none of the shell's.
export SLURM_EXPORT_ENV=ALL

# Ends the job with status 2. The last half of the sentence says what to do.
fail() {
  printf '%s: %s\n' "$SLURM_JOB_NAME" "$*" >&2
  exit 2
}

find_program() {
  local status=0
  tessera=$(command -v -- "${TESSERA:-tessera}") ||
    fail "there is no program '${TESSERA:-tessera}' on node $(hostname); put tessera on PATH in your ~/.profile or submit with --export=TESSERA=/path/to/tessera"
  tessera=$(realpath -- "$tessera")
  version=$("$tessera" --version 2>&1) || status=$?
  case $status in
    0) ;;
    126) fail "$tessera is not a program for this node's $(uname -m) processor; build it on such a node or with scripts/cross.sh" ;;
    132) fail "$tessera is built for another processor than node $(hostname) has; build it with -DTESSERA_ARCH=native here, or for the oldest processor of the cluster" ;;
    *) fail "$tessera does not start on node $(hostname): $version" ;;
  esac
}

# As many threads as Slurm gives a task cores, and each thread stays on its own.
use_cores_of_task() {
  [ -n "${SLURM_CPUS_PER_TASK:-}" ] ||
    fail "Slurm didn't say how many CPUs a task has; keep --cpus-per-task in the script"
  export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK OMP_PROC_BIND=close OMP_PLACES=cores
}

# MPI and NCCL must not try networks on which nodes don't reach each other (docker0, usb0, ...).
use_network() {
  if [ -z "${TESSERA_NETWORK:-}" ]; then return 0; fi
  export OMPI_MCA_btl_tcp_if_include=$TESSERA_NETWORK OMPI_MCA_oob_tcp_if_include=$TESSERA_NETWORK
  export PRTE_MCA_oob_tcp_if_include=$TESSERA_NETWORK PMIX_MCA_ptl_tcp_if_include=$TESSERA_NETWORK
}

choose_launcher() {
  launcher=${TESSERA_LAUNCHER:-}
  if [ -z "$launcher" ]; then
    if srun --mpi=list 2>&1 | grep -qw pmix; then launcher=srun; else launcher=mpirun; fi
  fi
  case $launcher in
    srun | mpirun) ;;
    *) fail "TESSERA_LAUNCHER is '$launcher'; it can be srun or mpirun" ;;
  esac
  command -v "$launcher" > /dev/null ||
    fail "there is no $launcher on node $(hostname); install Open MPI there, or a Slurm with PMIx"
}

# What runs where, for whoever reads the output later. Hashes of inputs are in the results.
print_job() {
  cat << END
job        ${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+ task $SLURM_ARRAY_TASK_ID}, start $((${SLURM_RESTART_COUNT:-0} + 1)), $(date '+%F %T %Z')
nodes      $SLURM_JOB_NODELIST: $SLURM_NTASKS x $SLURM_CPUS_PER_TASK CPUs, memory ${SLURM_MEM_PER_NODE:-?} MiB a node
program    $tessera
           $version
           sha256 $(sha256sum < "$tessera" | cut -d' ' -f1)
graph      $graph
           sha256 $(sha256sum < "$graph" | cut -d' ' -f1)
END
}

# need_gpus NUMBER
need_gpus() {
  case $version in
    *cuda*) ;;
    *) fail "$tessera computes on CPUs only; build preset cuda and submit with --export=TESSERA=/path/to/that/tessera" ;;
  esac
  [ -n "${SLURM_JOB_GPUS:-}${SLURM_STEP_GPUS:-}" ] ||
    fail "Slurm gave this job no GPU; keep --gres or --gpus-per-node, and see 'sinfo -o \"%N %G\"' for what nodes have"
  [ "${SLURM_GPUS_ON_NODE:-1}" -eq "$1" ] ||
    fail "$1 rank(s), but ${SLURM_GPUS_ON_NODE:-1} GPU(s); give --ntasks-per-node and --gpus-per-node the same number"
}

# begin GRAPH RESULT
begin() {
  graph=$1 result=$2
  [ -f "$graph" ] ||
    fail "there is no graph '$graph' seen from $PWD; submit from the folder that has it: sbatch SCRIPT GRAPH RESULT"
  [ -d "$(dirname -- "$result")" ] ||
    fail "there is no folder '$(dirname -- "$result")' for the result; make it, on a file system that all nodes share"
  graph=$(realpath -- "$graph")
  result=$(realpath -m -- "$result")
  print_job
}

# find_files GRAPH PATTERN FOLDER: files in the order of their names, the same on every node.
# shellcheck disable=SC2034  # files and folder are for the scripts
find_files() {
  graph=$1 pattern=$2 folder=$(realpath -m -- "$3")
  [ -f "$graph" ] ||
    fail "there is no graph '$graph' seen from $PWD; submit from the folder that has it: sbatch --array=0-19 SCRIPT GRAPH PATTERN FOLDER"
  graph=$(realpath -- "$graph")
  graph_text=$(< "$graph")
  case $graph_text in
    *"$pattern"*) ;;
    *) fail "the graph $graph doesn't contain '$pattern'; give the pattern as it stands in its inputs" ;;
  esac
  local found
  found=$(cd -- "$(dirname -- "$graph")" && LC_ALL=C && compgen -G "$pattern") ||
    fail "there is no file '$pattern' in $(dirname -- "$graph"); make the data first or correct the pattern"
  mapfile -t files < <(LC_ALL=C sort <<< "$found")
  [ -z "$(sed 's#.*/##; s#\.[^.]*$##' <<< "$found" | sort | uniq -d)" ] ||
    fail "two files of '$pattern' have one name and would have one result; rename one, or take a narrower pattern"
}

run_alone() { "$tessera" "$@"; }

# Ranks get whole cores of their own, never more than Slurm gave; both launchers print once which.
# One failed rank ends all. Slurm's --cpus-per-task is said again, as some versions forget it.
run_ranks() {
  choose_launcher
  echo "launcher   $launcher"
  if [ "$launcher" = srun ]; then
    srun --mpi=pmix --ntasks="$SLURM_NTASKS" --cpus-per-task="$SLURM_CPUS_PER_TASK" \
      --cpu-bind=verbose,cores --distribution=block:block --kill-on-bad-exit=1 --label \
      "$tessera" "$@"
  else
    mpirun -n "$SLURM_NTASKS" --map-by "slot:PE=$SLURM_CPUS_PER_TASK" --bind-to core \
      --report-bindings "$tessera" "$@"
  fi
}

explain() {
  case $1 in
    2) echo "wrong usage: see the options after RESULT, and 'tessera run --help'" ;;
    3) echo "the graph or an input is refused: correct what the message above names" ;;
    4) echo "the run doesn't fit into the job's memory: ask for more with --mem, or for more nodes" ;;
    5) echo "reading or writing failed: look at the message above and at the file system" ;;
    6) echo "numerical failure: the message above names the step" ;;
    7) echo "a rank or the connection between ranks failed: look for a failed node, then submit again" ;;
    137) echo "killed: if 'scontrol show job $SLURM_JOB_ID' says OUT_OF_MEMORY, ask for more with --mem" ;;
    143) echo "stopped: cancelled, out of time (then ask for more with --time), or one rank ended and the others with it (the message above is that rank's)" ;;
    *) echo "unexpected: the last lines above say why" ;;
  esac
}

# finish STATUS
finish() {
  if [ "$1" -eq 0 ]; then
    echo "result     $result"
    echo "logs       ${result%.h5}.log (begin with summary.txt)"
  else
    printf '%s: tessera ended with status %s, so there is no new result; %s\n' \
      "$SLURM_JOB_NAME" "$1" "$(explain "$1")" >&2
  fi
  exit "$1"
}

find_program
use_cores_of_task
use_network
