#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: in a kernel without tracepoints everything compiles, to nothing."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import build  # noqa: E402
from tap import tested  # noqa: E402

TRACE_WORDS = ("tracepoint", "traceiter", "trace_event", "ktrack_printf", "ktrack_emit", "ktrack_copy_texts", "event_class")


def check_objects(tap, what, folder):
    """No object has anything that only tracing needs."""
    objects = [file for file in sorted(folder.rglob("*.o")) if not file.name.startswith(".")]
    found = []
    for file in objects:
        for name in build.symbols(file) + build.sections(file):
            if any(word in name for word in TRACE_WORDS):
                found.append(f"{file.name}: {name}")
    tap.ok(len(objects) > 3, f"{what} has objects", *objects)
    tap.nothing(found, f"{what} has nothing that traces")


def check_build(tap, tree, what, folder):
    """The modules are linked but can't be loaded: that kernel was never built, so symbols lack."""
    built = build.make(tree, folder, "KBUILD_MODPOST_WARN=1", "modules")
    tap.ok(built.status == 0, f"{what} builds", built.log[-3000:])
    missing = ("undefined!", "unresolved symbol", "Module.symvers is missing")
    remarks = [line for line in built.remarks() if not any(word in line for word in missing)]
    tap.nothing(remarks, f"{what} builds without a warning")
    check_objects(tap, what, folder)


@tested
def main(tap):
    words = [HERE / "source-tree"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if tap.ok(done.returncode == 0, "a kernel without tracepoints is there", done.stderr):
        tree = Path(done.stdout.strip())
        with tempfile.TemporaryDirectory() as scratch:
            project = build.copy_project(Path(scratch) / "project")
            check_build(tap, tree, "ktrack's own modules", project)
            outside = build.copy_outside(Path(scratch) / "outside", "outside")
            check_build(tap, tree, "an outside driver", outside)
