# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""What the README says of the program is so: its table of operations is the program's own (--fix writes it),
its commands exist, the files that it names are there, and its graph is accepted by `tessera schema`."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

BEGIN = "<!-- operations: begin (made by scripts/lint.sh --readme) -->\n"
END = "<!-- operations: end -->"


def output_of(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True,
                          encoding="utf-8", timeout=60).stdout


def operations_table(tessera):
    """Family, name and summary, from the reference page."""
    rows = ["| family | operation | what it computes |", "|---|---|---|"]
    family = ""
    page = output_of(tessera, "ops", "--markdown")
    for heading, name, summary in re.findall(r"^(##|###) (.+)\n\n(?:(?!###)(.*)$)?", page, re.M):
        if heading == "##":
            family = name
            continue
        rows.append(f"| {family} | `{name}` | {summary.replace('|', chr(92) + '|')} |")
        family = ""  # named once
    return "\n".join(rows) + "\n"


def with_table(text, table):
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table + END + after


def missing_files(text, folder, source):
    """Links, relative to the text's folder, and paths in backticks or commands, from the sources'."""
    links = re.findall(r"\]\(([^):#]+)\)", text)
    paths = re.findall(r"`((?:src|kernels|scripts|inputs|tests|\.ci)/[\w./-]*)`", text)
    paths += re.findall(r"^(scripts/\w+\.sh)", text, re.M)
    return [name for name in links if not (folder / name).exists()] + [
        name for name in paths if not (source / name).exists()]


def faults(tessera, source):
    text = (source / "README.md").read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        yield "README.md: the markers of the operations' table are missing"
    elif with_table(text, operations_table(tessera)) != text:
        yield "README.md: the table of operations isn't the program's; scripts/lint.sh --readme writes it"
    commands = re.findall(r"^  (\w+)  ", output_of(tessera, "--help").partition("Subcommands:")[2], re.M)
    described = re.findall(r"^\| `(\w+)` \|", text.partition("## Commands")[2].partition("\n## ")[0], re.M)
    if not commands or sorted(commands) != sorted(described):
        yield f"README.md describes the commands {described}, the program has {commands}"
    for name in missing_files(text, source, source):
        yield f"README.md names {name}, which isn't there"
    examples = (source / "inputs" / "README.md").read_text(encoding="utf-8")
    for name in missing_files(examples, source / "inputs", source):
        yield f"inputs/README.md names {name}, which isn't there"
    for graph in (source / "inputs").glob("*/*.json"):
        if f"## {graph.stem}:" not in examples:
            yield f"inputs/README.md doesn't describe {graph.stem}"
    schema = json.loads(output_of(tessera, "schema"))
    graph = json.loads(re.search(r"^```json\n(.*?)^```", text, re.M | re.S)[1])
    try:
        import jsonschema
    except ImportError:
        return
    for error in jsonschema.Draft7Validator(schema).iter_errors(graph):
        yield f"README.md: its graph is refused by the schema: {error.message[:200]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tessera", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--fix", action="store_true", help="write the table into the README")
    options = parser.parse_args()
    tessera = options.tessera.resolve()
    if options.fix:
        readme = options.source / "README.md"
        readme.write_text(with_table(readme.read_text(encoding="utf-8"), operations_table(tessera)), encoding="utf-8")
    found = list(faults(tessera, options.source))
    for fault in found:
        print("FAILED", fault)
    print(f"{len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
