# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations and formulas against numpy."""
import warnings

import numpy as np

from harness import Case, Refusal, main

warnings.filterwarnings("ignore")
random = np.random.default_rng(7)
TYPES = ("uint8", "int32", "int64", "float32", "float64", "complex64", "complex128")


def tensor(dtype, *shape):
    """Values of all magnitudes and signs that the type has, without zeros."""
    dtype = np.dtype(dtype)
    if dtype.kind in "ui":
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    x = random.standard_normal(shape) * 2.0 ** random.integers(-30, 30, shape)
    if dtype.kind == "c":
        x = x + 1j * random.standard_normal(shape) * 2.0 ** random.integers(-30, 30, shape)
    return np.asarray(x, dtype=dtype)


def eps(dtype):
    return np.finfo(dtype).eps if np.dtype(dtype).kind in "fc" else 0.0


cases = []


def case(name, inputs, step, expected, **options):
    """One step on inputs by name; expected as numpy gives it."""
    step = dict(step)
    step.setdefault("in", {k: k for k in inputs} if step["op"] == "map" else list(inputs))
    if len(inputs) == 1 and step["op"] != "map":
        step["in"] = next(iter(inputs))
    options.setdefault("exact", True)
    cases.append(Case(name, inputs=inputs, steps={"out": step}, expected={"out": expected}, **options))


# All types, a size that no rank count divides.
for dtype in TYPES:
    a, b = tensor(dtype, 13, 7), tensor(dtype, 13, 7)
    tolerance = {"exact": False, "rtol": 8 * eps(dtype)} if dtype.startswith("complex") else {}
    case(f"add_{dtype}", {"a": a, "b": b}, {"op": "add"}, a + b)
    case(f"sub_{dtype}", {"a": a, "b": b}, {"op": "sub"}, a - b)
    case(f"mul_{dtype}", {"a": a, "b": b}, {"op": "mul"}, a * b, **tolerance)
    nonzero = np.where(b == 0, b.dtype.type(1), b)
    case(f"div_{dtype}", {"a": a, "b": nonzero}, {"op": "div"},
         np.divide(a, nonzero, dtype=None if a.dtype.kind in "fc" else "f8"), **tolerance)
    case(f"scale_{dtype}", {"x": a}, {"op": "scale", "alpha": 3}, a * a.dtype.type(3))
    exact = a.dtype.kind in "ui"
    case(f"axpy_{dtype}", {"x": a, "y": b}, {"op": "axpy", "alpha": 2},
         (a * a.dtype.type(2) + b).astype(dtype), exact=exact,
         rtol=4 * eps(dtype), atol=8 * eps(dtype) * float(np.abs(a).max()) if not exact else 0)
    case(f"where_{dtype}", {"c": (tensor("uint8", 13, 7) % 2), "a": a, "b": b}, {"op": "where"}, None)
    cases[-1].expected["out"] = np.where(cases[-1].inputs["c"], a, b)
    if not dtype.startswith("complex"):
        case(f"clip_{dtype}", {"x": a}, {"op": "clip", "min": 1, "max": 100}, np.clip(a, 1, 100))
        case(f"minmax_{dtype}", {"a": a, "b": b}, {"op": "map", "formula": "max(min(a, b), 1)"},
             np.maximum(np.minimum(a, b), a.dtype.type(1)))
        case(f"compare_{dtype}", {"a": a, "b": b}, {"op": "map", "formula": "a < b || a >= 2 && !(b == a)"},
             ((a < b) | ((a >= 2) & ~(b == a))).astype("u1"))

# Every cast: complex to real is refused.
for source in TYPES:
    for target in TYPES:
        if source.startswith("complex") and not target.startswith("complex"):
            continue
        x = tensor(source, 11)
        with np.errstate(all="ignore"):
            if np.dtype(target).kind in "ui":
                limits = np.iinfo(target)
                whole = [int(v) for v in (np.trunc(x) if x.dtype.kind == "f" else x)]
                want = np.array([min(max(v, limits.min), limits.max) for v in whole], dtype=target)
            else:
                want = x.astype(target)
        case(f"cast_{source}_{target}", {"x": x}, {"op": "cast", "to": target}, want)

# Mixed types promote as numpy's.
for left in TYPES:
    for right in TYPES:
        a, b = tensor(left, 5), tensor(right, 5)
        case(f"mixed_{left}_{right}", {"a": a, "b": b}, {"op": "add"}, a + b)

# Shapes: broadcasting, empty, no axes.
for number, (first, second) in enumerate([
        ((), ()), ((5,), ()), ((), (5,)), ((1,), (5,)), ((6, 5), (5,)), ((6, 5), (6, 1)), ((6, 1), (1, 5)),
        ((4, 1), (5,)), ((3, 4, 5), (4, 1)), ((3, 4, 5), (3, 1, 5)), ((3, 1, 5), (4, 1)), ((2, 3, 4, 5), (3, 1, 5)),
        ((2, 1, 4, 1), (1, 3, 1, 5)), ((1, 1), (1,)), ((0,), (1,)), ((0, 5), (5,)), ((3, 0), (3, 1)), ((1, 5), (0, 1)),
        ((2, 7), (1, 1)), ((1, 9), (9,)), ((97,), (97,)), ((1, 97), (97, 1))]):
    a, b = tensor("float64", *first), tensor("float32", *second)
    # numpy 1 takes a tensor without axes for a number, which has no say in the type.
    case(f"shape_{number}", {"a": a, "b": b}, {"op": "map", "formula": "a * b + 1"}, a * b.astype("f8") + 1)

# Formulas.
x = random.uniform(-4, 4, (17, 5))
z = tensor("complex128", 17, 5)
positive = np.abs(x) + 0.1
close = {"exact": False, "rtol": 3e-16}
case("power_of_spectrum", {"U": z}, {"op": "map", "formula": "abs(U)^2"}, np.abs(z) ** 2, exact=False, rtol=1e-15)
case("power_of_x", {"U": z}, {"op": "map", "in": "U", "formula": "abs(x)^2"}, np.abs(z) ** 2, exact=False, rtol=1e-15)
case("standardise", {"a": x, "mean": np.float64(x.mean()), "std": np.float64(x.std())},
     {"op": "map", "formula": "(a - mean) / std"}, (x - x.mean()) / x.std())
case("where_log", {"x": x}, {"op": "map", "formula": "where(x > 0, log(x), -1)"},
     np.where(x > 0, np.log(np.abs(x)), -1), **close)
case("precedence", {"x": x}, {"op": "map", "formula": "-x^2 + 2 * x / 4 - 1"}, -x ** 2 + 2 * x / 4 - 1)
case("constants", {"x": x}, {"op": "map", "formula": "exp(x) * pi + e"}, np.exp(x) * np.pi + np.e, exact=False,
     rtol=1e-15)
case("phase", {"x": x}, {"op": "map", "formula": "cos(x) + i * sin(x)"}, np.cos(x) + 1j * np.sin(x), exact=False,
     rtol=1e-15, atol=1e-16)
case("parts", {"z": z}, {"op": "map", "formula": "real(z) - imag(conj(z))"}, z.real + z.imag)
case("roundings", {"x": x}, {"op": "map", "formula": "floor(x) * 100 + ceil(x) * 10 + round(x * 2)"},
     np.floor(x) * 100 + np.ceil(x) * 10 + np.rint(x * 2))
case("logic", {"x": x}, {"op": "map", "formula": "x > -1 && !(x > 1) || isnan(x)"},
     ((x > -1) & ~(x > 1)).astype("u1"))
case("powers", {"x": positive}, {"op": "map", "formula": "x^3 + x^-2 + x^0.5 + x^1.3"},
     positive ** 3 + positive ** -2 + positive ** 0.5 + positive ** 1.3, exact=False, rtol=1e-15)
case("many_inputs", {"a": x, "b": x[:1], "c": x[:, :1], "d": np.float64(3)},
     {"op": "map", "formula": "fma(2, a, b) * c / d"}, (2 * x + x[:1]) * x[:, :1] / 3.0, exact=False, rtol=1e-14,
     atol=1e-15)
for dtype in ("float32", "float64"):
    values = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-40, 3e38, -3e38, 710, -745, 1e10], dtype=dtype)
    for function, reference in (("exp", np.exp), ("log", np.log), ("sqrt", np.sqrt), ("tanh", np.tanh),
                                ("sin", np.sin), ("cos", np.cos), ("abs", np.abs), ("sign", np.sign)):
        # numpy's own float32 functions are a few ULP off: float64 rounded once is the reference.
        want = reference(values.astype("f8")).astype(dtype)
        case(f"{function}_{dtype}", {"x": values}, {"op": "map", "formula": f"{function}(x)"}, want, exact=False,
             rtol=4e-16 if dtype == "float64" else 0)

# Numbers as they are written in graphs.
tiny = np.full(4, 2.0 ** -1074)
case("scale_subnormal", {"x": np.array([1.0, 2.0, -1.0])}, {"op": "scale", "alpha": 5e-324},
     np.array([1.0, 2.0, -1.0]) * 5e-324)
case("subnormals_stay", {"x": tiny}, {"op": "scale", "alpha": 1}, tiny)
case("scale_integers_by_half", {"x": np.arange(7, dtype="i4")}, {"op": "scale", "alpha": 0.5}, np.arange(7) * 0.5)
case("scale_bytes_by_more", {"x": np.arange(7, dtype="u1")}, {"op": "scale", "alpha": 1000},
     np.arange(7, dtype="i4") * 1000)
case("big_integers", {"x": np.array([2 ** 62, -2 ** 63, 2 ** 53 + 1])}, {"op": "map", "formula": "x + 1"},
     np.array([2 ** 62, -2 ** 63, 2 ** 53 + 1]) + 1)
# A product is cut along both axes on four ranks, and what repeats along one of them isn't along the other.
a, b = random.integers(-9, 9, (400, 300)) * 1.0, random.integers(-9, 9, (300, 360)) * 1.0
row, column = random.integers(-9, 9, 360) * 1.0, random.integers(-9, 9, (400, 1)) * 1.0
cases.append(Case("beside_a_grid", {"a": a, "b": b, "r": row, "c": column},
                  {"p": {"op": "matmul", "in": ["a", "b"]},
                   "y": {"op": "map", "in": {"p": "p", "r": "r", "c": "c"}, "formula": "p * r + c"}},
                  {"y": a @ b * row + column}, exact=True))

# Chains that run as one formula: each of these would differ if an intermediate value lost its type.
left, column = random.standard_normal((97, 40)), random.standard_normal((97, 1))
x32 = random.standard_normal((37, 5)).astype("f4")
z = (random.standard_normal((37, 5)) + 1j * random.standard_normal((37, 5)))
cases.append(Case("chain_of_types", {"x": x32}, {
    "a": {"op": "scale", "in": "x", "alpha": 1.1}, "b": {"op": "cast", "in": "a", "to": "float64"},
    "c": {"op": "map", "in": {"b": "b", "x": "x"}, "formula": "b * 3 - x"}, "d": {"op": "cast", "in": "c", "to": "float32"},
    "out": {"op": "add", "in": ["d", "a"]}},
    {"out": (((x32 * np.float32(1.1)).astype("f8") * 3 - x32).astype("f4") + x32 * np.float32(1.1))}, exact=True))
cases.append(Case("chain_of_written_numbers", {"x": x32}, {
    "a": {"op": "map", "in": "x", "formula": "where(x > 0, 1, 2)"},
    "out": {"op": "map", "in": {"a": "a", "x": "x"}, "formula": "a / 3 + x"}},
    {"out": np.where(x32 > 0, 1, 2) / 3 + x32}, exact=True))
cases.append(Case("chain_of_magnitudes", {"z": z}, {
    "a": {"op": "map", "in": {"z": "z"}, "formula": "abs(z)"}, "out": {"op": "map", "in": {"a": "a"}, "formula": "a^2"}},
    {"out": np.abs(z) ** 2}, rtol=1e-15))
cases.append(Case("chain_with_a_column", {"m": left, "c": column}, {
    "s": {"op": "map", "in": {"c": "c"}, "formula": "c * 2"}, "t": {"op": "mul", "in": ["m", "s"]},
    "out": {"op": "map", "in": {"t": "t", "m": "m"}, "formula": "t - m"}},
    {"out": left * (column * 2) - left}, exact=True))

one = np.ones(3)
complex_one = np.ones(3, dtype="c16")
refusals = [
    Refusal("unknown_name", {"x": one}, {"y": {"op": "map", "in": "x", "formula": "x + q"}}, exit=3,
            says="character 5"),
    Refusal("unfinished", {"x": one}, {"y": {"op": "map", "in": "x", "formula": "(x + 1"}}, exit=3,
            says="expected"),
    Refusal("shapes", {"a": one, "b": np.ones(4)}, {"y": {"op": "add", "in": ["a", "b"]}}, exit=3,
            says="broadcast"),
    Refusal("complex_cast", {"x": complex_one}, {"y": {"op": "cast", "in": "x", "to": "float32"}}, exit=3,
            says="real()"),
    Refusal("complex_order", {"x": complex_one}, {"y": {"op": "clip", "in": "x", "min": 0, "max": 1}}, exit=3,
            says="real numbers"),
    Refusal("empty_interval", {"x": one}, {"y": {"op": "clip", "in": "x", "min": 2, "max": 1}}, exit=3,
            says="min <= max"),
    Refusal("unused_input", {"a": one, "b": one},
            {"y": {"op": "map", "in": {"a": "a", "b": "b"}, "formula": "a"}}, exit=3, says="doesn't use"),
    Refusal("nan_to_integer", {"x": np.array([1.0, np.nan])}, {"y": {"op": "cast", "in": "x", "to": "int32"}},
            exit=6, says="at [1]", run=True),
]

main(cases, refusals)
