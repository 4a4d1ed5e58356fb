# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""softmax and layer_norm against formulas in longer precision."""
import numpy as np

from harness import Case, Refusal, main

rng = np.random.default_rng(41)
cases, refusals = [], []


def softmax(x, axis):
    with np.errstate(invalid="ignore"):
        wide = x.astype(np.longdouble)
        e = np.exp(wide - wide.max(axis=axis, keepdims=True))
        return (e / e.sum(axis=axis, keepdims=True)).astype(x.dtype)


def layer_norm(x, axis, eps=1e-5, scale=None, shift=None):
    wide = x.astype(np.longdouble)
    d = wide - wide.mean(axis=axis, keepdims=True)
    y = d / np.sqrt((d * d).mean(axis=axis, keepdims=True) + np.longdouble(eps))
    along = [1] * x.ndim
    along[axis] = -1
    y = y if scale is None else y * scale.reshape(along)
    y = y if shift is None else y + shift.reshape(along)
    return y.astype(x.dtype)


def within_bound(axis, eps=1e-5, scale=None, shift=None):
    """An error text where layer_norm misses the bound of its page."""
    def check(got, inputs):
        x = inputs["x"].astype(np.longdouble)
        want = layer_norm(x, axis, eps, scale, shift)
        mean, deviation = x.mean(axis=axis, keepdims=True), np.sqrt(x.var(axis=axis, keepdims=True) + eps)
        largest = 1 if scale is None else np.abs(scale).max()
        offset = 0 if shift is None else np.abs(shift).max()
        unit = np.finfo(got.dtype).eps
        bound = 4 * unit * (largest * (np.abs(x - mean) / deviation + 1 + np.abs(mean) / deviation) + offset)
        worst = np.max(np.abs(got - want) / bound)
        return "" if got.dtype == inputs["x"].dtype and worst <= 1 else f"{worst} of the bound"
    return check


def add(name, inputs, step, expected, rtol, atol=0.0):
    inputs = inputs if isinstance(inputs, dict) else {"x": inputs}
    step = {"in": "x", **step}
    cases.append(Case(name, inputs, {"y": step}, {"y": expected}, rtol=rtol, atol=atol))


SHAPES = ((1009,), (1,), (37, 53), (3, 5000), (2003, 2), (5, 7, 11), (3, 2, 4, 5))
for dtype in ("f4", "f8"):
    unit = np.finfo(dtype).eps
    for shape in SHAPES:
        x = (3 * rng.standard_normal(shape)).astype(dtype)
        for axis in range(-1, len(shape) - 1):
            tag = f"{dtype}_{'x'.join(map(str, shape))}_{axis % len(shape)}"
            add("softmax_" + tag, x, {"op": "softmax", "axis": axis}, softmax(x, axis), rtol=20 * unit)
            add("norm_" + tag, x, {"op": "layer_norm", "axis": axis}, within_bound(axis), 0)
            scale, shift = (rng.standard_normal(shape[axis]).astype(dtype) for _ in range(2))
            add("affine_" + tag, {"x": x, "g": scale, "b": shift},
                {"op": "layer_norm", "axis": axis, "in": ["x", "g", "b"], "eps": 0.5},
                within_bound(axis, 0.5, scale, shift), 0)
    add(f"shift_only_{dtype}", {"x": x, "b": shift}, {"op": "layer_norm", "in": {"x": "x", "shift": "b"}, "axis": 2},
        layer_norm(x, 2, shift=shift), rtol=10 * unit, atol=20 * unit)
    for factor in (1e30, -1e30):
        x = (factor * rng.standard_normal((11, 6))).astype(dtype)
        for axis in (0, 1):
            add(f"softmax_{factor:g}_{dtype}_{axis}", x, {"op": "softmax", "axis": axis}, softmax(x, axis), rtol=4 * unit)
            add(f"norm_{factor:g}_{dtype}_{axis}", x, {"op": "layer_norm", "axis": axis}, layer_norm(x, axis),
                rtol=20 * unit, atol=20 * unit)
x = 1e300 * rng.standard_normal((4, 9))
add("norm_huge", x, {"op": "layer_norm"}, layer_norm(x / 1e300, 1, 0), rtol=1e-14, atol=1e-14)
add("norm_tiny", x / 1e300 * 1e-200, {"op": "layer_norm", "eps": 0}, layer_norm(x / 1e300, 1, 0), rtol=1e-14, atol=1e-14)
add("norm_constant", np.full((3, 5), 2.5), {"op": "layer_norm"}, np.zeros((3, 5)), rtol=0)
x = np.array([[1000.0, 1001, 1002], [-np.inf, 0, 0], [-np.inf] * 3, [0, np.nan, 1]])  # C05
want = np.array([[0.09003057317038046, 0.24472847105479764, 0.6652409557748218], [0, 0.5, 0.5], [np.nan] * 3, [np.nan] * 3])
add("c05", x, {"op": "softmax", "axis": 1}, want, rtol=1e-15)
add("c05_columns", x.T.copy(), {"op": "softmax", "axis": 0}, want.T, rtol=1e-15)
add("empty", np.zeros((0, 4)), {"op": "softmax", "axis": 1}, np.zeros((0, 4)), rtol=0)
one = {"x": np.zeros((3, 4))}
for op in ("softmax", "layer_norm"):
    refusals += [
        Refusal(op + "_integers", {"x": np.arange(4)}, {"y": {"op": op, "in": "x"}}, 3, "cast"),
        Refusal(op + "_complex", {"x": np.zeros(4, "c8")}, {"y": {"op": op, "in": "x"}}, 3, "real"),
        Refusal(op + "_axis", one, {"y": {"op": op, "in": "x", "axis": 2}}, 3, "axis from -2 to 1"),
        Refusal(op + "_empty", {"x": np.zeros((3, 0))}, {"y": {"op": op, "in": "x"}}, 3, "empty axis"),
    ]
refusals += [
    Refusal("scale_extent", {**one, "g": np.ones(3)}, {"y": {"op": "layer_norm", "in": ["x", "g"]}}, 3, "scale"),
    Refusal("scale_type", {**one, "g": np.ones(4, "f4")}, {"y": {"op": "layer_norm", "in": ["x", "g"]}}, 3, "float64"),
    Refusal("too_many", {**one, "g": np.ones(4)}, {"y": {"op": "layer_norm", "in": ["x", "g", "g", "g"]}}, 3, "1 to 3"),
    Refusal("no_x", {**one, "g": np.ones(4)}, {"y": {"op": "layer_norm", "in": {"scale": "g"}}}, 3, '"x"'),
    Refusal("eps", one, {"y": {"op": "layer_norm", "in": "x", "eps": -1}}, 3, "eps"),
]

main(cases, refusals)
