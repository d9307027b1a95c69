#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: scripts/packaging/chroot makes one archive at a time and keeps no incomplete one; mmdebstrap is a stand-in."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import process  # noqa: E402
from tap import tested  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]
COPIED = ("scripts/packaging/chroot", "scripts/packaging/debian/control")
# Like mmdebstrap, it creates the archive at its start and writes it at its end.
STAND_IN = r"""#!/bin/bash
echo called >>"$CALLS"
for word in "$@"; do case $word in *.new) archive=$word ;; esac done
: >"$archive"
sleep 2
[ -z "$FAILING" ] || exit 1
echo system >"$archive"
"""


class Tree:
    """A scratch tree with the script, and a PATH on which the stand-in comes first."""

    def __init__(self, folder):
        self.root = Path(folder)
        for name in COPIED:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, self.root / name)
        stand_in = self.root / "bin/mmdebstrap"
        stand_in.parent.mkdir()
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)
        self.calls = self.root / "calls"

    def start(self, failing=""):
        """The script, which makes a system of trixie."""
        names = {
            "PATH": f"{self.root}/bin:{os.environ['PATH']}",
            "CALLS": str(self.calls),
            "FAILING": failing,
            "KTRACK_MIRROR": "http://mirror.invalid/debian",
        }
        words = [self.root / "scripts/packaging/chroot", "trixie"]
        return subprocess.Popen(
            words, env=os.environ | names, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def text(self, run):
        """What the archive contains whose path a run prints; None if it fails."""
        output, _ = process.communicate(run)
        return (self.root / output.strip()).read_text() if run.returncode == 0 else None


def check_together(tap):
    """The second run waits and finds the archive of the first one."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        runs = [tree.start(), tree.start()]
        texts = [tree.text(run) for run in runs]
        tap.ok(texts == ["system\n", "system\n"], "two runs at once print a complete archive", texts)
        tap.ok(tree.calls.read_text() == "called\n", "mmdebstrap makes it once", tree.calls.read_text())


def check_failure(tap):
    """A run that fails leaves nothing that a later one takes for an archive."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        tap.ok(tree.text(tree.start(failing="yes")) is None, "it fails if mmdebstrap fails")
        tap.ok(tree.text(tree.start()) == "system\n", "the next run makes the archive again")


@tested
def main(tap):
    """All checks."""
    check_together(tap)
    check_failure(tap)
