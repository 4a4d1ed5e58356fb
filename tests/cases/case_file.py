# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""Reads the text files of cases in this folder.

A file holds cases, each a title and sections:

    === a title
    --- graph          what graph.json holds, as it is (needed)
    --- data           optional lines FILE:/DATASET = numpy expression, besides those of DATA
    --- command        optional; default: check graph.json
    --- exit           optional; default: 3
    --- stderr         exactly what the program says there (default: nothing)
    --- stdout         exactly; not compared when left out
    --- schema         "accepts" where the JSON Schema can't see what is wrong

Lines before the first case are comments.
"""
import json
import pathlib
from dataclasses import dataclass, field

# Every case has these files.
DATA = [
    "plate.h5:/t = np.arange(48.).reshape(6, 8)",
    "plate.h5:/s = np.float64(3.5)",
    "stack.h5:/x = np.zeros((5, 4, 3), 'f4')",
]
SECTIONS = ("graph", "data", "command", "exit", "stderr", "stdout", "schema")


@dataclass
class Case:
    file: str
    title: str
    line: int
    sections: dict = field(default_factory=dict)

    def text(self, name, default=""):
        return "".join(self.sections.get(name, [default]))

    def word(self, name, default):
        return self.text(name).strip() or default

    @property
    def name(self):
        return f"{self.file}:{self.line}: {self.title}"

    @property
    def exit_code(self):
        return int(self.word("exit", "3"))


def read_cases(path):
    cases, lines = [], None
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(True), 1):
        if line.startswith("=== "):
            cases.append(Case(pathlib.Path(path).name, line[4:].strip(), number))
            lines = None
        elif line.startswith("--- "):
            name = line[4:].strip()
            if not cases or name not in SECTIONS or name in cases[-1].sections:
                raise ValueError(f"{path}:{number}: no section can stand here")
            lines = cases[-1].sections.setdefault(name, [])
        elif lines is not None:
            lines.append(line)
    for case in cases:
        # An empty line before the next title or section belongs to no section.
        for lines in case.sections.values():
            while lines and not lines[-1].strip():
                lines.pop()
    return cases


def all_cases():
    folder = pathlib.Path(__file__).parent
    return [case for path in sorted(folder.glob("*.txt")) for case in read_cases(path)]


def without_comments(text):
    """JSON text with // and /* */ comments replaced by spaces."""
    result, i = [], 0
    while i < len(text):
        if text[i] == '"':
            end = i + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            result.append(text[i:end + 1])
            i = end + 1
        elif text.startswith("//", i):
            i = len(text) if text.find("\n", i) < 0 else text.find("\n", i)
        elif text.startswith("/*", i):
            end = text.find("*/", i)
            if end < 0:
                raise ValueError("a comment doesn't end")
            result.append(" ")
            i = end + 2
        else:
            result.append(text[i])
            i += 1
    return "".join(result)


def parse_graph(text):
    """As the program reads it: raises ValueError for what isn't JSON, or has a key twice."""
    def unique(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a key comes twice")
        return dict(pairs)

    def refuse(constant):
        raise ValueError(f"{constant} isn't JSON")

    return json.loads(without_comments(text), object_pairs_hook=unique, parse_constant=refuse)
