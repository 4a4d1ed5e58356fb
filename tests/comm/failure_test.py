#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""A failing rank ends the whole job, in time, with its message once and its exit code.

Usage: failure_test.py MPIEXEC FAILING_RANK COMMUNICATOR_TEST
"""
import os
import subprocess
import sys
import time

LIMIT = 10.0  # seconds from start to the end of all ranks

# how, ranks, exit code, text that rank's message must have (None: no message of ours)
CASES = [
    ("throw", 1, 5, "tessera: can't read x.h5; look at the disk"),
    ("throw", 2, 5, "tessera: can't read x.h5; look at the disk [rank 1]"),
    ("throw", 4, 5, "tessera: can't read x.h5; look at the disk [rank 3]"),
    ("throw-in-collective", 3, 6, "tessera: singular [rank 2]"),
    ("all-throw", 1, 4, "tessera: too large"),
    ("all-throw", 4, 4, "tessera: too large [rank 0]"),
    ("kill", 2, 137, None),
    ("kill", 4, 137, None),
    ("agree", 1, 3, "tessera: unknown step"),
    ("agree", 4, 3, "tessera: unknown step [rank 3]"),
    ("group-agree", 4, 5, "tessera: no such file [rank 3]"),
    ("mixed-build", 3, 7, 'rank 0 has build "old", rank 2 has "new"'),
    ("slow", 2, 0, None),  # a long wait is no failure
]

failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


def living(marker):
    """Processes whose environment carries the marker: ranks that were left behind."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if marker.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass  # gone meanwhile, or another user's
    return found


def run(name, command, limit):
    marker = f"TESSERA_FAILURE_TEST={os.getpid()}-{name}"
    key, value = marker.split("=")
    start = time.monotonic()
    try:
        done = subprocess.run(command, env={**os.environ, key: value}, capture_output=True,
                              text=True, errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        failures.append(f"{name}: hangs")
        return None, ""
    seconds = time.monotonic() - start
    print(f"{name}: exit {done.returncode} after {seconds:.1f} s")
    expect(seconds < limit, f"{name}: took {seconds:.1f} s")
    expect(not living(marker), f"{name}: processes were left behind")
    return done.returncode, done.stdout + done.stderr


def main():
    mpiexec, failing_rank, communicator_test = sys.argv[1:4]
    for how, ranks, code, text in CASES:
        name = f"{how} on {ranks}"
        limit = 30.0 if how == "slow" else LIMIT
        found, output = run(name, [mpiexec, "-n", str(ranks), failing_rank, how], limit)
        if found is None:
            continue
        expect(found == code, f"{name}: exit code {found}, expected {code}")
        ours = [line for line in output.splitlines() if "tessera: " in line]
        if text is None:
            expect(ours == [], f"{name}: says {ours}")
        else:
            expect(len(ours) == 1, f"{name}: {len(ours)} messages: {ours}")
            expect(any(text in line for line in ours), f"{name}: says {ours}, expected {text}")
    # Alone, without a launcher.
    found, output = run("alone", [failing_rank, "throw"], LIMIT)
    expect(found == 5 and output == "tessera: can't read x.h5; look at the disk\n",
           f"alone: exit {found}, says {output}")

    # The test program for ranks shows failures of every rank, and ends a test that is stuck.
    base = [mpiexec, "-n", "3", communicator_test, "--gtest_also_run_disabled_tests"]
    found, output = run("failing test", [*base, "--gtest_filter=*FailsOnTheLastRank"], LIMIT)
    expect(found == 1, f"a failing test: exit {found}")
    expect("RANK 2" in output and "self_check_test.cpp:" in output, f"a failing test: {output}")
    found, output = run("uneven test", [*base, "--gtest_filter=*ReachesLessOnTheLastRank"], LIMIT)
    expect(found == 1 and "reached 1 noted places, rank 0 2" in output, f"an uneven test: {output}")
    os.environ["TESSERA_TEST_SECONDS"] = "2"
    found, output = run("stuck test", [*base, "--gtest_filter=*IsStuckOnTheLastRank"], LIMIT + 4)
    expect(found not in (0, None), f"a stuck test: exit {found}")
    for rank in range(3):
        expect(f"rank {rank} in SelfCheck" in output, f"a stuck test doesn't name rank {rank}: {output}")

    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
