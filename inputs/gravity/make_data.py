#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes bodies.h5: positions (N x 3) and masses (N) of two spiral discs that pass each other, float64.

Usage: make_data.py [BODIES] [FILE]    (default: 2400 bodies.h5 beside this script)
"""
import pathlib
import sys

import h5py
import numpy as np


def disc(random, bodies, arms, turn):
    """Bodies along logarithmic spiral arms, thinner further out."""
    radius = 0.05 + 3 * random.beta(1.2, 2.6, bodies)
    arm = random.integers(arms, size=bodies) * 2 * np.pi / arms
    angle = turn * np.log(radius + 0.1) + arm + random.normal(0, 0.22, bodies)
    height = random.normal(0, 0.06, bodies)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)


def main():
    bodies = int(sys.argv[1]) if len(sys.argv) > 1 else 2400
    target = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "bodies.h5"
    random = np.random.default_rng(3)
    small = bodies // 3
    second = disc(random, small, 2, -2.5) * 0.6
    tilt = np.array([[0.9, 0.3, 0.3], [-0.3, 0.6, 0.7], [0.0, -0.7, 0.7]])
    position = np.concatenate([second @ tilt + [4.5, 1.4, 0.5], disc(random, bodies - small, 3, 2.2)])
    with h5py.File(target, "w") as file:
        file["position"] = position
        file["mass"] = random.uniform(0.5, 2.0, bodies) / bodies
    print(f"{target}: /position {position.shape} float64, /mass")


if __name__ == "__main__":
    main()
