#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what a call of ktrack/user.h costs: instructions while it is recorded, and one load and one branch otherwise."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import own_socket  # noqa: E402
from tap import tested  # noqa: E402

INCLUDE = HERE.parents[1] / "include"
PAGE = INCLUDE / "ktrack/ktrack-user.7"
BEGIN_MAX, END_MAX = 115, 96
GUARD_MAX = 220
COUNT = 1000
# The page's numbers are a machine's (tests/bench/user_cost.t). These have the call of clock_gettime(), too.
REPORTED_SHARE = 0.15


def collected(words):
    """Instructions of a run, those of clock_gettime() and what it calls excluded."""
    with tempfile.NamedTemporaryFile() as out:
        command = ["valgrind", "--tool=callgrind", "--separate-callers=1", f"--callgrind-out-file={out.name}", *words]
        subprocess.run(command, check=True, capture_output=True)
        shown = subprocess.run(["callgrind_annotate", "--threshold=100", out.name], check=True, capture_output=True, text=True).stdout
    total = int(re.search(r"^\s*([\d,]+).*PROGRAM TOTALS", shown, re.MULTILINE)[1].replace(",", ""))
    clock = re.findall(r"^\s*([\d,]+) \([^)]*\)\s+\S*(?:clock_gettime|vdso)", shown, re.MULTILINE)
    return total - sum(int(number.replace(",", "")) for number in clock)


def cost(program, kind):
    """Instructions of one call, without the loop around it."""
    few, many = (collected([program, str(count), kind]) for count in (COUNT, 2 * COUNT))
    return (many - few) / COUNT


def check_enabled(tap, program):
    """A begin and an end with one field; the loop is that of calls that are off, which cost 4 with their return."""
    loop = cost(program, "o") - 4
    page = PAGE.read_text() if PAGE.exists() else ""
    slice_sum = 0
    for kind, name, most in (("b", "begin", BEGIN_MAX), ("e", "end", END_MAX)):
        instructions = cost(program, kind) - loop
        slice_sum += instructions
        tap.ok(0 < instructions <= most, f"{name} with one field: {instructions:.0f} instructions", most)
        reported = re.search(rf"^{name}, one field\t(\d+)\t", page, re.MULTILINE)
        is_near = reported and abs(int(reported[1]) - instructions) <= REPORTED_SHARE * instructions
        tap.ok(is_near, f"the page reports the cost of {name}", reported, instructions)
    guard = cost(program, "g") - loop
    tap.ok(slice_sum < guard <= GUARD_MAX, f"a guard: {guard:.0f} instructions, {guard - slice_sum:.0f} more than its begin and its end", GUARD_MAX)


def check_off(tap, program):
    """The code up to the return of a call that is off."""
    shown = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], check=True, capture_output=True, text=True).stdout
    for name in ("cost_begin", "cost_end"):
        body = re.search(rf"<{name}>:\n(.*?)\n\n", shown, re.DOTALL)[1]
        words = [line.split("\t")[1].split() for line in body.splitlines()]
        opcodes = [word[0] for word in words if word[0] != "endbr64"][:4]
        tap.ok(opcodes[0] == "mov" and opcodes[1] == "test" and opcodes[2] == "jne" and opcodes[3] == "ret", f"{name}: a load, a test and a branch", body)
        tap.ok("ktrack_user3_control" in body.splitlines()[0], f"{name}: the load is of a fixed address", body)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        program = Path(folder) / "cost"
        subprocess.run(["gcc", "-O2", f"-I{INCLUDE}", "-o", program, HERE / "cost.c"], check=True)
        check_off(tap, program)
        check_enabled(tap, program)
