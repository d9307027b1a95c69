#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: checkpatch has nothing to say about the kernel's side."""

import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import build  # noqa: E402
import machine  # noqa: E402
from tap import Tap  # noqa: E402

# What checkpatch may say, and why it can't be otherwise.
ALLOWED = {
    # Its macros make declarations, lists and statements of attributes, or choose one of several: none can look like
    # a function.
    "include/ktrack/define.h": {
        "COMPLEX_MACRO",
        "MACRO_ARG_UNUSED",
        "MACRO_WITH_FLOW_CONTROL",
        "MULTISTATEMENT_MACRO_USE_DO_WHILE",
        "SPACING",
        "TRAILING_SEMICOLON",
    },
    # The same for what these expand to: an attribute's field, its statement, its part of a list, its functions.
    "include/ktrack/attribute.h": {"COMPLEX_MACRO", "MACRO_ARG_UNUSED", "SPACING"},
    "include/ktrack/record.h": {
        "COMPLEX_MACRO",
        "MACRO_ARG_UNUSED",
        "MULTISTATEMENT_MACRO_USE_DO_WHILE",
        "TRAILING_SEMICOLON",
    },
    "include/ktrack/values.h": {
        "COMPLEX_MACRO",
        "MACRO_ARG_UNUSED",
        "MACRO_WITH_FLOW_CONTROL",
        "MULTISTATEMENT_MACRO_USE_DO_WHILE",
        "SPACING",
        "TRAILING_SEMICOLON",
    },
    "include/ktrack/guard.h": {
        "COMPLEX_MACRO",
        "MACRO_ARG_UNUSED",
        "MULTISTATEMENT_MACRO_USE_DO_WHILE",
        "SPACING",
        "TRAILING_SEMICOLON",
    },
    # The names of these types are in the formats of events.
    "include/ktrack/ids.h": {"NEW_TYPEDEFS"},
    # Lists that a macro is applied to.
    "include/ktrack/list.h": {"COMPLEX_MACRO", "MACRO_ARG_UNUSED"},
    # Each mistake is a type; its macros make declarations and statements that may be none at all, for sparse.
    "include/ktrack/check.h": {
        "COMPLEX_MACRO",
        "FUNCTION_ARGUMENTS",
        "MACRO_ARG_UNUSED",
        "MULTISTATEMENT_MACRO_USE_DO_WHILE",
        "TRAILING_SEMICOLON",
    },
}
# Where each kernel's checkpatch comes from; one is in a tree that other tests need too.
TREES = {
    "6.1": [HERE / "source-tree"],
    "6.12": [HERE / "checkpatch-tree", "6.12"],
}
CHECKPATCH = ("--no-tree", "--terse", "--show-types", "--max-line-length=100", "-f")
FOLDERS = ("include/ktrack", "kmod", "tests/kernel")


def is_allowed(line):
    """Whether checkpatch may report it: FILE:LINE: LEVEL:KIND: WORDS."""
    name = line.partition(":")[0]
    return any(f":{kind}:" in line for kind in ALLOWED.get(name, ()))


def remarks_of(tree, files):
    """What checkpatch says about files, less what it may."""
    names = [file.relative_to(build.PROJECT) for file in files]
    done = subprocess.run(
        ["perl", tree / "scripts/checkpatch.pl", *CHECKPATCH, *names],
        cwd=build.PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith("total:")]
    return [line for line in lines if not is_allowed(line)]


def check_checkpatch(tap, series, words):
    """A kernel's own idea of style."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
    if not tap.ok(done.returncode == 0, f"{series}: its checkpatch is there", done.stderr):
        return
    tree = Path(done.stdout.strip())
    files = [file for one in FOLDERS for file in (build.PROJECT / one).rglob("*.[ch]")]
    files = [file for file in files if not file.name.endswith(".mod.c")]
    tap.ok(len(files) > 20, f"{series}: there are files to look at", len(files))
    tap.nothing(remarks_of(tree, sorted(files)), f"{series}: checkpatch has nothing to say")


def main():
    tap = Tap()
    for series, words in (TREES if machine.IS_FULL else {"6.12": TREES["6.12"]}).items():
        check_checkpatch(tap, series, words)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
