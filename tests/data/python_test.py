#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Reads with h5py what write_example wrote, and checks it as src/data/README.md says one can.

Usage: python_test.py WRITE_EXAMPLE FOLDER
"""
import struct
import subprocess
import sys
import zlib

import h5py
import numpy as np

NAMES = {"|u1": "uint8", "<i4": "int32", "<i8": "int64", "<f4": "float32", "<f8": "float64",
         "<c8": "complex64", "<c16": "complex128"}


def datasets(file):
    found = []
    file.visititems(lambda _, item: found.append(item) if hasattr(item, "dtype") else None)
    return found


def digest(file):
    """The CRC-32 that the root attribute tessera_digest holds."""
    lines = ["tessera file 1\n"]
    for name in sorted(file.attrs, key=str.encode):
        value = file.attrs[name]
        if isinstance(value, str):
            kind, raw = "text", value.encode()
        elif value.dtype == "<i8":
            kind, raw = "int64", struct.pack("<q", value)
        elif value.dtype == "<f8":
            kind, raw = "float64", struct.pack("<d", value)
        else:
            continue
        lines.append(f"attribute {name} {kind} {zlib.crc32(raw):08x}\n")
    for item in sorted(datasets(file), key=lambda item: item.name.encode()):
        kind, shape = NAMES[item.dtype.str], list(item.shape)
        lines.append(f"dataset {item.name} {kind} {shape} {item.attrs['tessera_crc32']:08x}\n")
    return zlib.crc32("".join(lines).encode())


def check_values(file):
    for kind in NAMES.values():
        found = file["types"][kind]
        count = np.arange(15).reshape(3, 5)
        expected = count - 1j * count if kind.startswith("complex") else count
        assert found.dtype == kind and np.array_equal(found[...], expected), kind
    assert file["scalar"].shape == () and file["scalar"][()] == 0
    assert file["empty"].shape == (0, 3) and file["empty"].dtype == "complex64"
    packed = file["packed"]
    assert (packed.compression, packed.compression_opts) == ("gzip", 6)
    assert packed.shuffle and packed.chunks == (16, 8)
    assert np.array_equal(packed[...], np.arange(3000, dtype="f4").reshape(100, 30))


def check_carried(file):
    carried = file["carried"]
    assert np.array_equal(carried[...], np.arange(12.0).reshape(3, 4))
    assert carried.attrs["units"] == "K" and carried.attrs["fixed"] == b"abc"
    assert list(carried.attrs["range"]) == [1.5, 2.5]
    assert list(carried.attrs["names"]) == ["a", "bc"]
    assert isinstance(carried.attrs["nothing"], h5py.Empty) and "points_to" not in carried.attrs
    assert carried.dims[0].label == "along"
    assert list(carried.dims[0].keys()) == ["position"]
    assert list(carried.dims[1].keys()) == ["column"]
    position = carried.dims[0]["position"]
    assert position.name == "/x" and position.attrs["units"] == "m"
    assert list(position[...]) == [0.5, 1.5, 2.5]
    assert list(carried.dims[1]["column"][...]) == [0, 1, 2, 3]


def check_checksums(file):
    for item in datasets(file):
        assert zlib.crc32(item[...].tobytes()) == item.attrs["tessera_crc32"], item.name
    assert file.attrs["tessera_digest"] == digest(file)


def check_layout(file, path):
    """Plain data lie in the file as they are, and nothing carries a time."""
    found = file["types/int64"]
    with open(path, "rb") as raw:
        raw.seek(found.id.get_offset())
        assert np.array_equal(np.frombuffer(raw.read(120), "<i8"), np.arange(15))
    for item in (file["/"], file["types"], found, file["packed"]):
        assert h5py.h5g.get_objinfo(item.id).mtime == 0


def main():
    program, folder = sys.argv[1:]
    path = f"{folder}/example.h5"
    contents = []
    for _ in range(2):
        subprocess.run([program, folder], check=True, timeout=60)
        with open(path, "rb") as raw:
            contents.append(raw.read())
    assert contents[0] == contents[1], "the bytes differ from run to run"
    with h5py.File(path) as file:
        assert file.attrs["recipe"] == "bitexact" and file.attrs["step"] == -7
        assert file.attrs["alpha"] == 0.1
        assert file.attrs["naïve"] == "Ångström\n" and file.attrs["later"] == "known at the end"
        check_values(file)
        check_carried(file)
        check_checksums(file)
        check_layout(file, path)
    print("h5py and zlib agree")


if __name__ == "__main__":
    main()
