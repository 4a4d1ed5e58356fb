# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""A run that doesn't fit is refused with the number it needs; one that fits stays below what was planned."""
import json
import re

import h5py
import numpy as np
from cli import Tests


def main():
    tests = Tests()
    with h5py.File(tests.folder / "big.h5", "w") as file:  # 2 GiB that take no room on the disk
        file.create_dataset("x", (2**15, 2**13), "f8", chunks=(2**7, 2**13), fillvalue=1)
    graph = tests.graph("big.json", {"inputs": {"x": "big.h5:/x"}, "steps": {"s": {"op": "sum", "in": "x"}},
                                     "outputs": {"/s": "s"}})
    refused = tests.expect(["run", graph, "-o", "s.h5", "--memory", "512MiB"], 4, "doesn't fit")
    tests.check(not (tests.folder / "s.h5").exists(), "a refused run leaves no file")
    tests.check(refused.stderr.count("\n") == 1, f"one line: {refused.stderr!r}")
    found = re.search(r"on (\d+) ranks", refused.stderr)
    if tests.check(found, f"names a number of ranks: {refused.stderr!r}"):
        ranks = int(found.group(1))
        tests.expect(["plan", graph, "-n", ranks, "--memory", "512MiB"], 0, "peak memory per rank")
        tests.expect(["plan", graph, "-n", ranks - 1, "--memory", "512MiB"], 4, "doesn't fit")
        tests.expect(["run", graph, "-o", "s.h5", "--memory", "512MiB", "--log", "log", "--threads", "1"], 0,
                     ranks=ranks)
        with h5py.File(tests.folder / "s.h5") as file:
            tests.check(file["s"][()] == 2.0**28, "the sum is right")
        report = json.loads((tests.folder / "log/run.json").read_text())
        most = max(rank["measured_peak_bytes"] for rank in report["ranks"])
        tests.check(most < 512 << 20, f"stays below: {most / 2**20:.1f} MiB")
        planned = max(rank["planned_bytes"] for rank in report["ranks"])
        tests.check(abs(most - planned) <= 0.05 * planned,
                    f"measured peak {most / 2**20:.1f} MiB within 5 % of planned {planned / 2**20:.1f} MiB")
    need = re.search(r"--memory (\d+)MiB", refused.stderr)
    if tests.check(need, "names an amount of memory"):
        tests.expect(["plan", graph, "--memory", need.group(1) + "MiB"], 0)
    with h5py.File(tests.folder / "small.h5", "w") as file:
        file["x"] = np.ones((1 << 12, 1 << 13))
    graph = tests.graph("small.json", {"inputs": {"x": "small.h5:/x"},
                                       "steps": {"y": {"op": "add", "in": ["x", "x"]},
                                                 "t": {"op": "transpose", "in": "y"}}, "outputs": {"/t": "t"}})
    for ranks in (1, 2):
        tests.expect(["run", graph, "-o", "t.h5", "--overwrite", "--log", "log"], 0, ranks=ranks)
        for rank in json.loads((tests.folder / "log/run.json").read_text())["ranks"]:
            planned, measured = rank["planned_bytes"], rank["measured_peak_bytes"]
            tests.check(abs(measured - planned) <= 0.05 * planned,
                        f"{ranks} ranks: measured {measured / 2**20:.1f} MiB, planned {planned / 2**20:.1f} MiB")
    tests.end()


main()
