# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""convolve against a sum over shifted tensors in longer precision, and against scipy."""
import itertools

import numpy as np
import scipy.signal

from harness import Case, Refusal, main

rng = np.random.default_rng(12)
cases = []
refusals = []


def longer(x):
    return x.astype(np.clongdouble if np.iscomplexobj(x) else np.longdouble)


def random(shape, dtype):
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def convolve(x, k, mode="full", axes=None):
    """A sum over the kernel's elements of shifted tensors, of which the mode's part is taken."""
    axes = list(range(x.ndim - k.ndim, x.ndim)) if axes is None else [a % x.ndim for a in axes]
    shape = list(x.shape)
    for s, a in enumerate(axes):
        shape[a] += k.shape[s] - 1
    full = np.zeros(shape, longer(x).dtype)
    for tap in itertools.product(*map(range, k.shape)):
        at = [slice(None)] * x.ndim
        for s, a in enumerate(axes):
            at[a] = slice(tap[s], tap[s] + x.shape[a])
        full[tuple(at)] += longer(x) * longer(k)[tap]
    at = [slice(None)] * x.ndim
    for s, a in enumerate(axes):
        n, taps = x.shape[a], k.shape[s]
        if mode == "same":
            at[a] = slice((taps - 1) // 2, (taps - 1) // 2 + n)
        if mode == "valid":
            at[a] = slice(taps - 1, n)
    return full[tuple(at)]


def add(name, x, k, method, **params):
    want = convolve(x, k, **{p: v for p, v in params.items()})
    eps = np.finfo(x.dtype).eps
    if method == "direct":
        atol = 4 * (k.size + 1) * eps * np.abs(x).max(initial=0) * np.abs(k).max(initial=0)
    else:
        per_batch = np.linalg.norm(x.ravel()) if x.size else 0
        atol = 4 * eps * np.log2(2 * want.size + 4) * per_batch * np.linalg.norm(k.ravel())
    step = {"op": "convolve", "in": ["x", "k"], "method": method, **params}
    cases.append(Case(f"{name}_{method}", {"x": x, "k": k}, {"y": step}, {"y": want.astype(x.dtype)},
                      rtol=float(2 * eps), atol=float(atol)))


SHAPES = (((1009,), (31,)), ((17,), (40,)), ((1,), (1,)), ((3, 200), (9,)), ((23, 29), (5, 4)), ((6, 5), (8, 3)),
          ((2, 3, 31), (6,)), ((7, 11, 13), (3, 2, 5)), ((4, 9, 10), (3, 3)), ((2, 2, 8, 9), (2, 3)))
for dtype in ("f4", "f8", "c8", "c16"):
    for n, (shape, taps) in list(enumerate(SHAPES))[::1 if dtype in ("f8", "c8") else 4]:
        x, k = random(shape, dtype), random(taps, dtype)
        fits = all(a >= b for a, b in zip(shape[len(shape) - len(taps):], taps))
        for mode in ("full", "same", "valid") if fits else ("full", "same"):
            for method in ("direct", "fft"):
                add(f"{dtype}_{n}_{mode}", x, k, method, mode=mode)
    x = random((12, 5, 9), dtype)
    for method in ("direct", "fft"):
        add(f"{dtype}_axis_0", x, random(7, dtype), method, axes=[0], mode="same")
        add(f"{dtype}_axis_1", x, random(3, dtype), method, axes=[1])
        add(f"{dtype}_axes_0_2", x, random((3, 4), dtype), method, axes=[0, -1], mode="valid")
        add(f"{dtype}_axes_0_1", x, random((5, 2), dtype), method, axes=[0, 1])
        add(f"{dtype}_no_batch", random((0, 6), dtype), random(3, dtype), method)
        add(f"{dtype}_stack", random((9, 14, 15), dtype), random((5, 5), dtype), method, mode="same")
    for mode in ("full", "same", "valid"):
        x, k = random((40, 33), dtype), random((6, 7), dtype)
        close = 1e-4 if dtype in ("f4", "c8") else 1e-11
        for method in ("direct", "fft", "auto"):
            cases.append(Case(f"{dtype}_scipy_{mode}_{method}", {"x": x, "k": k},
                              {"y": {"op": "convolve", "in": {"kernel": "k", "x": "x"}, "mode": mode, "method": method}},
                              {"y": scipy.signal.convolve(x, k, mode, "direct").astype(dtype)}, rtol=close, atol=close))
for dtype in ("f4", "f8"):
    add(f"{dtype}_long", random((20000,), dtype), random((1500,), dtype), "auto", mode="same")
    add(f"{dtype}_chosen", random((150, 160), dtype), random((40, 41), dtype), "auto", mode="valid")
# Whole numbers below 2^24 have no rounding in the direct sum.
x, k = rng.integers(-50, 50, (31, 37)).astype("f4"), rng.integers(-9, 9, (5, 6)).astype("f4")
cases.append(Case("whole_numbers", {"x": x, "k": k}, {"y": {"op": "convolve", "in": ["x", "k"], "method": "direct"}},
                  {"y": convolve(x, k).astype("f4")}, exact=True))
# A chain that leaves and takes other layouts than rows.
x, k = random((6, 30, 5), "f8"), random((4, 3), "f8")
first = convolve(x, k, "same", [0, 1]).astype("f8")
cases.append(Case("chain", {"x": x, "k": k},
                  {"a": {"op": "convolve", "in": ["x", "k"], "axes": [0, 1], "mode": "same", "method": "fft"},
                   "y": {"op": "convolve", "in": ["a", "k"], "method": "direct"}},
                  {"y": convolve(first, k).astype("f8")}, rtol=1e-12, atol=1e-12))
special = random((20,), "f8")
special[3], special[19] = np.nan, np.inf
with np.errstate(invalid="ignore"):
    cases.append(Case("special", {"x": special, "k": np.array([1.0, 2, 4])},
                      {"y": {"op": "convolve", "in": ["x", "k"], "mode": "same", "method": "direct"}},
                      {"y": convolve(special, np.array([1.0, 2, 4]), "same").astype("f8")}, rtol=1e-14))


def refuse(name, says, x=(6, 6), k=(3, 3), dtypes="f8 f8", **params):
    kinds = dtypes.split()
    refusals.append(Refusal(name, {"x": np.zeros(x, kinds[0]), "k": np.zeros(k, kinds[1])},
                            {"y": {"op": "convolve", "in": ["x", "k"], **params}}, 3, says))


refuse("integers", "cast", dtypes="i8 i8")
refuse("types", "different element types", dtypes="c16 f8")
refuse("four_axes", "one to three axes", x=(2, 2, 2, 2), k=(2, 2, 2, 2))
refuse("no_axes", "one to three axes", k=())
refuse("too_few", "at least as many", x=(6,))
refuse("eight_axes", "at most 7", x=(1,) * 8, k=(1,))
refuse("axis", "axis from -2 to 1", axes=[0, 2])
refuse("axes_order", "ascending", axes=[1, 0])
refuse("axes_twice", "ascending", axes=[1, 1])
refuse("axes_count", "2 different axes", axes=[1])
refuse("empty_x", "empty axis", x=(6, 0))
refuse("empty_kernel", "empty axis", k=(0, 3))
refuse("does_not_fit", "at most 6 elements", k=(3, 7), mode="valid")
refuse("mode", "mode", mode="wrap")
refuse("method", "method", method="fast")

main(cases, refusals)
