#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: events of a module's own init are recorded for whoever asked, and pins outlive nothing."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402


@tested
def main(tap):
    for kernel in machine.KERNELS:
        with machine.ran(kernel, "module_watch.sh") as result:
            machine.check_end(tap, kernel, result)
            what = f"{kernel}: modules that arrive are recorded as asked"
            tap.nothing(result.output.splitlines(), what)
