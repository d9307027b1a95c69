#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: in a kernel that is locked down every command that traces names the lockdown. In make check on one kernel."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

MESSAGE = (
    "ktrack: /sys/kernel/tracing: the kernel is locked down (confidentiality), so that nobody may trace;"
    " see kernel_lockdown(7)"
)
COMMANDS = ("list", "stream -d 1", "record -o /tmp/trace.dat -d 1", "export tracefs", "stat --live -d 1")


@tested
def main(tap):
    """All checks."""
    for kernel in machine.ONE_6_12:
        with machine.ran(kernel, "lockdown.sh", options=(*machine.SINGLE, "--lockdown", "confidentiality")) as result:
            lines = result.output.splitlines()
            wanted = [f"{command}: 1 {MESSAGE}" for command in COMMANDS]
            doctor = [line for line in lines if line.startswith("doctor: ")]
            lines = lines[: -len(doctor) or None]
            failed = [line for line in doctor if " failed " in line]
            tap.ok(any("lockdown" in line for line in failed) and doctor[-1] == "doctor: 1", f"{kernel}: doctor names it", *doctor)
            tap.ok(lines == wanted, f"{kernel}: every command names the lockdown", result.errors[-2000:], *lines)
