#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: each failing call of the C library in record, stream and recover is survived, and all records are exported or reported."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "programs")]

from faults import IS_FULL, check_scenarios  # noqa: E402
from programs import build, own_socket  # noqa: E402
from recordings import Programs, Recover  # noqa: E402
from tap import tested  # noqa: E402

STEP = 1 if IS_FULL else 20


def scenarios(load):
    """All commands that record without a kernel."""
    yield Recover()
    yield Programs("record", ["record", "-o", "trace.dat"], load)
    yield Programs("record --mode=circular", ["record", "-o", "trace.dat", "--mode=circular", "-b", "8192"], load)
    yield Programs("stream", ["stream", "--event=out.event"], load)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        load = build(folder)
        check_scenarios(tap, scenarios(load), STEP)
