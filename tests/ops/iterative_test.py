# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""jacobi and cg against numpy.linalg.solve and plain iterations written here."""
import numpy as np

from harness import Case, Refusal, main

rng = np.random.default_rng(77)
cases, refusals = [], []
TOLERANCE = {"f4": 1e-5, "c8": 1e-5, "f8": 1e-12, "c16": 1e-12}


def noise(dtype, shape):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape)).astype(dtype) if dtype[0] == "c" else x.astype(dtype)


def definite(dtype, n, batch=(), condition=30.0):
    """Hermitian with eigenvalues from 1 to `condition`."""
    wide = "c16" if dtype[0] == "c" else "f8"
    q = np.linalg.qr(noise(wide, batch + (n, n)))[0] if n else noise(wide, batch + (n, n))
    a = (q * np.linspace(1, condition, n)) @ np.conj(np.swapaxes(q, -1, -2))
    return ((a + np.conj(np.swapaxes(a, -1, -2))) / 2).astype(dtype)


def dominant(dtype, n, batch=()):
    a = noise(dtype, batch + (n, n))
    rows = np.abs(a).sum(-1)
    return (a + 1.5 * rows[..., None] * np.eye(n)).astype(dtype)


MATRIX = {"cg": definite, "jacobi": dominant}


def solve(a, b):
    wide = "c16" if a.dtype.kind == "c" else "f8"
    columns = b if b.ndim == a.ndim else b[..., None]
    x = np.linalg.solve(a.astype(wide), columns.astype(wide))
    return x.reshape(b.shape).astype(b.dtype)


def residuals(a, b, x):
    wide = "c16" if a.dtype.kind == "c" else "f8"
    columns = b if b.ndim == a.ndim else b[..., None]
    scale = np.abs(columns).max(initial=0).astype("f8") or 1.0  # no square may overflow
    columns, x = columns / scale, x / scale
    r = columns.astype(wide) - a.astype(wide) @ x.reshape(columns.shape).astype(wide)
    norms = np.linalg.norm(columns.astype(wide), axis=-2)
    with np.errstate(all="ignore"):
        relative = np.where(norms == 0, 0, np.linalg.norm(r, axis=-2) / norms)
    return relative if b.ndim == a.ndim else relative[..., 0]


def solved(tolerance):
    """The x that came out has a residual of at most the tolerance, and a bit for rounding."""
    def check(got, inputs):
        most = residuals(inputs["a"], inputs["b"], got).max(initial=0)
        slack = 20 * np.finfo(got.dtype).eps
        return "" if most <= tolerance + slack else f"a residual of {most}"
    return check


def within(tolerance, shape):
    def check(got, _):
        if got.shape != shape or got.dtype != np.float64:
            return f"{got.dtype} {got.shape}"
        return "" if (got <= tolerance).all() else f"residuals of {got}"
    return check


def a_history(tolerance, most, shape):
    def check(got, _):
        if got.shape != shape + (most + 1,):
            return f"shape {got.shape}"
        for line in got.reshape(-1, most + 1):
            known = np.isfinite(line).sum()
            if known == 0 or not np.isnan(line[known:]).all() or np.isnan(line[:known]).any():
                return f"a gap in {line}"
            if not line[known - 1] <= tolerance or (line[:known - 1] <= tolerance).any():
                return f"ended at {line[known - 1]} after {line[:known - 1]}"
        return ""
    return check


def add(name, op, a, b, x0=None, tolerance=None, most=None, **more):
    tolerance = TOLERANCE[b.dtype.str[1:]] if tolerance is None else tolerance
    most = 200 if most is None else most
    inputs, step = {"a": a, "b": b}, {"op": op, "in": ["a", "b"], "tolerance": tolerance, "max_iterations": most}
    if x0 is not None:
        inputs["x0"], step["in"] = x0, ["a", "b", "x0"]
    systems = b.shape[:a.ndim - 2] + b.shape[a.ndim - 1:]
    expected = {"s": solved(tolerance), "s.residual": within(tolerance, systems),
                "s.history": a_history(tolerance, most, systems)}
    cases.append(Case(f"{op}_{name}", inputs, {"s": step}, expected | more.pop("expected", {}), **more))


def plain_jacobi(a, b, tolerance):
    x, count = np.zeros_like(b), 0
    while residuals(a, b, x) > tolerance:
        x, count = x + (b - a @ x) / np.diag(a), count + 1
    return count


def plain_cg(a, b, tolerance):
    x, r = np.zeros_like(b), b.copy()
    p, count = r.copy(), 0
    while np.linalg.norm(r) > tolerance * np.linalg.norm(b):
        q = a @ p
        alpha = np.vdot(r, r) / np.vdot(p, q)
        x, last = x + alpha * p, np.vdot(r, r)
        r = r - alpha * q
        p, count = r + np.vdot(r, r) / last * p, count + 1
    return count


PLAIN = {"cg": plain_cg, "jacobi": plain_jacobi}

for op, matrix in MATRIX.items():
    for dtype in TOLERANCE:
        for n in (1, 2, 37):
            a = matrix(dtype, n)
            add(f"{dtype}_{n}", op, a, noise(dtype, n))
        a = matrix(dtype, 23, (2, 3))
        add(f"{dtype}_batch", op, a, noise(dtype, (2, 3, 23)))
        add(f"{dtype}_columns", op, matrix(dtype, 19), noise(dtype, (19, 5)))
        a, b = matrix(dtype, 31), noise(dtype, 31)
        add(f"{dtype}_x0", op, a, b, x0=noise(dtype, 31))
        add(f"{dtype}_from_the_solution", op, a, b, x0=solve(a, b), tolerance=max(TOLERANCE[dtype], 1e-11),
            expected={"s.iterations": np.int64(0)}, exact=True)
    # The number of iterations, and the solution itself.
    a, b = matrix("f8", 67), noise("f8", 67)
    count = PLAIN[op](a, b, 1e-9)
    add("iterations", op, a, b, tolerance=1e-9, rtol=1e-7, atol=1e-9,
        expected={"s": solve(a, b), "s.iterations": np.int64(count)})
    # Systems that end at different times, one of them at once.
    a, b = matrix("f8", 13, (5,)), noise("f8", (5, 13, 2))
    a[1] = np.eye(13)
    b[3, :, 1] = 0
    counts = np.array([[PLAIN[op](a[i], b[i, :, j], 1e-8) if b[i, :, j].any() else 0 for j in range(2)]
                       for i in range(5)])
    add("own_ends", op, a, b, tolerance=1e-8, rtol=1e-6, atol=1e-8, expected={"s": solve(a, b), "s.iterations": counts})
    # More systems than are given to every rank at once.
    add("many_columns", op, matrix("f4", 2), noise("f4", (2, 70000)), recipes=("ordered",), most=30)
    add("wide_batch", op, matrix("f4", 2, (70000,)), noise("f4", (70000, 2)), recipes=("ordered",), most=30)
    # Nothing to do.
    z = np.zeros(9)
    a = matrix("f8", 9)
    none = {"s.iterations": np.int64(0), "s.residual": 0.0}
    add("zero_rhs", op, a, z, exact=True, expected={"s": z, **none})
    add("zero_rhs_x0", op, a, z, x0=noise("f8", 9), exact=True, expected={"s": z, **none})
    add("empty", op, np.zeros((0, 0)), np.zeros(0), exact=True, expected={"s": np.zeros(0), **none})
    add("empty_batch", op, np.zeros((0, 3, 3)), np.zeros((0, 3)), exact=True,
        expected={"s": np.zeros((0, 3)), "s.iterations": np.zeros(0, "i8"), "s.history": np.zeros((0, 201))})
    add("no_columns", op, a, np.zeros((9, 0)), exact=True,
        expected={"s": np.zeros((9, 0)), "s.iterations": np.zeros(0, "i8"), "s.history": np.zeros((0, 201))})
    add("one_exactly", op, np.array([[4.0]]), np.array([10.0]), tolerance=0.0, exact=True,
        expected={"s": np.array([2.5]), "s.iterations": np.int64(1)})
    # Numbers far from 1, whose squares overflow or vanish.
    for dtype, size in (("f4", 1e-30), ("f4", 1e30), ("f8", 1e-250), ("f8", 1e250), ("c8", 1e28)):
        add(f"{dtype}_{size:g}", op, matrix(dtype, 21), (noise(dtype, 21) * size).astype(dtype))

    # Not converged: allowed, and refused.
    slow, b = matrix("f8", 40), noise("f8", 40)
    step = {"op": op, "in": ["a", "b"], "tolerance": 1e-13, "max_iterations": 4, "allow_unconverged": True}
    first = residuals(slow, b, np.zeros(40))
    cases.append(Case(f"{op}_allowed", {"a": slow, "b": b}, {"s": step}, {
        "s.iterations": np.int64(4),
        "s.residual": lambda got, _: "" if 1e-13 < got < 1 else str(got),
        "s.history": lambda got, _, first=first: "" if got[0] == 1 and np.isfinite(got).all() else str(got)}, exact=True))
    cases.append(Case(f"{op}_no_iterations", {"a": slow, "b": b}, {"s": step | {"max_iterations": 0}}, {
        "s": np.zeros(40), "s.iterations": np.int64(0), "s.residual": 1.0, "s.history": np.ones(1)}, exact=True))
    strict = {"op": op, "in": ["a", "b"], "tolerance": 1e-13, "max_iterations": 4}
    for ranks in (1, 2, 3):
        refusals.append(Refusal(f"{op}_not_converged_{ranks}", {"a": slow, "b": b}, {"s": strict}, 6,
                                "not converged after 4 iterations: expected a relative residual of at most 1e-13, found", run=True, ranks=ranks))
    refusals.append(Refusal(f"{op}_residual_reached", {"a": slow, "b": b}, {"s": strict}, 6,
                            "a relative residual of at most 1e-13, found ", run=True))
    bad = np.stack([np.eye(3)] * 4)
    bad[2] = np.array([[1.0, 2, 0], [2, 1, 0], [0, 0, 1]]) if op == "cg" else np.array([[1.0, 2, 0], [3, 4, 0], [0, 0, 1]])
    refusals.append(Refusal(f"{op}_which", {"a": bad, "b": np.tile([1.0, -1, 0.1], (4, 1))},
                            {"s": strict}, 6, "in system [2]", run=True, ranks=2))
    for what in (np.nan, np.inf):
        wrong, tag = b.copy(), str(what)
        wrong[5] = what
        refusals.append(Refusal(f"{op}_{tag}_rhs", {"a": slow, "b": wrong}, {"s": strict}, 6, "diverged", run=True, ranks=2))
        broken = slow.copy()
        broken[7, 30] = what
        refusals.append(Refusal(f"{op}_{tag}_matrix", {"a": broken, "b": b}, {"s": strict}, 6, "diverged", run=True))
    # Types and shapes that don't fit.
    for tag, shapes, says in (("square", ((3, 4), (3,)), "isn't square"), ("rhs", ((3, 3), (4,)), "doesn't fit the matrix"),
                              ("batch", ((2, 3, 3), (3, 3)), "doesn't fit the matrix"), ("x0", ((3, 3), (3,), (4,)), "x0"),
                              ("vector", ((3,), (3,)), "isn't square")):
        inputs = {k: np.zeros(s) for k, s in zip(("a", "b", "x0"), shapes)}
        refusals.append(Refusal(f"{op}_{tag}", inputs, {"s": {"op": op, "in": list(inputs)}}, 3, says))
    refusals.append(Refusal(f"{op}_integers", {"a": np.eye(3, dtype="i8"), "b": np.ones(3, "i8")},
                            {"s": {"op": op, "in": ["a", "b"]}}, 3, "floating-point"))
    refusals.append(Refusal(f"{op}_types", {"a": np.eye(3), "b": np.ones(3, "f4")},
                            {"s": {"op": op, "in": ["a", "b"]}}, 3, "float64 and float32"))

# The tolerance is one of b - A x: what rounding forbids is not converged.
a, b = definite("f4", 60, condition=1e4), noise("f4", 60)
for tolerance in (0.0, 1e-9):
    step = {"op": "cg", "in": ["a", "b"], "tolerance": tolerance}
    refusals.append(Refusal(f"rounding_{tolerance}", {"a": a, "b": b}, {"s": step}, 6, "rounding keeps", run=True))
    cases.append(Case(f"rounding_{tolerance}", {"a": a, "b": b}, {"s": step | {"allow_unconverged": True}}, {
        "s.residual": lambda got, _: "" if 0 < got < 1e-3 else str(got)}))
# Harder: several hundred iterations, restarts among them.
add("hard", "cg", definite("f8", 120, condition=1e5), noise("f8", 120), tolerance=1e-11, most=2000)

strict = {"in": ["a", "b"], "tolerance": 1e-10, "max_iterations": 2000}
two = np.array([[1.0, 2], [3, 4]])
refusals += [
    Refusal("jacobi_diverges", {"a": two, "b": np.ones(2)}, {"s": {"op": "jacobi", **strict}}, 6, "2000 iterations", run=True),
    Refusal("jacobi_zero", {"a": np.eye(9) - np.diag(np.eye(9)[4]), "b": np.ones(9)}, {"s": {"op": "jacobi", **strict}}, 6,
            "zero in row 4", run=True, ranks=3),
    Refusal("cg_indefinite", {"a": np.array([[1.0, 2], [2, 1]]), "b": np.array([1.0, -1])}, {"s": {"op": "cg", **strict}}, 6,
            "not positive definite", run=True, ranks=2),
    Refusal("cg_negative", {"a": -np.eye(5), "b": np.ones(5)}, {"s": {"op": "cg", **strict}}, 6, "found -", run=True),
    Refusal("cg_zero_matrix", {"a": np.zeros((5, 5)), "b": np.ones(5)}, {"s": {"op": "cg", **strict}}, 6,
            "not positive definite", run=True),
]

main(cases, refusals)
