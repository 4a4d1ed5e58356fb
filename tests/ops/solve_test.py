# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""solve against numpy in a longer precision, and its reports against their definitions."""
import numpy as np

from harness import Case, Refusal, main

rng = np.random.default_rng(53)
cases, refusals = [], []
UNIT = {"f4": 2.0**-24, "f8": 2.0**-53, "c8": 2.0**-24, "c16": 2.0**-53}


def random(shape, dtype):
    x = rng.standard_normal(shape)
    if dtype[0] == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def as_columns(a, b):
    return b if b.ndim == a.ndim else b[..., None]


def scaled_residuals(a, b, x):
    """HPL's residual of every system, in long double."""
    a, b, x = (np.asarray(t, "c32" if t.dtype.kind == "c" else "f16") for t in (a, as_columns(a, b), as_columns(a, x)))
    rest = np.abs(b - np.einsum("...ij,...jk->...ik", a, x)).max(-2)
    size = np.abs(a).sum(-1).max(-1)[..., None] * np.abs(x).max(-2) + np.abs(b).max(-2)
    return np.max(rest / (a.shape[-1] * size), -1).astype("f8")


def good_solution(dtype):
    def check(got, inputs):
        b = inputs["b"]
        if got.dtype != b.dtype or got.shape != b.shape:
            return f"{got.dtype}{got.shape}"
        if not got.size:
            return None
        worst = np.max(scaled_residuals(inputs["a"], b, got)) / UNIT[dtype]
        return f"scaled residual {worst}" if not worst < 16 else None
    return check


def within(low, high, shape):
    """Numbers from low to high, arrays as the result's."""
    def check(got, _):
        if got.dtype != np.float64 or got.shape != shape:
            return f"{got.dtype}{got.shape}"
        if got.size and not (np.all(got >= low) and np.all(got <= high)):
            return f"{got} isn't within {low} and {high}"
        return None
    return check


def add(shape, columns, dtype, method="lu", refine=False, tag=""):
    n = shape[-1]
    a = random(shape, dtype)
    if method == "cholesky":
        a = (a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)).astype(dtype)
    b = random(shape[:-1] if columns is None else shape[:-1] + (columns,), dtype)
    step = {"op": "solve", "in": ["a", "b"]}
    if method != "lu":
        step["method"] = method
    if refine:
        step["refine"] = True
    expected = {"y": good_solution(dtype), "y.residual": within(0, 16, shape[:-2]),
                "y.growth": within(1e-9, 50, shape[:-2])}
    if n > 0:
        condition = np.linalg.cond(a.astype("c16" if dtype[0] == "c" else "f8"), 1)
        expected["y.condition"] = within(condition / 3.5, condition * (1 + 40 * n * condition * UNIT[dtype])
                                         if not refine else condition * (1 + 1e-4 * condition), shape[:-2])
    stored = np.tril(a) if method == "cholesky" else a
    name = f"{method}_{dtype}_{'x'.join(map(str, shape))}_{columns}" + ("_refined" if refine else "") + tag
    # What is checked against is the whole matrix.
    case = Case(name, {"a": stored, "b": b}, {"y": step}, expected)
    if method == "cholesky":
        check = expected["y"]
        expected["y"] = lambda got, inputs: check(got, {"a": a, "b": inputs["b"]})
    cases.append(case)


for dtype in ("f4", "f8", "c8", "c16"):
    for method in ("lu", "cholesky"):
        for shape in ((1, 1), (7, 7), (65, 65), (5, 16, 16), (2, 3, 9, 9)):
            for columns in (None, 1, 5):
                add(shape, columns, dtype, method)
        add((0, 4, 4), 2, dtype, method)
        add((2, 0, 0), None, dtype, method)
        add((3, 3), 0, dtype, method)
        if dtype in ("f8", "c16"):
            for shape in ((1, 1), (40, 40), (7, 12, 12)):
                add(shape, 3, dtype, method, refine=True)
                add(shape, None, dtype, method, refine=True)
# Large enough for the ranks to share one matrix.
add((210, 210), 100, "f8")
add((300, 300), None, "c16")
add((230, 230), 2, "f8", "cholesky")
add((200, 200), None, "f4", "cholesky")
add((220, 220), 3, "f8", refine=True)

# Reports are scalars, which every rank has.
for n in (6, 200):
    a = random((n, n), "f8")
    condition = np.linalg.cond(a, 1)
    cases.append(Case(f"scalar_{n}", {"a": a, "b": random((n,), "f8"), "w": np.ones((9, 5))},
                      {"y": {"op": "solve", "in": ["a", "b"]},
                       "z": {"op": "map", "in": {"w": "w", "c": "y.condition"}, "formula": "w * c"}},
                      {"z": within(condition / 3.5, condition * 1.001, (9, 5))}))

zero = np.diag([3.0, 2.0, 0.0, 1.0])
ones = np.ones(4)
bad = np.ones(4)
bad[1] = np.inf
hilbert = 1 / (np.arange(11.0)[:, None] + np.arange(11) + 1)


def refuse(name, a, b, code, says, run=False, **params):
    refusals.append(Refusal(name, {"a": a, "b": b}, {"y": {"op": "solve", "in": ["a", "b"], **params}}, code, says, run))


refuse("not_square", np.ones((3, 4)), np.ones(3), 3, "square")
refuse("unlike", np.eye(4), np.ones(3), 3, "b doesn't fit a")
refuse("types", np.eye(4), np.ones(4, "f4"), 3, "two element types")
refuse("refine_float32", np.eye(4, dtype="f4"), np.ones(4, "f4"), 3, "float64 or complex128", refine=True)
refuse("method", np.eye(4), ones, 3, "method", method="qr")
refuse("singular", zero, ones, 6, "the matrix is singular: found no pivot but zeros in column 2", True)
refuse("indefinite", -np.eye(4), ones, 6, "not positive definite: found no positive pivot in column 0", True,
       method="cholesky")
refuse("not_finite", np.eye(4), bad, 6, "an element of b isn't finite", True)
refuse("stack", np.stack([np.eye(4), zero, zero]), np.ones((3, 4)), 6, "matrix (1) is singular", True)
refuse("refinement", hilbert, np.ones(11), 6, "didn't converge", True, refine=True)

main(cases, refusals)
