#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# Usage: scripts/test-slurm.sh [--keep] [--no-install] [TESSERA]
#
# Runs the scripts of jobs/ under a real Slurm: starts munged, slurmctld and two slurmd on this
# machine, submits the scripts with small graphs and checks how they end and what they write. TESSERA
# is the program (default: that of build/release). Needs root, for namespaces of its own: nothing
# outside a temporary folder is written, a Slurm that runs here is neither seen nor touched, and
# all of it ends with the script. Packages that are missing are installed, and stay.
#
#   --keep           keep the temporary folder, with the jobs' outputs and the daemons' logs
#   --no-install     say which packages are missing instead of installing them
#   -h, --help       print this text
#
# No GPU is needed: the GPU scripts run with a stand-in that leaves --backend cuda out.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=scripts/lib_slurm.sh
. "$repo/scripts/lib_slurm.sh"

readonly packages=(slurmctld slurmd slurm-client munge iproute2 openmpi-bin)
tessera=$repo/build/release/apps/tessera/tessera
keep=
install=yes
inside=
for option in "$@"; do
  case $option in
    --keep) keep=yes ;;
    --no-install) install= ;;
    --inside=*) inside=${option#*=} ;; # this script calls itself so
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    -*) unknown_option "$option" ;;
    *) tessera=$option ;;
  esac
done

find_packages() {
  local package missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed || missing+=("$package")
  done
  if [ "${#missing[@]}" -eq 0 ]; then return 0; fi
  [ -n "$install" ] || die "missing packages: ${missing[*]}; install them or leave out --no-install"
  say "installing: ${missing[*]}"
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
    install --no-install-recommends "${missing[@]}" > /dev/null ||
    die "apt-get could not install them; check the network and run apt-get update, then $program again"
}

if [ -z "$inside" ]; then
  [ "$(id -u)" -eq 0 ] || die "namespaces and slurmd need root; run it with sudo"
  [ -x "$tessera" ] || die "there is no program $tessera; build it with scripts/test.sh or name another"
  have dpkg-query || die "this needs Debian's or Ubuntu's packages of Slurm"
  find_packages
  enter_namespaces true 2> /dev/null ||
    die "namespaces can't be made here; in a container, start it with the capability SYS_ADMIN"
  work=$(mktemp -d /tmp/tessera-slurm.XXXXXX)
  status=0
  enter_namespaces "$0" --inside="$work" "$(realpath -- "$tessera")" || status=$?
  if [ -n "$keep" ]; then
    say "outputs and logs are in $work"
  else
    rm -rf "$work"
  fi
  exit "$status"
fi

# ---- from here on in the namespaces ----

work=$inside
passed=0
failed=0
output= # of the last job, for `says`
state=  # of the last job
code=   # of the last job

# check WHAT COMMAND...: one line for each check; its output only if it fails.
check() {
  local what=$1 text
  shift
  if text=$("$@" 2>&1); then
    passed=$((passed + 1))
    echo "passed  $what"
  else
    failed=$((failed + 1))
    echo "FAILED  $what"
    printf '        %s\n' "${text:-$*}"
  fi
}

# Jobs get these and what a login gives; the virtual nodes share cores, so threads must not spin.
# Root may use mpirun, and processes of a container may not read each other's memory.
environment=TESSERA=$tessera,OMP_WAIT_POLICY=passive,OMPI_MCA_btl_vader_single_copy_mechanism=none
environment+=,OMPI_ALLOW_RUN_AS_ROOT=1,OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
environment+=,PRTE_ALLOW_RUN_AS_ROOT=1,PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

# start_job ENVIRONMENT ARG...: submits and prints the number.
start_job() {
  local more=$1
  shift
  sbatch --parsable --export="$environment${more:+,$more}" "$@"
}

# finish_job JOB: waits, and sets state, code and output.
finish_job() {
  wait_for "$1" '@(COMPLETED|FAILED|CANCELLED|TIMEOUT|OUT_OF_MEMORY|NODE_FAIL)'
  state=$(job_field "$1" JobState)
  code=$(job_field "$1" ExitCode)
  code=${code%:*}
  output=$(job_field "$1" StdOut)
}

# run_job ENVIRONMENT ARG...
run_job() {
  local job
  job=$(start_job "$@")
  finish_job "$job"
}

ended() { # ended STATE CODE
  if [ "$state $code" = "$1 $2" ]; then return 0; fi
  echo "it ended as $state with code $code"
  cat "$output"
  return 1
}
# says TEXT...: each is somewhere in the job's output.
says() {
  local text
  for text in "$@"; do
    grep -qF -- "$text" "$output" || { cat "$output"; return 1; }
  done
}
absent() { [ ! -e "$1" ] || { ls -l "$1"; return 1; }; }
sum() { sha256sum < "$1"; }
same() { # same FILE FILE: bit for bit, and intact
  if "$tessera" verify "$2" && [ "$(sum "$1")" = "$(sum "$2")" ]; then return 0; fi
  cat "$output"
  return 1
}
logged() { # logged RESULT KEY VALUE: in its run.json
  grep -qE "\"$2\": \"?$3\b" "${1%.h5}.log/run.json" || { cat "${1%.h5}.log/run.json"; return 1; }
}

prepare() {
  local python
  python=$(find_python)
  mkdir "$work/data"
  cd "$work/data"
  cp -r "$repo/inputs/heat/heat.json" "$repo/inputs/vibration/vibration.json" .
  "$python" "$repo/inputs/heat/make_data.py" 96 plate.h5 > /dev/null
  "$python" - << 'END'
import os
import h5py
import numpy as np
os.makedirs("runs")
for i in range(4):
    with h5py.File(f"runs/part-{i}.h5", "w") as file:
        file["signal"] = np.sin(np.arange(512) * (i + 1) * 0.1).astype("float32")
END
  cat > next.json << 'END'
{"tessera": 1, "inputs": {"u": "heat.h5:/u"}, "steps": {"warmest": {"op": "max", "in": "u"}},
 "outputs": {"/warmest": "warmest"}}
END
  cat > large.json << 'END'
{"tessera": 1, "steps": {"r": {"op": "random", "shape": [8192, 4096], "seed": 1}, "m": {"op": "cumsum", "in": "r", "axis": 0}},
 "outputs": {"/m": "m"}}
END
}

readonly jobs=$repo/jobs
exact=(--recipe bitexact --set steps=200)

test_cpu() {
  "$tessera" run heat.json -o plain.h5 "${exact[@]}" --quiet
  run_job "" "$jobs/cpu-single.sbatch" heat.json one.h5 "${exact[@]}"
  check "cpu-single: completes" ended COMPLETED 0
  check "cpu-single: the bits of a plain run" same plain.h5 one.h5
  check "cpu-single: as many threads as CPUs" logged one.h5 threads_per_rank 2
  check "cpu-single: says where the result is" says "result     $work/data/one.h5"
  check "cpu-single: says where the logs are" says "logs       $work/data/one.log"
  check "cpu-single: names program and graph by hash" says "sha256 $(sum heat.json | cut -d' ' -f1)"

  run_job "" "$jobs/cpu-multi.sbatch" heat.json two.h5 "${exact[@]}"
  check "cpu-multi on two nodes: completes" ended COMPLETED 0
  check "cpu-multi on two nodes: the bits of a plain run" same plain.h5 two.h5
  check "cpu-multi on two nodes: started by srun" says "launcher   srun"
  check "cpu-multi on two nodes: two ranks" logged two.h5 rank_count 2
  check "cpu-multi on two nodes: two threads each" logged two.h5 threads_per_rank 2
  check "cpu-multi on two nodes: on two CPUs each" says "0: cpu-bind=MASK - n1, task  0  0 [" "mask 0x3 set"

  run_job "" --ntasks-per-node=2 --cpus-per-task=1 "$jobs/cpu-multi.sbatch" heat.json four.h5 "${exact[@]}"
  check "cpu-multi, four ranks: the bits of a plain run" same plain.h5 four.h5
  check "cpu-multi, four ranks: one CPU each" logged four.h5 cpus_allowed_rank_0 1

  run_job "TESSERA_LAUNCHER=mpirun,TESSERA_NETWORK=192.0.2.0/24" "$jobs/cpu-multi.sbatch" heat.json \
    mpirun.h5 "${exact[@]}"
  check "cpu-multi by mpirun: completes" ended COMPLETED 0
  check "cpu-multi by mpirun: started by mpirun" says "launcher   mpirun"
  check "cpu-multi by mpirun: the bits of a plain run" same plain.h5 mpirun.h5
  check "cpu-multi by mpirun: two ranks" logged mpirun.h5 rank_count 2
  check "cpu-multi by mpirun: says where ranks are bound" says "MCW rank 1 "

  run_job "TESSERA_LAUNCHER=mpirun" --ntasks-per-node=2 --cpus-per-task=1 "$jobs/cpu-multi.sbatch" \
    heat.json mpirun4.h5 "${exact[@]}"
  check "cpu-multi by mpirun, four ranks: the bits of a plain run" same plain.h5 mpirun4.h5
  check "cpu-multi by mpirun, four ranks: one CPU each" logged mpirun4.h5 cpus_allowed_rank_0 1
}

test_refusals() {
  run_job "TESSERA=/nowhere/tessera" "$jobs/cpu-single.sbatch" heat.json none.h5
  check "no program: fails" ended FAILED 2
  check "no program: says what to do" says "submit with --export=TESSERA=/path/to/tessera"
  run_job "" "$jobs/cpu-single.sbatch" nothing.json none.h5
  check "no graph: says what to do" says "there is no graph 'nothing.json'"
  run_job "" "$jobs/cpu-multi.sbatch" heat.json nofolder/none.h5
  check "no folder: says what to do" says "there is no folder 'nofolder'"
  run_job "TESSERA_LAUNCHER=ssh" "$jobs/cpu-multi.sbatch" heat.json none.h5
  check "unknown launcher: says which there are" says "it can be srun or mpirun"
  output=$work/outside
  (unset SLURM_JOB_ID; bash "$jobs/cpu-single.sbatch") > "$output" 2>&1 || true
  check "outside of Slurm: says what to do" says "submit this script with sbatch"
}

test_memory() {
  run_job "" --mem=200M "$jobs/cpu-single.sbatch" large.json large.h5
  check "too little memory: tessera refuses, code 4" ended FAILED 4
  check "too little memory: says what to do" says "ask for more with --mem"
  check "too little memory: no result" absent large.h5
  run_job "" --mem=200M "$jobs/cpu-multi.sbatch" large.json large.h5
  check "too little memory, srun: code 4" ended FAILED 4
  run_job "TESSERA_LAUNCHER=mpirun" --mem=200M "$jobs/cpu-multi.sbatch" large.json large.h5
  check "too little memory, mpirun: code 4" ended FAILED 4
  # What the plan says is enough, and the batch shell beside it.
  run_job "" --mem=900M "$jobs/cpu-single.sbatch" large.json large.h5
  check "enough memory: completes" ended COMPLETED 0
  # The limit is real: who doesn't plan is killed.
  run_job "" --mem=200M --time=1 --output=hog.out --wrap \
    'exec python3 -c "import time; x = bytearray(600 << 20); x[::4096] = b\"1\" * len(x[::4096]); time.sleep(30)"'
  check "a program that doesn't plan: ended by Slurm's limit" says "exceeded memory limit"
}

test_cancel() {
  local job
  job=$(start_job "" "$jobs/cpu-multi.sbatch" heat.json cancelled.h5 --set steps=100000000)
  wait_for "$job" RUNNING
  for _ in {1..100}; do if [ -e cancelled.h5.partial ]; then break; fi; sleep 0.1; done
  check "scancel: the run has begun its file" test -e cancelled.h5.partial
  scancel "$job" || true
  finish_job "$job"
  check "scancel: cancelled" ended CANCELLED 0
  check "scancel: nothing under the final name" absent cancelled.h5
  run_job "" "$jobs/cpu-multi.sbatch" heat.json cancelled.h5 "${exact[@]}"
  check "scancel: submitted again, the bits of a plain run" same plain.h5 cancelled.h5
}

test_array() {
  local job i
  job=$(start_job "" --array=1,3 "$jobs/array.sbatch" vibration.json 'runs/*.h5' results)
  array_ended "$job"
  output=tessera-array-${job}_1.out
  check "array: files 1 and 3, no others" test "$(cd results && echo *.h5)" = "part-1.h5 part-3.h5"
  sed 's#runs/\*.h5#runs/part-3.h5#' vibration.json > single.json
  "$tessera" run single.json -o single.h5 --quiet
  check "array: index 3 has the result of file 3" "$tessera" compare --bits single.h5 results/part-3.h5
  check "array: intact" "$tessera" verify results/part-1.h5 results/part-3.h5
  run_job "" "$jobs/array-collect.sbatch" vibration.json 'runs/*.h5' results
  check "array-collect: fails while some are missing" ended FAILED 2
  check "array-collect: says which to submit" says "with --array=0,2"
  job=$(start_job "" --array=0-4%2 "$jobs/array.sbatch" vibration.json 'runs/*.h5' results)
  array_ended "$job"
  output=tessera-array-${job}_1.out
  check "array again: leaves what is intact" says "is there and intact"
  output=tessera-array-${job}_4.out
  check "array: an index without a file says so" says "submit with --array=0-3"
  run_job "" "$jobs/array-collect.sbatch" vibration.json 'runs/*.h5' results
  check "array-collect: completes when all are there" ended COMPLETED 0
  job=$(start_job "FILES_PER_TASK=2" --array=0-1 "$jobs/array.sbatch" vibration.json 'runs/*.h5' pairs)
  array_ended "$job"
  for i in 0 1 2 3; do
    output=tessera-array-${job}_$((i / 2)).out
    check "array, two files a task: file $i has the same bits" same "results/part-$i.h5" "pairs/part-$i.h5"
  done
}
array_ended() {
  local i
  for ((i = 0; i < 300; i++)); do
    if [ -z "$(squeue -h -j "$1" 2> /dev/null)" ]; then return 0; fi
    sleep 0.2
  done
  die "array $1 isn't done after a minute; $work/log says why"
}

# sbatch reads from SBATCH_EXPORT what the pipeline's jobs get.
test_pipeline() {
  local lines last
  lines=$(SBATCH_EXPORT=$environment "$jobs/pipeline.sh" heat.json next.json)
  last=$(sed -n 's/^job \([0-9]*\): tessera verify.*/\1/p' <<< "$lines")
  finish_job "$last"
  check "pipeline: the last step, verify, completes" ended COMPLETED 0
  check "pipeline: both results are intact" "$tessera" verify heat.h5 next.h5
  rm -f heat.h5 next.h5
  echo '{"tessera": 1, "steps": {}}' > broken.json
  lines=$(SBATCH_EXPORT=$environment "$jobs/pipeline.sh" broken.json next.json)
  last=$(sed -n 's/^job \([0-9]*\): tessera verify.*/\1/p' <<< "$lines")
  finish_job "$last"
  check "pipeline: a failed step takes those after it away" test "$state" = CANCELLED
  check "pipeline: and they write nothing" absent next.h5
  cp one.h5 damaged.h5
  "$(find_python)" -c 'import h5py; h5py.File("damaged.h5", "r+")["u"][3, 5] = 1'
  run_job "" "$jobs/verify.sbatch" one.h5 damaged.h5
  check "verify: a damaged result fails, code 5" ended FAILED 5
}

test_requeue() {
  local job
  job=$(start_job "" "$jobs/requeue.sbatch" heat.json again.h5 --recipe bitexact --set steps=60000)
  wait_for "$job" RUNNING
  for _ in {1..100}; do if [ -e again.h5.partial ]; then break; fi; sleep 0.1; done
  scancel --batch --signal=USR1 "$job" || true
  sleep 1
  scontrol requeue "$job" || true
  wait_for "$job" PENDING
  check "requeue: nothing under the final name in between" absent again.h5
  scontrol update JobId="$job" StartTime=now || true # Slurm would wait two minutes
  sleep 1
  finish_job "$job"
  check "requeue: completes on the second start" ended COMPLETED 0
  check "requeue: was started twice" says "start 2,"
  check "requeue: the warning before the end is passed on" says "the time will be up"
  "$tessera" run heat.json -o long.h5 --recipe bitexact --set steps=60000 --quiet
  check "requeue: the bits of an unbroken run" same long.h5 again.h5
}

# A program that says it has CUDA, and runs on the CPU.
test_gpu() {
  cat > gpu-tessera << END
#!/bin/bash
case \$1 in
  --version) echo "\$("$tessera" --version), cuda" ;;
  run)
    echo "devices \${CUDA_VISIBLE_DEVICES:-none}"
    for word; do shift; case \$word in cuda) ;; --backend) echo "backend cuda" ;; *) set -- "\$@" "\$word" ;; esac; done
    exec "$tessera" "\$@"
    ;;
esac
END
  chmod +x gpu-tessera
  run_job "" --mem=1G --cpus-per-task=1 "$jobs/gpu-node.sbatch" heat.json gpu.h5
  check "gpu-node without CUDA: says what to do" says "computes on CPUs only; build preset cuda"
  run_job "TESSERA=$PWD/gpu-tessera" --mem=1G --cpus-per-task=1 "$jobs/gpu-node.sbatch" heat.json gpu.h5 "${exact[@]}"
  check "gpu-node: completes" ended COMPLETED 0
  check "gpu-node: a rank for each of two GPUs" logged gpu.h5 rank_count 2
  check "gpu-node: every rank sees both" says "devices 0,1"
  check "gpu-node: computes there" says "backend cuda"
  run_job "TESSERA=$PWD/gpu-tessera" --mem=1G --cpus-per-task=1 --ntasks-per-node=1 "$jobs/gpu-node.sbatch" heat.json gpu.h5
  check "gpu-node with one rank for two GPUs: says what to do" says "the same number"
  run_job "TESSERA=$PWD/gpu-tessera" --mem=1G --cpus-per-task=2 "$jobs/jetson-gpu.sbatch" heat.json jetson.h5 "${exact[@]}"
  check "jetson-gpu: completes" ended COMPLETED 0
  check "jetson-gpu: computes on the GPU" says "backend cuda"
  check "jetson-gpu: notes the state of the board" says "board after"
  check "jetson-gpu: the bits of a plain run" same plain.h5 jetson.h5
}

prepare
start_slurm "$work"
say "$(sinfo --version) runs on nodes $(sinfo -h -o %N) after $(elapsed)"
test_cpu
test_refusals
test_memory
test_cancel
test_array
test_pipeline
test_requeue
test_gpu
say "$passed passed, $failed failed after $(elapsed)"
[ "$failed" -eq 0 ] || exit 1
