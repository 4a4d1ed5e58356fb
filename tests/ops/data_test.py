# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""slice, concat, reshape, fill and window against numpy and scipy."""
import numpy as np
from scipy.signal import get_window

from harness import Case, Refusal, main

rng = np.random.default_rng(77)
cases = []
refusals = []
TYPES = ("u1", "i4", "i8", "f4", "f8", "c8", "c16")


def tensor(shape, dtype="f8"):
    x = 100 * rng.standard_normal(shape)
    if dtype[0] == "c":
        x = x + 1j * rng.standard_normal(shape)
    return np.abs(x).astype(dtype) if dtype == "u1" else x.astype(dtype)


def exact(name, x, step, expected):
    inputs = x if isinstance(x, dict) else {"x": x}
    cases.append(Case(name, inputs=inputs, steps={"y": step}, expected={"y": expected}, exact=True))


def refuse(name, x, step, says):
    inputs = x if isinstance(x, dict) else {"x": x}
    refusals.append(Refusal(name, inputs, {"y": step}, 3, says))


# slice
SELECTIONS = ("[:]", "[1:]", "[:-2, 1:]", "[::2, ::3]", "[3:11:4, 2:]", "[5, :]", "[:, -1]", "[2, 3]", "[..., 1:2]",
              "[4:4]", "[10:12, 0:1]", "[-1:, ...]")
for number, select in enumerate(SELECTIONS):
    x = tensor((13, 7), TYPES[number % len(TYPES)])
    exact(f"slice_{number}", x, {"op": "slice", "in": "x", "select": select}, x[eval("np.s_" + select)])
x = tensor((3, 5, 11, 2))
for number, select in enumerate(("[1:, ::2, 3:9:2, 0]", "[:, 4]", "[2, 1:3, ::5]", "[..., 1]", "[0, 0, 0, 0]")):
    exact(f"slice4_{number}", x, {"op": "slice", "in": "x", "select": select}, x[eval("np.s_" + select)])
x = tensor((1, 29))
exact("slice_row", x, {"op": "slice", "in": "x", "select": "[0, ::-1]".replace("::-1", "3:27:4")}, x[0, 3:27:4])
x = tensor((0, 4))
exact("slice_empty", x, {"op": "slice", "in": "x", "select": "[:, 1:3]"}, x[:, 1:3])
# An input cut along its last axis.
x = tensor((6, 10))
cases.append(Case("slice_of_transposed", {"x": x},
                  {"t": {"op": "transpose", "in": "x"}, "y": {"op": "slice", "in": "t", "select": "[2:, 1:6:2]"}},
                  {"y": x.T[2:, 1:6:2]}, exact=True))
cases.append(Case("slice_of_total", {"x": x},
                  {"t": {"op": "sum", "in": "x", "axes": [0]}, "y": {"op": "slice", "in": "t", "select": "[-3:]"}},
                  {"y": x.sum(0)[-3:]}, rtol=1e-14))
refuse("slice_beyond", x, {"op": "slice", "in": "x", "select": "[6]"}, "axis 0")
refuse("slice_backwards", x, {"op": "slice", "in": "x", "select": "[::-1]"}, "step")
refuse("slice_axes", x, {"op": "slice", "in": "x", "select": "[0, 0, 0]"}, "axes")
refuse("slice_text", x, {"op": "slice", "in": "x", "select": "0:3"}, "brackets")

# concat
for number, dtype in enumerate(TYPES):
    axis = number % 2
    parts = {"a": tensor((5, 3), dtype), "b": tensor((1, 3) if axis == 0 else (5, 4), dtype), "c": tensor((5, 3), dtype)}
    exact(f"concat_{dtype}", parts, {"op": "concat", "in": ["a", "b", "c"], "axis": axis - 2},
          np.concatenate(list(parts.values()), axis))
a, b = tensor((2, 3, 4)), tensor((2, 9, 4))
exact("concat_middle", {"a": a, "b": b}, {"op": "concat", "in": ["a", "b", "a"], "axis": 1},
      np.concatenate([a, b, a], 1))
exact("concat_one", a, {"op": "concat", "in": "x"}, a)
exact("concat_empty", {"a": tensor((0, 3)), "b": np.ones((2, 3))}, {"op": "concat", "in": ["a", "b"]}, np.ones((2, 3)))
a, b = tensor((4, 9)), tensor((5, 9))
cases.append(Case("concat_of_transposed", {"a": a, "b": b},
                  {"ta": {"op": "transpose", "in": "a"}, "tb": {"op": "transpose", "in": "b"},
                   "y": {"op": "concat", "in": ["ta", "tb"], "axis": 1}},
                  {"y": np.concatenate([a.T, b.T], 1)}, exact=True))
refuse("concat_types", {"a": tensor(3, "f4"), "b": tensor(3)}, {"op": "concat", "in": ["a", "b"]}, "cast")
refuse("concat_shapes", {"a": tensor((3, 2)), "b": tensor((3, 4))}, {"op": "concat", "in": ["a", "b"]}, "axis 0")
refuse("concat_axis", a, {"op": "concat", "in": ["x", "x"], "axis": 2}, "from -2 to 1")
refuse("concat_scalars", np.float64(3), {"op": "concat", "in": ["x", "x"]}, "scalar")

# reshape
for number, (old, new) in enumerate((((12, 10), [-1]), ((12, 10), [5, 24]), ((12, 10), [2, 3, 4, 5]), ((7,), [7, 1]),
                                     ((7, 1), [1, 7]), ((1, 13), [13]), ((1, 12), [3, -1]), ((0, 4), [2, 0]),
                                     ((2, 3, 5), [3, 10]), ((30,), [1, 1, 30]), ((1, 1), []), ((1,), [1, 1, 1]))):
    x = tensor(old, TYPES[number % len(TYPES)])
    exact(f"reshape_{number}", x, {"op": "reshape", "in": "x", "shape": new}, x.reshape(new))
exact("reshape_scalar", np.float64(2.5), {"op": "reshape", "in": "x", "shape": [1, 1]}, np.full((1, 1), 2.5))
x = tensor((6, 4))
cases.append(Case("reshape_of_transposed", {"x": x},
                  {"t": {"op": "transpose", "in": "x"}, "y": {"op": "reshape", "in": "t", "shape": [3, -1]}},
                  {"y": x.T.reshape(3, 8)}, exact=True))
refuse("reshape_count", x, {"op": "reshape", "in": "x", "shape": [5, 5]}, "24 elements")
refuse("reshape_divides", x, {"op": "reshape", "in": "x", "shape": [5, -1]}, "divides")
refuse("reshape_two", x, {"op": "reshape", "in": "x", "shape": [-1, -1]}, "at most one -1")
refuse("reshape_open", np.zeros((0, 3)), {"op": "reshape", "in": "x", "shape": [0, -1]}, "leaves it open")

# fill
for dtype, name, value in (("u1", "uint8", 255), ("i4", "int32", -7), ("i8", "int64", 2**40), ("f4", "float32", 0.1),
                           ("f8", "float64", "inf"), ("c8", "complex64", [1.5, -2]), ("c16", "complex128", 3)):
    number = complex(*value) if isinstance(value, list) else float(value) if isinstance(value, str) else value
    exact(f"fill_{dtype}", {}, {"op": "fill", "shape": [5, 3], "value": value, "dtype": name},
          np.full((5, 3), number, dtype))
exact("fill_scalar", {}, {"op": "fill", "shape": []}, np.float64(0))
exact("fill_none", {}, {"op": "fill", "shape": [0, 2], "value": 1}, np.ones((0, 2)))
exact("fill_nan", {}, {"op": "fill", "shape": 3, "value": "nan"}, np.full(3, np.nan))
refuse("fill_range", {}, {"op": "fill", "shape": [2], "value": 256, "dtype": "uint8"}, "uint8")
refuse("fill_fraction", {}, {"op": "fill", "shape": [2], "value": 0.5, "dtype": "int32"}, "dtype")
refuse("fill_complex", {}, {"op": "fill", "shape": [2], "value": [1, 2]}, "float64")
refuse("fill_shape", {}, {"op": "fill", "shape": [2, -1]}, "negative")
refuse("fill_inputs", tensor(3), {"op": "fill", "in": "x", "shape": [2]}, "no inputs")

# window
WINDOWS = ("boxcar", "hann", "hamming", "blackman", "blackmanharris", "nuttall", "flattop", "bartlett")
for number, name in enumerate(WINDOWS + ("kaiser",)):
    extra = {"beta": 8.6} if name == "kaiser" else {}
    scipy_name = ("kaiser", 8.6) if name == "kaiser" else name
    for length in (1, 2, 37, 64):
        dtype = ("f8", "f4", "c16", "c8")[(number + length) % 4]
        axis = length % 2
        x = tensor((length, 3) if axis == 0 else (3, length), dtype)
        for symmetric in (False, True):
            w = get_window(scipy_name, length, fftbins=not symmetric).reshape((-1, 1) if axis == 0 else (1, -1))
            cases.append(Case(f"window_{name}_{length}_{int(symmetric)}", {"x": x},
                              {"y": {"op": "window", "in": "x", "window": name, "axis": axis, "symmetric": symmetric,
                                     **extra}},
                              {"y": (x * w).astype(dtype)}, rtol=3e-7 if dtype in ("f4", "c8") else 1e-13,
                              atol=1e-4 if dtype in ("f4", "c8") else 1e-12))
x = tensor((3, 4, 50))
cases.append(Case("window_default", {"x": x}, {"y": {"op": "window", "in": "x"}}, {"y": x * get_window("hann", 50)},
                  rtol=1e-13, atol=1e-13))
refuse("window_name", x, {"op": "window", "in": "x", "window": "han"}, "hann")
refuse("window_axis", x, {"op": "window", "in": "x", "axis": 3}, "axis from")
refuse("window_beta", x, {"op": "window", "in": "x", "beta": 2}, "kaiser")
refuse("window_no_beta", x, {"op": "window", "in": "x", "window": "kaiser"}, "beta")
refuse("window_integers", np.arange(4), {"op": "window", "in": "x"}, "cast")

main(cases, refusals)
