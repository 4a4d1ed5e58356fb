#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Reads every #include of apps/, src/ and kernels/ and fails on an arrow that isn't in the table.

Also: only kernels/ includes Kokkos, only src/comm/mpi* MPI, only src/data/ HDF5; every source has
its two SPDX lines and every header `#pragma once`. Usage: include_arrows_test.py SOURCE_DIR
"""
import pathlib
import re
import sys

# What a folder may include; its own folder always. A folder stands for all its headers, a
# file for itself alone. Nobody gets kernels/device/kokkos.hpp this way: see HIDDEN.
ARROWS = {
    "src/base": [],
    "src/layout": ["src/base"],
    "src/graph": ["src/base"],
    "src/data": ["src/base", "src/layout"],
    "src/comm": ["src/base", "src/layout", "kernels/device"],
    "src/ops": ["src/base", "src/layout", "src/graph", "src/comm/communicator.hpp", "kernels"],
    "src/plan": ["src/base", "src/layout", "src/graph", "src/ops"],
    "src/record": ["src/base"],
    "src/run": ["src/base", "src/layout", "src/graph", "src/ops", "src/plan", "src/data",
                "src/comm", "src/record", "kernels/device"],
    "kernels": ["src/base"],
    "apps": ["src", "kernels/device/device.hpp"],
}
# Headers of libraries that only some files may use: pattern of the header, pattern of the files.
LIBRARIES = [
    ("Kokkos", r"^(Kokkos|KokkosBatched|KokkosBlas)", r"^kernels/device/kokkos\.hpp$"),
    ("MPI", r"^mpi\.h$", r"^src/comm/mpi"),
    ("HDF5", r"^(hdf5|H5[A-Za-z]*|hdf5_hl)\.h$", r"^src/data/"),
    ("CUDA", r"^(cuda|cublas|cufft|cusolver|nvml)", r"^kernels/"),
    ("NCCL", r"^nccl\.h$", r"^src/comm/nccl"),
    ("JSON", r"^nlohmann/", r"^(src/graph|src/record|src/run|src/data|src/plan|apps)/"),
]
# Nobody but kernels/ may come to Kokkos through our own header either.
HIDDEN = {"kernels/device/kokkos.hpp": r"^kernels/"}
SPDX = ["SPDX-FileCopyrightText: ", "SPDX-License-Identifier: "]


def folder_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "src" else parts[0]


def resolve(header, path, files):
    """The file of ours that a quoted or angled name means, or None."""
    here = path.rsplit("/", 1)[0]
    for candidate in (f"{here}/{header}", f"src/{header}", f"kernels/{header}"):
        if candidate in files:
            return candidate
    return None


def allowed(path, target):
    folder = folder_of(path)
    if folder_of(target) == folder:
        return True
    entries = ARROWS.get(folder, [])
    return any(target == entry or target.startswith(entry + "/") for entry in entries)


def check(files):
    """files: {path: text}. Returns the list of complaints, each "path:line: what"."""
    complaints = []
    for path, text in sorted(files.items()):
        lines = text.splitlines()
        head = "\n".join(lines[:4])
        if not all(mark in head for mark in SPDX):
            complaints.append(f"{path}:1: lacks the two SPDX lines")
        if path.endswith(".hpp") and "#pragma once" not in lines:
            complaints.append(f"{path}:1: lacks #pragma once")
        if folder_of(path) not in ARROWS:
            complaints.append(f"{path}:1: the folder isn't in the table of arrows")
        for number, line in enumerate(lines, 1):
            found = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if not found:
                continue
            quoted, header = found.group(1) == '"', found.group(2)
            where = f"{path}:{number}"
            target = resolve(header, path, files)
            if target is None:
                if quoted:
                    complaints.append(f"{where}: there is no {header} in src/ or kernels/")
                for name, pattern, users in LIBRARIES:
                    if re.match(pattern, header) and not re.match(users, path):
                        complaints.append(f"{where}: {name} isn't for this file ({header})")
                continue
            if not allowed(path, target):
                complaints.append(f"{where}: {folder_of(path)} may not include {target}")
            if target in HIDDEN and not re.match(HIDDEN[target], path):
                complaints.append(f"{where}: only kernels/ may include {target}")
    return complaints


def read_tree(root):
    files = {}
    for top in ("apps", "src", "kernels"):
        for path in (root / top).rglob("*"):
            if path.suffix in (".hpp", ".cpp", ".inc", ".h", ".cu"):
                files[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
    return files


GOOD = "// SPDX-FileCopyrightText: x\n// SPDX-License-Identifier: y\n"
HEADER = GOOD + "#pragma once\n"
# Snippets that must be found, and words of the complaint; and snippets that are fine (None).
SNIPPETS = [
    ("src/base/a.hpp", HEADER + '#include "layout/layout.hpp"\n', "may not include src/layout"),
    ("src/layout/a.cpp", GOOD + '#include "comm/mpi.hpp"\n', "may not include src/comm/mpi.hpp"),
    ("src/ops/a.cpp", GOOD + '#include "comm/mpi.hpp"\n', "may not include src/comm/mpi.hpp"),
    ("src/ops/a.cpp", GOOD + '#include "comm/communicator.hpp"\n', None),
    ("src/ops/a.cpp", GOOD + '  #  include "plan/plan.hpp"\n', "may not include src/plan"),
    ("src/ops/a.cpp", GOOD + '#include "sum.hpp"\n', None),
    ("src/ops/a.cpp", GOOD + '#include "device/kokkos.hpp"\n', "only kernels/ may include"),
    ("src/plan/a.cpp", GOOD + '#include "comm/communicator.hpp"\n', "may not include src/comm"),
    ("src/run/a.cpp", GOOD + '#include "sum.hpp"\n', "may not include kernels/sum.hpp"),
    ("src/run/a.cpp", GOOD + '#include "device/device.hpp"\n', None),
    ("src/run/a.cpp", GOOD + '#include "device/kokkos.hpp"\n', "only kernels/ may include"),
    ("src/run/a.cpp", GOOD + "#include <mpi.h>\n", "MPI isn't for this file"),
    ("src/comm/mpi_more.cpp", GOOD + "#include <mpi.h>\n", None),
    ("src/comm/self2.cpp", GOOD + "#include <mpi.h>\n", "MPI isn't for this file"),
    ("src/graph/a.cpp", GOOD + "#include <H5Dpublic.h>\n", "HDF5 isn't for this file"),
    ("src/graph/a.cpp", GOOD + "#include <Kokkos_Core.hpp>\n", "Kokkos isn't for this file"),
    ("kernels/a.cpp", GOOD + "#include <Kokkos_Core.hpp>\n", "Kokkos isn't for this file"),
    ("kernels/a.cpp", GOOD + '#include "device/kokkos.hpp"\n', None),
    ("kernels/a.cpp", GOOD + '#include "layout/layout.hpp"\n', "may not include src/layout"),
    ("kernels/a.cpp", GOOD + "#include <nlohmann/json.hpp>\n", "JSON isn't for this file"),
    ("kernels/a.cpp", GOOD + '#include "missing.hpp"\n', "there is no missing.hpp"),
    ("apps/tessera/a.cpp", GOOD + '#include "run/run.hpp"\n', None),
    ("apps/tessera/a.cpp", GOOD + '#include "sum.hpp"\n', "may not include kernels/sum.hpp"),
    ("src/new/a.cpp", GOOD, "isn't in the table"),
    ("src/base/b.hpp", GOOD, "lacks #pragma once"),
    ("src/base/b.hpp", "#pragma once\n", "lacks the two SPDX lines"),
]
OTHERS = ["src/layout/layout.hpp", "src/comm/mpi.hpp", "src/comm/communicator.hpp",
          "src/plan/plan.hpp", "src/run/run.hpp", "kernels/sum.hpp", "kernels/device/device.hpp",
          "kernels/device/kokkos.hpp"]


def prove_itself():
    complaints = []
    for path, text, words in SNIPPETS:
        found = check({**{other: HEADER for other in OTHERS}, path: text})
        if words is None and found:
            complaints.append(f"the test itself: {path} is fine, but: {found}")
        if words is not None and not any(words in line for line in found):
            complaints.append(f"the test itself: {words!r} isn't found in {path}: {found}")
    return complaints


def main():
    files = read_tree(pathlib.Path(sys.argv[1]))
    complaints = prove_itself() + check(files)
    if len(files) < 10:
        complaints.append(f"only {len(files)} files found under {sys.argv[1]}")
    for line in complaints:
        print(line)
    print(f"{len(files)} files, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
