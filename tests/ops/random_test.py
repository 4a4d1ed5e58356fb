# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""random against Philox4x32-10 written in numpy, and against the distributions."""
import numpy as np
from scipy import stats

from harness import Case, Refusal, main


def philox(count, seed, stream):
    """The words of counters 0 to count - 1 as an array (count, 4)."""
    c = np.zeros((4, count), np.uint64)
    c[0] = np.arange(count)
    c[2] = stream
    low = np.uint64(0xFFFFFFFF)
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32 & 0xFFFFFFFF)]
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        shift = np.uint64(32)
        c = np.array([(p1 >> shift) ^ c[1] ^ key[0], p1 & low, (p0 >> shift) ^ c[3] ^ key[1], p0 & low])
        key = [(key[0] + np.uint64(0x9E3779B9)) & low, (key[1] + np.uint64(0xBB67AE85)) & low]
    return c.T.astype(np.uint64)


def words(count, seed, stream, dtype):
    w = philox(count, seed, stream)
    return (w[:, 0::2] | w[:, 1::2] << np.uint64(32)).ravel() if dtype == "f8" else w.ravel()


def uniform(count, dtype, seed=0, stream=0, low=0.0, high=1.0):
    w = words(count, seed, stream, dtype)[:count]
    u = (w >> np.uint64(11)) * 2.0**-53 if dtype == "f8" else (w >> np.uint64(8)) * 2.0**-24
    return (low + (high - low) * u).astype(dtype)


def normal(count, dtype, seed=0, stream=0, mean=0.0, deviation=1.0):
    w = words(count, seed, stream, dtype)
    u = ((w >> np.uint64(11)) + 1) * 2.0**-53 if dtype == "f8" else (w + np.uint64(1)) * 2.0**-32
    r, angle = np.sqrt(-2 * np.log(u[0::2])), 2 * np.pi * u[1::2]
    pairs = np.stack([r * np.cos(angle), r * np.sin(angle)], 1).ravel()
    return (mean + deviation * pairs[:count]).astype(dtype)


# The published answers for counter and key of zeros, checked so that this file isn't its own witness.
assert [hex(w) for w in philox(1, 0, 0)[0]] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]

NAMES = {"f4": "float32", "f8": "float64"}
cases = []


def add(name, shape, expected, dtype, **params):
    cases.append(Case(name, {}, {"y": {"op": "random", "shape": shape, "dtype": NAMES[dtype], **params}},
                      {"y": expected.reshape(shape)}, rtol=4e-7 if dtype == "f4" else 1e-14,
                      atol=1e-6 if dtype == "f4" else 1e-14))


for dtype in ("f4", "f8"):
    for shape in ([1], [3], [7, 5], [2, 1001], [513, 3, 2], [0, 4], []):
        count = int(np.prod(shape))
        name = f"{dtype}_{'x'.join(map(str, shape))}"
        add("uniform_" + name, shape, uniform(count, dtype, seed=5), dtype, seed=5)
        add("normal_" + name, shape, normal(count, dtype, seed=5), dtype, seed=5, distribution="normal")
    add("range_" + dtype, [999], uniform(999, dtype, 1 << 40, 3, -2.0, 6.0), dtype, seed=1 << 40, stream=3, low=-2, high=6)
    add("moments_" + dtype, [999], normal(999, dtype, (1 << 64) - 7, 1, 10.0, 0.5), dtype, seed=-7, stream=1,
        distribution="normal", mean=10, deviation=0.5)


def looks(distribution):
    """An error text where a sample of the distribution is one in a million."""
    def check(result, _inputs):
        p = stats.kstest(result.ravel(), distribution).pvalue
        return f"p = {p}" if p < 1e-6 else ""
    return check


cases.append(Case("looks_uniform", {}, {"y": {"op": "random", "shape": [200, 1000], "seed": 11}}, {"y": looks("uniform")}))
cases.append(Case("looks_normal", {}, {"y": {"op": "random", "shape": [200, 1000], "seed": 11, "distribution": "normal"}},
                  {"y": looks("norm")}))
# Whatever is rounded, the upper border isn't reached.
cases.append(Case("border", {}, {"y": {"op": "random", "shape": [4000], "low": 1, "high": 1 + 2.0**-52}},
                  {"y": np.ones(4000)}, exact=True))
cases.append(Case("one_value", {}, {"y": {"op": "random", "shape": [9], "low": 3, "high": 3}}, {"y": np.full(9, 3.0)},
                  exact=True))
refusals = [
    Refusal("order", {}, {"y": {"op": "random", "shape": [3], "low": 2, "high": 1}}, 3, "low <= high"),
    Refusal("foreign", {}, {"y": {"op": "random", "shape": [3], "mean": 2}}, 3, "uniform"),
    Refusal("deviation", {}, {"y": {"op": "random", "shape": [3], "distribution": "normal", "deviation": -1}}, 3,
            "deviation"),
    Refusal("type", {}, {"y": {"op": "random", "shape": [3], "dtype": "int32"}}, 3, "float32"),
    Refusal("shape", {}, {"y": {"op": "random"}}, 3, "shape"),
    Refusal("stream", {}, {"y": {"op": "random", "shape": [3], "stream": -1}}, 3, "stream"),
    Refusal("infinite", {}, {"y": {"op": "random", "shape": [3], "high": "inf"}}, 3, "finite"),
]

main(cases, refusals)
