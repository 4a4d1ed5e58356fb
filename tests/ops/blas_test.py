# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""matmul, matvec and transpose against numpy."""
import numpy as np

from harness import Case, Refusal, main

random = np.random.default_rng(7)
FLOATS = ("f4", "f8", "c8", "c16")
TYPES = FLOATS + ("i4", "i8")


def array(dtype, shape):
    if np.dtype(dtype).kind == "i":
        return random.integers(-1000, 1000, shape).astype(dtype)
    values = random.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return values.astype(dtype)


def within_bound(a, b):
    """|C - A B| <= 2 (k + 2) u |A||B|, against longer precision."""
    wide = np.result_type(a.dtype, np.longdouble)
    exact = np.matmul(a.astype(wide), b.astype(wide))
    unit = np.finfo(a.dtype).eps / 2 if a.dtype.kind in "fc" else 0
    bound = 2 * (a.shape[-1] + 2) * unit * np.matmul(abs(a).astype(np.longdouble),
                                                     abs(b).astype(np.longdouble))
    # Twice that for complex numbers: each part is a sum of 2 k products.
    bound = bound * (2 if a.dtype.kind == "c" else 1)

    def check(got, _):
        if got.dtype != a.dtype or got.shape != exact.shape:
            return f"{got.dtype} {got.shape}, expected {a.dtype} {exact.shape}"
        bad = ~(abs(got - exact) <= bound)
        return f"{bad.sum()} elements beyond the bound" if bad.any() else ""

    return check


def product(name, dtype, a_shape, b_shape, **flags):
    a, b = array(dtype, a_shape), array(dtype, b_shape)
    left = np.swapaxes(a, -1, -2) if flags.get("transpose_a") else a
    right = np.swapaxes(b, -1, -2) if flags.get("transpose_b") else b
    left = left.conj() if flags.get("conjugate_a") else left
    right = right.conj() if flags.get("conjugate_b") else right
    exact = np.dtype(dtype).kind == "i"
    expected = np.matmul(left, right) if exact else within_bound(left, right)
    return Case(f"{name}_{dtype}", {"a": a, "b": b},
                {"c": {"op": "matmul", "in": ["a", "b"], **flags}}, {"c": expected}, exact=exact)


cases = []
for dtype in TYPES:
    cases += [
        product("square", dtype, (64, 64), (64, 64)),
        product("odd", dtype, (37, 29), (29, 23)),
        product("one", dtype, (1, 1), (1, 1)),
        product("outer", dtype, (13, 1), (1, 17)),
        product("inner", dtype, (1, 131), (131, 1)),
        product("fewer_rows_than_ranks", dtype, (2, 50), (50, 3)),
        product("no_rows", dtype, (0, 5), (5, 4)),
        product("no_columns", dtype, (6, 5), (5, 0)),
        product("panels", dtype, (11, 1300), (1300, 9)),
        product("stack", dtype, (5, 7, 8), (5, 8, 6)),
        product("stack_by_one", dtype, (5, 7, 8), (8, 6)),
        product("stack_broadcast", dtype, (3, 1, 4, 5), (2, 5, 6)),
        product("large_stack", dtype, (40, 16, 16), (40, 16, 16)),
        product("transposed_a", dtype, (29, 37), (29, 23), transpose_a=True),
        product("transposed_b", dtype, (37, 29), (23, 29), transpose_b=True),
        product("transposed_both", dtype, (3, 29, 37), (3, 23, 29), transpose_a=True,
                transpose_b=True),
    ]
for dtype in ("c8", "c16"):
    cases += [
        product("conjugated_a", dtype, (19, 21), (19, 8), transpose_a=True, conjugate_a=True),
        product("conjugated_b", dtype, (19, 21), (8, 21), transpose_b=True, conjugate_b=True),
    ]

for dtype in TYPES:
    a, x, y = array(dtype, (43, 57)), array(dtype, 57), array(dtype, 43)
    exact = np.dtype(dtype).kind == "i"
    one = (lambda m, v: m @ v) if exact else (
        lambda m, v: (lambda check: lambda got, inputs: check(got[:, None], inputs))(
            within_bound(m, v[:, None])))
    cases.append(Case(f"matvec_{dtype}", {"a": a, "x": x, "y": y},
                      {"p": {"op": "matvec", "in": ["a", "x"]},
                       "q": {"op": "matvec", "in": ["a", "y"], "transpose_a": True,
                             "conjugate_a": True}},
                      {"p": one(a, x), "q": one(a.conj().T, y)}, exact=exact))

# Known results: B04, D01, D02, D06, A06 of the list of cases from the field.
i, j = np.indices((37, 29))
b04_a = ((i * 31 + j * 17) % 11 - 5).astype("f8")
i, j = np.indices((29, 23))
b04_b = ((i * 13 + j * 7) % 9 - 4).astype("f8")


def b04(got, _):
    facts = (got[0, 0], got[36, 22], got.sum(), (got**2).sum(), abs(got).max())
    return "" if facts == (-146, 103, -22, 7462048, 150) else f"found {facts}"


cases += [
    Case("b04", {"a": b04_a, "b": b04_b}, {"c": {"op": "matmul", "in": ["a", "b"]}}, {"c": b04}),
    Case("d01", {"a": np.array([[1., 2], [3, 4]]), "b": np.array([[5., 6], [7, 8]])},
         {"c": {"op": "matmul", "in": ["a", "b"]}}, {"c": np.array([[19., 22], [43, 50]])},
         exact=True),
    Case("d02", {"a": np.arange(1., 6)[:, None], "b": np.array([[10., 20]])},
         {"c": {"op": "matmul", "in": ["a", "b"]}}, {"c": np.outer(np.arange(1., 6), [10., 20])},
         exact=True),
    Case("d06", {"a": np.array([[1024.5]], "f4"), "b": np.array([[1.]], "f4")},
         {"c": {"op": "matmul", "in": ["a", "b"]}}, {"c": np.array([[1024.5]], "f4")}, exact=True),
    Case("a06", {"a": np.zeros((3, 0)), "b": np.zeros((0, 4))},
         {"c": {"op": "matmul", "in": ["a", "b"]}}, {"c": np.zeros((3, 4))}, exact=True),
]

# Faults in the values: a NaN or an infinity stays in its row, and every NaN is the positive one.
nan = array("f8", (20, 30))
nan[3, 5] = -np.nan
nan[7, 8] = np.inf
nan_b = array("f8", (30, 10))
nan_b[8, 4] = 0


def nan_rows(got, inputs):
    with np.errstate(invalid="ignore"):
        expected = np.matmul(inputs["a"], inputs["b"])
    if not np.allclose(got, expected, rtol=1e-13, atol=1e-13, equal_nan=True):
        return "differs from numpy"
    bits = got[np.isnan(got)].view("u8")
    return "" if (bits == 0x7FF8000000000000).all() else "a NaN with sign or payload"


cases.append(Case("nan", {"a": nan, "b": nan_b}, {"c": {"op": "matmul", "in": ["a", "b"]}},
                  {"c": nan_rows}))
huge = np.array([[1e300, 1.0], [1e-300, 0.0]])
cases.append(Case("huge_and_tiny", {"a": huge, "b": huge},
                  {"c": {"op": "matmul", "in": ["a", "b"]}},
                  {"c": np.array([[np.inf, 1e300], [1.0, 1e-300]])}, rtol=1e-15))

# Above 65,536 k the panels' sums are added from left to right.
a, b = array("f8", (3, 140000)), array("f8", (140000, 2))
cases.append(Case("long_chain", {"a": a, "b": b}, {"c": {"op": "matmul", "in": ["a", "b"]}},
                  {"c": within_bound(a, b)}))
ones = np.ones((2, 200000), "f4")
cases.append(Case("long_chain_exact", {"a": ones, "b": ones},
                  {"c": {"op": "matmul", "in": ["a", "b"], "transpose_b": True}},
                  {"c": np.full((2, 2), 200000, "f4")}, exact=True))

# A chain of products: what one leaves is what the next one takes.
p, q, r = (array("i8", s) for s in ((33, 17), (17, 41), (41, 12)))
cases.append(Case("chained", {"p": p, "q": q, "r": r},
                  {"pq": {"op": "matmul", "in": ["p", "q"]},
                   "pqr": {"op": "matmul", "in": ["pq", "r"]},
                   "gram": {"op": "matmul", "in": ["pqr", "pqr"], "transpose_a": True}},
                  {"pqr": p @ q @ r, "gram": (p @ q @ r).T @ (p @ q @ r)}, exact=True))

for dtype in TYPES + ("u1",):
    x = random.integers(0, 250, (5, 33, 70)).astype(dtype)
    cases.append(Case(f"transpose_{dtype}", {"x": x, "m": x[0]},
                      {"reversed": {"op": "transpose", "in": "x"},
                       "matrix": {"op": "transpose", "in": "m"},
                       "swapped": {"op": "transpose", "in": "x", "axes": [0, 2, 1]},
                       "turned": {"op": "transpose", "in": "x", "axes": [-1, 0, 1]},
                       "kept": {"op": "transpose", "in": "x", "axes": [0, 1, 2]},
                       "twice": {"op": "transpose", "in": "reversed"}},
                      {"reversed": x.T, "matrix": x[0].T, "swapped": x.transpose(0, 2, 1),
                       "turned": x.transpose(2, 0, 1), "kept": x, "twice": x}, exact=True))
x = array("f8", (2, 1, 3, 1, 4, 2, 1, 5))
cases.append(Case("transpose_eight_axes", {"x": x},
                  {"y": {"op": "transpose", "in": "x", "axes": [7, 0, 6, 2, 1, 5, 3, 4]}},
                  {"y": x.transpose(7, 0, 6, 2, 1, 5, 3, 4)}, exact=True))
cases.append(Case("transpose_empty", {"x": np.zeros((3, 0, 4))}, {"y": {"op": "transpose", "in": "x"}},
                  {"y": np.zeros((4, 0, 3))}, exact=True))
cases.append(Case("transpose_line", {"x": np.arange(7.)}, {"y": {"op": "transpose", "in": "x"}},
                  {"y": np.arange(7.)}, exact=True))

two = {"a": np.ones((3, 4)), "b": np.ones((5, 6))}
refusals = [
    Refusal("inner_extents", two, {"c": {"op": "matmul", "in": ["a", "b"]}}, 3, "inner extents"),
    Refusal("one_axis", {"a": np.ones(3), "b": np.ones((3, 3))},
            {"c": {"op": "matmul", "in": ["a", "b"]}}, 3, "matvec"),
    Refusal("stacks", {"a": np.ones((2, 3, 3)), "b": np.ones((4, 3, 3))},
            {"c": {"op": "matmul", "in": ["a", "b"]}}, 3, "batch axes"),
    Refusal("two_types", {"a": np.ones((3, 3)), "b": np.ones((3, 3), "f4")},
            {"c": {"op": "matmul", "in": ["a", "b"]}}, 3, "cast"),
    Refusal("bytes", {"a": np.ones((3, 3), "u1"), "b": np.ones((3, 3), "u1")},
            {"c": {"op": "matmul", "in": ["a", "b"]}}, 3, "uint8"),
    Refusal("wrong_vector", {"a": np.ones((3, 4)), "x": np.ones(3)},
            {"y": {"op": "matvec", "in": ["a", "x"]}}, 3, "vector of 4"),
    Refusal("not_a_permutation", {"x": np.ones((3, 4))},
            {"y": {"op": "transpose", "in": "x", "axes": [0, 0]}}, 3, "permutation"),
    Refusal("axis_out_of_range", {"x": np.ones((3, 4))},
            {"y": {"op": "transpose", "in": "x", "axes": [0, 2]}}, 3, "permutation"),
]

main(cases, refusals)
