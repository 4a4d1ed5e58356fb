# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""conv2d against a sum over shifted images in longer precision, and against scipy."""
import numpy as np
import scipy.signal

from harness import Case, Refusal, main

rng = np.random.default_rng(11)
cases = []
refusals = []


def longer(x):
    return x.astype(np.clongdouble if np.iscomplexobj(x) else np.longdouble)


def random(shape, dtype):
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def pair(value):
    return (value, value) if isinstance(value, int) else tuple(value * 2 if len(value) == 1 else value)


def conv2d(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """x [..., C, H, W], w [O, C / groups, kh, kw]: a sum over taps and channels of shifted images."""
    stride, dilation = pair(stride), pair(dilation)
    reach = [(w.shape[2 + s] - 1) * dilation[s] for s in (0, 1)]
    if padding == "valid":
        padding = 0
    if padding == "same":
        sides = [(r // 2, r - r // 2) for r in reach]
    else:
        sides = [(p, p) for p in pair(padding)]
    x = np.pad(longer(x), [(0, 0)] * (x.ndim - 2) + sides)
    w = longer(w)
    extent = [(x.shape[-2 + s] - reach[s] - 1) // stride[s] + 1 for s in (0, 1)]
    out = np.zeros(x.shape[:-3] + (w.shape[0], *extent), x.dtype)
    per_group = w.shape[0] // groups
    for o in range(w.shape[0]):
        for c in range(w.shape[1]):
            image = x[..., o // per_group * w.shape[1] + c, :, :]
            for r in range(w.shape[2]):
                for s in range(w.shape[3]):
                    rows = slice(r * dilation[0], r * dilation[0] + (extent[0] - 1) * stride[0] + 1, stride[0])
                    columns = slice(s * dilation[1], s * dilation[1] + (extent[1] - 1) * stride[1] + 1, stride[1])
                    out[..., o, :, :] += w[o, c, r, s] * image[..., rows, columns]
        if bias is not None:
            out[..., o, :, :] += longer(bias)[o]
    return out


def add(name, x, w, bias=None, **params):
    images = x if w.ndim == 4 else x[..., None, :, :]
    want = conv2d(images, w if w.ndim == 4 else w[None, None], bias, **params)
    if w.ndim == 2:
        want = want[..., 0, :, :]
    inputs = {"x": x, "w": w} | ({} if bias is None else {"b": bias})
    terms = np.prod(w.shape[1:]) if w.ndim == 4 else w.size
    atol = 4 * (terms + 1) * np.finfo(x.dtype).eps * np.abs(x).max(initial=0) * np.abs(w).max(initial=0)
    step = {"op": "conv2d", "in": list(inputs), **{k: list(v) if isinstance(v, tuple) else v for k, v in params.items()}}
    cases.append(Case(name, inputs, {"y": step}, {"y": want.astype(x.dtype)}, rtol=1e-6 if atol > 1e-9 else 1e-15,
                      atol=float(atol)))


for dtype in ("f4", "f8", "c8", "c16"):
    for n, (cin, cout, height, width, kh, kw) in enumerate(
            ((1, 1, 17, 23, 3, 3), (3, 5, 11, 13, 5, 2), (4, 9, 7, 40, 3, 3), (2, 16, 9, 19, 1, 1), (5, 2, 6, 6, 6, 6))):
        x, w = random((3, cin, height, width), dtype), random((cout, cin, kh, kw), dtype)
        add(f"{dtype}_valid_{n}", x, w)
        add(f"{dtype}_same_{n}", x, w, random(cout, dtype), padding="same")
        add(f"{dtype}_strided_{n}", x, w, random(cout, dtype), stride=(2, 3), padding=(1, 2))
        add(f"{dtype}_one_image_{n}", x[0], w, padding=2)
    x = random((2, 6, 15, 14), dtype)
    add(f"{dtype}_groups_2", x, random((4, 3, 3, 3), dtype), groups=2, padding=1)
    add(f"{dtype}_groups_3", x, random((9, 2, 2, 3), dtype), random(9, dtype), groups=3, stride=2)
    add(f"{dtype}_depthwise", x, random((6, 1, 3, 3), dtype), groups=6, padding="same")
    add(f"{dtype}_depthwise_one_image", x[0], random((12, 1, 3, 3), dtype), random(12, dtype), groups=6, padding=1)
    add(f"{dtype}_dilated", x, random((3, 6, 3, 2), dtype), dilation=(3, 2), padding=(4, 1))
    add(f"{dtype}_dilated_same", x, random((3, 6, 4, 3), dtype), dilation=(2, 3), padding="same")
    plain, taps = random((31, 26), dtype), random((5, 4), dtype)
    add(f"{dtype}_plain", plain, taps)
    add(f"{dtype}_plain_stack", random((7, 2, 12, 9), dtype), taps, padding="same")
    for mode in ("valid", "same"):
        want = scipy.signal.correlate2d(plain, taps[:, :3].conj(), mode)
        cases.append(Case(f"{dtype}_scipy_{mode}", {"x": plain, "w": taps[:, :3].copy()},
                          {"y": {"op": "conv2d", "in": ["x", "w"], "padding": mode}}, {"y": want.astype(dtype)},
                          rtol=1e-4 if dtype in ("f4", "c8") else 1e-12, atol=1e-4 if dtype in ("f4", "c8") else 1e-12))
    add(f"{dtype}_few_rows", random((1, 2, 2, 50), dtype), random((3, 2, 3, 3), dtype), padding=1)
    add(f"{dtype}_deep", random((1, 1, 13, 50), dtype), random((1, 1, 11, 3), dtype), padding=(5, 1))
    add(f"{dtype}_only_padding", random((1, 1, 3, 4), dtype), random((2, 1, 2, 2), dtype), random(2, dtype), padding=6)
    add(f"{dtype}_all_strides", random((1, 2, 37, 8), dtype), random((2, 2, 3, 3), dtype), stride=(5, 1), padding=1)
add("cut_channels", random((8, 40, 3), "f4"), random((5, 8, 3, 3), "f4"), padding=1)
add("tall", random((200, 9), "f8"), random((7, 3), "f8"), padding="same")
add("no_images", random((0, 2, 5, 5), "f4"), random((3, 2, 3, 3), "f4"))
add("stack", random((50, 1, 16, 16), "f4"), random((8, 1, 3, 3), "f4"), random(8, "f4"), padding="same")
# One step after another, in whatever layout the first leaves its result.
x, w, v = random((2, 3, 20, 10), "f8"), random((4, 3, 3, 3), "f8"), random((2, 4, 5, 5), "f8")
first = conv2d(x, w, padding=1)
cases.append(Case("chain", {"x": x, "w": w, "v": v},
                  {"a": {"op": "conv2d", "in": ["x", "w"], "padding": 1},
                   "y": {"op": "conv2d", "in": {"x": "a", "weights": "v"}, "padding": "same"}},
                  {"y": conv2d(first, v, padding="same").astype("f8")}, rtol=1e-12, atol=1e-12))
special = random((12, 10), "f8")
special[4, 5], special[0, 0], special[11, 9] = np.nan, np.inf, -np.inf
cases.append(Case("special", {"x": special, "w": np.ones((3, 3))},
                  {"y": {"op": "conv2d", "in": ["x", "w"], "padding": "same"}},
                  {"y": conv2d(special[None], np.ones((1, 1, 3, 3)), padding="same")[0].astype("f8")}, rtol=1e-12, atol=1e-12))


def refuse(name, says, x=(1, 2, 6, 6), w=(3, 2, 3, 3), b=None, dtypes="f8 f8 f8", **params):
    kinds = dtypes.split()
    inputs = {"x": np.zeros(x, kinds[0]), "w": np.zeros(w, kinds[1])}
    if b is not None:
        inputs["b"] = np.zeros(b, kinds[2])
    refusals.append(Refusal(name, inputs, {"y": {"op": "conv2d", "in": list(inputs), **params}}, 3, says))


refuse("integers", "cast", dtypes="i4 i4")
refuse("types", "different element types", dtypes="f8 f4")
refuse("bias_type", '"bias"', b=3, dtypes="f8 f8 f4")
refuse("weight_axes", "[O, C / groups, kh, kw]", w=(3, 3, 3))
refuse("image_axes", "[..., C, H, W]", x=(6, 6))
refuse("plain_axes", "[..., H, W]", x=(6,), w=(3, 3))
refuse("channels", "2 times 1", x=(1, 3, 6, 6))
refuse("group_channels", "2 times 3", groups=3)
refuse("groups", "divisor of 3", groups=2)
refuse("bias_shape", "[3]", b=4)
refuse("plain_groups", "divisor of 1", x=(6, 6), w=(3, 3), groups=2)
refuse("too_tall", "at most 6 rows", w=(3, 2, 7, 3))
refuse("too_wide", "7 under one window", w=(3, 2, 1, 3), dilation=[1, 3])
refuse("no_taps", "no taps", w=(3, 2, 0, 3))
refuse("empty_images", "at most 0 rows", x=(1, 2, 0, 6))
refuse("same_strided", "stride 1", padding="same", stride=2)
refuse("padding_word", '"same"', padding="sane")
refuse("padding_negative", "padding", padding=-1)
refuse("stride_zero", "stride", stride=0)
refuse("dilation_zero", "dilation", dilation=[1, 0])
refuse("stride_three", "two: for rows and columns", stride=[1, 1, 1])
refuse("groups_zero", "groups", groups=0)

main(cases, refusals)
