#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: in clean Debian 12, 13 and unstable, the packages are built, installed, upgraded, run, removed and purged.

In machines that run these systems, their tutorials are typed, and with Secure Boot their module is loaded.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import secure  # noqa: E402
import typed  # noqa: E402
from tap import Tap  # noqa: E402

PROJECT = HERE.parents[1]
SUITES = tuple(os.environ.get("KTRACK_SUITES", "bookworm trixie sid").split())
POINTS = {"used": 20, "removed": 4}
# In a mount namespace of its own, with the file systems that builds need.
ENTER = 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && chroot "$0" sh /ktrack/tests/packages/inside.sh "$1"'


def run(*words, **more):
    """A command's end."""
    return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, **more)


def tree_copy(target):
    """The files of the project, without what was built."""
    target.mkdir()
    listed = run("git", "-c", f"safe.directory={PROJECT}", "ls-files", "--cached", "--others", "--exclude-standard", cwd=PROJECT)
    names = [name for name in listed.stdout.splitlines() if (PROJECT / name).exists()]
    done = subprocess.run(["cpio", "-pdm", "--quiet", str(target)], input="\n".join(names), text=True, cwd=PROJECT, check=False)
    return done.returncode == 0


def check_inside(tap, suite, root, phase):
    """All points of a phase of inside.sh."""
    done = run("unshare", "-m", "sh", "-c", ENTER, root, phase)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("ok ", "not ok "))]
    tap.ok(done.returncode == 0 and len(lines) == POINTS[phase], f"{suite}: all steps run ({phase})", done.stdout[-1000:], done.stderr[-1000:])
    for line in done.stdout.splitlines():
        if line.startswith("# kernels: "):
            tap.comment(f"{suite}: {line[2:]}")
    parts = f"\n{done.stdout}".split("\nnot ok ")
    for line in lines:
        text = line.removeprefix("not ").removeprefix("ok ")
        detail = next((part for part in parts[1:] if part.startswith(text)), "")
        tap.ok(line.startswith("ok "), f"{suite}: {text}", detail.partition("\nok ")[0])


def check_suite(tap, suite):
    """The packages in a clean system, and in machines that run it."""
    made = run(PROJECT / "scripts/packaging/chroot", suite)
    if not tap.ok(made.returncode == 0, f"{suite}: a clean system is made", made.stderr[-2000:]):
        return
    with tempfile.TemporaryDirectory(dir=PROJECT / "build") as folder:
        root = Path(folder) / suite
        root.mkdir()
        run("tar", "-xf", PROJECT / made.stdout.strip(), "-C", root)
        tree_copy(root / "ktrack")
        check_inside(tap, suite, root, "used")
        typed.check_typed(tap, suite, root)
        secure.check_secure_boot(tap, suite, root)
        check_inside(tap, suite, root, "removed")


def main():
    """Returns the exit status."""
    tap = Tap()
    if os.geteuid() != 0:
        tap.skip("the packages", "only root can make clean systems")
        return tap.finish()
    for suite in SUITES:
        check_suite(tap, suite)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
