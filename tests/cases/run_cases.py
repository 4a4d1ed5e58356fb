#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of this folder: what users get wrong, and exactly what the program says then.

Usage: run_cases.py --tessera PROGRAM [WORD...]    (only cases whose name has all the words)
"""
import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from case_file import DATA, all_cases


def write_data(folder, lines):
    for line in lines:
        if not line.strip():
            continue
        target, _, expression = line.partition(" = ")
        file, _, dataset = target.strip().rpartition(":/")
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with h5py.File(path, "a") as handle:
            handle[dataset] = eval(expression, {"np": np, "h5py": h5py})  # our own test files


def differs(case, what, expected, found):
    if expected == found:
        return 0
    print(f"FAILED {case.name}\n  {what} expected: {expected!r}\n  {what} found:    {found!r}", flush=True)
    return 1


def run(case, tessera):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_data(folder, DATA + case.sections.get("data", []))
        (folder / "graph.json").write_text(case.text("graph"), encoding="utf-8")
        command = [str(tessera)] + shlex.split(case.word("command", "check graph.json"))
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"},
                              encoding="utf-8")
    failed = differs(case, "exit code", case.exit_code, done.returncode)
    failed += differs(case, "stderr", case.text("stderr"), done.stderr)
    if "stdout" in case.sections:
        failed += differs(case, "stdout", case.text("stdout"), done.stdout)
    elif case.exit_code != 0:
        failed += differs(case, "stdout", "", done.stdout)
    return failed > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", required=True, type=pathlib.Path)
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    cases = [case for case in all_cases() if all(word in case.name for word in arguments.words)]
    failed = sum(run(case, arguments.tessera.resolve()) for case in cases)
    print(f"{len(cases) - failed} of {len(cases)} cases as expected")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
