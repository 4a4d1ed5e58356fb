# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""The operation `stencil` against scipy.ndimage and numpy."""
import numpy as np
from scipy import ndimage

from harness import Case, Refusal, main

random = np.random.default_rng(11)

LAPLACE = {1: np.array([1.0, -2, 1]),
           2: np.array([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]]),
           3: ndimage.generate_binary_structure(3, 1).astype(float)}
LAPLACE[3][1, 1, 1] = -6
MODES = {"periodic": "grid-wrap", "reflect": "reflect", "mirror": "mirror", "nearest": "nearest",
         "zero": "constant"}


def correlate(x, weights, boundary, value=0.0):
    """One sweep over all axes of x; complex numbers part by part, a constant value in the real part."""
    if np.iscomplexobj(x):
        return correlate(x.real, weights, boundary, value) + 1j * correlate(x.imag, weights, boundary)
    mode = MODES.get(boundary, "constant")
    pad = [(k // 2, k // 2) for k in weights.shape]
    names = {"grid-wrap": "wrap", "reflect": "symmetric", "mirror": "reflect", "nearest": "edge",
             "constant": "constant"}
    keywords = {"constant_values": value} if mode == "constant" else {}
    padded = np.pad(x.astype(float), pad, mode=names[mode], **keywords)
    windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape)
    return np.tensordot(windows, weights, weights.ndim)


def sweeps(x, weights, boundary, repeat=1, add=False, value=0.0):
    y = x.astype(complex if np.iscomplexobj(x) else float)
    for _ in range(repeat):
        z = correlate(y, weights, boundary, value) + (y if add else 0)
        if boundary == "fixed":
            inside = tuple(slice(k // 2, max(n - k // 2, k // 2)) for k, n in zip(weights.shape, y.shape))
            kept = y.copy()
            kept[inside] = z[inside]
            z = kept
        y = z
    return y.astype(x.dtype)


def field(shape, dtype):
    x = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * random.standard_normal(shape)
    return x.astype(dtype)


cases = []
EPS = {"float32": 2e-5, "complex64": 2e-5, "float64": 1e-12, "complex128": 1e-12}


def case(name, x, step, want):
    tolerance = EPS[x.dtype.name] * max(1.0, float(np.nanmax(np.abs(want))) if want.size else 1.0)
    cases.append(Case(name, inputs={"x": x}, steps={"y": {"op": "stencil", "in": "x", **step}},
                      expected={"y": want}, rtol=0, atol=tolerance))


ALL = ["fixed", "periodic", "reflect", "mirror", "nearest", "zero"]
for boundary in ALL:
    for dtype in EPS:
        x = field((23, 17), dtype)
        case(f"heat_{boundary}_{dtype}", x,
             {"weights": "laplace2d", "scale": 0.1, "repeat": 7, "boundary": boundary},
             sweeps(x, 0.1 * LAPLACE[2], boundary, 7, add=True))
    for axes, shape in ((1, (41,)), (3, (7, 6, 9))):
        x = field(shape, "float64")
        case(f"laplace{axes}d_{boundary}", x,
             {"weights": f"laplace{axes}d", "add_input": False, "boundary": boundary},
             sweeps(x, LAPLACE[axes], boundary))
    # Given weights of radius 2 and 1; axes shorter than the radius and than the number of ranks.
    weights = random.standard_normal((5, 3)) / 4
    for shape in ((19, 11), (1, 1), (2, 5), (3, 1), (5, 4)):
        x = field(shape, "float64")
        for repeat, block in ((1, 0), (5, 0), (5, 2), (4, 3)):
            case(f"given_{boundary}_{shape[0]}x{shape[1]}_{repeat}_{block}", x,
                 {"weights": weights.tolist(), "repeat": repeat, "boundary": boundary,
                  "sweeps_per_pass": block},
                 sweeps(x, weights, boundary, repeat))
    wide = random.standard_normal(9)
    for n in (1, 3, 8, 50):
        x = field((n,), "float64")
        case(f"line_{boundary}_{n}", x,
             {"weights": wide.tolist(), "repeat": 3, "scale": 0.25, "boundary": boundary,
              "sweeps_per_pass": 2},
             sweeps(x, 0.25 * wide, boundary, 3))

x = field((12, 9), "float64")
case("constant", x, {"weights": "box2d", "repeat": 3, "boundary": "constant", "value": 2.5},
     sweeps(x, np.full((3, 3), 1 / 9), "constant", 3, value=2.5))
x = field((12, 9), "complex128")
case("constant_complex", x, {"weights": "box2d", "repeat": 2, "boundary": "constant", "value": 2.5},
     sweeps(x, np.full((3, 3), 1 / 9), "constant", 2, value=2.5))

# Named weights.
x = field((11, 12, 13), "float64")
binomial = np.array([1.0, 2, 1]) / 4
case("blur3d", x, {"weights": "blur3d", "boundary": "reflect"},
     sweeps(x, np.einsum("i,j,k", binomial, binomial, binomial), "reflect"))
order4 = np.array([-1.0, 16, -30, 16, -1]) / 12
order8 = np.array([-9.0, 128, -1008, 8064, -14350, 8064, -1008, 128, -9]) / 5040
for name, line in (("order4", order4), ("order8", order8)):
    want = sum(np.apply_along_axis(lambda v: sweeps(v, line, "periodic"), a, x) for a in range(3))
    case(f"laplace3d_{name}", x,
         {"weights": f"laplace3d_{name}", "boundary": "periodic", "add_input": False}, want)
y = field((14, 15), "float64")
case("laplace2d9", y, {"weights": "laplace2d9", "boundary": "mirror", "add_input": False},
     sweeps(y, np.array([[1.0, 4, 1], [4, -20, 4], [1, 4, 1]]) / 6, "mirror"))
shell = np.array([-128.0, 14, 3, 1]) / 30
cube = shell[np.abs(np.indices((3, 3, 3)) - 1).sum(0)]
case("laplace3d27", x, {"weights": "laplace3d27", "boundary": "nearest", "scale": 0.05, "repeat": 2},
     sweeps(x, 0.05 * cube, "nearest", 2, add=True))
case("sobel", y, {"weights": "sobel2d_rows", "boundary": "reflect"}, ndimage.sobel(y, 0))
case("gradient", x, {"weights": "gradient1d", "boundary": "nearest", "axes": [1]},
     ndimage.correlate1d(x, [-0.5, 0, 0.5], axis=1, mode="nearest"))

# Batches: leading, trailing and between; axes in another order; one boundary per axis.
stack = field((5, 9, 8), "float64")
case("leading_batch", stack, {"weights": "laplace2d", "scale": 0.1, "repeat": 3, "boundary": "reflect"},
     np.stack([sweeps(s, 0.1 * LAPLACE[2], "reflect", 3, add=True) for s in stack]))
case("trailing_batch", stack, {"weights": "laplace2d", "axes": [0, 1], "scale": 0.1, "repeat": 3,
                               "boundary": "periodic"},
     np.moveaxis(np.stack([sweeps(stack[..., i], 0.1 * LAPLACE[2], "periodic", 3, add=True)
                           for i in range(8)]), 0, -1))
case("batch_between", stack, {"weights": "blur2d", "axes": [0, -1], "repeat": 2, "boundary": "zero"},
     np.stack([sweeps(stack[:, i], np.outer(binomial, binomial), "zero", 2) for i in range(9)], 1))
uneven = random.standard_normal((3, 5))
case("axes_swapped", y, {"weights": uneven.tolist(), "axes": [1, 0], "boundary": "mirror"},
     sweeps(y, uneven.T, "mirror"))
case("boundary_per_axis", y, {"weights": "box2d", "boundary": ["periodic", "zero"]},
     correlate(np.pad(y, ((1, 1), (0, 0)), mode="wrap"), np.full((3, 3), 1 / 9), "zero")[1:-1])
rows = field((9, 70), "float32")
case("wide_rows_of_batch", rows, {"weights": [0.25, 0.5, 0.25], "axes": [0], "repeat": 4,
                                  "boundary": "periodic"},
     np.stack([sweeps(rows[:, i], np.array([0.25, 0.5, 0.25]), "periodic", 4) for i in range(70)], 1))

# Nothing to do, nothing there.
case("repeat_0", y, {"weights": "laplace2d", "repeat": 0}, y)
case("scale_0", y, {"weights": "laplace2d", "scale": 0, "repeat": 3, "boundary": "zero"}, y)
case("only_zeros", y, {"weights": [[0]], "boundary": "zero"}, np.zeros_like(y))
case("identity", y, {"weights": [[1]], "repeat": 5}, y)
for shape in ((0,), (0, 4), (4, 0)):
    e = np.zeros(shape)
    case(f"empty_{len(shape)}_{shape[0]}", e,
         {"weights": f"laplace{len(shape)}d", "repeat": 3, "boundary": "periodic"}, e)

# NaN and infinity spread; huge and tiny values.
z = field((16, 10), "float64")
z[5, 5], z[9, 2], z[0, 0], z[15, 9] = np.nan, np.inf, 1e308, 5e-324
with np.errstate(all="ignore"):
    want = sweeps(z, np.full((3, 3), 1 / 9), "reflect", 2)
case("nan_inf", z, {"weights": "box2d", "repeat": 2, "boundary": "reflect"}, want)

# Larger: several threads, tiles and deep halos.
heat = field((301, 257), "float64")
for block in (0, 1, 4):
    case(f"plate_{block}", heat, {"weights": "laplace2d", "scale": 0.2, "repeat": 30,
                                  "boundary": "fixed", "sweeps_per_pass": block},
         sweeps(heat, 0.2 * LAPLACE[2], "fixed", 30, add=True))


def refuse(name, step, says, x=None):
    refusals.append(Refusal(name, inputs={"x": y if x is None else x},
                            steps={"y": {"op": "stencil", "in": "x", **step}}, exit=3, says=says))


refusals = []
refuse("even_weights", {"weights": [1, 2]}, "odd number of weights")
refuse("irregular_weights", {"weights": [[1, 2, 3], [1]]}, "list of 3")
refuse("unknown_name", {"weights": "laplace2"}, "laplace2d")
refuse("four_axes", {"weights": [[[[1]]]]}, "1 to 3 axes")
refuse("number_for_weights", {"weights": 3}, "1 to 3 axes")
refuse("too_few_axes", {"weights": "laplace3d"}, "at least 3 axes")
refuse("bad_axis", {"weights": "laplace1d", "axes": [2]}, "no such axis")
refuse("axis_twice", {"weights": "laplace2d", "axes": [1, -1]}, "named twice")
refuse("number_of_axes", {"weights": "laplace2d", "axes": [1]}, "number of axes")
refuse("bad_boundary", {"weights": "laplace2d", "boundary": "wrap"}, "periodic")
refuse("three_boundaries", {"weights": "laplace2d", "boundary": ["zero", "zero", "zero"]}, "1 or 2")
refuse("value_without_constant", {"weights": "laplace2d", "boundary": "zero", "value": 1}, "constant")
refuse("negative_repeat", {"weights": "laplace2d", "repeat": -1}, "at least 0")
refuse("infinite_scale", {"weights": "laplace2d", "scale": "inf"}, "not finite")
refuse("infinite_weight", {"weights": ["inf", 1, 1]}, "not finite")
refuse("integers", {"weights": "laplace2d"}, "cast", np.arange(12).reshape(3, 4))

main(cases, refusals)
