#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Makes plates.h5: noisy images of fibres (float32), a bank of line filters and a Gaussian window.

Usage: make_data.py [IMAGES] [SIZE] [FILE]    (default: 6 320 plates.h5 beside this script)
"""
import pathlib
import sys

import h5py
import numpy as np

DIRECTIONS = 12


def fibres(random, size):
    """Straight fibres of all directions in the upper half, and mostly of one in the lower half."""
    y, x = np.mgrid[0:size, 0:size].astype("f4")
    image = np.zeros((size, size), "f4")
    for number in range(size // 4):
        lower = number % 2 == 1
        cy = random.uniform(0.5, 1) * size if lower else random.uniform(0, 0.5) * size
        cx = random.uniform(0, size)
        angle = random.normal(0.5, 0.15) if lower else random.uniform(0, np.pi)
        along = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)
        across = (y - cy) * np.cos(angle) - (x - cx) * np.sin(angle)
        length = random.uniform(12, 40)
        image += np.exp(-(across**2) / 2 - np.clip(np.abs(along) - length, 0, None) ** 2 / 4)
    return np.minimum(image, 1.5) + random.normal(0, 0.35, image.shape)


def line_filters(width):
    """[DIRECTIONS, 1, width, width]: a bright line between two dark ones, without a mean."""
    half = width // 2
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    bank = []
    for angle in np.pi * np.arange(DIRECTIONS) / DIRECTIONS:
        along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        line = (1 - across**2 / 2) * np.exp(-(across**2) / 4 - along**2 / (half**2 / 2))
        line -= line.mean()
        bank.append(line / np.abs(line).sum())
    return np.array(bank)[:, None].astype("f4")


def main():
    images = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    size = int(sys.argv[2]) if len(sys.argv) > 2 else 320
    target = sys.argv[3] if len(sys.argv) > 3 else pathlib.Path(__file__).parent / "plates.h5"
    random = np.random.default_rng(5)
    plates = np.array([fibres(random, size) for _ in range(images)], "f4")[:, None]
    window = np.exp(-(np.arange(-24, 25) ** 2) / (2 * 8.0**2)).astype("f4")
    window = window[:, None] * window / window.sum() ** 2
    with h5py.File(target, "w") as file:
        file["plates"] = plates
        file["lines"] = line_filters(13)
        file["window"] = window
    print(f"{target}: /plates {plates.shape} float32, /lines {DIRECTIONS} filters, /window")


if __name__ == "__main__":
    main()
