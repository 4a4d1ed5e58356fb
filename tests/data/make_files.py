#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the HDF5 files that the tests of src/data read. Usage: make_files.py FOLDER"""
import os
import sys

import h5py
import numpy as np


def low_level(file, name, type_id, values, raw_type):
    """A dataset of a type that numpy lacks, from values with the same bits."""
    values = np.ascontiguousarray(values)
    space = h5py.h5s.create_simple(values.shape)
    dataset = h5py.h5d.create(file.id, name.encode(), type_id, space)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=raw_type)


def bfloat16():
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_fields(15, 7, 8, 0, 7)
    kind.set_size(2)
    kind.set_precision(16)
    kind.set_ebias(127)
    return kind


def half_pair(part):
    pair = h5py.h5t.create(h5py.h5t.COMPOUND, 4)
    pair.insert(b"r", 0, part)
    pair.insert(b"i", 2, part)
    return pair


def make_types(folder):
    with h5py.File(f"{folder}/types.h5", "w") as f:
        counted = np.arange(24).reshape(4, 6)
        for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"):
            f[name] = counted.astype(name)
            f[name + "_be"] = counted.astype(">" + name)
        f["i1_negative"] = np.arange(-128, 128, dtype="i1")
        f["u2_top"] = np.array([0, 65535], "u2")
        f["u4_top"] = np.array([0, 2**32 - 1], ">u4")
        f["u8_top"] = np.array([0, 2**63 - 1], "u8")
        f["u8_over"] = np.array([0, 2**63, 5], "u8")
        bits = np.arange(65536, dtype="u2")
        f["f2"] = bits.view("f2")
        f["f2_be"] = bits.view("f2").astype(">f2")
        f["f2_as_f4"] = bits.view("f2").astype("f4")
        low_level(f, "bf2", bfloat16(), bits, bfloat16())
        f["bf2_as_f4"] = (bits.astype("u4") << 16).view("f4")
        parts = np.arange(12.0).reshape(6, 2)
        pairs = np.zeros(6, np.dtype([("r", "f2"), ("i", "f2")]))
        pairs["r"], pairs["i"] = parts[:, 0], parts[:, 1]
        low_level(f, "c4", half_pair(h5py.h5t.IEEE_F16LE), pairs, half_pair(h5py.h5t.IEEE_F16LE))
        for name in ("c8", "c16"):
            f[name] = (parts[:, 0] + 1j * parts[:, 1]).astype(name)
            f[name + "_be"] = (parts[:, 0] + 1j * parts[:, 1]).astype(">" + name)
        named = np.zeros(6, np.dtype([("real", "f8"), ("imag", "f8")]))
        named["real"], named["imag"] = parts[:, 0], parts[:, 1]
        f["c16_named"] = named
        f["bool"] = np.array([True, False, True])
        kinds = h5py.enum_dtype({"A": 3, "B": 7}, "i2")
        f.create_dataset("enum", data=np.array([3, 7, 3]), dtype=kinds)
        low_level(f, "bits", h5py.h5t.STD_B8LE, np.array([0, 128, 255], "u1"), h5py.h5t.STD_B8LE)
        boolean = h5py.h5t.py_create(np.dtype(bool), logical=True)
        low_level(f, "bool_bad", boolean, np.array([0, 1, 2], "i1"), boolean)
        f["longdouble"] = np.ones(3, "g")
        f["text"] = "hello"
        f["fixed"] = np.array([b"ab", b"cd"])
        f["ref"] = np.array([f["i1"].ref], dtype=h5py.ref_dtype)
        f["compound"] = np.zeros(2, np.dtype([("a", "i4"), ("b", "f8"), ("c", "f8")]))
        f["two"] = np.zeros(2, np.dtype([("x", "f8"), ("y", "f8")]))
        array = h5py.h5t.array_create(h5py.h5t.IEEE_F64LE, (3,))
        h5py.h5d.create(f.id, b"array", array, h5py.h5s.create_simple((2,)))
        f.create_dataset("vlen", (2,), dtype=h5py.vlen_dtype("f8"))
        f["opaque"] = np.array([b"\0\1"], "V2")
        f["group/inside"] = np.ones(2)
        f["null"] = h5py.Empty("f8")
        f["scalar"] = 3.5
        f["empty"] = np.zeros((0, 5))
        f.create_dataset("nine_axes", (1,) * 9)


def make_cases(folder):
    """The generators of the cases A01 to A09 and B03."""
    with h5py.File(f"{folder}/cases.h5", "w") as f:
        f["a01_x"] = np.arange(20, dtype=">i4")
        f["a01_y"] = (np.arange(10**6) / 1e9).astype(">f4")
        f["a02_u"] = np.tile(np.arange(256, dtype="u1"), 4)
        f["a04_d"] = np.array([-0.000976552734375, 0.031249990234375])
        a = np.arange(10000, dtype="i4").reshape(1000, 10)
        f.create_dataset("gz", data=a, chunks=(100, 7), compression="gzip", shuffle=True,
                         fletcher32=True)
        f.create_dataset("sz", data=a, chunks=(100, 8), compression="szip")
        f.create_dataset("lzf", data=a, chunks=(100, 7), compression="lzf")
        f["b03_x"] = np.ones((1, 10))
        f["b03_y"] = np.arange(100.0).reshape(10, 10)
        f.create_dataset("unwritten", (5, 4), "f4", chunks=(2, 2), fillvalue=7)
        f["cube"] = np.arange(2 * 3 * 4 * 5, dtype="i8").reshape(2, 3, 4, 5)
        f.create_dataset("broken", data=np.arange(4000.0), chunks=(1000,), fletcher32=True)
        place = f["broken"].id.get_chunk_info(2).byte_offset
    with open(f"{folder}/cases.h5", "r+b") as raw:
        raw.seek(place + 100)
        raw.write(b"\xff")


def make_links(folder):
    with h5py.File(f"{folder}/t.h5", "w") as f:
        f["d"] = np.arange(5.0)
    with h5py.File(f"{folder}/links.h5", "w") as f:
        f["e"] = h5py.ExternalLink("t.h5", "/d")
        f["s"] = h5py.SoftLink("/e")
        f["bad"] = h5py.SoftLink("/no")
        f["gone"] = h5py.ExternalLink("none.h5", "/d")
        f["hard"] = np.ones(2)
        f["again"] = f["hard"]
        f["group/inside"] = np.ones(3)


def make_virtual(folder):
    for name in ("v0", "v1", "locked"):
        with h5py.File(f"{folder}/{name}.h5", "w") as f:
            f["d"] = np.arange(4.0) + 10 * (name == "v1")
    with h5py.File(f"{folder}/virtual.h5", "w") as f:
        f["own"] = np.full(4, 5.0)
        for name, *sources in (("whole", "v0.h5", "v1.h5"), ("hole", "v0.h5", "v9.h5"),
                               ("self", ".", "v0.h5"), ("waiting", "v0.h5", "locked.h5")):
            layout = h5py.VirtualLayout((2, 4), "f8")
            for i, source in enumerate(sources):
                layout[i] = h5py.VirtualSource(source, "own" if source == "." else "d", (4,))
            f.create_virtual_dataset(name, layout, fillvalue=-1)
        layout = h5py.VirtualLayout((4,), "f8")
        layout[:] = h5py.VirtualSource("v0.h5", "nothing", (4,))
        f.create_virtual_dataset("no_dataset", layout)
    with h5py.File(f"{folder}/raw.h5", "w") as f:
        f.create_dataset("outside", (4,), "f8", external=[(f"{folder}/raw.bin", 0, 32)])[...] = 1


def make_carry(folder):
    with h5py.File(f"{folder}/carry.h5", "w") as f:
        u = f.create_dataset("fields/u", data=np.arange(12.0).reshape(3, 4))
        u.attrs["units"] = "K"
        u.attrs["fixed"] = np.bytes_(b"abc")
        u.attrs["range"] = np.array([1.5, 2.5], ">f8")
        u.attrs["nothing"] = h5py.Empty("f4")
        u.attrs["names"] = ["a", "bc"]
        u.attrs["points_to"] = u.ref
        u.attrs["tessera_crc32"] = 7
        f["x"] = np.array([0.5, 1.5, 2.5], "f4")
        f["x"].attrs["units"] = "m"
        f["y"] = np.arange(4, dtype=">i2")
        f["labels"] = np.array([b"n", b"e", b"s", b"w"])
        for name, scale in (("x", "position"), ("y", "column"), ("labels", "label")):
            f[name].make_scale(scale)
        u.dims[0].attach_scale(f["x"])
        u.dims[1].attach_scale(f["y"])
        u.dims[1].attach_scale(f["labels"])
        u.dims[0].label = "along"
        f["fields/v"] = np.ones((3, 2))
        f["fields/v"].dims[0].attach_scale(f["x"])


def make_damaged(folder):
    with open(f"{folder}/text.h5", "w", encoding="utf-8") as f:
        f.write("not an HDF5 file\n" * 100)
    with h5py.File(f"{folder}/short.h5", "w") as f:
        f["x"] = np.ones(10000)
    os.truncate(f"{folder}/short.h5", 20000)
    with h5py.File(f"{folder}/marked.h5", "w", libver="latest") as f:
        f["x"] = np.ones(3)
    with open(f"{folder}/marked.h5", "r+b") as raw:  # the mark of a writer that was killed
        head = bytearray(raw.read(48))
        assert head[8] == 3, "superblock version"
        head[11] |= 1
        head[44:48] = lookup3(bytes(head[:44])).to_bytes(4, "little")
        raw.seek(0)
        raw.write(head)


def lookup3(data):
    """Bob Jenkins' lookup3 hash, with which HDF5 guards its metadata."""
    mask = 0xFFFFFFFF

    def rot(value, bits):
        return ((value << bits) | (value >> (32 - bits))) & mask

    def words(block):
        block = block.ljust(12, b"\0")
        return (int.from_bytes(block[i:i + 4], "little") for i in (0, 4, 8))

    a = b = c = (0xDEADBEEF + len(data)) & mask
    while len(data) > 12:
        x, y, z = words(data[:12])
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        a = ((a - c) & mask) ^ rot(c, 4); c = (c + b) & mask
        b = ((b - a) & mask) ^ rot(a, 6); a = (a + c) & mask
        c = ((c - b) & mask) ^ rot(b, 8); b = (b + a) & mask
        a = ((a - c) & mask) ^ rot(c, 16); c = (c + b) & mask
        b = ((b - a) & mask) ^ rot(a, 19); a = (a + c) & mask
        c = ((c - b) & mask) ^ rot(b, 4); b = (b + a) & mask
        data = data[12:]
    x, y, z = words(data)
    a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
    c = ((c ^ b) - rot(b, 14)) & mask
    a = ((a ^ c) - rot(c, 11)) & mask
    b = ((b ^ a) - rot(a, 25)) & mask
    c = ((c ^ b) - rot(b, 16)) & mask
    a = ((a ^ c) - rot(c, 4)) & mask
    b = ((b ^ a) - rot(a, 14)) & mask
    return ((c ^ b) - rot(b, 24)) & mask


def make_large(folder):
    """The generators of B01 and B02: a few MiB on disk."""
    with h5py.File(f"{folder}/large.h5", "w") as f:
        b01 = f.create_dataset("b01", (2**29 + 3,), "f4", chunks=(2**20,), fillvalue=1)
        b01[-1] = 2
        b02 = f.create_dataset("b02", (2**31 + 5,), "i1", chunks=(2**20,), fillvalue=1)
        b02[-1] = 2


def make_compare(folder):
    counted = np.arange(24.0).reshape(4, 6)
    nan, inf = np.nan, np.inf
    tiny = np.nextafter(np.float32(0), np.float32(1))
    f8 = counted.copy()
    f8[1, 2] = np.nextafter(np.nextafter(np.nextafter(8.0, 9), 9), 9)
    f4 = counted.astype("f4")
    f4[1, 2] = np.nextafter(np.float32(8), np.float32(9))
    top = np.iinfo("i8")
    long = np.zeros(3000000, "f4")
    long[[1, -1]] = 1, -2
    payload = np.array([0x7FC00001], "u4").view("f4")
    a = {"next_f4": f4, "next_f8": f8, "zero": np.array([0, tiny], "f4"),
         "infinite": [inf, inf, inf], "nan": [nan, nan, 1, 2], "nan_payload": payload,
         "whole": np.array([top.min, 5]),
         "complex": np.array([1 + 1j, 4 + 5j], "c8"), "only_a": 1.0, "shape": np.zeros((2, 3)),
         "type": np.zeros(2, "f4"), "text": "x", "half": np.ones(3, "f2"),
         "empty": np.zeros((0, 2)), "scalar": 3.0, "long": long}
    b = {"next_f4": counted.astype("f4"), "next_f8": counted, "zero": np.array([-0.0, -tiny], "f4"),
         "infinite": [inf, -inf, 1], "nan": [nan, 1, nan, 2], "nan_payload": np.array([nan], "f4"),
         "whole": np.array([top.max, 5]), "complex": np.array([1 + 1j, 1 + 1j], "c8"),
         "only_b": 1.0, "shape": np.zeros((3, 2)), "type": np.zeros(2), "text": "x",
         "half": np.ones(3, "f4"),
         "empty": np.zeros((0, 2)), "scalar": 3.0, "long": np.zeros(3000000, "f4")}
    for name, contents in (("compare_a", a), ("compare_b", b)):
        with h5py.File(f"{folder}/{name}.h5", "w") as f:
            for dataset, values in contents.items():
                f[dataset] = values


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for make in (make_types, make_cases, make_links, make_virtual, make_carry, make_damaged,
                 make_large, make_compare):
        make(folder)


if __name__ == "__main__":
    main()
