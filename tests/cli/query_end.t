#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: an endless query ends at once by Ctrl-C or SIGTERM, by the signal itself, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "outputs"), str(HERE.parent)]

import cases  # noqa: E402
import process  # noqa: E402
from tap import tested  # noqa: E402

ENDLESS = "WITH RECURSIVE it(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM it) SELECT x FROM it"
SORTED = f"{ENDLESS} ORDER BY -x"


def has_file(running, folder):
    """Whether a process has a file of a folder open, which may have no name any more."""
    names = []
    with suppress(OSError):
        names = [os.readlink(fd) for fd in Path(f"/proc/{running.pid}/fd").iterdir()]
    return any(name.startswith(f"{os.path.realpath(folder)}/") for name in names)


def check_end(tap, folder, source, number, query):
    """Sends a signal when rows have come, of which nothing reads more; or when rows that are sorted are in a temporary file."""
    files = Path(folder, "tmp")
    files.mkdir(exist_ok=True)
    running = subprocess.Popen(
        [cases.KTRACK, "query", "--csv", source, query],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(files)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        has_begun = process.wait_for(lambda: has_file(running, files), running) if query == SORTED else running.stdout.readline() == b"1\n"
        running.send_signal(number)
        errors = process.communicate(running)[1]
    finally:
        running.kill()
    left = sorted(path.name for path in [*files.iterdir(), *Path(folder).iterdir()])
    what = f"{number.name} ends an endless query of {source}{', which sorts' if query == SORTED else ''}"
    tap.ok(has_begun and running.returncode == -number and errors == b"", what, has_begun, running.returncode, errors)
    tap.ok(left == ["it.db", "tmp", "trace.dat"], f"{what}, and leaves nothing", left)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make("begin-never-closed", Path(folder, "trace.dat"))
        wrong = cases.run(folder, "export", "--sqlite=it.db", "trace.dat")[1]
        tap.nothing(wrong, "a database")
        for source in ("trace.dat", "it.db"):
            for number, query in ((signal.SIGINT, ENDLESS), (signal.SIGTERM, ENDLESS), (signal.SIGINT, SORTED)):
                check_end(tap, folder, source, number, query)
