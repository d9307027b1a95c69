#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: headers and modules compile against Debian's newest kernel, where its headers can be had."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import build  # noqa: E402
from tap import Tap  # noqa: E402

WHAT = "everything compiles against Linux 7"
# What that kernel was configured for and the compiler at hand may not know.
OLDER_COMPILER = (
    "CC=gcc",
    "HOSTCC=gcc",
    "CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=",
    "CONFIG_CC_HAS_COUNTED_BY=",
    "KCFLAGS=-g0 -Wno-attributes",
)


def check_compiled(tap, tree, name, folder):
    """Each source has its object. Linking may need tools that don't run here, so it proves nothing."""
    built = build.make(tree, folder, "-k", *OLDER_COMPILER, "modules")
    sources = sorted(folder.rglob("*.c"))
    sources = [file for file in sources if not file.name.endswith(".mod.c")]
    missing = [file.name for file in sources if not file.with_suffix(".o").exists()]
    tap.nothing(missing, f"{name}: every source compiles against {tree.name}")
    marks = (": warning:", ": error:")
    remarks = [line for line in built.log.splitlines() if any(mark in line for mark in marks)]
    tap.nothing(remarks, f"{name}: without a warning")


def main():
    tap = Tap()
    words = [HERE / "newest-headers"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode != 0:
        tap.skip(WHAT, done.stderr.strip() or "its headers can't be had")
        return tap.finish()
    tree = Path(done.stdout.strip())
    with tempfile.TemporaryDirectory() as scratch:
        check_compiled(tap, tree, "ktrack", build.copy_project(Path(scratch) / "project"))
        outside = build.copy_outside(Path(scratch) / "outside", "outside")
        check_compiled(tap, tree, "an outside driver", outside)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
