#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the same records give the same tracks, to the nanosecond: live, from ktrack's file, and from trace-cmd's files of both versions.
Text of tracefs gives the same slices, to the microsecond that it shows."""

import bisect
import json
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

PACKS = "sched,irq,block"
# Events of tracks, in the order of the stream.
OF_TRACKS = ("region_enter", "region_leave", "data", "data_json", "thread_start", "th_timer", "th_counter", "counter", "error")
# These members depend on the run: it has another time and another version of this text.
OF_RUN = ("sid", "time", "file", "line")
# How exact the times of texts are, and for how many slices not: they have microseconds, and another instance reads the clock by itself,
# before or behind interrupts. And slices that there are at least.
EXACT = {"text": (1000, 0), "pipe": (1000000, 0.01)}
TEXT_LEAST = {"sched:cpu": 500, "sched:thread": 500, "irq:cpu": 50, "block:request": 50}
LEAST = {"sched:cpu": 1000, "sched:thread": 2000, "sched:wakeup": 500, "irq:cpu": 300, "block:request": 200, "block:inflight": 400}


def tracks_read(text):
    """
    All that a stream has of tracks, and how many events of which rule. The processes of threads, and names of devices, are in no
    record: only who reads live can look them up; the identity has all else that names of tracks have. What is open at the end is closed when the recording ends, which for a live one is later.
    """
    events, counts = [], {}
    for line in text.splitlines():
        event = json.loads(line, parse_float=str)
        if event["event"] not in OF_TRACKS:
            continue
        for name in OF_RUN:
            event.pop(name, None)
        event["thread"] = event["thread"].partition(":")[0]
        if event["event"] == "data":
            del event["key"]
        if event.get("category") == "track":
            for name in ("tgid", "device"):
                event["value"].pop(name, None)
        if event.get("unfinished") or event.get("category") == "summary":
            event = {name: value for name, value in event.items() if name not in ("t_abs", "t_rel")}
        events.append(event)
        category = event.get("category")
        counts[category] = counts.get(category, 0) + 1
    return events, counts


def exported(path):
    """The stream of a file."""
    command = [machine.PROJECT / "build/ktrack", "export", "--include-self", "-r", PACKS, "--event=/dev/stdout", path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_same(tap, what, wanted, found):
    """Two streams, event by event."""
    differences = [f"{number}: {one} {other}" for number, (one, other) in enumerate(zip(wanted, found)) if one != other]
    tap.nothing(differences[:3], f"{what}: the same events in the same order")
    tap.ok(len(wanted) == len(found), f"{what}: as many", len(wanted), len(found))


def slices_read(stream, page):
    """By tracepoint, name and track: (begin, end) of complete slices in nanoseconds of the trace clock; and the first and last time."""
    start = int(re.search(r'"start_ns":"(\d+)"', page)[1])
    tracks, found, times = {}, {}, []
    for line in stream.splitlines():
        event = json.loads(line, parse_float=str)
        if event.get("category") == "track":
            tracks[event["thread"]] = (event["value"]["scope"], event["value"].get("id"))
        elif event["event"] in ("region_enter", "region_leave"):
            end = start + nanoseconds(event["t_abs"])
            times.append(end)
            if event["event"] == "region_leave" and not event.get("unfinished") and not event.get("continued"):
                key = (event["category"], event.get("label"), tracks[event["thread"]])
                found.setdefault(key, []).append((end - nanoseconds(event["t_rel"]), end))
    return {key: sorted(slices) for key, slices in found.items()}, min(times), max(times)


def nanoseconds(text):
    """Seconds with nine decimals."""
    return int(text.replace(".", ""))


def missing(wanted, found, exact_ns, first, last):
    """Slices between two times that have no equal one among others: both ends differ by so much at most."""
    for key, slices in wanted.items():
        others = found.get(key, [])
        for begin, end in slices:
            if begin <= first or end >= last:
                continue
            nearby = others[bisect.bisect_left(others, (begin - exact_ns, 0)) : bisect.bisect_right(others, (begin + exact_ns, end + exact_ns))]
            if not any(abs(other - end) <= exact_ns for _, other in nearby):
                yield f"{key} {begin} to {end}: {nearby[:3]}"


def check_texts(tap, kernel, result):
    """What tracefs prints while ktrack records the same."""
    page = result.folder / "beside.html"
    command = [machine.PROJECT / "build/ktrack", "export", "--include-self", "-r", PACKS, "--event=/dev/stdout", f"--html={page}", result.folder / "beside.dat"]
    recording, _, _ = slices_read(subprocess.run(command, capture_output=True, text=True, check=True).stdout, page.read_text())
    exiting = {key[2] for key in recording if key[:2] == ("sched:thread", "Z")}
    until = int(float(result.text("until")) * 1e9)
    for name, (exact_ns, part) in EXACT.items():
        what = f"{kernel}: {name}"
        tap.ok(result.text(f"{name}.status").strip() == "0", f"{what} ends well", result.text(f"{name}.errors"))
        text, first, last = slices_read(result.text(f"{name}.json"), result.text(f"{name}.html"))
        last = min(last, until)
        nr_slices = {category: sum(len(slices) for key, slices in text.items() if key[0] == category) for category in TEXT_LEAST}
        tap.ok(all(nr_slices[category] >= least for category, least in TEXT_LEAST.items()), f"{what}: slices of all packs", nr_slices)
        wrong = list(missing(text, recording, exact_ns, first + 2 * exact_ns, last - 2 * exact_ns))
        tap.ok(len(wrong) <= part * sum(nr_slices.values()), f"{what}: its slices are in the recording", len(wrong), *wrong[:5])
        if part == 0:
            # The last states of a thread that exits are not in texts, which lack the records of the sideband buffer.
            living = {key: slices for key, slices in recording.items() if key[2] not in exiting}
            tap.nothing(list(missing(living, text, exact_ns, first + 4 * exact_ns, last - 4 * exact_ns))[:5], f"{what}: those of the recording are in it")
    text = slices_read(result.text("text.json"), result.text("text.html"))[0]
    rows = json.loads(result.text("text-stat.output"))["slices"]
    counts = {category: sum(row["count"] for row in rows if row["tracepoint"] == category) for category in TEXT_LEAST}
    tap.ok(all(counts[category] >= least for category, least in TEXT_LEAST.items()), f"{kernel}: statistics of the text", counts)


def check_kernel(tap, kernel, folder):
    """All of it on one kernel."""
    options = (*machine.SINGLE, "--add", f"{folder / 'more/loop.ko'}:/more/loop.ko", "--add", "/usr/bin/trace-cmd:/bin/trace-cmd", "--add", "/usr/bin/env:/bin/gnu-env")
    with machine.ran(kernel, "same_records.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        for name in ("live", "saved"):
            tap.ok(result.text(f"{name}.status").strip() == "0" and not result.text(f"{name}.errors"), f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
        theirs, compressed = result.folder / "theirs.dat", result.folder / "compressed.dat"
        subprocess.run(["trace-cmd", "convert", "-i", theirs, "-o", compressed, "--file-version", "7", "--compression", "zstd"], capture_output=True, check=True)
        live, counts = tracks_read(result.text("live.json"))
        too_few = {rule: counts.get(rule, 0) for rule, least in LEAST.items() if counts.get(rule, 0) < least}
        tap.ok(not too_few, f"{kernel}: live: tracks of all rules", too_few)
        tap.nothing([event for event in live if event["event"] == "error"], f"{kernel}: live: nothing is lost")
        for path in (theirs, compressed, result.folder / "ours.dat"):
            check_same(tap, f"{kernel}: {path.name}", live, tracks_read(exported(path))[0])
        check_texts(tap, kernel, result)


@tested
def main(tap):
    for kernel in sys.argv[1:] or machine.ONE_OF:
        folder = machine.kernel_folder(kernel)
        if (folder / "more/loop.ko").exists():
            check_kernel(tap, kernel, folder)
        else:
            tap.skip(f"{kernel}: the same records", "no loop.ko; remove build/vm, and it is fetched again")
