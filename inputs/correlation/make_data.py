#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes sensors.h5: series of sensors in a row along five hidden sources (float64, one row per sensor).

A sensor hears the sources near it, with a gain of its own and noise.

Usage: make_data.py [SENSORS] [SAMPLES] [FILE]    (default: 300 5000 sensors.h5 beside this script)
"""
import pathlib
import sys

import h5py
import numpy as np


def main():
    sensors = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    target = sys.argv[3] if len(sys.argv) > 3 else pathlib.Path(__file__).parent / "sensors.h5"
    random = np.random.default_rng(11)
    sources = np.cumsum(random.normal(size=(5, samples)), axis=1)
    distance = np.linspace(0, 5, sensors)[:, None] - (np.arange(5) + 0.5)
    series = np.exp(-((distance / 0.6) ** 2)) @ sources * random.uniform(0.5, 2, (sensors, 1))
    series += random.normal(0, 12, (sensors, samples))
    series += random.uniform(-100, 100, (sensors, 1))
    with h5py.File(target, "w") as file:
        file["series"] = series
    print(f"{target}: /series {series.shape} float64")


if __name__ == "__main__":
    main()
