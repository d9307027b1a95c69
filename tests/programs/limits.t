#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: programs whose memory or files are limited have smaller or fewer rings and are recorded; one that locks its memory locks few rings."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import build, exported, lost, own_socket, stream  # noqa: E402
from tap import tested  # noqa: E402

MIB = 1 << 20
# Limits, and the rings that a program has under them.
CASES = (
    ((), "rings 128 of 4194304 "),
    ((f"--as={2100 * MIB}",), "rings 128 of 4194304 "),
    ((f"--as={1000 * MIB}",), "rings 128 of 524288 "),
    ((f"--as={150 * MIB}",), "rings 16 of 524288 "),
    ((f"--fsize={300 * MIB}",), "rings 128 of 524288 "),
    ((f"--fsize={20 * MIB}",), "rings 16 of 524288 "),
)
# A program of the largest rings.
LARGE = "-DKTRACK_USER_RING_SIZE=(16u << 20)"
# All rings of a program are 512 MiB.
LOCKED_KIB_MAX = 32 << 10


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        program = build(folder, "limits", source="limits.c")
        for limits, rings in CASES:
            output, events, messages = stream(["prlimit", *limits, program] if limits else [program])
            tap.ok(output.startswith(rings) and exported(events) == 2000 and lost(events) == (0, False), f"{limits}: {rings}", output, exported(events), messages)
        output, events, messages = stream([build(folder, "large", source="limits.c", more=[LARGE])])
        tap.ok(output.startswith("rings 128 of 16777216 ") and exported(events) == 2000 and lost(events) == (0, False), "rings of 16 MiB", output, exported(events), messages)
        output, events, messages = stream([program, "lock"], check=False)
        if not output:
            tap.skip("a program that locks its memory", "not allowed")
        else:
            tap.ok(exported(events) == 2000 and 4096 <= int(output.split()[-1]) < LOCKED_KIB_MAX, "a program that locks its memory locks one ring", output, messages)
        output, events, messages = stream(["prlimit", f"--fsize={9 * MIB}", program])
        tap.ok(output.startswith("rings 0 ") and not exported(events), "one with less is not recorded, and runs", output, messages)
