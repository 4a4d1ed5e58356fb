# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# A small Slurm of two nodes on this machine, for scripts/test-slurm.sh. It runs in namespaces of its
# own (see enter_namespaces), so that its network, its processes and its view of /etc/hosts are
# nobody else's, and everything ends with the script. Source it after lib.sh.
# shellcheck shell=bash

# enter_namespaces SCRIPT ARG...: starts the script again, cut off from the rest of the machine.
enter_namespaces() {
  unshare --net --mount --pid --fork --kill-child --mount-proc --uts -- "$@"
}

# Two nodes of two CPUs each, whatever the machine has. Memory is enforced by looking once a second,
# which needs no control groups; the GPUs are devices that everybody has.
write_slurm_conf() {
  local work=$1
  cat > "$work/etc/slurm.conf" << END
ClusterName=tessera
SlurmctldHost=slurm-test
SlurmctldPort=6817
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
TmpFS=$work/tmp/%n
SlurmctldPidFile=$work/state/slurmctld.pid
SlurmdPidFile=$work/state/slurmd-%n.pid
SlurmctldLogFile=$work/log/slurmctld.log
SlurmdLogFile=$work/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=pmix
ReturnToService=2
KillWait=5
DefMemPerCPU=512
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill,UsePss
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1
GresTypes=gpu
NodeName=n1 NodeHostname=n1 NodeAddr=192.0.2.1 Port=6821 CPUs=2 RealMemory=4000 Feature=jetson Gres=gpu:orin:1
NodeName=n2 NodeHostname=n2 NodeAddr=192.0.2.1 Port=6822 CPUs=2 RealMemory=4000 Gres=gpu:big:2
PartitionName=main Nodes=ALL Default=YES State=UP MaxTime=2-00:00:00
END
  cat > "$work/etc/gres.conf" << END
AutoDetect=off
NodeName=n1 Name=gpu Type=orin File=/dev/null
NodeName=n2 Name=gpu Type=big File=/dev/full
NodeName=n2 Name=gpu Type=big File=/dev/zero
END
}

# start_slurm WORK: ends when both nodes are idle.
start_slurm() {
  local work=$1 node i
  # Neither the resolver nor MPI is content with 127.0.0.1 alone. RFC 5737 keeps the other one free.
  ip link set lo up
  ip link add net0 type veth peer name net1
  ip address add 192.0.2.1/24 dev net0
  ip link set net0 up
  ip link set net1 up
  mount -t tmpfs tmpfs /dev/shm
  mount -t tmpfs tmpfs /run
  hostname slurm-test
  mkdir -p "$work"/{etc,state,log,munge} "$work"/{spool,tmp}/{n1,n2}
  printf '127.0.0.1 localhost\n192.0.2.1 slurm-test n1 n2\n' > "$work/etc/hosts"
  mount --bind "$work/etc/hosts" /etc/hosts

  chmod 700 "$work/munge"
  (umask 077 && head -c 1024 /dev/urandom > "$work/munge/key")
  munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" \
    --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" \
    2> /dev/null || die "munged doesn't start; $work/munge/log says why"

  write_slurm_conf "$work"
  export SLURM_CONF=$work/etc/slurm.conf
  slurmctld || die "slurmctld doesn't start; $work/log/slurmctld.log says why"
  # Each node with its own name and shared memory, or ranks of one would find those of the other.
  for node in n1 n2; do
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount --uts -- sh -c 'hostname "$1" && mount -t tmpfs tmpfs /dev/shm && exec slurmd -N "$1"' \
      sh "$node" || die "slurmd doesn't start; $work/log/slurmd-$node.log says why"
  done
  for ((i = 0; i < 150; i++)); do
    if [ "$(sinfo -h -o '%T %D')" = "idle 2" ]; then return 0; fi
    sleep 0.2
  done
  sinfo -N -l >&2
  tail -n 20 "$work"/log/*.log >&2
  die "the nodes aren't ready after 30 seconds; the logs above say why"
}

job_field() { scontrol show job "$1" | sed -n "s/.*\\b$2=\\([^ ]*\\).*/\\1/p" | head -n 1; }

# wait_for JOB STATE: until the job is in this state (a pattern), at most 60 seconds.
wait_for() {
  local i
  for ((i = 0; i < 300; i++)); do
    # shellcheck disable=SC2053  # a pattern
    if [[ $(job_field "$1" JobState) == $2 ]]; then return 0; fi
    sleep 0.2
  done
  warn "job $1 is $(job_field "$1" JobState) and not $2 after a minute"
  return 1
}
