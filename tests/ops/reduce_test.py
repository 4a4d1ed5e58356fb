# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Reductions against numpy, math.fsum and exact fractions."""
import math
from fractions import Fraction

import numpy as np

from harness import Case, Refusal, main

rng = np.random.default_rng(20)
cases, refusals = [], []


def exactly(value, dtype=np.float64):
    """A Fraction rounded once: Python's division of big integers rounds to nearest, ties to even."""
    value = Fraction(value)
    if dtype == np.float64:
        return np.float64(value.numerator / value.denominator)
    nearest = np.float32(value.numerator / value.denominator)
    near = [np.nextafter(nearest, np.float32(-np.inf)), nearest, np.nextafter(nearest, np.float32(np.inf))]
    best = min(abs(Fraction(float(x)) - value) for x in near)
    ties = [x for x in near if abs(Fraction(float(x)) - value) == best]
    return ties[0] if len(ties) == 1 else next(x for x in ties if x.view(np.uint32) % 2 == 0)


def exact_sum(x, axis=None, divisor=None):
    """Correctly rounded sums (means) of a real array along an axis."""
    x = np.asarray(x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    x = np.moveaxis(x, axis, -1)
    out = np.empty(x.shape[:-1], x.dtype)
    for index in np.ndindex(*out.shape):
        total = sum((Fraction(float(v)) for v in x[index]), Fraction(0))
        out[index] = exactly(total / divisor if divisor else total, x.dtype.type)
    return out[()]


def add(name, x, step, expected, **more):
    inputs = {"x": x, **more.pop("inputs", {})}
    cases.append(Case(name, inputs=inputs, steps={"y": {"in": "x", **step}}, expected={"y": expected}, **more))


# Types, axes, shapes: tolerance against numpy in longer precision.
wide = {"u1": "i8", "i4": "i8", "i8": "i8", "f4": "f8", "f8": "f8", "c8": "c16", "c16": "c16"}
shapes = {"line": (1009,), "one": (1,), "plane": (37, 53), "tall": (997, 3), "flat": (2, 4099), "cube": (5, 7, 11),
          "five": (3, 2, 5, 4, 3)}


def values(dtype, shape):
    kind = np.dtype(dtype).kind
    if kind in "iu":
        return rng.integers(0, 200, shape).astype(dtype)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape)).astype(dtype) if kind == "c" else x.astype(dtype)


def result_type(op, dtype):
    kind = np.dtype(dtype).kind
    if kind in "iu":
        return "f8" if op in ("mean", "norm2") else "i8"
    return {"c8": "f4", "c16": "f8"}.get(dtype, dtype) if op == "norm2" else dtype


numpy_op = {"sum": np.sum, "mean": np.mean, "norm2": lambda x, axis: np.sqrt(np.sum(np.abs(x) ** 2, axis=axis))}
for dtype, long in wide.items():
    for shape_name, shape in shapes.items():
        if dtype in ("u1", "i8", "c8") and shape_name not in ("line", "plane", "cube"):
            continue  # the others cover the geometry
        x = values(dtype, shape)
        axes_sets = [None] + [(a,) for a in range(len(shape))]
        if len(shape) == 3:
            axes_sets += [(0, 1), (1, 2), (0, 2)]
        if len(shape) == 5:
            axes_sets = [(1, 3), (0, 2, 4), (2,), (0, 1)]
        for axes in axes_sets:
            tag = f"{dtype}_{shape_name}_{'all' if axes is None else ''.join(map(str, axes))}"
            step = {} if axes is None else {"axes": list(axes)}
            for op in ("sum", "mean", "norm2"):
                want = numpy_op[op](x.astype(long if op != "norm2" or long != "i8" else "f8"), axis=axes)
                add(f"{op}_{tag}", x, {"op": op, **step}, np.asarray(want).astype(result_type(op, dtype)),
                    rtol=3e-6 if dtype in ("f4", "c8") else 1e-12, atol=1e-5 if dtype in ("f4", "c8") else 1e-13)
            if np.dtype(dtype).kind == "c":
                continue
            for op in ("min", "max"):
                add(f"{op}_{tag}", x, {"op": op, **step}, getattr(np, op)(x, axis=axes), exact=True)
            if axes is None or len(axes) == 1:
                axis = None if axes is None else axes[0]
                for op in ("argmin", "argmax"):
                    add(f"{op}_{tag}", x, {"op": op, **step},
                        np.asarray(getattr(np, op)(x, axis=axis)).astype("i8"), exact=True)
x = values("f8", (4, 5, 6))
add("keepdims", x, {"op": "max", "axes": [0, -1], "keepdims": True}, x.max((0, 2), keepdims=True), exact=True)
add("keepdims_all", x, {"op": "max", "keepdims": True}, x.max(keepdims=True), exact=True)
add("no_axes", x, {"op": "sum", "axes": []}, x, exact=True)
for dtype in ("f4", "f8", "c8", "c16"):
    x = (1 + 0.05 * values(dtype, (23, 31))).astype(dtype)
    for axes in (None, (0,), (1,)):
        step = {} if axes is None else {"axes": list(axes)}
        add(f"prod_{dtype}_{axes}", x, {"op": "prod", **step}, np.prod(x.astype(wide[dtype]), axis=axes).astype(dtype),
            rtol=1e-5 if dtype in ("f4", "c8") else 1e-11)
x = rng.integers(-3, 4, (5, 40)).astype("i4")
x[x == 0] = 1
x[2, 7] = 0
add("prod_i4", x, {"op": "prod", "axes": [1]}, np.prod(x.astype("i8"), axis=1), exact=True)
for dtype in wide:
    for n in (1, 7, 1009, 10000):
        a, b = values(dtype, n), values(dtype, n)
        want = np.vdot(a.astype(wide[dtype]), b.astype(wide[dtype])).astype(result_type("dot", dtype))
        cases.append(Case(f"dot_{dtype}_{n}", inputs={"a": a, "b": b}, steps={"y": {"op": "dot", "in": ["a", "b"]}},
                          expected={"y": np.asarray(want)}, rtol=1e-5 if dtype in ("f4", "c8") else 1e-11, atol=1e-4
                          if dtype in ("f4", "c8") else 1e-11))

# Bitexact: the exact sum rounded once, by fractions.
spread = {"mild": 1, "wide": 30, "wild": 280}
for name, power in spread.items():
    for dtype in ("f4", "f8"):
        exponent = rng.integers(-power, power + 1, (13, 29, 5)) / (8 if dtype == "f4" else 1)
        x = (rng.standard_normal((13, 29, 5)) * 2.0 ** np.round(exponent)).astype(dtype)
        x[:, 1::2] = -x[:, 0:-1:2] * (1 + np.finfo(dtype).eps)  # cancels nearly
        for axis in (None, 0, 1, 2):
            step = {} if axis is None else {"axes": [axis]}
            n = x.size if axis is None else x.shape[axis]
            only = {"exact": True, "recipes": ("bitexact",)}
            add(f"exact_sum_{name}_{dtype}_{axis}", x, {"op": "sum", **step}, exact_sum(x, axis), **only)
            add(f"exact_mean_{name}_{dtype}_{axis}", x, {"op": "mean", **step}, exact_sum(x, axis, n), **only)
a, b = rng.standard_normal(3001) * 2.0 ** rng.integers(-300, 300, 3001), rng.standard_normal(3001)
want = exactly(sum(Fraction(float(p)) * Fraction(float(q)) for p, q in zip(a, b)))
cases.append(Case("exact_dot", inputs={"a": a, "b": b}, steps={"y": {"op": "dot", "in": ["a", "b"]}},
                  expected={"y": want}, exact=True, recipes=("bitexact",)))
big = np.array([1e308, 1e308, 1.5, -1e308, -1e308] * 11)
add("cancel_1e308", big, {"op": "sum"}, np.float64(math.fsum([1.5] * 11)), exact=True, recipes=("bitexact",))
add("minus_zero", np.full(11, -0.0), {"op": "sum"},
    lambda got, _: "" if got == 0 and np.signbit(got) else f"{got} isn't -0")
add("large_axis", values("f8", (6, 150000)), {"op": "sum", "axes": [0]}, lambda got, inputs: "" if np.allclose(
    got, inputs["x"].sum(0), rtol=0, atol=1e-14) else "differs")

# Cases from the field.
add("a02_sum", np.full(4, 2**30, "i4"), {"op": "sum"}, np.int64(4294967296), exact=True)
add("a02_mean", np.full(4, 2**30, "i4"), {"op": "mean"}, np.float64(1073741824.0), exact=True)
add("a02_u1", np.tile(np.arange(256, dtype="u1"), 4), {"op": "sum"}, np.int64(130560), exact=True)
x = np.array([2**62, 2**62, 2**62, -2**62, -2**62, -5], "i8")
add("i8_inside_128", x, {"op": "sum"}, np.int64(2**62 - 5), exact=True)
add("i8_lowest", np.full(2, -2**62, "i8"), {"op": "sum"}, np.int64(-2**63), exact=True)
add("i8_mean", np.full(7, 2**62, "i8"), {"op": "mean"}, np.float64(2.0**62), exact=True)
cases.append(Case("i8_dot_128", inputs={"a": np.array([2**62, 3, -2**62], "i8"), "b": np.array([2, -2**40, 2], "i8")},
                  steps={"y": {"op": "dot", "in": ["a", "b"]}}, expected={"y": np.int64(-3 * 2**40)}, exact=True))
for name, value in {"a04_h": np.ones(100000, "f2"), "a04_g": np.array([600, 800], "f2")}.items():
    want = {"a04_h": 316.22776601683796, "a04_g": 1000.0}[name]
    add(name, value, {"op": "norm2"}, lambda got, _, want=want: "" if abs(got - want) <= 2e-7 * want else str(got))
add("a06_scalar", np.float64(3.5), {"op": "sum"}, np.float64(3.5), exact=True)
add("a06_empty", np.zeros((0, 5)), {"op": "sum"}, np.float64(0), exact=True)
add("a06_empty_axis", np.zeros((0, 5)), {"op": "sum", "axes": [0]}, np.zeros(5), exact=True)
add("a06_empty_kept", np.zeros((0, 5)), {"op": "max", "axes": [1]}, np.zeros(0), exact=True)
add("b06_z", np.zeros(3, "u4"), {"op": "argmax"}, np.int64(0), exact=True)
add("b06_o", np.ones(20, "u4"), {"op": "argmax"}, np.int64(0), exact=True)
add("b06_p", np.full(10, np.inf, "f4"), {"op": "min"}, np.float32(np.inf), exact=True)
add("b06_m", np.full(7, -np.inf), {"op": "argmax"}, np.int64(0), exact=True)
add("b06_mv", np.full(7, -np.inf), {"op": "max"}, np.float64(-np.inf), exact=True)
add("c01_axis", np.ones((100000, 2), "f4"), {"op": "sum", "axes": [0]}, np.full(2, 1e5, "f4"), exact=True)
add("c01", np.concatenate([[2.0**24], np.ones(1001)]).astype("f4"), {"op": "sum"}, np.float32(2**24 + 1001 - 1 + 1),
    exact=True, recipes=("bitexact",))
add("c02_c", np.array([1e8, 1, -1e8, 1], "f4"), {"op": "sum"}, np.float32(2.0), exact=True)
i = np.arange(10007)
v = (((i * 7919) % 10007 - 5003) * np.exp2((i % 61) - 30.0)).astype("f4")
add("c02_v", v, {"op": "sum"}, np.float32(-939562318435.0603), exact=True, recipes=("bitexact",))
add("c04_a", np.full(4, 1e200), {"op": "norm2"}, np.float64(2e200), rtol=1e-15)
add("c04_frobenius", np.full((2, 2), 1e200), {"op": "norm2"}, np.float64(2e200), rtol=1e-15)
add("c04_b", np.full(4, 1e-200), {"op": "norm2"}, np.float64(2e-200), rtol=1e-15)
add("c04_c", np.array([1e20], "f4"), {"op": "norm2"}, np.float32(1.0000000200408773e20), exact=True)
add("c04_d", np.array([3e-23, 4e-23], "f4"), {"op": "norm2"}, np.float32(5.000000093763104e-23), rtol=1.2e-7)
add("c04_columns", np.array([[1e200, 1e-200, 3.0], [1e200, 1e-200, 4.0]]), {"op": "norm2", "axes": [0]},
    np.array([math.sqrt(2) * 1e200, math.sqrt(2) * 1e-200, 5.0]), rtol=1e-15)
add("c07_a", np.full(4, 2.0**-1074), {"op": "sum"}, np.float64(2e-323), exact=True)
add("c07_b", np.full(8, 2.0**-149, "f4"), {"op": "sum"}, np.float32(1.1210387714598537e-44), exact=True)

# NaN and infinity.
for dtype in ("f4", "f8"):
    for place in (0, 500, 1008):
        x = values(dtype, 1009)
        x[place] = np.nan
        for op in ("sum", "mean", "max", "min", "norm2"):
            add(f"nan_{op}_{dtype}_{place}", x, {"op": op}, np.array(np.nan, dtype), exact=True)
        add(f"nan_argmin_{dtype}_{place}", x, {"op": "argmin"}, np.int64(place), exact=True)
        for op, reference in (("sum", np.nansum), ("mean", np.nanmean), ("max", np.nanmax), ("min", np.nanmin)):
            add(f"skip_{op}_{dtype}_{place}", x, {"op": op, "nan": "ignore"},
                np.asarray(reference(x.astype("f8"))).astype(dtype), rtol=1e-5 if dtype == "f4" else 1e-12, atol=1e-12)
        add(f"skip_argmax_{dtype}_{place}", x, {"op": "argmax", "nan": "ignore"}, np.int64(np.nanargmax(x)), exact=True)
x = values("f8", (11, 9))
x[3, :] = np.nan
x[:, 4] = np.nan
for axis in (0, 1):
    y = x.copy()
    y[(slice(None), 4) if axis == 0 else (3, slice(None))] = 1.0
    add(f"skip_mean_axis{axis}", y, {"op": "mean", "axes": [axis], "nan": "ignore"}, np.nanmean(y, axis), rtol=1e-13)
    add(f"skip_norm_axis{axis}", y, {"op": "norm2", "axes": [axis], "nan": "ignore"},
        np.sqrt(np.nansum(y**2, axis)), rtol=1e-13)
add("inf", np.array([1.0, np.inf, 2.0]), {"op": "sum"}, np.float64(np.inf), exact=True)
add("inf_inf", np.array([1.0, np.inf, -np.inf]), {"op": "sum"}, np.float64(np.nan), exact=True)
add("norm_inf", np.array([1.0, -np.inf]), {"op": "norm2"}, np.float64(np.inf), exact=True)
add("min_zero", np.array([0.0, -0.0, 0.0]), {"op": "min"}, lambda got, _: "" if np.signbit(got) else "+0")
add("max_zero", np.array([-0.0, 0.0, -0.0]), {"op": "max"}, lambda got, _: "-0" if np.signbit(got) else "")

sum_of = {"y": {"op": "sum", "in": "x"}}
refusals += [
    Refusal("max_empty", {"x": np.zeros((0, 5))}, {"y": {"op": "max", "in": "x"}}, 3, "max of empty"),
    Refusal("argmin_empty", {"x": np.zeros((2, 0))}, {"y": {"op": "argmin", "in": "x", "axes": [1]}}, 3, "of empty"),
    Refusal("axis_out", {"x": np.zeros((2, 3))}, {"y": {"op": "sum", "in": "x", "axes": [2]}}, 3, "axes from -2 to 1"),
    Refusal("axis_twice", {"x": np.zeros((2, 3))}, {"y": {"op": "sum", "in": "x", "axes": [0, -2]}}, 3, "twice"),
    Refusal("max_complex", {"x": np.zeros(3, "c16")}, {"y": {"op": "max", "in": "x"}}, 3, "no order"),
    Refusal("dot_shapes", {"a": np.zeros(3), "b": np.zeros(4)}, {"y": {"op": "dot", "in": ["a", "b"]}}, 3, "shape"),
    Refusal("sum_overflow", {"x": np.full(2, 2**62, "i8")}, sum_of, 6, "int64", run=True),
    Refusal("prod_overflow", {"x": np.full(64, 2, "i8")}, {"y": {"op": "prod", "in": "x"}}, 6, "int64", run=True),
    Refusal("nan_error", {"x": np.array([1.0, np.nan])}, {"y": {"op": "sum", "in": "x", "nan": "error"}}, 6, "NaN",
            run=True),
    Refusal("all_nan", {"x": np.full(3, np.nan)}, {"y": {"op": "argmax", "in": "x", "nan": "ignore"}}, 6, "NaN", run=True),
]

main(cases, refusals)
