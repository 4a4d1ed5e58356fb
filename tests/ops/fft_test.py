# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""fft, ifft, rfft, irfft against numpy and scipy: types, norms, axes, sizes and the field's cases E01-E06."""
import numpy as np
import scipy.fft
from harness import Case, Refusal, main

rng = np.random.default_rng(20)
EPS = {np.dtype(t): e for t, e in ((np.complex64, 6e-8), (np.float32, 6e-8), (np.complex128, 1.2e-16),
                                   (np.float64, 1.2e-16))}


def sample(shape, dtype):
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return np.asarray(x, dtype)


def close_to(want, factor=4.0):
    """Relative L2 distance of at most factor eps log2 N."""
    want = np.asarray(want)

    def check(got, inputs):
        if got.shape != want.shape or got.dtype != want.dtype:
            return f"got {got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
        if got.size == 0:
            return ""
        largest = np.abs(want).max() or 1.0  # divided by it, squares can't overflow
        scale = np.linalg.norm((want / largest).astype(np.complex128).ravel()) or 1.0
        error = np.linalg.norm(((got.astype(np.complex128) - want) / largest).ravel()) / scale
        bound = factor * EPS[want.dtype] * max(1.0, np.log2(max(2, got.size)))
        return "" if error <= bound else f"relative error {error:.3g} above {bound:.3g}"
    return check


cases = []


def add(name, x, steps, wants, **options):
    """Each want is an array, compared in the L2 norm, or a function."""
    expected = {k: w if callable(w) else close_to(w) for k, w in wants.items()}
    cases.append(Case(name, inputs={"x": x}, steps=steps, expected=expected, **options))


# Complex and real input of every type; axes, and norms in two dimensions.
SHAPES = {(12,): [None], (7, 10): [None, [0], [-1]], (5, 6, 9): [None, [1], [2, 0]],
          (3, 2, 4, 5): [None, [0, 2], [-1, 1, 0]]}
for dtype in ("f4", "f8", "c8", "c16"):
    for shape, options in SHAPES.items():
        x = sample(shape, dtype)
        for axes in options:
            step = {"in": "x"} if axes is None else {"in": "x", "axes": axes}
            used = axes if axes is not None else (range(len(shape)) if len(shape) <= 3 else [-1])
            tag = "all" if axes is None else "_".join(str(a).replace("-", "m") for a in axes)
            for norm in ("backward", "ortho", "forward") if len(shape) == 2 else ("backward",):
                extra = {} if norm == "backward" else {"norm": norm}
                kw = {"axes": list(used), "norm": norm}
                name = f"{dtype}_{len(shape)}d_{tag}_{norm}"
                add("c_" + name, x,
                    {"F": {"op": "fft", **step, **extra}, "B": {"op": "ifft", **step, **extra},
                     "R": {"op": "ifft", **{**step, "in": "F"}, **extra}},
                    {"F": scipy.fft.fftn(x, **kw), "B": scipy.fft.ifftn(x, **kw),
                     "R": x.astype(np.result_type(x, np.complex64))})
                if x.dtype.kind == "f":
                    last = list(used)[-1]
                    add("r_" + name, x,
                        {"F": {"op": "rfft", **step, **extra},
                         "R": {"op": "irfft", **{**step, "in": "F"}, "n": shape[last], **extra}},
                        {"F": scipy.fft.rfftn(x, **kw), "R": x})

# Lengths: one, primes, products of primes, powers, above the longest direct line; on one and on two axes.
for n in (1, 2, 3, 17, 67, 121, 128, 360, 1009, 4099, 5000, 8192):
    for dtype in ("c8", "c16"):
        x = sample((2, n), dtype)
        add(f"length_{n}_{dtype}", x, {"F": {"op": "fft", "in": "x", "axes": [1]},
                                       "G": {"op": "fft", "in": "x", "axes": [0, 1]}},
            {"F": close_to(scipy.fft.fft(x, axis=1), 6), "G": close_to(scipy.fft.fft2(x), 6)})
    y = sample((n, 3), "f8")
    add(f"real_length_{n}", y, {"F": {"op": "rfft", "in": "x", "axes": [0]},
                                "R": {"op": "irfft", "in": "F", "axes": [0], "n": n}},
        {"F": close_to(scipy.fft.rfft(y, axis=0), 6), "R": close_to(y, 6)})

# Large enough for exchanges in several chunks.
big = sample((300, 520), "c16")
add("chunks_2d", big, {"F": {"op": "fft", "in": "x"}, "R": {"op": "ifft", "in": "F"},
                       "T": {"op": "fft", "in": "x", "axes": [0]}},
    {"F": scipy.fft.fft2(big), "R": big, "T": scipy.fft.fft(big, axis=0)})
cube = sample((40, 50, 64), "f8")
add("chunks_3d", cube, {"F": {"op": "rfft", "in": "x"}, "R": {"op": "irfft", "in": "F", "n": 64},
                        "S": {"op": "rfft", "in": "x", "axes": [2, 1, 0]},
                        "Q": {"op": "irfft", "in": "S", "axes": [2, 1, 0], "n": 40}},
    {"F": scipy.fft.rfftn(cube), "R": cube, "S": scipy.fft.rfftn(cube, axes=(2, 1, 0)), "Q": cube})
add("empty_batch", np.zeros((0, 8), "c16"), {"F": {"op": "fft", "in": "x", "axes": [1]}},
    {"F": np.zeros((0, 8), "c16")})
huge = np.array([1e300, -1e300, 1e-300, 5e-324, 0, 1, 2, 3], "f8")
add("extreme_values", huge, {"F": {"op": "fft", "in": "x"}}, {"F": scipy.fft.fft(huge)})


def not_finite(got, inputs):
    return "" if np.isnan(got).all() else "expected NaN everywhere"


nan = np.ones(8, "c16")
nan[3] = np.nan
add("nan_spreads", nan, {"F": {"op": "fft", "in": "x"}}, {"F": not_finite})


# E01: primes and large prime factors; one frequency.
def one_bin(n, bound):
    def check(got, inputs):
        want = np.zeros(n)
        want[3] = n
        worst = np.abs(got - want).max()
        return "" if worst <= bound * n else f"a bin is off by {worst:.3g}"
    return check


for n in (10007, 51187, 65537):
    j = np.arange(n)
    x = np.exp(2j * np.pi * ((3 * j) % n) / n)
    steps = {"F": {"op": "fft", "in": "x"}, "R": {"op": "ifft", "in": "F"}}
    add(f"E01_{n}", x, steps, {"F": one_bin(n, 1e-12), "R": close_to(x, 1.0)})
    y = x.astype("c8")
    add(f"E01_{n}_f32", y, steps, {"F": one_bin(n, 1e-5), "R": close_to(y, 1.0)})

# E02: odd real lengths.
add("E02", np.arange(1.0, 6), {"F": {"op": "rfft", "in": "x"}, "R": {"op": "irfft", "in": "F", "n": 5}},
    {"F": np.array([15, -2.5 + 3.4409548011779334j, -2.5 + 0.8122992405822659j]), "R": np.arange(1.0, 6)})

# E04: ortho scales by the transformed axis alone.
a = np.exp(2j * np.pi * np.fromfunction(lambda i, k: (i * i * 3 + k * 5) % 32 / 32, (16, 18)))
a /= np.linalg.norm(a)


def unit_norm(got, inputs):
    return "" if abs(np.linalg.norm(got) - 1) < 1e-14 else f"norm {np.linalg.norm(got)!r}"


e04 = {"F": {"op": "fft", "in": "x", "axes": [0], "norm": "ortho"}}
wants = {"F": unit_norm}
for norm in ("forward", "backward", "ortho"):
    e04[f"f_{norm}"] = {"op": "fft", "in": "x", "norm": norm}
    e04[f"r_{norm}"] = {"op": "ifft", "in": f"f_{norm}", "norm": norm}
    wants[f"r_{norm}"] = a
add("E04", a, e04, wants)

# E05: more ranks than planes, axes of length one.
u = np.arange(12.0).reshape(2, 2, 3)


def e05(got, inputs):
    some = [got[0, 0, 0] - 66, got[0, 0, 1] - (-6 + 3.4641016151377544j), got[1, 0, 0] + 36, got[0, 1, 0] + 18,
            (abs(got) ** 2).sum() - 6072]
    return "" if max(abs(np.array(some))) < 1e-11 else f"off by {some}"


add("E05_u", u, {"F": {"op": "fft", "in": "x"}}, {"F": e05})
for name, v in (("column", np.arange(1.0, 5)[:, None]), ("row", np.arange(1.0, 5)[None, :])):
    add(f"E05_{name}", v, {"F": {"op": "rfft", "in": "x", "axes": [0, 1]},
                           "R": {"op": "irfft", "in": "F", "axes": [0, 1], "n": v.shape[1]}},
        {"F": scipy.fft.rfft2(v), "R": v})

# E06: the row index alone matters.
d = np.zeros((4, 6))
d[1, 0] = 1
e06 = np.repeat(np.array([1, -1j, -1, 1j])[:, None], 6, axis=1)
add("E06", d, {"F": {"op": "fft", "in": "x", "axes": [-2, -1]}, "G": {"op": "fft", "in": "x", "axes": [-1, -2]}},
    {"F": e06, "G": e06})

X = {"X": np.ones((4, 3), "c16")}
R = {"x": np.ones((4, 6))}
refusals = [
    Refusal("irfft_without_n", X, {"y": {"op": "irfft", "in": "X"}}, 3, "needs n"),
    Refusal("irfft_wrong_n", X, {"y": {"op": "irfft", "in": "X", "n": 6}}, 3, "expected 4 or 5, found 6"),
    Refusal("irfft_of_real", R, {"y": {"op": "irfft", "in": "x", "n": 10}}, 3, "expected complex64 or complex128"),
    Refusal("rfft_of_complex", X, {"y": {"op": "rfft", "in": "X"}}, 3, "use fft for complex input"),
    Refusal("fft_of_integers", {"i": np.arange(4)}, {"y": {"op": "fft", "in": "i"}}, 3, "cast the input"),
    Refusal("axis_out_of_range", R, {"y": {"op": "fft", "in": "x", "axes": [2]}}, 3, "expected -2 to 1, found 2"),
    Refusal("axis_twice", R, {"y": {"op": "fft", "in": "x", "axes": [1, -1]}}, 3, "axis 1 twice"),
    Refusal("four_axes", {"x": np.ones((2, 2, 2, 2))}, {"y": {"op": "fft", "in": "x", "axes": [0, 1, 2, 3]}}, 3,
            "one to three axes"),
    Refusal("scalar", {"x": np.float64(1)}, {"y": {"op": "fft", "in": "x"}}, 3, "a scalar"),
    Refusal("empty_axis", {"x": np.zeros((3, 0))}, {"y": {"op": "fft", "in": "x"}}, 3, "is empty"),
    Refusal("unknown_norm", R, {"y": {"op": "fft", "in": "x", "norm": "unitary"}}, 3, "norm"),
]

main(cases, refusals)
