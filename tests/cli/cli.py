# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
"""What the command line tests share: a scratch folder, checks that are counted, runs of the program."""
import argparse
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from harness import environment


class Tests:
    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--tessera", required=True)
        parser.add_argument("--source", required=True)
        options = parser.parse_args()
        self.tessera = options.tessera
        self.source = pathlib.Path(options.source)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera-cli-"))
        self.passed = 0
        self.failed = 0

    def check(self, ok, text):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED", text, flush=True)
        return ok

    def command(self, arguments, ranks=1):
        command = [self.tessera] + [str(a) for a in arguments]
        return ["mpirun", "-n", str(ranks)] + command if ranks > 1 else command

    def run(self, arguments, ranks=1, timeout=120, env=None):
        return subprocess.run(self.command(arguments, ranks), capture_output=True, text=True, timeout=timeout,
                              env={**environment(), **(env or {})}, cwd=self.folder)

    def expect(self, arguments, code, says="", ranks=1):
        """Runs, checks the exit code and a word of the message; returns what came out."""
        done = self.run(arguments, ranks)
        where = " ".join(str(a) for a in arguments)
        self.check(done.returncode == code,
                   f"`{where}` on {ranks} ranks: exit {done.returncode}, expected {code}: {done.stderr[-500:]}")
        self.check(says in done.stderr + done.stdout,
                   f"`{where}` on {ranks} ranks: expected {says!r} in {(done.stderr + done.stdout)[-800:]!r}")
        return done

    def graph(self, name, document):
        path = self.folder / name
        path.write_text(json.dumps({"tessera": 1, **document}))
        return path

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
