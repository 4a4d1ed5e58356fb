#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes plate.h5: the temperature (in degrees Celsius) of a square plate with hot spots.

Usage: make_data.py [SIZE] [FILE]    (default: 512 plate.h5 beside this script)
"""
import pathlib
import sys

import h5py
import numpy as np


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    target = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "plate.h5"
    random = np.random.default_rng(2026)
    y, x = np.mgrid[0:size, 0:size] / size
    plate = np.full((size, size), 20.0)
    for _ in range(40):
        cy, cx, radius, heat = *random.uniform(0.05, 0.95, 2), random.uniform(0.005, 0.05), random.uniform(50, 400)
        plate += heat * ((y - cy) ** 2 + (x - cx) ** 2 < radius**2)
    plate[0, :] = plate[-1, :] = plate[:, 0] = plate[:, -1] = 20.0
    with h5py.File(target, "w") as file:
        data = file.create_dataset("temperature", data=plate)
        data.attrs["units"] = "degC"
    print(f"{target}: /temperature {size} x {size} float64")


if __name__ == "__main__":
    main()
