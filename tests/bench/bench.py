#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks beside their peers and prints one table of ratios; scripts/bench.sh builds and calls it.

Ours and the peer take turns (A B A B ...), at least seven of them after one that warms up. A ratio is peer's
seconds over ours, so above 1 is faster than the peer; of each case the median of the turns' ratios and their
quartiles are given. One core each, except for the whole run of heat on two ranks.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIZE, SWEEPS, RANKS = 4096, 200, 2  # of the whole run


class Case:
    """A named comparison: `turns` gives (ratio, our speed) one by one; the unit is the speed's."""

    def __init__(self, name, peer, unit, turns, goal=None):
        self.name, self.peer, self.unit, self.turns, self.goal = name, peer, unit, turns, goal

    def run(self):
        """None where the program or its peer isn't built here."""
        try:
            turns = list(self.turns())
        except FileNotFoundError:
            turns = []
        if not turns:
            return None
        ratios, speeds = zip(*turns)
        low, _, high = statistics.quantiles(ratios, n=4)
        ratio = statistics.median(ratios)
        return {"case": self.name, "peer": self.peer, "ratio": round(ratio, 3),
                "quartiles": [round(low, 3), round(high, 3)], "turns": len(ratios), "goal": self.goal,
                "met": None if self.goal is None else ratio >= self.goal,
                "speed": round(statistics.median(speeds), 3), "unit": self.unit}


def json_of(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"bench.py: {' '.join(map(str, command))} failed with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def matmul_turns(program, dtype, size, repeats):
    """Each call warms up and takes one turn."""
    for _ in range(repeats):
        result = json_of(program, dtype, size, 1)["results"][0]
        yield result["ratio"], result["gflops"]


def stencil_turns(program, name, sweeps, repeats):
    for _ in range(repeats):
        for result in json_of(program, 1, 2, name):
            if (result["case"], result["sweeps"]) == (name, sweeps):
                yield result["ratio"], result["sweeps_GB_per_s"]


def fft_turns(module, program, name, peer, repeats):
    kind, dtype, extents, axes = module.CASES[name]
    points = 1
    for extent in extents:
        points *= extent
    lengths = [extents[axis] for axis in axes]
    work = 5 * points * sum(length.bit_length() - 1 for length in lengths) / (2 if kind == "r2c" else 1)
    times = module.times_of(program, (kind, dtype, extents, axes), repeats)
    for ours, theirs in zip(times["ours"], times[peer]):
        yield theirs / ours, 1e-9 * work / ours


def module_of(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def step_cases(tessera, repeats):
    """Single operations; the goals are those for one core."""
    module = module_of("step_bench")
    rows = [("axpy", "copy", "GB/s", 0.95), ("axpy", "numpy", "GB/s", 1.5), ("sum", "copy", "GB/s", 0.95),
            ("sum", "numpy", "GB/s", 1.5), ("dot", "copy", "GB/s", 0.95), ("dot", "numpy", "GB/s", 1.5),
            ("norm2", "copy", "GB/s", 0.95), ("norm2", "numpy", "GB/s", 1.5), ("cumsum", "numpy", "GB/s", 1.5),
            ("softmax", "scipy", "GB/s", 1.5), ("layer_norm", "numpy", "GB/s", 1.5),
            ("transpose", "numpy", "GB/s", 1.5), ("small matmul", "numpy", "GFLOP/s", 1.0),
            ("lu", "scipy", "GFLOP/s", None), ("conv2d", "scipy", "GFLOP/s", 2.0)]
    return [Case(f"{name} {' '.join('x'.join(map(str, shape)) for shape in module.STEPS[name].shapes[:1])} "
                 f"{module.STEPS[name].dtype}", peer, unit,
                 lambda name=name, peer=peer: module.turns(tessera, name, peer, repeats), goal)
            for name, peer, unit, goal in rows]


def make_heat(folder):
    import h5py
    import numpy as np

    with h5py.File(folder / "plate.h5", "w") as file:
        file["u"] = np.random.default_rng(1).standard_normal((SIZE, SIZE))
    graph = {"tessera": 1, "inputs": {"u0": "plate.h5:/u"}, "outputs": {"/u": "u"},
             "steps": {"u": {"op": "stencil", "in": "u0", "weights": "laplace2d", "scale": 0.2,
                             "repeat": SWEEPS, "boundary": "fixed"}}}
    (folder / "heat.json").write_text(json.dumps(graph))


def heat_turns(tessera, repeats):
    """Whole runs. A sweep reads and writes every element once; the time is all that the step took on the
    slowest rank, messages and waiting included; the copy speed is the one measured in the same run."""
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as name:
        folder = pathlib.Path(name)
        make_heat(folder)
        for turn in range(repeats + 1):
            command = ["mpirun", "-n", RANKS, tessera, "run", folder / "heat.json", "-o", folder / "out.h5",
                       "--overwrite", "--quiet", "--threads", 1]
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
            if done.returncode != 0:
                sys.exit(f"bench.py: the run of heat failed with {done.returncode}:\n{done.stderr[-2000:]}")
            lines = [json.loads(line) for line in (folder / "out.log" / "timing.jsonl").read_text().splitlines()]
            copy = next(line["limits"]["copy_bytes_per_second"] for line in lines if "limits" in line)
            seconds = [0.0] * RANKS
            for line in lines:
                if line.get("step") == "u":
                    seconds[line["rank"]] += line["seconds"]
            speed = 2 * 8 * SIZE * SIZE * SWEEPS / RANKS / max(seconds)
            if turn > 0:
                yield speed / copy, 1e-9 * speed


def cpu_cases(build, repeats):
    bench = build / "tests" / "bench"
    fft = module_of("fft_bench")
    tessera = build / "apps" / "tessera" / "tessera"
    heat = "heat 2-D 5-point"
    matmul, sweep, transform = bench / "matmul_bench", bench / "stencil_bench", bench / "fft_bench"
    return [
        Case("heat run 4096^2 float64, 200 sweeps, 2 ranks", "copy", "GB/s a rank",
             lambda: heat_turns(tessera, repeats), 0.7),
        Case("matmul 2048^2 float64", "OpenBLAS", "GFLOP/s",
             lambda: matmul_turns(matmul, "f64", 2048, repeats), 0.5),
        Case("matmul 2048^2 float32", "OpenBLAS", "GFLOP/s", lambda: matmul_turns(matmul, "f32", 2048, repeats)),
        Case("fft2 2048^2 complex128", "scipy", "GFLOP/s",
             lambda: fft_turns(fft, transform, "fft2_2048", "scipy", repeats), 1.0),
        Case("fft2 2048^2 complex128", "FFTW", "GFLOP/s",
             lambda: fft_turns(fft, transform, "fft2_2048", "fftw", repeats)),
        Case("rfft2 2048^2 float64", "scipy", "GFLOP/s",
             lambda: fft_turns(fft, transform, "rfft2_2048", "scipy", repeats)),
        *(Case(f"fft of lines of {length} complex128", "FFTW", "GFLOP/s",
               lambda length=length: fft_turns(fft, transform, f"batch_{length}", "fftw", repeats), 1.1)
          for length in (64, 256, 1024, 4096)),
        Case("fft of 1000003 (prime) complex128", "scipy", "GFLOP/s",
             lambda: fft_turns(fft, transform, "prime_1000003", "scipy", repeats), 1.0),
        *step_cases(tessera, repeats),
        Case("heat sweep 4096^2 float64", "copy", "GB/s", lambda: stencil_turns(sweep, heat, 1, repeats)),
        Case("heat 8 sweeps in one pass", "copy", "GB/s", lambda: stencil_turns(sweep, heat, 8, repeats)),
    ]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="the build folder")
    parser.add_argument("--repeats", type=int, default=7, help="turns of each case, at least 7")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--save", metavar="NAME", help="write tests/bench/results/NAME.json")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    results = []
    print(f"{'case':<48} {'beside':<9} {'ratio':>7} {'quartiles':>15} {'goal':>6}       {'ours':>9}")
    for case in cpu_cases(options.build, max(7, options.repeats)):
        if options.only not in case.name:
            continue
        result = case.run()
        if result is None:
            print(f"{case.name:<48} {case.peer:<9} not built here")
            continue
        results.append(result)
        low, high = result["quartiles"]
        goal = "" if case.goal is None else f">={case.goal:g}"
        met = {None: "", True: "met", False: "MISSED"}[result["met"]]
        print(f"{case.name:<48} {case.peer:<9} {result['ratio']:7.3f} {low:7.3f} {high:7.3f} {goal:>6} {met:<6}"
              f"{result['speed']:9.2f} {result['unit']}", flush=True)
    if options.save:
        report = {"processor": processor(), "cores": os.cpu_count(), "load_at_end": os.getloadavg()[0],
                  "results": results}
        path = HERE / "results" / f"{options.save}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(report, indent=1) + "\n")
        print(f"wrote {path}")
    return 1 if any(result["met"] is False for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
