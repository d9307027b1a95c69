#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: with --wait no module is missed that is loaded or reloaded while ktrack starts, at whatever point of the start that is."""

import json
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

DELAYS = ("0", "0.3", "0.7")
# Six records of each round on each of two processors.
RECORDS = 2 * 6 * 10
SYMBOLS = "symbolic fields are numbers"
UNNAMED = "the print format has no number for TEST_READ"
SLICES = 2 * 2 * 10
TRACEPOINT = "ktrack_test:ktrack_test_cpu"
# With ktrack.ko, what is loaded later than this is recorded from its init on.
EARLY = "helped-stream-request-after"


def sequences(result, name):
    """How many records the module had written, by a file that the guest left."""
    return sum(int(number) for number in re.findall(r"^cpu \d+ fired \d+ sequence (\d+)", result.text(name), re.MULTILINE))


def events_of(result, name):
    return [json.loads(line) for line in result.text(f"{name}.json").splitlines()]


def recorded_of(events):
    """From when on the stream says that the module's tracepoint is recorded."""
    values = [event["value"] for event in events if event.get("key") == "tracepoint"]
    return [value["recorded"] for value in values if value["tracepoint"] == TRACEPOINT]


def check_stream(tap, what, result, name):
    """All records, and a line that says from when on."""
    events = events_of(result, name)
    kinds = ("region_enter", "region_leave", "data")
    found = sum(event["event"] in kinds and event.get("category", "").startswith("ktrack_test:") for event in events)
    fired = sequences(result, f"{name}.fired")
    tap.ok(found == fired == RECORDS, f"{what}: {RECORDS} records", f"{found} of {fired}")
    if "record" in name:
        return
    recorded = recorded_of(events)
    wanted = [["from_load"]] if name == EARLY else [["from_now"]]
    if re.search(r"[0-9]$", name):
        wanted = [["from_now"], ["from_load"]]
    tap.ok(recorded in wanted, f"{what}: and a line that says from when on", *recorded)


def check_live(tap, what, result, name):
    """The last table has all slices; an interrupt can begin one of them in one thread and end it in the next."""
    lines = result.text(f"{name}.output").splitlines()
    slices = json.loads(lines[-1])["slices"] if lines else []
    found = sum(row["count"] + row["foreign"] for row in slices if row["name"] in ("everywhere", "inner"))
    tap.ok(found == SLICES, f"{what}: {SLICES} slices", f"{found} of them", *lines[-1:])


def check_exchange(tap, kernel, result):
    """Probes whose ids changed are recorded with the ids that they have then."""
    found = sum(event.get("category") == "t:probe" for event in events_of(result, "exchange"))
    tap.ok(found > 0, f"{kernel}: probes that exchange their ids are recorded", result.text("exchange.errors"))


def check(tap, kernel, result):
    machine.check_end(tap, kernel, result)
    tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
    for name in result.text("runs").splitlines():
        what = f"{kernel}: {name}"
        (check_live if "-live-" in name else check_stream)(tap, what, result, name)
        # The preloaded library looks up what is written to, which the child that parses print formats must not.
        # And the kernel shows the formats of a module that is being loaded before it puts in the numbers of enumerators.
        lines = [line for line in result.text(f"{name}.errors").splitlines() if SYMBOLS not in line and UNNAMED not in line]
        tap.nothing(lines, f"{what}: nothing to say")


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        step = machine.shared_object(folder, "step")
        for kernel in machine.ONE_6_1:
            with machine.ran(kernel, "waits.sh", "steps", *DELAYS, options=step) as result:
                check(tap, kernel, result)
                check_exchange(tap, kernel, result)
                tap.ok(len(result.text("runs").split()) == 32, f"{kernel}: every point and delay was tried")
