# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Times single operations of the program beside numpy and scipy, on data in memory.

A turn is one run of the program, in which the operation runs several times on random data, and as many calls of
the peer; of each the fastest counts but for the first, which touches new memory. One core each.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Callable

import numpy as np
import scipy.linalg
import scipy.ndimage
import scipy.special

TIMES = 4  # per turn, the first of which isn't counted


@dataclass
class Step:
    """`step` reads a, b, c ... of these shapes; `peer` gets arrays of the same shapes."""

    step: dict
    shapes: list
    peer: Callable = None
    work: float = 1.0  # bytes read and written, or operations
    dtype: str = "float64"


def normalise(x, scale, shift):
    mean = x.mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * scale + shift


N, M = 4096, 4096
ALL = N * M
STEPS = {
    "axpy": Step({"op": "axpy", "in": ["a", "b"], "alpha": 3.0}, [(N, M), (N, M)], lambda a, b: 3.0 * a + b, 24.0 * ALL),
    "sum": Step({"op": "sum", "in": "a"}, [(N, M)], np.sum, 8.0 * ALL),
    "dot": Step({"op": "dot", "in": ["a", "b"]}, [(N, M), (N, M)], np.vdot, 16.0 * ALL),
    "norm2": Step({"op": "norm2", "in": "a"}, [(N, M)], np.linalg.norm, 8.0 * ALL),
    "cumsum": Step({"op": "cumsum", "in": "a", "axis": 1}, [(N, M)], lambda a: np.cumsum(a, axis=1), 16.0 * ALL),
    "softmax": Step({"op": "softmax", "in": "a", "axis": 1}, [(N, M)], lambda a: scipy.special.softmax(a, axis=1),
                    8.0 * ALL, "float32"),
    "layer_norm": Step({"op": "layer_norm", "in": ["a", "b", "c"], "axis": 1}, [(N, M), (M,), (M,)], normalise,
                       8.0 * ALL, "float32"),
    "transpose": Step({"op": "transpose", "in": "a"}, [(N, M)], lambda a: np.ascontiguousarray(a.T), 16.0 * ALL),
    "small matmul": Step({"op": "matmul", "in": ["a", "b"]}, [(20000, 32, 32), (20000, 32, 32)], np.matmul,
                         2.0 * 20000 * 32**3),
    "lu": Step({"op": "lu", "in": "a"}, [(2048, 2048)], lambda a: scipy.linalg.lu_factor(a, check_finite=False),
               2 / 3 * 2048.0**3),
    "conv2d": Step({"op": "conv2d", "in": ["a", "b"]}, [(1, 1, N, M), (1, 1, 5, 5)],
                   lambda a, b: scipy.ndimage.correlate(a[0, 0], b[0, 0], mode="constant"), 50.0 * ALL, "float32"),
}


def graph_of(case):
    steps = {}
    for which, shape in enumerate(case.shapes):
        steps["abc"[which]] = {"op": "random", "shape": list(shape), "dtype": case.dtype, "seed": which,
                               "distribution": "normal"}
    outputs = {}
    for turn in range(TIMES):
        steps[f"y{turn}"] = case.step
        steps[f"s{turn}"] = {"op": "norminf", "in": f"y{turn}"}
        outputs[f"/s{turn}"] = f"s{turn}"
    return {"tessera": 1, "inputs": {}, "steps": steps, "outputs": outputs}


def ours(tessera, folder):
    """Seconds of the operation and the copy speed of the same run."""
    command = [str(tessera), "run", str(folder / "g.json"), "-o", str(folder / "out.h5"), "--overwrite", "--quiet",
               "--threads", "1", "--no-fusion"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"step_bench.py: {' '.join(command)} failed with {done.returncode}:\n{done.stderr[-2000:]}")
    seconds = [0.0] * TIMES
    copy = 0.0
    for line in (folder / "out.log" / "timing.jsonl").read_text().splitlines():
        entry = json.loads(line)
        copy = entry.get("limits", {}).get("copy_bytes_per_second", copy)
        name = entry.get("step", "")
        if name.startswith("y"):
            seconds[int(name[1:])] += entry["seconds"]
    return min(seconds[1:]), copy


def turns(tessera, name, against, repeats):
    """(ratio, our speed in 1e9 per second) one by one; against "copy" or the peer."""
    case = STEPS[name]
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(shape).astype(case.dtype) for shape in case.shapes]
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "g.json").write_text(json.dumps(graph_of(case)))
        for _ in range(repeats):
            seconds, copy = ours(tessera, folder)
            if against == "copy":
                yield case.work / seconds / copy, 1e-9 * case.work / seconds
                continue
            theirs = []
            for _ in range(TIMES):
                start = time.perf_counter()
                case.peer(*arrays)
                theirs.append(time.perf_counter() - start)
            yield min(theirs[1:]) / seconds, 1e-9 * case.work / seconds
