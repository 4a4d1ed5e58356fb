#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Draws a field of an HDF5 file as a PNG picture, with a colour scale at its right.

Large fields are averaged down, small ones enlarged, to about 1000 pixels a side. Of a field with
more than two axes the middle of each leading axis is shown, of complex numbers the modulus.
Needs numpy and h5py only.
"""

import argparse
import struct
import sys
import zlib

import numpy as np

SIDE = 1024  # pixels of the longer side, at most
SCALE_WIDTH, SCALE_GAP = 24, 12  # pixels of the colour scale and of the space before it

# Colours of equal steps in lightness, from dark violet over teal to yellow, after viridis.
ANCHORS = np.array(
    [
        (68, 1, 84), (72, 36, 117), (65, 68, 135), (53, 95, 141), (42, 120, 142), (33, 145, 140),
        (34, 168, 132), (68, 191, 112), (122, 209, 81), (189, 223, 38), (253, 231, 37),
    ],
    dtype=float,
)  # fmt: skip
MISSING = (200, 200, 200)  # not a number


def read_field(path, dataset):
    """The dataset as a two-dimensional array of float64, row 0 on top."""
    import h5py

    with h5py.File(path, "r") as file:
        if dataset not in file:
            names = []
            file.visititems(
                lambda name, item: names.append("/" + name) if isinstance(item, h5py.Dataset) else None
            )
            sys.exit(f'picture.py: "{path}" has no dataset "{dataset}"; it has: {", ".join(names)}')
        data = file[dataset]
        if data.ndim == 0 or data.size == 0:
            sys.exit(f'picture.py: "{dataset}" has shape {data.shape}; a picture needs at least one axis')
        values = data[tuple(extent // 2 for extent in data.shape[:-2])]
    if np.iscomplexobj(values):
        values = np.abs(values)
    return np.atleast_2d(values).astype(np.float64)


def averaged(field, axis, wanted):
    """The field with blocks along one axis averaged, so that no more than `wanted` remain."""
    extent = field.shape[axis]
    if extent <= wanted:
        return field
    edges = np.linspace(0, extent, wanted + 1).astype(int)
    sums = np.add.reduceat(field, edges[:-1], axis=axis)
    counts = np.diff(edges)
    return sums / (counts[:, None] if axis == 0 else counts)


def fit(field):
    """The field averaged down or enlarged to the size of the picture, its proportions kept."""
    longest = max(field.shape)
    for axis, extent in enumerate(field.shape):
        field = averaged(field, axis, max(1, round(extent * min(1, SIDE / longest))))
    factor = max(1, SIDE // longest)
    lines = max(factor, 64) if field.shape[0] == 1 else factor  # a lone row is made visible
    return field.repeat(lines, axis=0).repeat(factor, axis=1)


def coloured(field, low, high):
    """RGB bytes for every value; infinities take the colour of the nearer end."""
    span = high - low if high > low else 1.0
    with np.errstate(invalid="ignore", over="ignore"):
        position = np.clip((field - low) / span, 0, 1)
    missing = np.isnan(position)
    position = np.where(missing, 0, position) * (len(ANCHORS) - 1)
    steps = np.arange(len(ANCHORS))
    rgb = np.stack([np.interp(position, steps, ANCHORS[:, c]) for c in range(3)], axis=-1)
    rgb[missing] = MISSING
    return np.rint(rgb).astype(np.uint8)


def with_scale(picture):
    """The picture with the colour scale beside it, low values at the bottom."""
    height = picture.shape[0]
    gap = np.full((height, SCALE_GAP, 3), 255, dtype=np.uint8)
    ramp = np.linspace(1, 0, height)[:, None].repeat(SCALE_WIDTH, axis=1)
    return np.concatenate([picture, gap, coloured(ramp, 0.0, 1.0)], axis=1)


def write_png(path, rgb):
    """An RGB picture of 8 bits a channel: signature, header, one compressed stream, end."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width, _ = rgb.shape
    # Each line starts with its filter: 1 stores differences to the pixel on the left.
    left = np.zeros_like(rgb)
    left[:, 1:] = rgb[:, :-1]
    lines = np.empty((height, 1 + 3 * width), dtype=np.uint8)
    lines[:, 0] = 1
    lines[:, 1:] = (rgb - left).reshape(height, -1)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)))
        file.write(chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="HDF5 file")
    parser.add_argument("dataset", help="name of the field in it, such as /u")
    parser.add_argument("out", help="PNG file to write")
    parser.add_argument("--range", nargs=2, type=float, metavar=("LOW", "HIGH"), help="values of the scale's ends")
    options = parser.parse_args()

    field = read_field(options.file, options.dataset)
    finite = field[np.isfinite(field)]
    low, high = options.range or ((finite.min(), finite.max()) if finite.size else (0.0, 1.0))
    picture = with_scale(coloured(fit(field), low, high))
    write_png(options.out, picture)
    print(
        f"{options.out}: {picture.shape[1]} x {picture.shape[0]} pixels, {options.dataset} "
        f"{'x'.join(map(str, field.shape))}, colours from {low:.6g} (violet) to {high:.6g} (yellow)"
    )


if __name__ == "__main__":
    main()
