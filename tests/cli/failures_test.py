# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Exit codes and messages; a killed rank ends the job soon and leaves nothing under the output's name."""
import os
import pathlib
import signal
import subprocess
import time

import h5py
import numpy as np
from cli import Tests
from harness import environment


def children(parent):
    """Process ids of all descendants."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == parent:
                    found += [int(entry.name)] + children(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                pass
    return found


def ranks_of(parent):
    found = []
    for pid in children(parent):
        try:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if command[0].endswith(b"/tessera"):
            found.append(pid)
    return found


def kill_one_rank(tests, graph, ranks, victim):
    out = tests.folder / f"killed-{ranks}-{victim}.h5"
    job = subprocess.Popen(tests.command(["run", graph, "-o", out, "--threads", 1], ranks),
                           env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tests.folder)
    partial = pathlib.Path(str(out) + ".partial")
    deadline = time.time() + 30
    while not partial.exists() and time.time() < deadline and job.poll() is None:
        time.sleep(0.05)
    time.sleep(0.5)
    found = ranks_of(job.pid)
    if not tests.check(len(found) == ranks, f"{ranks} ranks are running: {found}"):
        job.kill()
        return
    os.kill(sorted(found)[victim], signal.SIGKILL)
    begin = time.time()
    try:
        job.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        job.kill()
    seconds = time.time() - begin
    where = f"rank {victim} of {ranks} killed"
    tests.check(seconds < 10, f"{where}: ended after {seconds:.1f} s")
    tests.check(job.returncode != 0, f"{where}: exit code {job.returncode}")
    tests.check(not out.exists(), f"{where}: no file under the final name")
    time.sleep(0.2)
    tests.check(not [p for p in found if pathlib.Path(f"/proc/{p}").exists()
                     and "Z" not in pathlib.Path(f"/proc/{p}/stat").read_text().rsplit(")", 1)[1][:3]],
                f"{where}: no rank is left")
    # The next run finds the leftover of the dead one and replaces it.
    quick = tests.run(["run", graph, "-o", out, "--set", "sweeps=1", "--quiet"])
    tests.check(quick.returncode == 0 and out.exists(), f"{where}: the next run works: {quick.stderr[-400:]}")


def main():
    tests = Tests()
    with h5py.File(tests.folder / "in.h5", "w") as file:
        file["x"] = np.arange(12.0).reshape(3, 4)
        file["big"] = np.ones((1000, 1000))
        file["text"] = "no numbers"
    good = tests.graph("good.json", {"inputs": {"x": "in.h5:/x"}, "steps": {"y": {"op": "sum", "in": "x"}},
                                     "outputs": {"/y": "y"}})
    tests.expect(["--version"], 0, "tessera ")
    tests.expect(["--help"], 0, "run")
    for command in ("run", "plan", "check", "ops", "schema", "probe", "compare", "verify", "report"):
        tests.expect([command, "--help"], 0, "--help")
    tests.expect([], 2)
    tests.expect(["nonsense"], 2)
    tests.expect(["run"], 2, "GRAPH")
    tests.expect(["run", good, "--io", "magic"], 2, "--io")
    tests.expect(["run", good, "--backend", "opencl"], 2, "--backend")
    tests.expect(["run", good, "--memory", "lots"], 2, "lots")
    tests.expect(["plan", good, "-n", "0"], 2)
    tests.expect(["run", "absent.json"], 3, "absent.json")
    (tests.folder / "broken.json").write_text('{"tessera": 1,\n "steps": {"u": }\n}')
    tests.expect(["run", "broken.json"], 3, "broken.json:2:")
    unknown = tests.graph("unknown.json", {"inputs": {"x": "in.h5:/x"}, "steps": {"y": {"op": "summ", "in": "x"}},
                                           "outputs": {"/y": "y"}})
    for ranks in (1, 3):
        done = tests.expect(["run", unknown], 3, 'step "y"', ranks=ranks)
        tests.check(done.stderr.count("tessera:") == 1, f"{ranks} ranks: one message: {done.stderr!r}")
    absent = tests.graph("absent_data.json", {"inputs": {"x": "in.h5:/nope"},
                                              "steps": {"y": {"op": "sum", "in": "x"}}, "outputs": {"/y": "y"}})
    tests.expect(["check", absent], 3, "/nope")
    tests.expect(["run", good, "-o", "y.h5"], 0)
    with h5py.File(tests.folder / "y.h5") as file:
        tests.check(file["y"][()] == 66.0, "the sum is right")
    tests.expect(["run", good, "-o", "y.h5"], 5, "--overwrite")
    tests.expect(["run", good, "-o", "y.h5"], 5, "--overwrite", ranks=2)
    tests.expect(["run", good, "-o", "y.h5", "--overwrite"], 0)
    tests.expect(["run", good, "-o", "no/such/folder/y.h5"], 5, "no/such/folder")
    tests.expect(["verify", "y.h5"], 0)
    tests.expect(["compare", "y.h5", "y.h5", "--bits"], 0)
    tests.expect(["verify", "in.h5"], 5)
    damaged = bytearray((tests.folder / "y.h5").read_bytes())
    at = bytes(damaged).find(np.float64(66.0).tobytes())
    damaged[at] ^= 1
    (tests.folder / "damaged.h5").write_bytes(damaged)
    tests.expect(["verify", "damaged.h5"], 5, "/y")
    tests.expect(["compare", "y.h5", "damaged.h5"], 1, "/y")
    tests.expect(["report", "nowhere"], 5, "nowhere")
    slow = tests.graph("slow.json", {"inputs": {"u0": "in.h5:/big"}, "params": {"sweeps": 200000},
                                     "steps": {"u": {"op": "stencil", "in": "u0", "weights": "laplace2d",
                                                     "scale": 0.1, "repeat": "sweeps", "boundary": "fixed"}},
                                     "outputs": {"/u": "u"}})
    for ranks, victim in ((2, 0), (2, 1), (3, 1)):
        kill_one_rank(tests, slow, ranks, victim)
    tests.end()


main()
