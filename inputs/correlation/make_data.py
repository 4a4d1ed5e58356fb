#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes sensors.h5: series of sensors that share a few hidden causes (float64, one row per sensor).

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
    causes = np.cumsum(random.normal(size=(5, samples)), axis=1)
    group = np.arange(sensors) * 5 // sensors
    series = causes[group] * random.uniform(0.5, 2, (sensors, 1)) + random.normal(0, 8, (sensors, samples))
    series += random.uniform(-100, 100, (sensors, 1))
    with h5py.File(target, "w") as file:
        file["series"] = series
    print(f"{target}: /series {series.shape} float64")


if __name__ == "__main__":
    main()
