# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""l2_normalize against numpy."""
import numpy as np

from harness import Case, Refusal, main

rng = np.random.default_rng(21)
cases = []


def add(name, x, expected, rtol, **step):
    cases.append(Case(name, inputs={"x": x}, steps={"y": {"op": "l2_normalize", "in": "x", **step}},
                      expected={"y": expected}, rtol=rtol, atol=0.0))


def normalized(x, axis):
    wide = x.astype({"f4": "f8", "c8": "c16"}.get(x.dtype.str[1:], x.dtype.str))
    norm = np.sqrt(np.sum(np.abs(wide) ** 2, axis=axis, keepdims=True))
    return (wide / np.where(norm == 0, 1, norm)).astype(x.dtype)


for dtype, rtol in {"f4": 1.3e-7, "f8": 1e-14, "c8": 3e-7, "c16": 1e-14}.items():
    for shape in ((1009,), (1,), (37, 53), (3, 2000), (2003, 2), (5, 7, 11), (0, 4), (4, 0)):
        x = rng.standard_normal(shape)
        if dtype[0] == "c":
            x = x + 1j * rng.standard_normal(shape)
        x = x.astype(dtype)
        for axis in range(-1, len(shape) - 1):
            add(f"{dtype}_{'x'.join(map(str, shape))}_{axis % len(shape)}", x, normalized(x, axis), rtol, axis=axis)
x = rng.standard_normal((6, 5))
x[2] = 0
x[3] = -0.0
add("zero_rows", x, normalized(x, 1), 1e-14)
add("eps", x, x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 3.0), 1e-14, eps=3.0)
add("huge", np.full(4, 1.7e308), np.full(4, 0.5), 1e-15)
add("tiny", np.full((4, 2), 5e-324), np.full((4, 2), 0.5), 1e-15, axis=0)
add("mixed", np.array([[1e200, 1e-200], [1e200, 1e-200]]), np.full((2, 2), np.sqrt(0.5)), 1e-15, axis=0)
add("huge_f4", np.full(9, 3e38, "f4"), np.full(9, 1 / 3, "f4"), 1e-7)
add("nan", np.array([[1.0, np.nan], [3.0, 4.0]]), np.array([[np.nan, np.nan], [0.6, 0.8]]), 1e-15)
add("inf", np.array([1.0, np.inf]), np.array([0.0, np.nan]), 0.0)
refusals = [
    Refusal("integers", {"x": np.arange(4)}, {"y": {"op": "l2_normalize", "in": "x"}}, 3, "cast"),
    Refusal("axis", {"x": np.zeros(4)}, {"y": {"op": "l2_normalize", "in": "x", "axis": 1}}, 3, "axis"),
]

main(cases, refusals)
