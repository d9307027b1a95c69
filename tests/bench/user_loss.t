#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: no record of a program is lost at up to a million events in a second, nor in bursts; on an idle machine."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "programs")]

from programs import FLAGS, KTRACK, own_socket  # noqa: E402
from tap import Tap  # noqa: E402

# Threads, events up to a pause, the pause in nanoseconds, events of a thread.
LOADS = {
    "300,000 events in a second of one thread": (1, 300, 900_000, 600_000),
    "a million events in a second of one thread": (1, 1000, 900_000, 1_000_000),
    "2 million events in a second of two threads": (2, 1000, 900_000, 1_000_000),
    "bursts of 10,000 events of two threads": (2, 10_000, 10_000_000, 300_000),
}


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        own_socket(folder)
        program = Path(folder) / "user_burst"
        subprocess.run(["gcc", *FLAGS, "-o", program, HERE / "user_burst.c"], check=True)
        for name, words in LOADS.items():
            command = [KTRACK, "record", "--programs", "-o", f"{folder}/trace.dat", "--", program, *map(str, words)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            tap.ok("lost" not in done.stderr, f"nothing is lost: {name}", done.stderr)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
