#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Times transforms beside scipy.fft (one worker) and, where the program was built with it, FFTW.

One core, random data, plans and tables made before, turns interleaved (ours, scipy, FFTW, ours, ...).
Prints one JSON object per case: medians in seconds, quartiles, and ratios of medians (peer / ours; above 1
is faster than the peer).
"""
import argparse
import json
import os
import statistics
import subprocess
import time

import numpy as np
import scipy.fft

CASES = {  # name: kind, type, extents, axes in the order in which they are done
    "fft2_2048": ("c2c", "f64", (2048, 2048), (1, 0)),
    "fft2_2048_f32": ("c2c", "f32", (2048, 2048), (1, 0)),
    "rfft2_2048": ("r2c", "f64", (2048, 2048), (1, 0)),
    "fft3_128": ("c2c", "f64", (128, 128, 128), (2, 1, 0)),
    "fft3_256": ("c2c", "f64", (256, 256, 256), (2, 1, 0)),
    **{f"batch_{n}": ("c2c", "f64", (max(1, 2**21 // n), n), (1,)) for n in (64, 128, 256, 512, 1024, 2048, 4096)},
    "columns_1024": ("c2c", "f64", (1024, 2048), (0,)),
    "batch_1000": ("c2c", "f64", (2048, 1000), (1,)),
    "batch_prime_1009": ("c2c", "f64", (2048, 1009), (1,)),
    "line_2^20": ("c2c", "f64", (1, 2**20), (1,)),
    "prime_65537": ("c2c", "f64", (1, 65537), (1,)),
    "prime_1000003": ("c2c", "f64", (1, 1000003), (1,)),
}


def scipy_run(kind, dtype, extents, axes):
    rng = np.random.default_rng(1)
    real = {"f32": np.float32, "f64": np.float64}[dtype]
    x = rng.standard_normal(extents).astype(real)
    if kind == "r2c":
        return lambda: scipy.fft.rfftn(x, axes=axes[::-1], workers=1)
    x = x + 1j * rng.standard_normal(extents).astype(real)
    return lambda: scipy.fft.fftn(x, axes=axes[::-1], workers=1)


def timed(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def times_of(program, case, repeats):
    """Seconds of each turn after the first, which warms up, for ours and the peers that there are."""
    kind, dtype, extents, axes = case
    command = [program, kind, dtype, "x".join(map(str, extents)), ",".join(map(str, axes))]
    theirs = scipy_run(*case)
    times = {"ours": [], "scipy": [], "fftw": []}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        def ask(what):
            process.stdin.write(what + "\n")
            return process.stdout.readline().strip()

        for turn in range(repeats + 1):
            results = {"ours": ask("ours"), "scipy": timed(theirs), "fftw": ask("fftw")}
            for name, seconds in results.items():
                if turn > 0 and seconds != "none":  # the first turn warms up
                    times[name].append(float(seconds))
        process.stdin.close()
    return times


def measure(program, case, repeats):
    report = {}
    for name, values in times_of(program, case, repeats).items():
        if values:
            quartiles = statistics.quantiles(values, n=4)
            report[name] = {"median": statistics.median(values), "quartiles": [quartiles[0], quartiles[2]]}
    for peer in ("scipy", "fftw"):
        if peer in report:
            report[f"{peer}/ours"] = round(report[peer]["median"] / report["ours"]["median"], 3)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="the built fft_bench")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--only", default="", help="run the cases whose name contains this")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    for name, case in CASES.items():
        if options.only in name:
            print(json.dumps({"case": name, **measure(options.program, case, max(7, options.repeats))}), flush=True)


if __name__ == "__main__":
    main()
