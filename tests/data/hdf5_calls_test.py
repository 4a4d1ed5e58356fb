#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""HDF5 is called in src/data/hdf5_*.cpp only.

Usage: hdf5_calls_test.py SOURCE_DIR
"""
import pathlib
import re
import sys

CALL = re.compile(r"\bH5[A-Z]{1,2}[a-z_]\w*\s*\(")


def calls(text):
    text = re.sub(r'"(\\.|[^"\\])*"', '""', re.sub(r"//.*", "", text))
    return CALL.findall(text)


def main():
    root = pathlib.Path(sys.argv[1])
    complaints = []
    seen = 0
    for top in ("apps", "src", "kernels"):
        for path in sorted((root / top).rglob("*.[ch]pp")):
            found = calls(path.read_text(encoding="utf-8"))
            is_wrapper = path.match("src/data/hdf5_*.cpp")
            seen += len(found) if is_wrapper else 0
            if found and not is_wrapper:
                complaints.append(f"{path}: calls {', '.join(sorted(set(found)))}")
    if seen < 50:
        complaints.append(f"only {seen} calls found: does the search still work?")
    print("\n".join(complaints) or f"{seen} calls, all in src/data/hdf5_*.cpp")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
