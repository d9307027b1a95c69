#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a module made for another interface of ktrack.ko is refused, and the kernel reports why. In make check on one kernel."""

import itertools
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
import modules  # noqa: E402
from tap import tested  # noqa: E402

NAMES = ("ktrack", "ktrack_demo")
HEADER = "include/ktrack/generic.h"
SYMBOL = re.compile(r"ktrack_interface_(\d+)_(\w+)")
REMEDY = "insmod_ktrack_or_rebuild_against_it"

# What is loaded after what, and whether it works: "own" is the project's, "other" was changed.
LOADS = {
    "own ktrack, own user": True,
    "other ktrack, other user": True,
    "own ktrack, other user": False,
    "other ktrack, own user": False,
    "no ktrack, own user": False,
}


def symbols():
    """The symbol of the interface, and the one of the next."""
    number, remedy = SYMBOL.search((machine.PROJECT / HEADER).read_text()).groups()
    return [f"ktrack_interface_{one}_{remedy}" for one in (number, int(number) + 1)]


def refusals(text):
    """The symbols that the kernel missed, in order; insmod may try twice, and miss twice."""
    missed = re.findall(r"ktrack_demo: Unknown symbol (ktrack_interface_\w+)", text)
    return [symbol for symbol, _ in itertools.groupby(missed)]


def check_kernel(tap, kernel, folder):
    """All combinations on one kernel."""
    own, other = symbols()
    built = modules.build(kernel, folder, NAMES, edits=[(HEADER, own, other)])
    options = [*machine.SINGLE] + [word for path in built for word in ("--add", f"{path}:/other/{path.name}")]
    with machine.ran(kernel, "interface.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        found = dict(line.rsplit(": ", 1) for line in result.output.splitlines())
        for load, works in LOADS.items():
            outcome = "loaded" if works else "refused"
            tap.ok(found.get(load) == outcome, f"{kernel}: {load}: {outcome}", result.output)
        missed = refusals(result.text("dmesg.log"))
        wanted = [other, own]
        tap.ok(missed == wanted, f"{kernel}: the kernel names the missing interface", missed)
        reported = bool(missed) and all(REMEDY in symbol for symbol in missed)
        tap.ok(reported, f"{kernel}: and what to do", missed)


@tested
def main(tap):
    for kernel in machine.ONE_6_1:
        with tempfile.TemporaryDirectory() as folder:
            check_kernel(tap, kernel, Path(folder))
