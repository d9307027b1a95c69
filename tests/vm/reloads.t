#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a stream takes modules in that come, with their init where ktrack.ko is there, and loses nothing of those that go."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

CHECK_STREAM = Path(__file__).resolve().parents[1] / "stream/check-stream"
LOADS = machine.rounds(20, 4)
# Kernels that give ids of tracepoints that have gone to others at once.
REUSING = ("6.12",)
# What the init of ktrack_early writes: its regions' and instants' names, and its samples.
EARLY = Counter({"init begins": 1, "init ends": 1, "mark": 1, "own": 1, "1": 1, "2": 1})


def sequences(result, name):
    """The last number of each CPU, by a file that the guest left."""
    found = re.findall(r"^cpu (\d+) fired \d+ sequence (\d+)", result.text(name), re.MULTILINE)
    return {int(cpu): int(number) for cpu, number in found}


def is_end(event):
    """Whether a line says that the test module is recorded no more."""
    return event.get("value") == {"tracepoint": "ktrack_test:ktrack_test_cpu", "recorded": "until_now"}


def loads_of(events):
    """The records of each load of the test module, which end with a line that reports it."""
    loads, load = [], []
    for event in events:
        if is_end(event):
            loads.append(load)
            load = []
        elif event.get("category", "").startswith("ktrack_test:") and "sequence" in event.get("args", {}):
            load.append(event)
    return loads + ([load] if load else [])


def early_word(event):
    """One record of the other module, in a word."""
    kind = event["event"]
    if kind == "data":
        return event["value"]
    return event.get("key") or f"{event['label']} {'begins' if kind == 'region_enter' else 'ends'}"


def check_load(tap, what, records, first, last):
    """Each number of each CPU once, and in its place."""
    found = Counter((event["cpu"], event["args"]["sequence"]) for event in records)
    wanted = Counter((cpu, number) for cpu in last for number in range(first.get(cpu, 0) + 1, last[cpu] + 1))
    tap.ok(sum(wanted.values()) > 0 and found == wanted, what, f"missing: {sorted((wanted - found).elements())[:10]}", f"strange: {sorted((found - wanted).elements())[:10]}")
    wrong = [str(event) for event in records if event["event"] == "data" and event["value"] not in ("1", "2")]
    wrong += [str(event) for event in records if event["event"].startswith("region") and event["label"] not in ("everywhere", "inner")]
    tap.nothing(wrong[:5], f"{what}: and nothing is read as something else")


def check_way(tap, kernel, result, way):
    """All loads of one way; init is only recorded where somebody enabled it before."""
    path = result.folder / f"{way}.tracks.json"
    lines = result.text(f"{way}.json").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"key":"tracepoint"' not in line))
    done = subprocess.run([CHECK_STREAM, path], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0, f"{kernel}: {way}: a well-formed stream", done.stdout[-1000:], done.stderr[-1000:])
    tap.nothing(result.text(f"{way}.errors").splitlines(), f"{kernel}: {way}: nothing to say")
    events = [json.loads(line) for line in lines]
    loads = loads_of(events)
    tap.ok(len(loads) == LOADS, f"{kernel}: {way}: {LOADS} loads", f"{len(loads)} of them")
    for number, records in enumerate(loads, 1):
        first = sequences(result, f"{way}.init.{number}") if way == "late" else {}
        check_load(tap, f"{kernel}: {way}: load {number}: read = fired", records, first, sequences(result, f"{way}.fired.{number}"))
    lost = [str(event) for event in events if event.get("msg", "").startswith("lost ") or event.get("name") == "lost_records"]
    tap.nothing(lost, f"{kernel}: {way}: nothing is lost")
    words = Counter(early_word(event) for event in events if event.get("category", "").startswith("ktrack_early:") and event["event"] in ("region_enter", "region_leave", "data", "data_json"))
    wanted = Counter({word: LOADS // 4 for word in EARLY}) if way == "early" else Counter()
    tap.ok(words == wanted, f"{kernel}: {way}: the other module's init, as it should be", words)
    said = Counter(event["value"]["recorded"] for event in events if event.get("key") == "tracepoint")
    # Whoever looks between a module's coming and what ktrack.ko does then is as early, but cannot have.
    wanted = {"early": {"from_load", "from_now"}, "late": {"from_now"}}[way]
    is_reported = set(said) - {"until_now"} <= wanted and (way == "late" or said["from_load"] > 0)
    tap.ok(is_reported and said.total() == 2 * said["until_now"] > 0, f"{kernel}: {way}: the stream says from when to when", said)


def check_ids(tap, kernel, result):
    """Whether ids were taken over at all."""
    for way in ("late", "early"):
        owners = {}
        for _, load, number, name in (line.split() for line in result.text("ids").splitlines() if line.startswith(f"{way} ")):
            owners.setdefault(number, set()).add(name)
        taken_over = [number for number, names in owners.items() if len(names) > 1]
        tap.comment(f"{kernel}: {way}: {len(taken_over)} of {len(owners)} ids were those of several tracepoints")
        if kernel in REUSING:
            tap.ok(len(taken_over) >= 10, f"{kernel}: {way}: ids are taken over")


def check_incomplete(tap, kernel, result):
    """Records that were unread when a module was unloaded are reported as lost, and so are records with the same id."""
    what = f"{kernel}: incomplete"
    events = [json.loads(line) for line in result.text("incomplete.json").splitlines()]
    fired = sum(sequences(result, "incomplete.fired.1").values())
    read = sum(len(load) for load in loads_of(events))
    unknown = [event for event in events if event["event"] == "error" and event["fmt"].startswith("lost an unknown number")]
    tap.ok(fired > 0 and read == 0 and unknown, f"{what}: what was not read is said to be lost", f"{read} of {fired} were read", unknown)
    early = [event for event in events if event.get("category", "").startswith("ktrack_early:") and event["event"] != "th_timer"]
    counted = sum(event["count"] for event in events if event.get("name") == "lost_records")
    words = Counter(early_word(event) for event in early if event["event"] in ("region_enter", "region_leave", "data", "data_json"))
    tap.ok(not words - EARLY and sum(words.values()) + counted == sum(EARLY.values()), f"{what}: what took over its ids is read as what it is, or lost", words, counted)


def check_recorded(tap, kernel, result):
    """A raw recording waits, too, and releases nothing."""
    what = f"{kernel}: recorded"
    command = [machine.PROJECT / "build/ktrack", "export", "--with=cpu", result.folder / "recorded.dat"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    records = [event for load in loads_of(map(json.loads, done.stdout.splitlines())) for event in load]
    check_load(tap, f"{what}: read = fired", records, {}, sequences(result, "recorded.fired.1"))
    tap.ok("until that recording ends" in result.text("recorded.refused"), f"{what}: the module is kept", result.text("recorded.refused"))
    tap.nothing(result.text("recorded.errors").splitlines(), f"{what}: nothing to say")
    lines = result.text("unwaited.errors").splitlines()
    tap.ok(len(lines) == 1 and lines[0].endswith("--wait waits for it"), f"{kernel}: without --wait the remedy is reported", *lines)


def check_emptied(tap, kernel, result):
    """A raw recording whose module went does not say that nothing is lost."""
    what = f"{kernel}: emptied"
    command = [machine.PROJECT / "build/ktrack", "export", "--fail-on-loss", result.folder / "emptied.dat"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    reported = {event["msg"] for event in events if event["event"] == "error"}
    wanted = {f"lost an unknown number of records on cpu {cpu}" for cpu in sequences(result, "emptied.fired.1")}
    tap.ok(len(wanted) == 2 and wanted <= reported, f"{what}: the file has an unknown loss on each CPU", reported)
    tap.ok(done.returncode == 3, f"{what}: and that is a failure for who asks", done.returncode)
    lines = result.text("emptied.errors").splitlines()
    tap.ok(len(lines) == 2 and "unloaded while it was recorded" in lines[0], f"{what}: it was reported in time", *lines)
    tap.ok(lines[-1].endswith(": lost an unknown number of records"), f"{what}: and as a loss at the end", *lines)


@tested
def main(tap):
    for kernel in machine.KERNELS:
        with machine.ran(kernel, "reloads.sh", LOADS) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
            for way in ("late", "early"):
                check_way(tap, kernel, result, way)
            check_ids(tap, kernel, result)
            check_incomplete(tap, kernel, result)
            check_recorded(tap, kernel, result)
            check_emptied(tap, kernel, result)
