# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""One graph per family of operations, recipe bitexact, run by two builds: their files must be the same.

scripts/cross.sh --prove calls this with a build for another processor and the emulator that runs it.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

REAL = ("f4", "f8")
ALL = ("f4", "f8", "c8", "c16")


def values(generator, shape, dtype):
    """Magnitudes from 1e-6 to 1e6, of both signs."""
    def part():
        return generator.standard_normal(shape) * 10.0 ** generator.uniform(-6, 6, shape)
    return (part() + 1j * part()).astype(dtype) if dtype[0] == "c" else part().astype(dtype)


def datasets():
    generator = np.random.default_rng(20260)
    data = {}
    for dtype in ALL:
        data["m_" + dtype] = values(generator, (37, 53), dtype)
        data["n_" + dtype] = values(generator, (53, 41), dtype)
        data["v_" + dtype] = values(generator, (1009,), dtype)
        data["t_" + dtype] = values(generator, (12, 15, 14), dtype)
        data["w_" + dtype] = values(generator, (37, 53), dtype)
        data["q_" + dtype] = values(generator, (70, 70), dtype)
        data["r_" + dtype] = values(generator, (70, 3), dtype)
        data["l_" + dtype] = values(generator, (6, 4096), dtype)
        data["k_" + dtype] = values(generator, (5, 3), dtype)
    for dtype in REAL:
        data["p_" + dtype] = np.abs(values(generator, (301,), dtype)).astype(dtype)
        data["a_" + dtype] = generator.uniform(-30, 30, (301,)).astype(dtype)
    data["k"] = generator.integers(-1000, 1000, (29, 31))
    return data


def families():
    """Family -> steps; inputs are named as the datasets are."""
    result = {"element-wise": {}, "reductions": {}, "scans": {}, "normalisation": {}, "linear algebra": {},
              "FFT": {}, "stencil": {}, "data": {}}
    for d in REAL:
        result["element-wise"][f"positive_{d}"] = {
            "op": "map", "in": f"p_{d}", "formula": "log(x) + sqrt(x) / (x + 3) + x ^ 0.3"}
        result["element-wise"][f"angles_{d}"] = {
            "op": "map", "in": f"a_{d}", "formula": "sin(x) * exp(x / 10) + cos(x) * tanh(x)"}
        result["normalisation"][f"softmax_{d}"] = {"op": "softmax", "in": f"m_{d}", "axis": 1}
        result["normalisation"][f"layer_{d}"] = {"op": "layer_norm", "in": f"m_{d}", "axis": 0}
        result["reductions"][f"max_{d}"] = {"op": "argmax", "in": f"m_{d}", "axes": [0]}
        result["FFT"][f"rfft_{d}"] = {"op": "rfft", "in": f"m_{d}", "axes": [1]}
        result["FFT"][f"even_{d}"] = {"op": "rfft", "in": f"l_{d}"}
        result["FFT"][f"irfft_{d}"] = {"op": "irfft", "in": f"even_{d}", "n": 4096}
        result["reductions"][f"histogram_{d}"] = {"op": "histogram", "in": f"m_{d}", "bins": 17}
    for d in ALL:
        result["element-wise"][f"axpy_{d}"] = {"op": "axpy", "in": [f"m_{d}", f"m_{d}"], "alpha": 0.3}
        for op in ("sum", "mean", "norm1", "norm2", "var"):
            result["reductions"][f"{op}_{d}"] = {"op": op, "in": f"m_{d}", "axes": [1]}
        result["reductions"][f"prod_{d}"] = {"op": "prod", "in": f"t_{d}", "axes": [2]}
        result["reductions"][f"dot_{d}"] = {"op": "dot", "in": [f"v_{d}", f"v_{d}"]}
        result["scans"][f"cumsum_{d}"] = {"op": "cumsum", "in": f"m_{d}", "axis": 1}
        result["scans"][f"cumprod_{d}"] = {"op": "cumprod", "in": f"t_{d}", "axis": 0}
        result["normalisation"][f"l2_{d}"] = {"op": "l2_normalize", "in": f"m_{d}", "axis": 1}
        result["linear algebra"][f"matmul_{d}"] = {"op": "matmul", "in": [f"m_{d}", f"n_{d}"]}
        result["linear algebra"][f"transpose_{d}"] = {"op": "transpose", "in": f"t_{d}"}
        result["FFT"][f"fft_{d}"] = {"op": "fft", "in": f"t_{d}", "axes": [0, 1, 2]}
        result["FFT"][f"prime_{d}"] = {"op": "fft", "in": f"v_{d}"}
        result["stencil"][f"stencil_{d}"] = {"op": "stencil", "in": f"t_{d}", "weights": "laplace3d", "scale": 0.1,
                                             "repeat": 7, "boundary": "periodic"}
        result["element-wise"][f"arithmetic_{d}"] = {"op": "map", "in": [f"m_{d}", f"w_{d}"], "formula":
                                                     f"m_{d} * w_{d} / (abs(w_{d}) + 1) + m_{d}^3"}
        result["linear algebra"][f"lu_{d}"] = {"op": "lu", "in": f"q_{d}"}
        result["linear algebra"][f"solve_{d}"] = {"op": "solve", "in": [f"q_{d}", f"r_{d}"]}
        result["linear algebra"][f"norms_{d}"] = {"op": "matmul", "in": [f"q_{d}", f"q_{d}"], "transpose_b": True,
                                                  "conjugate_b": d[0] == "c"}
        result["linear algebra"][f"cholesky_{d}"] = {"op": "cholesky", "in": f"norms_{d}"}
        result["FFT"][f"lines_{d}"] = {"op": "fft", "in": f"l_{d}", "axes": [1]}
        result["FFT"][f"back_{d}"] = {"op": "ifft", "in": f"l_{d}", "axes": [0, 1]}
        result["stencil"][f"conv2d_{d}"] = {"op": "conv2d", "in": [f"m_{d}", f"k_{d}"], "padding": "same"}
        result["stencil"][f"convolve_{d}"] = {"op": "convolve", "in": [f"m_{d}", f"k_{d}"], "method": "fft"}
    result["element-wise"]["whole"] = {"op": "map", "in": "k", "formula": "x * x - 7 * x"}
    result["data"] = {"uniform": {"op": "random", "shape": [100], "seed": 3},
                      "normal": {"op": "random", "shape": [1001], "seed": 3, "distribution": "normal"},
                      "part": {"op": "slice", "in": "m_f8", "select": "[3:30:4, 1:]"},
                      "window": {"op": "window", "in": "v_f8", "window": "hann"}}
    return result


def sha256_of(command, graph, output):
    done = subprocess.run(command + ["run", str(graph), "-o", str(output), "--quiet", "--threads", "2"],
                          capture_output=True, text=True, timeout=1200, env=dict(os.environ))
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()[-400:]}"
    return hashlib.sha256(output.read_bytes()).hexdigest()


def differing(first, second):
    """The datasets that two files have different bytes of."""
    names = []
    with h5py.File(first) as a, h5py.File(second) as b:
        for name in a:
            if a[name][()].tobytes() != b[name][()].tobytes():
                names.append(name)
    return names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--tessera", required=True)
    parser.add_argument("--other", required=True)
    parser.add_argument("--launcher", default="", help="what runs the other build")
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        data = datasets()
        with h5py.File(folder / "in.h5", "w") as file:
            for name, array in data.items():
                file[name] = array
        for family, steps in families().items():
            used = set()
            for step in steps.values():
                named = [step["in"]] if isinstance(step.get("in"), str) else step.get("in", [])
                used.update(name for name in named if name not in steps)
            document = {"tessera": 1, "inputs": {name: f"in.h5:/{name}" for name in sorted(used)}, "steps": steps,
                        "outputs": {"/" + name: name for name in steps}, "recipe": "bitexact"}
            graph = folder / "graph.json"
            graph.write_text(json.dumps(document))
            files = [folder / f"{family}-{which}.h5" for which in ("here", "there")]
            here = sha256_of([options.tessera], graph, files[0])
            there = sha256_of(options.launcher.split() + [options.other], graph, files[1])
            same = here == there and len(here) == 64
            passed, failed = passed + same, failed + (not same)
            print(f"{'same ' if same else 'DIFFERENT'}  {family}, {len(steps)} steps: {here}", flush=True)
            if not same:
                print(f"           there: {there}")
                if all(file.exists() for file in files):
                    print(f"           different: {', '.join(differing(*files))}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
