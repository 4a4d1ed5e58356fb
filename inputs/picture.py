#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Draws datasets of HDF5 files side by side as one PNG picture.

A PANEL is [log:|loglog:]FILE:/DATASET[SELECTION], with a selection as in a graph: numbers and
ranges, such as [3, :, 0:100:2]. What is left must have one or two axes: two make a field in colours,
row 0 on top, with the values of its colour scale's ends beside it; one makes a curve, or coloured
points at the places that --points names. log: takes the logarithms of the values, loglog: also those
of a curve's indices. Of complex numbers the modulus is drawn. Needs numpy and h5py only.
"""

import argparse
import re
import struct
import sys
import zlib

import numpy as np

# Colours of equal steps in lightness, from dark violet over teal to yellow, after viridis.
ANCHORS = np.array(
    [
        (68, 1, 84), (72, 36, 117), (65, 68, 135), (53, 95, 141), (42, 120, 142), (33, 145, 140),
        (34, 168, 132), (68, 191, 112), (122, 209, 81), (189, 223, 38), (253, 231, 37),
    ],
    dtype=float,
)  # fmt: skip
# A picture is an array of colour numbers: the scale's from 0 on, then these.
WHITE, INK, GRID, MISSING, LINE = 250, 251, 252, 253, 254
FIXED = [(255, 255, 255), (40, 40, 40), (225, 225, 225), (200, 200, 200), (42, 120, 142)]
# Characters of 3 x 5 dots: an octal digit is a row.
GLYPHS = {
    "0": 0o75557, "1": 0o26227, "2": 0o71747, "3": 0o71717, "4": 0o55711, "5": 0o74717,
    "6": 0o74757, "7": 0o71222, "8": 0o75757, "9": 0o75717, ".": 0o00002, "-": 0o00700,
    "+": 0o02720, "e": 0o74647,
}  # fmt: skip
DOT = 2  # pixels of a glyph's dot


def read_panel(text):
    """(mode, values): mode is "", "log" or "loglog"; one or two axes of float64."""
    import h5py

    match = re.fullmatch(r"(?:(log|loglog):)?(.+?):(/[^\[\]]*)(?:\[(.*)\])?", text)
    if not match:
        sys.exit(f'picture.py: "{text}" is no panel; expected FILE:/DATASET or FILE:/DATASET[SELECTION]')
    mode, path, dataset, selection = match.groups()
    try:
        with h5py.File(path, "r") as file:
            values = file[dataset][parsed(selection)]
    except (OSError, KeyError, ValueError, IndexError, TypeError) as error:
        sys.exit(f'picture.py: "{text}" can\'t be read: {error}')
    values = np.asarray(values)
    values = (np.abs(values) if np.iscomplexobj(values) else values).astype(np.float64)
    if values.ndim not in (1, 2) or values.size == 0:
        sys.exit(f'picture.py: "{text}" has shape {values.shape}; select one or two axes, such as [0, :, :]')
    if mode:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.log10(values)
        values[np.isneginf(values)] = np.nan
    return mode or "", values


def parsed(selection):
    """Indices and slices from text like "3, :, 0:100:2"."""
    if selection is None:
        return ()
    parts = [[int(n) if n.strip() else None for n in part.split(":")] for part in selection.split(",")]
    return tuple(part[0] if len(part) == 1 else slice(*part) for part in parts)


def span(values):
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    return low, high if high > low else low + 1.0


def resampled(field, axis, wanted):
    """Blocks along one axis averaged, or elements repeated, so that it has `wanted`."""
    extent = field.shape[axis]
    if extent <= wanted:
        return field.take(np.arange(wanted) * extent // wanted, axis=axis)
    edges = np.linspace(0, extent, wanted + 1).astype(int)
    sums = np.add.reduceat(field, edges[:-1], axis=axis)
    counts = np.diff(edges)
    return sums / (counts[:, None] if axis == 0 else counts)


def coloured(values, low, high, levels):
    """Numbers of colours; infinities take the colour of the nearer end."""
    missing = np.isnan(values)
    position = np.clip((np.where(missing, low, values) - low) / (high - low), 0, 1)
    steps = np.rint(position * (levels - 1)) / (levels - 1)
    return np.where(missing, MISSING, np.rint(steps * (WHITE - 1))).astype(np.uint8)


def write_text(canvas, text, top, left):
    for character in text:
        bits = GLYPHS.get(character, 0)
        glyph = np.array([[bits >> (3 * (4 - y) + 2 - x) & 1 for x in range(3)] for y in range(5)], bool)
        glyph = glyph.repeat(DOT, axis=0).repeat(DOT, axis=1)
        window = canvas[top : top + 5 * DOT, left : left + 3 * DOT]
        window[glyph[: window.shape[0], : window.shape[1]]] = INK
        left += 4 * DOT


def number(value, log):
    return f"{10.0**value if log else value:.3g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def scale_beside(low, high, height, log, levels):
    """The colour scale, low values at the bottom, and the values of its ends."""
    canvas = np.full((height, 110), WHITE, np.uint8)
    canvas[:, 10:26] = coloured(np.linspace(high, low, height)[:, None], low, high, levels)
    write_text(canvas, number(high, log), 2, 34)
    write_text(canvas, number(low, log), height - 5 * DOT - 2, 34)
    return canvas


def field_panel(values, mode, options):
    rows, columns = values.shape
    low, high = options.range or span(values)
    height = options.height
    width = round(height * min(max(columns / rows, 0.5), 2.0))
    picture = coloured(resampled(resampled(values, 0, height), 1, width), low, high, options.levels)
    return np.hstack([picture, scale_beside(low, high, height, mode != "", options.levels)])


def points_panel(values, mode, options):
    """Each value as a dot at its place, the largest on top."""
    _, places = read_panel(options.points)
    if places.ndim != 2 or places.shape[0] != values.size or places.shape[1] < 2:
        sys.exit(f"picture.py: --points has shape {places.shape}; expected ({values.size}, 2)")
    height = options.height
    low, high = options.range or span(values)
    corner, far = places[:, :2].min(axis=0), places[:, :2].max(axis=0)
    zoom = (height - 12) / max(far[1] - corner[1], (far[0] - corner[0]) / 2)
    width = round((far[0] - corner[0]) * zoom) + 12
    canvas = np.full((height, width), INK, np.uint8)
    colours = coloured(values, low, high, options.levels)
    for i in np.argsort(values):
        x, y = np.rint((places[i, :2] - corner) * zoom).astype(int) + 5
        canvas[height - y - 2 : height - y + 1, x - 1 : x + 2] = colours[i]
    return np.hstack([canvas, scale_beside(low, high, height, mode != "", options.levels)])


def ticks(low, high, log):
    if log:
        step = max(1, round((high - low) / 4))
        return np.arange(np.ceil(low), high + 1e-9, step)
    raw = (high - low) / 4
    power = 10 ** np.floor(np.log10(raw))
    step = power * min((1, 2, 5, 10), key=lambda factor: abs(factor * power - raw))
    return np.arange(np.ceil(low / step) * step, high + step * 1e-9, step)


def curve_panel(values, mode, options):
    height, left, bottom = options.height, 70, 24
    width = round(1.4 * height)
    canvas = np.full((height, left + width), WHITE, np.uint8)
    plot_height = height - bottom
    index = np.arange(values.size, dtype=float)
    if mode == "loglog":  # curves begin at index 1
        index = np.log10(index + 1)
    y_low, y_high = options.range or span(values)
    x_low, x_high = index[0], max(index[-1], index[0] + 1e-9)

    def across(x):
        return left + 4 + np.asarray((x - x_low) / (x_high - x_low) * (width - 16))

    def down(y):
        return 8 + np.asarray((y_high - y) / (y_high - y_low) * (plot_height - 16))

    for tick in ticks(y_low, y_high, mode != ""):
        row = int(down(tick))
        canvas[row, left:] = GRID
        text = number(tick, mode != "")
        write_text(canvas, text, row - 5, left - 4 * DOT * len(text) - 4)
    for tick in ticks(x_low, x_high, mode == "loglog"):
        column = int(across(tick))
        canvas[:plot_height, column] = GRID
        text = number(tick, mode == "loglog")
        write_text(canvas, text, plot_height + 8, min(column, left + width - 4 * DOT * len(text)))
    canvas[:plot_height, left] = canvas[plot_height, left:] = INK
    xs, ys = across(index), down(np.clip(values, y_low, y_high))
    for i in range(values.size - 1):
        if np.isnan(ys[i : i + 2]).any():
            continue
        dots = int(max(abs(xs[i + 1] - xs[i]), abs(ys[i + 1] - ys[i]))) + 2
        rows = np.linspace(ys[i], ys[i + 1], dots).astype(int)
        columns = np.linspace(xs[i], xs[i + 1], dots).astype(int)
        canvas[rows, columns] = canvas[rows - 1, columns] = LINE
    return canvas


def write_png(path, picture):
    """A picture with a palette: signature, header, colours, one compressed stream, end."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    position = np.linspace(0, len(ANCHORS) - 1, WHITE)
    ramp = np.stack([np.interp(position, np.arange(len(ANCHORS)), ANCHORS[:, c]) for c in range(3)], axis=-1)
    palette = np.rint(np.concatenate([ramp, FIXED])).astype(np.uint8)
    height, width = picture.shape
    lines = np.hstack([np.zeros((height, 1), np.uint8), picture])  # filter 0: bytes as they are
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)))
        file.write(chunk(b"PLTE", palette.tobytes()))
        file.write(chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)))
        file.write(chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("panels", nargs="+", metavar="PANEL", help="what to draw, from left to right")
    parser.add_argument("-o", "--out", required=True, help="PNG file to write")
    parser.add_argument("--height", type=int, default=400, help="pixels (default: 400)")
    parser.add_argument("--range", nargs=2, type=float, metavar=("LOW", "HIGH"),
                        help="values of the scale's ends (after log:, of the logarithms), for all panels")
    parser.add_argument("--levels", type=int, default=250, help="colours, 2 to 250; few make small files")
    parser.add_argument("--points", metavar="PANEL", help="places (rows x, y) of the values of panels with one axis")
    options = parser.parse_args()
    options.levels = min(max(options.levels, 2), WHITE)

    parts = []
    for text in options.panels:
        mode, values = read_panel(text)
        draw = field_panel if values.ndim == 2 else points_panel if options.points else curve_panel
        parts.append(draw(values, mode, options))
        low, high = span(values)
        print(f"{text}: {' x '.join(map(str, values.shape))}, {mode + ' ' if mode else ''}{low:.6g} to {high:.6g}")
    picture = np.hstack(parts)
    write_png(options.out, picture)
    print(f"{options.out}: {picture.shape[1]} x {picture.shape[0]} pixels")


if __name__ == "__main__":
    main()
