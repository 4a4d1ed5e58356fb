#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema that `tessera schema` prints: valid itself, accepts every graph of inputs/ and every
operation's example, and refuses the broken graphs of this folder, except those where only the program
can see what is wrong.

Usage: schema_test.py --tessera PROGRAM --inputs FOLDER
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

from case_file import all_cases, parse_graph

try:
    import jsonschema
except ImportError:
    sys.exit(77)  # skipped


def output_of(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True,
                          encoding="utf-8", timeout=60).stdout


def faults_of(validator, graph):
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(graph)]


def check_graphs(validator, folder):
    paths = sorted(folder.glob("*/*.json"))
    failures = [] if paths else [f"no graphs in {folder}"]
    for path in paths:
        faults = faults_of(validator, parse_graph(path.read_text(encoding="utf-8")))
        failures += [f"{path}: refused: {fault}" for fault in faults]
    return failures


def check_examples(validator, tessera):
    page = output_of(tessera, "ops", "--markdown")
    examples = re.findall(r"^### (\S+)$.*?^```json\n(.*?)^```", page, re.M | re.S)
    failures = [] if examples else ["no examples in the reference page"]
    for name, text in examples:
        step = parse_graph(text)
        if step.get("op") != name:
            failures.append(f"the example of {name} is of another operation: {text}")
        graph = {"tessera": 1, "steps": {"y": step}, "outputs": {"/y": "y"}}
        failures += [f"example of {name}: refused: {fault}" for fault in faults_of(validator, graph)]
    return failures


def check_cases(validator):
    failures = []
    for case in all_cases():
        try:
            graph = parse_graph(case.text("graph"))
        except ValueError:
            continue  # an editor says so before any schema is asked
        faults = faults_of(validator, graph)
        wanted = "accepts" if case.exit_code != 3 else case.word("schema", "refuses")
        if wanted == "accepts" and faults:
            failures.append(f"{case.name}: refused: {faults[0]}")
        if wanted == "refuses" and not faults:
            failures.append(f"{case.name}: accepted")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", required=True, type=pathlib.Path)
    parser.add_argument("--inputs", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    schema = json.loads(output_of(arguments.tessera.resolve(), "schema"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = check_graphs(validator, arguments.inputs)
    failures += check_examples(validator, arguments.tessera.resolve())
    failures += check_cases(validator)
    for failure in failures:
        print("FAILED", failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
