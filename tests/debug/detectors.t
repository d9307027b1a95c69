#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: each debugging aid of the kernels 6.12-debug and 6.12-kcsan reports a deliberate bug, in words that tests take as a complaint."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
import modules  # noqa: E402
from tap import tested  # noqa: E402

HERE = Path(__file__).resolve().parent

# The report that each bug has to cause. lockdep is off after its report, so locks come after it needs them, and KASAN is last.
REPORTS = {
    "6.12-debug": {
        "preempt": "BUG: using smp_processor_id",
        "atomic_sleep": "BUG: sleeping function called from invalid context",
        "rcu": "WARNING: suspicious RCU usage",
        "active_timer": "ODEBUG: free active",
        "shift": "UBSAN: shift-out-of-bounds",
        "bounds": "UBSAN: array-index-out-of-bounds",
        "list": "list_del corruption",
        "lock_order": "WARNING: possible circular locking",
        "leak": r"kmemleak: [1-9]\d* new suspected memory leaks",
        "use_after_free": "BUG: KASAN: slab-use-after-free",
    },
    "6.12-kcsan": {"race": "BUG: KCSAN: data-race in bug_race"},
}
# KASAN reports only once.
AGAIN = {"6.12-debug": {"overflow": "BUG: KASAN: slab-out-of-bounds"}}


def module_build(kernel, folder):
    """The module with the bugs."""
    shutil.copytree(HERE / "bugs", folder)
    status, log = modules.make(modules.headers(kernel), folder, "modules")
    if status:
        raise RuntimeError(f"ktrack_bugs.ko does not build for {kernel}:\n{log[-4000:]}")
    return folder / "ktrack_bugs.ko"


def check_bugs(tap, kernel, module, reports):
    """Bugs of one boot, in their order."""
    options = ["--add", f"{module}:/ktrack_bugs.ko"]
    with machine.ran(kernel, HERE / "guest/bug.sh", *reports, options=options) as result:
        tap.ok(result.status == 0, f"{kernel}: the guest script ends well", result.status, result.errors[-2000:])
        for bug, report in reports.items():
            log = result.text(f"{bug}.log")
            tap.ok(re.search(report, log), f"{kernel}: {bug} is reported", log[-3000:])
            tap.ok(machine.complaints_of(log), f"{kernel}: {bug} is a complaint for every test")


def check_silence(tap, kernel):
    """No bug, no report."""
    with machine.ran(kernel, "-", typed=b"#!/bin/sh\nsleep 1\n") as result:
        machine.check_end(tap, kernel, result)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        for kernel in machine.CHOSEN or REPORTS:
            reports = REPORTS[kernel]
            module = module_build(kernel, Path(folder) / kernel)
            check_silence(tap, kernel)
            check_bugs(tap, kernel, module, reports)
            if kernel in AGAIN:
                check_bugs(tap, kernel, module, AGAIN[kernel])
