#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes bodies.h5: positions (N x 3) and masses (1 x N) of two clusters of bodies, float64.

Usage: make_data.py [BODIES] [FILE]    (default: 1200 bodies.h5 beside this script)
"""
import pathlib
import sys

import h5py
import numpy as np


def main():
    bodies = int(sys.argv[1]) if len(sys.argv) > 1 else 1200
    target = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "bodies.h5"
    random = np.random.default_rng(3)
    position = random.normal(size=(bodies, 3))
    position[: bodies // 3] += [4.0, 1.0, 0.0]
    with h5py.File(target, "w") as file:
        file["position"] = position
        file["mass"] = random.uniform(0.5, 2.0, (1, bodies)) / bodies
    print(f"{target}: /position {position.shape} float64, /mass")


if __name__ == "__main__":
    main()
