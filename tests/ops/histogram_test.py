# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""histogram against numpy."""
import numpy as np

from harness import Case, Refusal, main

rng = np.random.default_rng(61)
cases, refusals = [], []


def add(name, x, bins, limits=None):
    step = {"op": "histogram", "in": "x", "bins": bins}
    if limits is not None:
        step["range"] = list(limits)
    finite = x[~np.isnan(x)] if x.dtype.kind == "f" else x
    low, high = limits or (float(finite.min()), float(finite.max()))
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = low + np.arange(bins + 1) * ((high - low) / bins)
    edges[-1] = high
    counts = np.histogram(finite.astype("f8"), bins=edges)[0]
    cases.append(Case(name, {"x": x}, {"y": step}, {"y": counts.astype("i8"), "y.edges": edges}, exact=True))


for dtype in ("u1", "i4", "i8", "f4", "f8"):
    for shape in ((1009,), (1,), (37, 53), (2, 3, 400)):
        x = rng.integers(0, 100, shape).astype(dtype) if dtype[0] in "ui" else rng.standard_normal(shape).astype(dtype)
        tag = f"{dtype}_{'x'.join(map(str, shape))}"
        add("own_" + tag, x, 10)
        add("given_" + tag, x, 37, (-1.0, 1.5))
        add("one_" + tag, x, 1, (0.0, 50.0))
# Elements on the borders, where a division would round to either side.
edges = 0.1 + np.arange(1001) * (0.7 / 1000)
add("borders", np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)]), 1000, (0.1, 0.1 + 0.7))
add("many_bins", rng.random(5000), 100003, (0.0, 1.0))
add("same", np.full(17, 3.25), 4)
x = rng.standard_normal(100)
x[::7] = np.nan
x[5], x[6] = np.inf, -np.inf
add("nan", x, 8, (-2.0, 2.0))
cases.append(Case("empty", {"x": np.zeros((0, 3))}, {"y": {"op": "histogram", "in": "x", "bins": 3, "range": [0, 1]}},
                  {"y": np.zeros(3, "i8")}, exact=True))
cases.append(Case("of_total", {"x": np.arange(12.0).reshape(3, 4)},
                  {"s": {"op": "sum", "in": "x", "axes": [0]}, "y": {"op": "histogram", "in": "s", "bins": 3}},
                  {"y": np.histogram([12.0, 15, 18, 21], 3)[0].astype("i8")}, exact=True))
one = {"x": np.arange(4.0)}
refusals += [
    Refusal("no_bins", one, {"y": {"op": "histogram", "in": "x", "bins": 0}}, 3, "bins"),
    Refusal("backwards", one, {"y": {"op": "histogram", "in": "x", "range": [1, 0]}}, 3, "low < high"),
    Refusal("one_border", one, {"y": {"op": "histogram", "in": "x", "range": [1]}}, 3, "range"),
    Refusal("complex", {"x": np.zeros(3, "c16")}, {"y": {"op": "histogram", "in": "x"}}, 3, "no order"),
    Refusal("empty", {"x": np.zeros(0)}, {"y": {"op": "histogram", "in": "x"}}, 3, "range"),
    Refusal("nan", {"x": np.array([1, np.nan])}, {"y": {"op": "histogram", "in": "x"}}, 6, "finite range", run=True),
]

main(cases, refusals)
