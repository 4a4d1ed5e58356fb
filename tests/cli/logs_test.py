# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""The logs: valid JSON, every second accounted for, the same actions as the plan in the same order."""
import json

import h5py
import numpy as np
from cli import Tests


def flatten(actions):
    for action in actions:
        if action["kind"] == "loop":
            for _ in range(action["repeat"]):
                yield from flatten(action["body"])
        else:
            yield action["label"]


def data_dependent_loop(tests):
    """A loop that ends when its data say so: the log tells how often it ran."""
    with h5py.File(tests.folder / "system.h5", "w") as file:
        file["a"] = 4 * np.eye(50) + np.eye(50, k=1) + np.eye(50, k=-1)
        file["b"] = np.random.default_rng(2).random(50)
    graph = tests.graph("loop.json", {
        "inputs": {"a": "system.h5:/a", "b": "system.h5:/b"},
        "steps": {"x": {"op": "jacobi", "in": ["a", "b"], "tolerance": 1e-6, "max_iterations": 300}},
        "outputs": {"/x": "x", "/iterations": "x.iterations"}})
    tests.expect(["plan", graph, "-n", 2], 0, "until done, at most 300, ")
    for ranks in (1, 2):
        tests.expect(["run", graph, "-o", "x.h5", "--overwrite", "--log", "loops", "--threads", 1], 0, "wrote",
                     ranks=ranks)
        with h5py.File(tests.folder / "x.h5") as file:
            iterations = int(file["iterations"][()])
        lines = [json.loads(line) for line in (tests.folder / "loops/timing.jsonl").read_text().splitlines()]
        for rank in range(ranks):
            mine = [line for line in lines if line["rank"] == rank]
            turns = [line["turns"] for line in mine if "turns" in line]
            tests.check(turns == [iterations], f"rank {rank}: turns {turns}, {iterations} iterations")
            inside = sum(line.get("label") == "x: x" for line in mine)
            tests.check(inside == iterations, f"rank {rank}: {inside} spans of {iterations} iterations")
        tests.check(f"x, x: iterations: {iterations} turns" in (tests.folder / "loops/summary.txt").read_text(),
                    "summary.txt tells the turns")


def needless_steps(tests):
    """What no output needs is neither read nor computed, and a warning says so."""
    with h5py.File(tests.folder / "needs.h5", "w") as file:
        file["a"] = np.arange(12.0).reshape(4, 3)
        file["b"] = np.arange(3.0)
    steps = {"s": {"op": "sum", "in": "a"}, "idle": {"op": "mul", "in": ["a", "b"]},
             "idler": {"op": "sum", "in": "idle"}, "m": {"op": "max", "in": "a"}}
    for batched in (False, True):
        a = {"file": "needs.h5", "dataset": "/a", "each": 0} if batched else "needs.h5:/a"
        graph = tests.graph("needs.json", {"inputs": {"a": a, "b": "needs.h5:/b"}, "steps": steps,
                                           "outputs": {"/s": "s", "/m": "m"}})
        plan = tests.expect(["plan", graph], 0, "left out")
        document = json.loads(tests.run(["plan", graph, "--json"]).stdout)
        tests.check([step["step"] for step in document["steps"] if step.get("left_out")] == ["idle", "idler"],
                    f"left out: {plan.stdout}")
        for ranks in (1, 3):
            done = tests.expect(["run", graph, "-o", "needs-out.h5", "--overwrite", "--log", "needs"], 0,
                                'step "idle": no output needs it', ranks=ranks)
            tests.check(done.stderr.count("warning") == 3, f"one line each: {done.stderr}")
            log = (tests.folder / "needs/timing.jsonl").read_text()
            tests.check("read a" in log and "read b" not in log and "idle" not in log, "only what is needed was done")
            with h5py.File(tests.folder / "needs-out.h5") as file:
                tests.check(np.array_equal(file["s"][()], np.arange(12.0).reshape(4, 3).sum(1 if batched else None)),
                            f"the sums: {file['s'][()]}")
                sources = json.loads(file.attrs["tessera_inputs"])
                tests.check(list(sources) == ["a"], f"provenance: {sources}")


def main():
    tests = Tests()
    with h5py.File(tests.folder / "in.h5", "w") as file:
        file["u"] = np.random.default_rng(1).random((1500, 1100))
        file["bad"] = np.array([1.0, np.nan, np.inf])
    graph = tests.graph("g.json", {
        "inputs": {"u0": "in.h5:/u", "bad": "in.h5:/bad"},
        "steps": {"u": {"op": "stencil", "in": "u0", "weights": "laplace2d", "scale": 0.1, "repeat": 30,
                        "boundary": "periodic"},
                  "U": {"op": "fft", "in": "u", "axes": [0, 1]},
                  "p": {"op": "map", "in": "U", "formula": "abs(U)^2"},
                  "s": {"op": "sum", "in": "p"}, "m": {"op": "max", "in": "bad"}},
        "outputs": {"/u": "u", "/s": "s", "/m": "m"}})
    for ranks in (1, 2, 3):
        tests.expect(["run", graph, "-o", "o.h5", "--overwrite", "--log", "log", "--threads", 1], 0, "wrote",
                     ranks=ranks)
        lines = [json.loads(line, parse_constant=lambda c: tests.check(False, f"{c} isn't JSON"))
                 for line in (tests.folder / "log/timing.jsonl").read_text().splitlines()]
        json.loads((tests.folder / "log/trace.json").read_text())
        run = json.loads((tests.folder / "log/run.json").read_text())
        tests.check(run["outcome"] == "done" and len(run["ranks"]) == ranks, f"run.json: {run}")
        tests.check(0.98 <= run["coverage"] <= 1.001, f"{ranks} ranks: spans cover {run['coverage']:.4f}")
        tests.check("sum of the rows" in (tests.folder / "log/summary.txt").read_text(), "summary.txt")
        headers = [line for line in lines if "wall" in line]
        tests.check(headers and all(h["limits"]["copy_bytes_per_second"] > 1e8 for h in headers),
                    "the copy limit is in the log")
        plan = tests.run(["plan", graph, "-n", ranks, "--json"])
        document = json.loads(plan.stdout)
        planned = list(flatten(document["prologue"] + document["actions"] + document["epilogue"]))
        stages = {"startup", "report"}
        done = [line["label"] for line in lines
                if line["rank"] == 0 and "label" in line and line["phase"] not in stages
                and line["label"] != "last rank"]
        tests.check(planned == done, f"{ranks} ranks: planned {planned[:8]}..., done {done[:8]}...")
    tests.expect(["report", "log"], 0, "sum of the rows")
    data_dependent_loop(tests)
    needless_steps(tests)
    tests.end()


main()
