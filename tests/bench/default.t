#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what the default selection costs in instructions and memory, against the same packs by -r and the convention alone."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import growth  # noqa: E402
import inputs  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = str(PROJECT / "build/ktrack")
SIZE = 19000
COMMANDS = (("stat",), ("export",), ("export", "--html=/dev/null"))

# Of events that no rule takes, the default shows an instant each: of a kernel's tracepoint with six fields and of a small one. Outputs
# also print the fields, the page indexes and compresses them.
UNTAKEN = f"""task 7 reader
format {inputs.FORMATS}/kmem/kmalloc
event other:tick 4000 u32 number; s64 value
"""
UNTAKEN_ROUND = """
+100 7@0 kmalloc call_site=0xffffffff81000000 ptr=0xffff888000000000 bytes_req=64 bytes_alloc=64 gfp_flags=0xcc0 node=-1
+100 7@0 tick $i -1
"""
UNTAKEN_MAX = (500, 700, 2100)
PACKS_RATIO, CONVENTION_RATIO = 1.05, 1.03

# A million records; memory as section MEMORY of ktrack-explained(7) limits it, for one CPU and few tracks.
RECORDS = 1000000
MEMORY_KIB_MAX = 32 * 1024 + 64


def untaken(size):
    """Events that neither a rule nor the convention takes."""
    return inputs.repeated(UNTAKEN, size // 2, UNTAKEN_ROUND)


def cost(folder, script, *words):
    """Instructions for each record."""
    return growth.marginal_total([KTRACK, *words], folder, script, SIZE)


def check_ratio(tap, folder, script, options, what, limit):
    """The default, against a selection that shows the same."""
    for command in COMMANDS:
        own, named = cost(folder, script, *command), cost(folder, script, *command, *options)
        claim = f"{' '.join(command)}: the default costs at most {limit} times {what}"
        tap.ok(own <= limit * named, claim, f"{own:.0f} and {named:.0f} instructions")
        tap.comment(f"{' '.join(command)}: {own:.0f} instructions by default, {named:.0f} with {' '.join(options)}")


def check_untaken(tap, folder):
    """What an event costs that becomes an instant."""
    for command, limit in zip(COMMANDS, UNTAKEN_MAX):
        found = cost(folder, untaken, *command)
        tap.ok(found <= limit, f"{' '.join(command)}: an event that no rule takes costs at most {limit} instructions", f"{found:.0f}")
        tap.comment(f"{' '.join(command)}: {found:.0f} instructions for an event that no rule takes")


def memory(words):
    """KiB that a command needs at most."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return usage.ru_maxrss if status == 0 else None


def check_memory(tap, folder):
    """Of a million records, the page included."""
    for name, script in (("kernel", inputs.kernel), ("untaken", untaken)):
        path = inputs.make(folder, name, script(RECORDS))
        for command in (*COMMANDS, ("why",)) if name == "kernel" else COMMANDS:
            found = memory([KTRACK, *command, path])
            claim = f"{name}: {' '.join(command)} of a million records needs at most {MEMORY_KIB_MAX} KiB"
            tap.ok(found is not None and found <= MEMORY_KIB_MAX, claim, found)
            tap.comment(f"{name}: {' '.join(command)} needs {found} KiB")


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_ratio(tap, folder, inputs.kernel, ("-r", inputs.KERNEL_RULES), "the same packs by -r", PACKS_RATIO)
        check_ratio(tap, folder, inputs.mixed, ("-r", "convention"), "the convention alone", CONVENTION_RATIO)
        check_untaken(tap, folder)
        check_memory(tap, folder)
