# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Runs operations end to end and compares them with references computed here.

A test file lists Cases and Refusals and calls main(). All cases of a file go into one graph, which runs
once per rank count and recipe; bitexact results must be the same bits on every rank count.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import h5py
import numpy as np

RANKS = (1, 2, 3, 4)


@dataclass
class Case:
    """Steps on inputs; expected values are arrays, or functions of (result, inputs) that return an error text."""

    name: str
    inputs: dict
    steps: dict
    expected: dict
    rtol: float = 0.0
    atol: float = 0.0
    exact: bool = False
    recipes: tuple = ("ordered", "bitexact")
    params: dict = field(default_factory=dict)


@dataclass
class Refusal:
    """Steps that `tessera check` (or run, for faults in the values) must refuse with this exit code and word."""

    name: str
    inputs: dict
    steps: dict
    exit: int
    says: str
    run: bool = False
    ranks: int = 1


class Failures:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, ok, text):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED", text, flush=True)


def environment():
    env = dict(os.environ)
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none",
               PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
    return env


def launch(arguments, ranks=1, timeout=300, **variables):
    command = [str(a) for a in arguments]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks)] + command
    return subprocess.run(command, capture_output=True, text=True, env=environment() | variables, timeout=timeout)


def runs_of(recipe, ranks):
    """Rank counts, with the environment of each run: on 3 ranks kernels get a memory of their own, as on a GPU, and
    element-wise steps run one by one; on a GPU bitexact results are compared with the host's."""
    special = {"TESSERA_TEST_APART": "1", "TESSERA_FUSION": "false"}
    runs = [(count, special if count == 3 else {}) for count in ranks]
    if recipe == "bitexact" and os.environ.get("TESSERA_BACKEND") == "cuda":
        runs.insert(0, (1, {"TESSERA_BACKEND": "host"}))
    return runs


def rename(value, names, prefix):
    """References to inputs and steps of a case, with the case's prefix."""
    if isinstance(value, str):
        base, dot, rest = value.partition(".")
        return prefix + base + dot + rest if base in names else value
    if isinstance(value, list):
        return [rename(v, names, prefix) for v in value]
    if isinstance(value, dict):
        return {k: rename(v, names, prefix) for k, v in value.items()}
    return value


def write_inputs(path, cases):
    with h5py.File(path, "w") as file:
        for case in cases:
            for name, array in case.inputs.items():
                file[f"{case.name}/{name}"] = np.asarray(array)


def graph_of(cases, data, recipe):
    inputs, steps, outputs, params = {}, {}, {}, {}
    for case in cases:
        prefix = case.name + "__"
        names = set(case.inputs) | set(case.steps)
        for name in case.inputs:
            inputs[prefix + name] = f"{data}:/{case.name}/{name}"
        for name, step in case.steps.items():
            step = dict(step)
            if isinstance(step.get("in"), str) or isinstance(step.get("in"), list):
                step["in"] = rename(step["in"], names, prefix)
            elif isinstance(step.get("in"), dict):
                step["in"] = {k: rename(v, names, prefix) for k, v in step["in"].items()}
            steps[prefix + name] = step
        for name in getattr(case, "expected", None) or case.steps:
            outputs[f"/{case.name}/{name}"] = prefix + name
    return {"tessera": 1, "inputs": inputs, "params": params, "steps": steps, "outputs": outputs,
            "recipe": recipe}


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def compare(case, name, got, failures, where):
    want = case.expected[name]
    text = f"{case.name}/{name} {where}"
    if callable(want):
        problem = want(got, case.inputs)
        failures.check(not problem, f"{text}: {problem}")
        return
    want = np.asarray(want)
    if got.shape != want.shape:
        failures.check(False, f"{text}: shape {got.shape}, expected {want.shape}")
        return
    if got.dtype != want.dtype:
        failures.check(False, f"{text}: type {got.dtype}, expected {want.dtype}")
        return
    if case.exact:
        ok = np.array_equal(got, want, equal_nan=got.dtype.kind in "fc")
    else:
        ok = np.allclose(got, want, rtol=case.rtol, atol=case.atol, equal_nan=True)
    if not ok:
        with np.errstate(all="ignore"):
            bad = ~np.isclose(got, want, rtol=0 if case.exact else case.rtol,
                              atol=0 if case.exact else case.atol, equal_nan=True)
        at = np.argwhere(np.atleast_1d(bad))
        first = tuple(at[0]) if len(at) else ()
        shown = (np.atleast_1d(got)[first], np.atleast_1d(want)[first]) if len(at) else (got, want)
        failures.check(False, f"{text}: {len(at)} of {got.size} differ, first at {first}: "
                              f"{shown[0]!r}, expected {shown[1]!r}")
    else:
        failures.check(True, text)


def run_recipe(tessera, folder, cases, recipe, ranks, failures):
    chosen = [c for c in cases if recipe in c.recipes]
    if not chosen:
        return
    graph = folder / f"{recipe}.json"
    graph.write_text(json.dumps(graph_of(chosen, "in.h5", recipe)))
    reference = {}
    for count, variables in runs_of(recipe, ranks):
        target = folder / f"{recipe}-{count}.h5"
        done = launch([tessera, "run", graph, "-o", target, "--quiet", "--overwrite", "--threads", 1 + count % 2],
                      count, **variables)
        failures.check(done.returncode == 0,
                       f"{recipe} on {count} ranks: exit {done.returncode}: {done.stderr.strip()[-600:]}")
        if done.returncode != 0:
            continue
        with h5py.File(target) as file:
            for case in chosen:
                for name in case.expected:
                    got = np.asarray(file[f"{case.name}/{name}"][()])
                    compare(case, name, got, failures, f"({recipe}, {count} ranks)")
                    if recipe == "bitexact":
                        first = reference.setdefault((case.name, name), got)
                        failures.check(same_bits(first, got),
                                       f"{case.name}/{name}: bits on {count} ranks differ from the first run's")


def run_refusal(tessera, folder, refusal, failures):
    data = folder / "refused.h5"
    write_inputs(data, [refusal])
    graph = folder / f"{refusal.name}.json"
    graph.write_text(json.dumps(graph_of([refusal], "refused.h5", "ordered")))
    command = ["run", graph, "-o", folder / "refused-out.h5", "--overwrite", "--quiet"] if refusal.run else [
        "check", graph]
    done = launch([tessera] + command, refusal.ranks)
    failures.check(done.returncode == refusal.exit and refusal.says in done.stderr,
                   f"{refusal.name}: exit {done.returncode} (expected {refusal.exit}), said: "
                   f"{done.stderr.strip()[-400:]!r}, expected the words {refusal.says!r}")


def main(cases, refusals=()):
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", required=True)
    parser.add_argument("--ranks", default=",".join(map(str, RANKS)))
    parser.add_argument("--only", default="", help="run only the cases whose name contains this")
    parser.add_argument("--keep", default="", help="keep files in this folder")
    options = parser.parse_args()
    cases = [c for c in cases if options.only in c.name]
    refusals = [r for r in refusals if options.only in r.name]
    ranks = [int(r) for r in options.ranks.split(",")]
    failures = Failures()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        write_inputs(folder / "in.h5", cases)
        for recipe in sorted({r for c in cases for r in c.recipes}):
            run_recipe(options.tessera, folder, cases, recipe, ranks, failures)
        for refusal in refusals:
            run_refusal(options.tessera, folder, refusal, failures)
    print(f"{failures.passed} passed, {failures.failed} failed")
    sys.exit(1 if failures.failed or not failures.passed else 0)
