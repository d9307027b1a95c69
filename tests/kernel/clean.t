#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: checkpatch has nothing to say about the kernel's side."""

import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import build  # noqa: E402
import machine  # noqa: E402
from tap import tested  # noqa: E402

# Where each kernel's checkpatch comes from; one is in a tree that other tests need too.
TREES = {
    "6.1": [HERE / "source-tree"],
    "6.12": [HERE / "checkpatch-tree", "6.12"],
}
CHECKPATCH = ("--no-tree", "--terse", "--show-types", "--max-line-length=100", "-f")
FOLDERS = ("include/ktrack", "kmod", "tests/kernel")


def explained(file):
    """The kinds of remarks that the top of a file explains: "checkpatch reports KIND, KIND: REASON"."""
    top = file.read_text().partition("*/\n")[2].partition("*/")[0]
    words = " ".join(line.strip().removeprefix("*").strip() for line in top.splitlines())
    found = re.search(r"checkpatch reports ([A-Z_, ]+): \S", words)
    return set(found[1].split(", ")) if found else set()


def is_allowed(line):
    """Whether checkpatch may report it: FILE:LINE: LEVEL:KIND: WORDS."""
    name = line.partition(":")[0]
    if not name.startswith("include/ktrack/"):
        return False
    # A guard is a declaration, which checkpatch takes for a statement.
    if name.startswith("include/ktrack/example/") and ":LINE_SPACING:" in line:
        return True
    return any(f":{kind}:" in line for kind in explained(build.PROJECT / name))


def remarks_of(tree, files):
    """What checkpatch says about files, and what of it is not explained at their top."""
    names = [file.relative_to(build.PROJECT) for file in files]
    done = subprocess.run(
        ["perl", tree / "scripts/checkpatch.pl", *CHECKPATCH, *names],
        cwd=build.PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith("total:")]
    return lines, [line for line in lines if not is_allowed(line)]


def check_checkpatch(tap, series, words):
    """A kernel's own idea of style."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not tap.ok(done.returncode == 0, f"{series}: its checkpatch is there", done.stderr):
        return []
    tree = Path(done.stdout.strip())
    files = [file for one in FOLDERS for file in (build.PROJECT / one).rglob("*.[ch]")]
    files = [file for file in files if not file.name.endswith(".mod.c")]
    tap.ok(len(files) > 20, f"{series}: there are files to look at", len(files))
    lines, unexplained = remarks_of(tree, sorted(files))
    tap.nothing(unexplained, f"{series}: checkpatch has nothing to say but what the tops of headers explain")
    return lines


def check_needed(tap, lines):
    """No kind is explained that no checkpatch reports."""
    unneeded = []
    for file in sorted((build.PROJECT / "include/ktrack").rglob("*.h")):
        name = str(file.relative_to(build.PROJECT))
        own = [line for line in lines if line.startswith(f"{name}:")]
        unneeded += [f"{name}: {kind}" for kind in sorted(explained(file)) if not any(f":{kind}:" in line for line in own)]
    tap.nothing(unneeded, "each explanation is needed")


@tested
def main(tap):
    """All checks."""
    lines = []
    for series, words in (TREES if machine.IS_FULL else {"6.12": TREES["6.12"]}).items():
        lines += check_checkpatch(tap, series, words)
    check_needed(tap, lines)
