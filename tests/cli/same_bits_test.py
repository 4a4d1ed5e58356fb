# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Every example graph, recipe bitexact: one SHA-256 for all rank counts, thread counts, I/O modes and memories."""
import os
import shutil
import subprocess
import sys

from cli import Tests, sha256

# Small data, odd sizes: nothing divides evenly by 2, 3 or 4 ranks.
SMALL = {"heat": ["67"], "denoise": ["5", "33"], "correlation": ["31", "257"], "gravity": ["53"],
         "turbulence": ["19"], "vibration": ["5", "1009"], "fibres": ["3", "41"]}
RUNS = [(1, 1, "parallel"), (1, 2, "parallel"), (2, 1, "parallel"), (2, 1, "funnel"), (3, 1, "parallel"),
        (3, 2, "funnel"), (4, 1, "funnel"), (4, 2, "parallel")]
# Kernels with a memory of their own, as on a GPU: what is copied where may not change a bit.
APART = [(1, 1, "parallel"), (3, 1, "funnel")]


def main():
    tests = Tests()
    runs = [(*run, {}) for run in RUNS] + [(*run, {"TESSERA_TEST_APART": "1"}) for run in APART]
    if os.environ.get("TESSERA_BACKEND") == "cuda":
        runs.append((1, 1, "parallel", {"TESSERA_BACKEND": "host"}))
    for example in sorted(p.parent.name for p in (tests.source / "inputs").glob("*/make_data.py")):
        folder = tests.folder / example
        folder.mkdir()
        for file in (tests.source / "inputs" / example).iterdir():
            if file.suffix in (".json", ".py"):
                shutil.copy(file, folder)
        made = subprocess.run([sys.executable, folder / "make_data.py"] + SMALL.get(example, []),
                              capture_output=True, text=True)
        tests.check(made.returncode == 0, f"{example}/make_data.py: {made.stderr[-500:]}")
        for graph in folder.glob("*.json"):
            sums = {}
            for ranks, threads, io, env in runs:
                out = folder / f"out-{len(sums)}.h5"
                done = tests.run(["run", graph, "-o", out, "--recipe", "bitexact", "--io", io,
                                  "--threads", threads, "--quiet"], ranks, env=env)
                if tests.check(done.returncode == 0, f"{graph.name} {ranks} ranks: {done.stderr[-600:]}"):
                    sums[ranks, threads, io, *env] = sha256(out)
            tests.check(len(sums) == len(runs) and len(set(sums.values())) == 1,
                        f"{graph.name}: different files: {sums}")
            verified = tests.run(["verify", out])
            tests.check(verified.returncode == 0, f"verify {graph.name}: {verified.stderr}")
    tests.end()


main()
