# SPDX-License-Identifier: GPL-2.0-only
"""Instructions that a command executes, by the modules of userspace/, as callgrind counts them."""

import os
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

MODULE = re.compile(r"userspace/([a-z0-9]+)/")
POSITION = re.compile(r"(c?)(ob|fl|fi|fe|fn)=\((\d+)\)(?: (.*))?")


class Function:
    """A function's cost, by where its code was written: of what is inlined, too."""

    def __init__(self):
        self.files, self.cost = set(), 0

    def module(self):
        """The module whose function this is, None outside of userspace/."""
        own = sorted(self.files, key=lambda file: (not file.endswith(".c"), file))
        found = [match[1] for match in map(MODULE.search, own) if match]
        return found[0] if found else None


class Profile:
    """A callgrind.out file that is being read: whose lines these are, and what they cost."""

    def __init__(self, program):
        self.program = program
        self.names = {}
        self.here, self.callee = {}, {}
        self.functions = {}
        self.is_call = False

    def move(self, is_callee, kind, number, name):
        """A line with the location of the following costs; each name is written once."""
        kind = kind if kind in ("ob", "fn") else "fl"
        if name is not None:
            self.names[kind, number] = name
        place = self.callee if is_callee else self.here
        place[kind] = number
        if kind == "ob" and not is_callee:
            self.callee[kind] = number

    def is_outside(self, place):
        """Whether a place is in another object, the C library's for example."""
        return self.names.get(("ob", place.get("ob")), "") != self.program

    def cost(self, number):
        """What a line costs; what is called in other objects is on the caller's account."""
        is_counted = not self.is_call or self.is_outside(self.callee)
        self.is_call = False
        self.callee = {"ob": self.here.get("ob")}
        if self.is_outside(self.here) or not is_counted:
            return
        function = self.functions.setdefault(self.here["fn"], Function())
        function.files.add(self.names.get(("fl", self.here["fl"]), ""))
        function.cost += number

    def read(self, lines):
        """All lines; returns instructions by module."""
        for line in lines:
            found = POSITION.match(line)
            if found:
                self.move(bool(found[1]), *found.groups()[1:])
            elif line.startswith("calls="):
                self.is_call = True
            elif line[:1] in "+-*0123456789" and line.strip():
                self.cost(int(line.split()[1]))
        costs = Counter()
        for function in self.functions.values():
            if function.module():
                costs[function.module()] += function.cost
        return costs


def run(words, folder, environment=None):
    """Runs a command without its output; returns the path of its callgrind.out file."""
    out = Path(folder) / "callgrind.out"
    command = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}", *words]
    subprocess.run(
        command, stdout=subprocess.DEVNULL, check=True, env=environment or dict(os.environ)
    )
    return out


def count(words, environment=None):
    """Runs a command; returns the Counter of its instructions by module."""
    with tempfile.TemporaryDirectory() as folder:
        path = run(words, folder, environment)
        with open(path, encoding="utf-8", errors="replace") as lines:
            return Profile(str(Path(words[0]).resolve())).read(lines)


def total(words):
    """Runs a command; returns the number of all its instructions, libraries included."""
    with tempfile.TemporaryDirectory() as folder:
        with open(run(words, folder), encoding="utf-8", errors="replace") as lines:
            return sum(int(line.split()[1]) for line in lines if line.startswith("summary:"))
