# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""lu and cholesky against scipy, and against the products of their factors."""
import numpy as np
import scipy.linalg

from harness import Case, Refusal, main

rng = np.random.default_rng(47)
cases, refusals = [], []
EPS = {"f4": 1.2e-7, "f8": 2.3e-16, "c8": 1.2e-7, "c16": 2.3e-16}


def random(shape, dtype):
    x = rng.standard_normal(shape)
    if dtype[0] == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def wide(x):
    return x.astype("c16" if x.dtype.kind == "c" else "f8")


def unpacked(lu):
    steps = min(lu.shape[-2:])
    lower = np.tril(lu[..., :, :steps], -1) + np.eye(lu.shape[-2], steps)
    return wide(lower), wide(np.triu(lu[..., :steps, :]))


def permuted(a, permutation):
    return np.take_along_axis(a, permutation[..., None], axis=-2)


def product_of_factors(tolerance):
    """A[permutation] = L U, with the permutation recovered from scipy's pivots."""
    def check(got, inputs):
        a = inputs["a"]
        if got.dtype != a.dtype or got.shape != a.shape:
            return f"{got.dtype}{got.shape}"
        lower, upper = unpacked(got)
        if not got.size:
            return None
        if np.abs(lower).max() > 1.5:
            return "an element of L is larger than partial pivoting allows"
        rows = np.empty(a.shape[:-1], int)
        for index in np.ndindex(a.shape[:-2]):
            rows[index] = rows_of(scipy.linalg.lu_factor(a[index], check_finite=False)[1], a.shape[-2]) \
                if a.shape[-2] == a.shape[-1] else np.argmax(scipy.linalg.lu(a[index])[0], axis=0)
        bound = tolerance * (np.abs(lower) @ np.abs(upper))
        worst = np.max(np.abs(lower @ upper - permuted(wide(a), rows)) - bound)
        return f"L U is off by {worst}" if not worst <= 0 else None
    return check


def rows_of(pivots, m):
    rows = np.arange(m)
    for k, p in enumerate(pivots):
        rows[[k, p]] = rows[[p, k]]
    return rows


def pivots_of(a):
    result = np.empty(a.shape[:-2] + (min(a.shape[-2:]),), "i8")
    for index in np.ndindex(a.shape[:-2]):
        result[index] = scipy.linalg.lu_factor(a[index])[1]
    return result


def add_lu(shape, dtype, name=""):
    a = random(shape, dtype)
    expected = {"y": product_of_factors(4 * min(shape[-2:]) * EPS[dtype] + EPS[dtype])}
    if shape[-1] == shape[-2] and shape[-1] > 0 and dtype[0] == "f":
        # LAPACK's pivots of complex matrices are those of |re| + |im| too, but its old versions differ.
        pivots = pivots_of(a)
        expected["y.pivots"] = pivots
        rows = np.empty(shape[:-1], "i8")
        for index in np.ndindex(shape[:-2]):
            rows[index] = rows_of(pivots[index], shape[-2])
        expected["y.permutation"] = rows
    tag = name or f"lu_{dtype}_{'x'.join(map(str, shape))}"
    cases.append(Case(tag, {"a": a}, {"y": {"op": "lu", "in": "a"}}, expected))


def add_cholesky(shape, dtype):
    b = random(shape, dtype)
    n = shape[-1]
    a = (b @ np.conj(np.swapaxes(b, -1, -2)) + n * np.eye(n)).astype(dtype)
    lower = np.linalg.cholesky(wide(a)) if a.size else wide(a)

    def check(got, inputs):
        if got.dtype != a.dtype or got.shape != a.shape:
            return f"{got.dtype}{got.shape}"
        if np.any(np.triu(got, 1)):
            return "something above the diagonal"
        if not got.size:
            return None
        off = np.max(np.abs(got - lower)) / np.max(np.abs(lower))
        return f"off by {off}" if not off < 30 * n * EPS[dtype] else None
    cases.append(Case(f"cholesky_{dtype}_{'x'.join(map(str, shape))}", {"a": a},
                      {"y": {"op": "cholesky", "in": "a"}}, {"y": check}))


for dtype in ("f4", "f8", "c8", "c16"):
    for shape in ((1, 1), (7, 7), (65, 65), (130, 130), (3, 5, 5), (11, 16, 16), (2, 3, 9, 9), (1, 1, 33, 33), (0, 4, 4),
                  (3, 0, 0), (0, 0)):
        add_lu(shape, dtype)
        add_cholesky(shape, dtype)
    for shape in ((9, 4), (4, 9), (100, 33), (33, 100), (5, 7, 3), (0, 3), (3, 0)):
        add_lu(shape, dtype)
# Large enough for the ranks to share one matrix.
add_lu((301, 301), "f8")
add_lu((201, 330), "f8")
add_lu((330, 201), "f8")
for dtype in ("f4", "c8", "c16"):
    add_lu((200, 200), dtype)
for dtype in ("f4", "f8", "c16"):
    add_cholesky((233, 233), dtype)

# The factors of a step's result, and a stack that another step cuts along its second axis.
x = random((4, 6, 8, 8), "f8")
cases.append(Case("chained", {"x": x}, {"s": {"op": "scale", "in": "x", "alpha": 2.0},
                                        "y": {"op": "lu", "in": "s"}},
                  {"y.pivots": pivots_of(x)}))

bad = np.eye(4)
bad[2, 1] = np.nan
zero = np.diag([3.0, 2.0, 0.0, 1.0])
stack = np.stack([np.eye(4), zero, bad])
refusals += [
    Refusal("vector", {"a": np.zeros(3)}, {"y": {"op": "lu", "in": "a"}}, 3, "at least two axes"),
    Refusal("integers", {"a": np.zeros((3, 3), "i4")}, {"y": {"op": "lu", "in": "a"}}, 3, "cast"),
    Refusal("not_square", {"a": np.zeros((3, 4))}, {"y": {"op": "cholesky", "in": "a"}}, 3, "square"),
    Refusal("singular", {"a": zero}, {"y": {"op": "lu", "in": "a"}}, 6, "singular: found no pivot but zeros in column 2",
            run=True),
    Refusal("indefinite", {"a": -zero}, {"y": {"op": "cholesky", "in": "a"}}, 6,
            "not positive definite: found no positive pivot in column 0", run=True),
    Refusal("nan", {"a": bad}, {"y": {"op": "lu", "in": "a"}}, 6, "at (2, 1)", run=True),
    Refusal("nan_first", {"a": stack}, {"y": {"op": "lu", "in": "a"}}, 6, "at (2, 2, 1)", run=True),
    Refusal("in_stack", {"a": stack[:2]}, {"y": {"op": "lu", "in": "a"}}, 6, "matrix (1) is singular", run=True),
]

main(cases, refusals)
