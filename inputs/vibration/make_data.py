#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes runs/machine-NN.h5: vibration signals of machines (float32) with one tone each in noise.

Usage: make_data.py [FILES] [SAMPLES] [FOLDER]    (default: 20 30000 runs beside this script)
"""
import pathlib
import sys

import h5py
import numpy as np


def main():
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 30000
    folder = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else pathlib.Path(__file__).parent / "runs"
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(13)
    t = np.arange(samples)
    for i in range(files):
        tone = 100 + 37 * i
        signal = 3 + np.sin(2 * np.pi * tone * t / samples) + random.normal(0, 2, samples)
        with h5py.File(folder / f"machine-{i:02}.h5", "w") as file:
            file["signal"] = signal.astype("f4")
            file["signal"].attrs["tone"] = tone
    print(f"{folder}: {files} files with /signal of {samples} samples float32")


if __name__ == "__main__":
    main()
