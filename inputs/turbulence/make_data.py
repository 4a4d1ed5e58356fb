#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes field.h5: one component of a random velocity field with a -5/3 spectrum, float32.

Usage: make_data.py [SIZE] [FILE]    (default: 96 field.h5 beside this script)
"""
import pathlib
import sys

import h5py
import numpy as np


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 96
    target = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "field.h5"
    random = np.random.default_rng(5)
    noise = np.fft.rfftn(random.normal(size=(size, size, size)))
    f = np.fft.fftfreq(size) * size
    k = np.sqrt(f[:, None, None] ** 2 + f[None, :, None] ** 2 + np.arange(size // 2 + 1)[None, None, :] ** 2)
    k[0, 0, 0] = 1
    field = np.fft.irfftn(noise * k ** (-11 / 6), s=(size, size, size), axes=(0, 1, 2))
    field = (field / field.std()).astype("f4")
    with h5py.File(target, "w") as file:
        file.create_dataset("velocity", data=field, chunks=(min(16, size), size, size))
    print(f"{target}: /velocity {field.shape} float32")


if __name__ == "__main__":
    main()
