#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what ktrack why prints of a made recording, byte by byte, and that the parts of its JSON add up; --update rewrites it."""

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from schema import undocumented, wrong_answer  # noqa: E402
from sums import wrong_sums  # noqa: E402
from tap import Tap  # noqa: E402

KTRACK = HERE.parents[1] / "build/ktrack"
MKTRACE = HERE.parent / "golden/mktrace"
LIMIT_S = 60

# Script: the command lines whose output its expected file has, one after the other.
CASES = {
    "driver": (
        "busy",
        "mydrv:io/locked",
        "--why-depth=0 mydrv:io/locked",
        "write",
        "--slowest=2 'w*'",
        "dma",
        "lossy",
        "hung@reader",
        "--at=350us '*'",
        "--slowest=3 'sched:thread/*@reader'",
        "irq:cpu/BLOCK",
        "--aggregate 'mydrv:*/*'",
        "--json locked",
        "--json --aggregate '*'",
    ),
}
CATEGORY = "; those of packs need their category, as in syscalls:call/read"
REFUSED = {
    "nothing": (1, "trace.dat: no slice matches 'nothing'; 'ktrack stat' with the same -e and -r lists slices" + CATEGORY),
    "--at=5s '*'": (1, "trace.dat: no slice matches '*' and is open at that time; 'ktrack stat' with the same -e and -r lists slices" + CATEGORY),
    "": (2, "a slice is missing; write '*' for any, or see 'ktrack why --help'"),
    "a b": (2, "unexpected argument 'b'"),
    "a@": (2, "'a@': no track behind '@'; write \\@ for an @ of a name"),
    "--aggregate --slowest=2 a": (2, "--aggregate: covers all slices; leave out --slowest"),
    "--aggregate --at=2 a": (2, "--aggregate: covers all slices; leave out --at"),
    "--aggregate --folded=x a": (2, "--folded: contains single slices; leave out --aggregate"),
    "--folded=- a": (2, "--folded=-: standard output is that of the explanation; write a file"),
    "--slowest=1001 a": (2, "--slowest=1001: too large; write a number up to 1000"),
    "--why-depth=17 a": (2, "--why-depth=17: too large; write a number up to 16"),
}


def make(name, folder):
    """Makes a case's trace.dat."""
    subprocess.run([MKTRACE, HERE / f"data/{name}.script", folder / "trace.dat"], check=True)


def explain(words, folder):
    """Runs ktrack why on trace.dat; returns (status, output, errors)."""
    command = [KTRACK, "why", "trace.dat", *shlex.split(words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    return done.returncode, done.stdout, done.stderr


def check_sums(tap, folder):
    """All slices of a file."""
    answer = json.loads(explain("--json --slowest=1000 '*:*/*'", folder)[1])
    wrong = [line for one in answer["slices"] for line in wrong_sums(one["parts"], one["ns"], one["name"])]
    tap.ok(len(answer["slices"]) == answer["matched"] > 50, "all slices are explained", answer["matched"])
    tap.nothing(wrong, "the parts of each add up")


def check_aggregate(tap, folder):
    """The groups' parts add up to the time of their slices."""
    answer = json.loads(explain("--json --aggregate '*:*/*'", folder)[1])["aggregate"]
    for group in ("slowest", "median"):
        found = sum(part[f"{group}_ns"] for part in answer["parts"])
        tap.ok(found == answer[group]["ns"] > 0, f"the parts of the {group} slices add up", found, answer[group])


def check_schema(tap, folder):
    """The JSON has the members that ktrack-why(1) describes, and no others."""
    for words in ("--slowest=1000 '*:*/*'", "--aggregate '*:*/*'", "--at=350us '*'"):
        tap.nothing(list(wrong_answer(json.loads(explain(f"--json {words}", folder)[1]))), f"the members of --json {words}")
    tap.nothing(undocumented(), "the page names all members")


def check_folded(tap, folder):
    """Folded stacks of all slices add up to their time; semicolons are only between frames."""
    answer = json.loads(explain("--json --slowest=1000 --folded=out.folded '*:*/*'", folder)[1])
    lines = [line.rsplit(" ", 1) for line in (folder / "out.folded").read_text().splitlines()]
    total = sum(int(ns) for _, ns in lines)
    tap.ok(total == sum(one["ns"] for one in answer["slices"]) > 0, "folded stacks add up", total)
    wanted = "mydrv:io;locked;blocked (D) in READ, woken by holder (50);runnable on CPU 1 behind hog (61)"
    tap.ok([wanted, "200000"] in lines, "a waker's parts are on the wait")


def check_case(tap, name, is_updating):
    """One script."""
    expected = HERE / f"data/{name}.expected"
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        make(name, folder)
        found = "".join(f"$ why {words}\n{explain(words, folder)[1]}" for words in CASES[name])
        check_sums(tap, folder)
        check_aggregate(tap, folder)
        check_schema(tap, folder)
        check_folded(tap, folder)
        for words, (status, message) in REFUSED.items():
            done, _, errors = explain(words, folder)
            is_right = done == status and errors.splitlines()[-1:] == [f"ktrack: {message}"]
            tap.ok(is_right, f"'{words}' is refused", done, errors)
    if is_updating:
        expected.write_text(found)
    wanted = expected.read_text().splitlines() if expected.exists() else []
    wrong = [line for line in found.splitlines() if line not in wanted]
    tap.ok(found.splitlines() == wanted, f"{name}: the text is as expected", *wrong)


def main():
    """Returns the exit status."""
    tap = Tap()
    for name in CASES:
        check_case(tap, name, "--update" in sys.argv)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
