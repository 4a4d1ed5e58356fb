#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes frames.h5: noisy images of drifting cells (float32), and a Gaussian low-pass filter.

Usage: make_data.py [IMAGES] [SIZE] [FILE]    (default: 24 256 frames.h5 beside this script)
"""
import pathlib
import sys

import h5py
import numpy as np


def main():
    images = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    size = int(sys.argv[2]) if len(sys.argv) > 2 else 256
    target = sys.argv[3] if len(sys.argv) > 3 else pathlib.Path(__file__).parent / "frames.h5"
    random = np.random.default_rng(7)
    y, x = np.mgrid[0:size, 0:size] / size
    cells = random.uniform(0.1, 0.9, (12, 2))
    drift = random.normal(0, 0.01, (12, 2))
    frames = np.zeros((images, size, size), "f4")
    for t in range(images):
        for (cy, cx), (dy, dx) in zip(cells, drift):
            frames[t] += np.exp(-(((y - cy - t * dy) ** 2 + (x - cx - t * dx) ** 2) / 0.002))
        frames[t] += random.normal(0, 0.5, (size, size))
    f = np.fft.fftfreq(size)
    low_pass = np.exp(-(f[:, None] ** 2 + f[None, :] ** 2) / (2 * 0.03**2)).astype("f4")
    with h5py.File(target, "w") as file:
        file.create_dataset("frames", data=frames, chunks=(1, size, size), compression="gzip", compression_opts=1)
        file["filter"] = low_pass
    print(f"{target}: /frames {frames.shape} float32, /filter {low_pass.shape}")


if __name__ == "__main__":
    main()
