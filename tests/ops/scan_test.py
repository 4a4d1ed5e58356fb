# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""cumsum and cumprod against numpy and the written-down order of rounding."""
import numpy as np

from harness import Case, Refusal, main

rng = np.random.default_rng(51)
cases, refusals = [], []
WIDE = {"u1": "i8", "i4": "i8", "i8": "i8", "f4": "f8", "f8": "f8", "c8": "c16", "c16": "c16"}
OUT = {"u1": "i8", "i4": "i8"}
TILE = 4096


def values(dtype, shape):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape)).astype(dtype) if dtype[0] == "c" else x.astype(dtype)


def add(name, x, step, expected, **more):
    cases.append(Case(name, {"x": x}, {"y": {"in": "x", **step}}, {"y": expected}, **more))


def by_tiles(x, axis):
    """cumsum with the order of rounding of its page."""
    x = np.moveaxis(x.astype(WIDE[x.dtype.str[1:]]), axis, 0)
    out, before = np.empty_like(x), np.full(x.shape[1:], -0.0, x.dtype)
    for begin in range(0, len(x), TILE):
        local = np.cumsum(x[begin:begin + TILE], axis=0)
        out[begin:begin + TILE] = before + local
        before = before + local[-1]
    return np.moveaxis(out, 0, axis)


def exclusive(y, axis, first):
    shifted = np.roll(y, 1, axis)
    index = [slice(None)] * y.ndim
    index[axis] = slice(0, 1)
    shifted[tuple(index)] = first
    return shifted


for dtype in WIDE:
    for shape in ((1009,), (1,), (37, 53), (3, 9001), (9001, 3), (5, 7, 11), (0, 3)):
        if dtype in ("u1", "i8", "c8") and shape not in ((37, 53), (9001, 3)):
            continue
        x = values(dtype, shape)
        for axis in range(len(shape)):
            tag = f"{dtype}_{'x'.join(map(str, shape))}_{axis}"
            want = by_tiles(x, axis)
            add("sum_" + tag, x, {"op": "cumsum", "axis": axis}, want.astype(OUT.get(dtype, dtype)), exact=True)
            if shape[axis] > 0:
                add("sum_before_" + tag, x, {"op": "cumsum", "axis": axis - len(shape), "exclusive": True},
                    exclusive(want, axis, -0.0 if dtype[0] in "fc" else 0).astype(OUT.get(dtype, dtype)), exact=True)
            small = np.where(x > 50, 1, 0).astype(dtype) if np.dtype(dtype).kind in "iu" else \
                (1 + 0.01 * x).astype(dtype)
            want = np.cumprod(small.astype(WIDE[dtype]), axis=axis)
            rtol = 1e-6 if dtype in ("f4", "c8") else 1e-11
            add("product_" + tag, small, {"op": "cumprod", "axis": axis}, want.astype(OUT.get(dtype, dtype)), rtol=rtol)
            add("product_before_" + tag, small, {"op": "cumprod", "axis": axis, "exclusive": True},
                exclusive(want, axis, 1).astype(OUT.get(dtype, dtype)), rtol=rtol)
# Tiles on several ranks.
for n in (TILE - 1, TILE, TILE + 1, 3 * TILE, 7 * TILE + 5):
    x = values("f8", n)
    add(f"line_{n}", x, {"op": "cumsum"}, by_tiles(x, 0), exact=True)
x = np.concatenate([np.full(TILE, 0.85), np.full(TILE, 1.2)])
add("product_in_range", x, {"op": "cumprod"}, np.cumprod(x), rtol=1e-12)
x = np.array([2**62, 2**62 - 1, -2**62, -2**62, -2**62], "i8")
add("wide_sums", x, {"op": "cumsum"}, np.cumsum(x), exact=True)
add("nan", np.array([1, np.nan, 2, np.inf]), {"op": "cumsum"}, np.array([1, np.nan, np.nan, np.nan]), exact=True)
add("infinity", np.array([1, np.inf, 2, -np.inf]), {"op": "cumsum"}, np.array([1, np.inf, np.inf, np.nan]), exact=True)
add("minus_zero", np.full(3, -0.0), {"op": "cumsum"}, lambda got, _: "" if np.signbit(got).all() else "+0")
add("lowest_product", np.array([-1, 2**62, 2, 1], "i8"), {"op": "cumprod"}, np.array([-1, -2**62, -2**63, -2**63]), exact=True)
refusals += [
    Refusal("axis", {"x": np.zeros((2, 3))}, {"y": {"op": "cumsum", "in": "x", "axis": 2}}, 3, "axis from"),
    Refusal("scalar", {"x": np.float64(1)}, {"y": {"op": "cumprod", "in": "x"}}, 3, "scalar"),
    Refusal("sum_overflow", {"x": np.full(3, 2**62, "i8")}, {"y": {"op": "cumsum", "in": "x"}}, 6, "int64", run=True),
    Refusal("product_overflow", {"x": np.full(64, -2, "i8")}, {"y": {"op": "cumprod", "in": "x"}}, 6, "int64", run=True),
]

main(cases, refusals)
