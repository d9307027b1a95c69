#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: trace-cmd reads and converts recordings with checksums as it does those without."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "bench")]

import inputs  # noqa: E402
import recording  # noqa: E402
from tap import tested  # noqa: E402

SIZE = 2000


def run(folder, *words):
    """A program's exit status, output and messages."""
    return subprocess.run(words, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False)


def check_report(tap, folder):
    """The same records, and nothing to remark."""
    with_sums, without = (run(folder, "trace-cmd", "report", "-i", name) for name in ("own.dat", "old.dat"))
    tap.ok(with_sums.stdout.count(b"\n") > SIZE / 2, "trace-cmd report prints records", with_sums.stdout[:300])
    tap.ok(with_sums.stdout == without.stdout, "they are those of a recording without checksums")
    tap.ok(with_sums.stderr == without.stderr, "so are its messages", with_sums.stderr, without.stderr)


def export(folder, name):
    """The records of a file, without the lines that describe it, and what is remarked."""
    done = run(folder, PROJECT / "build/ktrack", "export", "--sid=S", name)
    lines = [line for line in done.stdout.splitlines() if b'"event":"region' in line]
    return done.returncode, lines, done.stderr.decode()


def check_convert(tap, folder, *words):
    """A converted file has no checksums, and is not damaged."""
    done = run(folder, "trace-cmd", "convert", "-i", "own.dat", "-o", "new.dat", "--file-version", "7", *words)
    tap.ok(done.returncode == 0, f"trace-cmd convert {' '.join(words)}", done.stderr)
    wanted, found = export(folder, "own.dat"), export(folder, "new.dat")
    tap.ok(found[0] == 0, "it is exported", found[2])
    tap.ok(found[1] == wanted[1] and found[1], "with the same slices")


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recording.make(folder / "own.dat", inputs.mixed(SIZE))
        recording.make(folder / "old.dat", inputs.mixed(SIZE), "version=6", has_checksums=False)
        check_report(tap, folder)
        check_convert(tap, folder, "--compression", "none")
        check_convert(tap, folder)
