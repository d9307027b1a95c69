#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a ktrack that is stopped, killed for its memory, read slowly or not at all, and tracefs and clocks that change: fired = exported + lost."""

import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

ROUNDS = 1000
# How those end that do not end well. The kernel kills for lack of memory; without its reader a stream ends early.
ENDS = {"killed-record": 128 + 9, "vanished": 1}
LOSSY = ("stopped-stream", "stopped-record", "slow")
RUNS = 11


class Account:
    """What a stream says of the module's records."""

    def __init__(self, result, name):
        events = [json.loads(line) for line in result.text(f"{name}.json").splitlines()]
        counters = {event["name"]: event["count"] for event in events if event["event"] == "counter" and event["thread"] == "main"}
        self.read = sum("sequence" in event.get("args", ()) for event in events) + counters.get("unmatched_ends", 0)
        # Gaps of unknown size have a sum, which the kernel counts.
        self.lost, self.unknown = counters.get("lost_records", 0), counters.get("lost_gaps_unknown", 0)
        self.fired = sum(map(int, re.findall(r"^cpu \d+ fired \d+ sequence (\d+)", result.text(f"{name}.fired"), re.MULTILINE)))

    def describe(self):
        """All of it in one line."""
        return f"{self.fired} fired, {self.read} exported, {self.lost} lost, {self.unknown} gaps of unknown size, difference {self.fired - self.read - self.lost}"


def check_run(tap, what, result, name):
    """One run."""
    account, status, errors = Account(result, name), int(result.text(f"{name}.status") or -1), result.text(f"{name}.errors")
    tap.ok(status == ENDS.get(name, 0), f"{what}: status {status}", errors)
    if name == "vanished":
        tap.ok(0 < account.read <= account.fired and "reader has gone" in errors, f"{what}: the other output has whole lines", account.describe(), errors)
        return
    tap.ok(account.fired == account.read + account.lost and account.fired, f"{what}: {account.describe()}", errors)
    tap.ok(bool(account.lost) == (name in LOSSY) or name in ENDS, f"{what}: {'something' if name in LOSSY else 'nothing'} is lost", account.describe(), errors)


@tested
def main(tap):
    """All checks."""
    for kernel in machine.ONE_6_12:
        with machine.ran(kernel, "disturbed.sh", ROUNDS, options=machine.pair()) as result:
            machine.check_end(tap, kernel, result, "Memory cgroup out of memory|oom")
            tap.nothing(result.output.splitlines(), f"{kernel}: nothing is left behind")
            names = result.text("runs").split()
            tap.ok(len(names) == RUNS, f"{kernel}: all runs", names)
            for name in names:
                check_run(tap, f"{kernel}: {name}", result, name)
