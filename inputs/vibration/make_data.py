#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes runs/machine-NN.h5: vibration signals of machines (float32): a tone and its harmonics in noise.

Each machine turns a little faster than the one before; every seventh has a worn bearing, which modulates
its tone. Usage: make_data.py [FILES] [SAMPLES] [FOLDER]    (default: 20 8192 runs beside this script)
"""
import pathlib
import sys

import h5py
import numpy as np


def main():
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 8192
    folder = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else pathlib.Path(__file__).parent / "runs"
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(13)
    turn = 2 * np.pi * np.arange(samples) / samples
    for i in range(files):
        tone = 40 + 6 * i
        worn = i % 7 == 4
        signal = sum(np.sin(h * tone * turn) / h for h in (1, 2, 3))
        if worn:
            signal = signal * (1 + 0.9 * np.sin(9 * turn))
        signal = 3 + signal + random.normal(0, 1.5, samples)
        with h5py.File(folder / f"machine-{i:02}.h5", "w") as file:
            file["signal"] = signal.astype("f4")
            file["signal"].attrs["tone"] = tone
            file["signal"].attrs["worn"] = worn
    print(f"{folder}: {files} files with /signal of {samples} samples float32")


if __name__ == "__main__":
    main()
