#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack.ko's tracepoints are called as its interface's number says; with others it has another number."""

import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import build  # noqa: E402
from interfaces import INTERFACES  # noqa: E402
from tap import tested  # noqa: E402

KERNEL = "6.12"
NUMBER = re.compile(r"ktrack_interface_needed.*= &ktrack_interface_(\d+)_")
PROTOTYPE = re.compile(r"void trace_(ktrack_\w+)\(([^)]*)\)")


def preprocessed(tap, folder):
    """What the compiler sees of a module that uses the tracepoints."""
    build.copy_outside(folder, "borrower")
    built = build.make(build.headers(KERNEL), folder, "borrower.i")
    tap.ok(built.status == 0, "a user of the tracepoints can be preprocessed", built.log[-3000:])
    # Line markers are between the words.
    return " ".join(line for line in (folder / "borrower.i").read_text().splitlines() if not line.startswith("# "))


def prototypes(text):
    """The tracepoints as functions, in one way of writing."""
    for name, arguments in PROTOTYPE.findall(text):
        if not name.endswith("_rcuidle"):
            words = re.sub(r" +", " ", arguments).replace(" ,", ",").replace("* ", "*")
            yield f"{name}({words.strip()})"


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as scratch:
        text = preprocessed(tap, Path(scratch) / "borrower")
    number = NUMBER.search(text)
    found = set(prototypes(text))
    tap.ok(number and number[1] in INTERFACES, "its interface is known", *INTERFACES)
    wanted = INTERFACES.get(number[1], set()) if number else set()
    tap.ok(len(wanted) >= 14, "it has tracepoints", *wanted)
    tap.nothing(sorted(found ^ wanted), f"they are those of interface {number and number[1]}")
