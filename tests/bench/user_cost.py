# SPDX-License-Identifier: GPL-2.0-only
"""What a call of ktrack/user.h costs next to trace_marker and a static tracepoint: one run in a machine that counts instructions."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "vm")]

import machine  # noqa: E402

KERNELS = ("6.1", "6.12")
ROUNDS = 20000
PAGE = machine.PROJECT / "include/ktrack/ktrack-user.7"
# The page's lines, and what is measured for them.
LINES = {
    "any call, off": "off",
    "begin, one field": "begin",
    "end, one field": "end",
    "clock_gettime()": "clock",
    "write(2) to trace_marker, 20 bytes": "marker",
    "write(2) to /dev/null": "null",
    "TRACE_EVENT of two ints, in a driver": "tracepoint",
}


def build(folder):
    """Compiles the guest program; returns the option that brings it into the machine."""
    program = Path(folder) / "user_cost"
    source = machine.PROJECT / "tests/bench/user_cost.c"
    subprocess.run(["gcc", "-O2", f"-I{machine.PROJECT / 'include'}", "-o", program, source], check=True)
    return "--add", f"{program}:/user_cost"


def run(kernel):
    """The machine's result, to be looked at before it is read."""
    with tempfile.TemporaryDirectory() as folder:
        return machine.run(folder, kernel, "user_cost.sh", ROUNDS, options=("--icount", *build(folder)))


def costs(text):
    """Instructions by name, without those of the loop; begin and end without those of the clock, as the page has them."""
    ticks = {name: float(number) for name, number in (line.split() for line in text.splitlines())}
    own = {name: ticks[name] - ticks["loop"] for name in ("off", "clock", "begin", "end", "null", "marker")}
    own["tracepoint"] = ticks["tracepoint"] - ticks["kernel_loop"]
    for name in ("begin", "end"):
        own[name] -= own["clock"]
    return own


def page_lines():
    """The page's table of the machine: {what: [number for each kernel]}."""
    found = re.search(r"^\.TS\nl r r\.\n\tLinux 6\.1\tLinux 6\.12\n((?:.*\t\d+\t\d+\n)+)\.TE$", PAGE.read_text(), re.MULTILINE)
    rows = [line.split("\t") for line in found[1].splitlines()] if found else []
    return {what: [int(number) for number in numbers] for what, *numbers in rows}
