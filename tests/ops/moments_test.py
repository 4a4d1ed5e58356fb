# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""var, std, norm1, norminf, any and all against numpy."""
import numpy as np

from harness import Case, Refusal, main

rng = np.random.default_rng(31)
cases, refusals = [], []
WIDE = {"u1": "f8", "i4": "f8", "i8": "f8", "f4": "f8", "f8": "f8", "c8": "c16", "c16": "c16"}
REAL = {"u1": "f8", "i4": "f8", "i8": "f8", "f4": "f4", "f8": "f8", "c8": "f4", "c16": "f8"}


def values(dtype, shape):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 200, shape).astype(dtype)
    x = rng.standard_normal(shape) + 0.5
    return (x + 1j * rng.standard_normal(shape)).astype(dtype) if dtype[0] == "c" else x.astype(dtype)


def add(name, x, step, expected, **more):
    cases.append(Case(name, {"x": x}, {"y": {"in": "x", **step}}, {"y": expected}, **more))


def reference(op, x, axes, ddof=0):
    wide = x.astype(WIDE[x.dtype.str[1:]])
    if op in ("var", "std"):
        result = getattr(np, op)(wide, axis=axes, ddof=ddof)
    elif op == "norm1":
        result = np.abs(wide).sum(axis=axes)
    elif op == "norminf":
        result = np.abs(wide).max(axis=axes, initial=0)
    else:
        return np.asarray(getattr(np, op)(x != 0, axis=axes)).astype("u1")
    return np.asarray(result).astype(REAL[x.dtype.str[1:]])


SHAPES = {"line": (1009,), "one": (1,), "plane": (37, 53), "tall": (997, 3), "flat": (2, 9001), "cube": (5, 7, 11)}
for dtype in WIDE:
    for shape_name, shape in SHAPES.items():
        if dtype in ("u1", "i8", "c8") and shape_name not in ("line", "plane"):
            continue  # the others cover the geometry
        x = values(dtype, shape)
        sets = [None] + [(a,) for a in range(len(shape))] + ([(0, 2), (1, 2)] if len(shape) == 3 else [])
        for axes in sets:
            tag = f"{dtype}_{shape_name}_{'all' if axes is None else ''.join(map(str, axes))}"
            step = {} if axes is None else {"axes": list(axes)}
            tolerance = {"rtol": 2e-6, "atol": 1e-6} if dtype in ("f4", "c8") else {"rtol": 1e-12, "atol": 1e-14}
            for op in ("var", "std", "norm1", "norminf"):
                add(f"{op}_{tag}", x, {"op": op, **step}, reference(op, x, axes), **tolerance)
            sparse = np.where(rng.random(shape) < 0.02, x, 0).astype(dtype)
            add(f"any_{tag}", sparse, {"op": "any", **step}, reference("any", sparse, axes), exact=True)
            full = np.where(rng.random(shape) < 0.02, 0, x).astype(dtype)
            add(f"all_{tag}", full, {"op": "all", **step}, reference("all", full, axes), exact=True)
x = values("f8", (6, 50, 4))
for op in ("var", "std"):
    add(f"{op}_keepdims", x, {"op": op, "axes": [1], "keepdims": True, "ddof": 1},
        getattr(x, op)(axis=1, keepdims=True, ddof=1), rtol=1e-13)
    add(f"{op}_ddof", x, {"op": op, "ddof": 1.5}, np.asarray(getattr(x, op)(ddof=1.5)), rtol=1e-13)
    add(f"{op}_too_few", np.ones((1, 3)), {"op": op, "axes": [0], "ddof": 1}, np.full(3, np.nan), exact=True)
    y = x.copy()
    y[rng.random(x.shape) < 0.1] = np.nan
    for axis in (None, 0, 1, 2):
        step = {} if axis is None else {"axes": [axis]}
        add(f"{op}_ignore_{axis}", y, {"op": op, "nan": "ignore", **step},
            np.asarray(getattr(np, "nan" + op)(y, axis=axis)), rtol=1e-12, atol=1e-14)
    add(f"{op}_nan", y, {"op": op}, np.float64(np.nan), exact=True)
    add(f"{op}_inf", np.array([1.0, np.inf, 2.0, 3.0]), {"op": op}, np.float64(np.nan), exact=True)
    # A large mean, kappa = 1e8: the naive difference of sums has no digit left.
    far = 1e8 + rng.standard_normal((3, 20001))
    wide = far.astype(np.longdouble)
    for axis in (None, 1):
        step = {} if axis is None else {"axes": [axis]}
        add(f"{op}_far_{axis}", far, {"op": op, **step}, np.asarray(getattr(wide, op)(axis=axis)).astype("f8"), rtol=1e-7)
    add(f"{op}_far_columns", far.T.copy(), {"op": op, "axes": [0]}, np.asarray(getattr(wide, op)(axis=1)).astype("f8"),
        rtol=1e-7)
    add(f"{op}_constant", np.full(100003, 0.1), {"op": op}, lambda got, _: "" if abs(got) < 1e-15 else str(got))
y = np.array([[1.0, -2.0, np.nan], [-0.0, 0.0, -3.0]])
add("norm1_ignore", y, {"op": "norm1", "nan": "ignore", "axes": [1]}, np.array([3.0, 3.0]), exact=True)
add("norminf_ignore", y, {"op": "norminf", "nan": "ignore"}, np.float64(3), exact=True)
add("norm1_nan", y, {"op": "norm1"}, np.float64(np.nan), exact=True)
add("norminf_nan", y, {"op": "norminf", "axes": [1]}, np.array([np.nan, 3.0]), exact=True)
add("norminf_all_nan", np.full(5, np.nan), {"op": "norminf", "nan": "ignore"}, np.float64(0), exact=True)
add("norminf_infinite", np.array([1, -np.inf], "f4"), {"op": "norminf"}, np.float32(np.inf), exact=True)
add("norminf_zero", np.full(3, -0.0), {"op": "norminf"}, lambda got, _: "-0" if np.signbit(got) or got != 0 else "")
add("norm1_lowest", np.array([-2**63, 2**63 - 1], "i8"), {"op": "norm1"}, np.float64(2.0**64), exact=True)
add("norminf_lowest", np.array([-2**63, 5], "i8"), {"op": "norminf"}, np.float64(2.0**63), exact=True)
add("norm1_huge", np.full(10, 1e307), {"op": "norm1"}, np.float64(1e308), rtol=1e-15)
add("norm1_tiny", np.full(10, -5e-324), {"op": "norm1"}, np.float64(5e-323), exact=True)
add("any_nan", np.array([0.0, np.nan]), {"op": "any"}, np.uint8(1), exact=True)
add("any_ignore", np.array([0.0, np.nan]), {"op": "any", "nan": "ignore"}, np.uint8(0), exact=True)
add("all_nan", np.array([1.0, np.nan]), {"op": "all"}, np.uint8(1), exact=True)
add("all_ignore", np.array([np.nan, 0.0, 1.0]), {"op": "all", "nan": "ignore"}, np.uint8(0), exact=True)
add("any_imaginary", np.array([0, 1j, 0]), {"op": "any"}, np.uint8(1), exact=True)
for op, want in {"any": np.uint8(0), "all": np.uint8(1), "norm1": 0.0, "norminf": 0.0}.items():
    add(f"{op}_empty", np.zeros((0, 3)), {"op": op}, np.asarray(want), exact=True)
    add(f"{op}_empty_axis", np.zeros((0, 3)), {"op": op, "axes": [0]}, np.full(3, want), exact=True)
    refusals.append(Refusal(f"{op}_error", {"x": np.array([1.0, np.nan])}, {"y": {"op": op, "in": "x", "nan": "error"}},
                            6, "NaN", run=True))
refusals += [
    Refusal("var_empty", {"x": np.zeros((0, 5))}, {"y": {"op": "var", "in": "x", "axes": [0]}}, 3, "var of empty"),
    Refusal("std_axis", {"x": np.zeros((2, 5))}, {"y": {"op": "std", "in": "x", "axes": [2]}}, 3, "axes from"),
    Refusal("var_nan", {"x": np.array([1.0, np.nan])}, {"y": {"op": "var", "in": "x", "nan": "error"}}, 6, "NaN", run=True),
    Refusal("std_ddof", {"x": np.zeros(5)}, {"y": {"op": "std", "in": "x", "ddof": "one"}}, 3, "ddof"),
]

main(cases, refusals)
