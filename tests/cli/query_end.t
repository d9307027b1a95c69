#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: an endless query ends at once by Ctrl-C or SIGTERM, by the signal itself, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "outputs"), str(HERE.parent)]

import cases  # noqa: E402
import process  # noqa: E402
from tap import Tap  # noqa: E402

ENDLESS = "WITH RECURSIVE it(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM it) SELECT x FROM it"


def check_end(tap, folder, source, number):
    """Sends a signal when rows have come; nothing reads more of them."""
    files = Path(folder, "tmp")
    files.mkdir(exist_ok=True)
    running = subprocess.Popen(
        [cases.KTRACK, "query", "--csv", source, ENDLESS],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(files)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        row = running.stdout.readline()
        running.send_signal(number)
        errors = process.communicate(running)[1]
    finally:
        running.kill()
    left = sorted(path.name for path in [*files.iterdir(), *Path(folder).iterdir()])
    what = f"{number.name} ends an endless query of {source}"
    tap.ok(row == b"1\n" and running.returncode == -number and errors == b"", what, row, running.returncode, errors)
    tap.ok(left == ["it.db", "tmp", "trace.dat"], f"{what}, and leaves nothing", left)


def main():
    """Returns the exit status."""
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        cases.make("begin-never-closed", Path(folder, "trace.dat"))
        wrong = cases.run(folder, "export", "--sqlite=it.db", "trace.dat")[1]
        tap.nothing(wrong, "a database")
        for source in ("trace.dat", "it.db"):
            for number in (signal.SIGINT, signal.SIGTERM):
                check_end(tap, folder, source, number)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
