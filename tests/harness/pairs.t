#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: two runs of a test at the same time do not meet, in this tree or in two of them; without KTRACK_FULL, three of these tests."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests")]

import process  # noqa: E402
from commit import ranked  # noqa: E402
from tap import tested  # noqa: E402

# Those with sockets, programs that every ktrack could find, ports, locks, pseudo-terminals and directories of recordings.
TESTS = (
    "build/tests/unit/userring_killed",
    "build/tests/unit/userring_announce",
    "build/tests/unit/capture_watch",
    "tests/programs/record.t",
    "tests/cli/recover.t",
    "tests/outputs/serve.t",
    "tests/outputs/top.t",
)


def check_pair(tap, test):
    """Both pass, with as many results."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder, name) for name in ("one", "two")]
        runs = []
        for path in outputs:
            with path.open("wb") as output:
                runs.append(subprocess.Popen([PROJECT / test], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT))
        statuses = [process.wait(run, cpu_s=600) for run in runs]
        texts = [path.read_text(errors="replace") for path in outputs]
    failed = [line for text in texts for line in text.splitlines() if line.startswith("not ok")]
    counts = [sum(line.startswith("ok") for line in text.splitlines()) for text in texts]
    tap.ok(statuses == [0, 0] and not failed and counts[0] == counts[1] > 0, f"{test} twice at once", statuses, counts, *failed)


@tested
def main(tap):
    """All checks."""
    for test in TESTS if os.environ.get("KTRACK_FULL") else ranked(PROJECT, TESTS)[:3]:
        check_pair(tap, test)
