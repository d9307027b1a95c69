#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack stream exports what the demo did; with losses, it exports the rest correctly."""

import json
import re
import subprocess
import sys
from collections import Counter
from itertools import accumulate
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

STREAM_CHECKS = Path(__file__).resolve().parents[1] / "stream"

# Requests, workers, slots.
BATCHES = ((100, 2, 4), (1, 2, 4), (333, 3, 2), (2000, 1, 1))
OVERRUN_REQUESTS = 3000
DRIFT_NS = 10**9
LOST_RECORD = re.compile(
    r"^ktrack: /tmp/lost\.dat: lost \d+ records?; 64 KiB for each CPU are too small, try -b 512; "
    r"exit status 3 because of --fail-on-loss$",
    re.MULTILINE,
)

# The usual delay of the best of some groups of firings: what else runs here may hold up some of them.
DELAY_MS, DELAY_GROUPS, DELAY_GROUP = 200, 3, 9


def findings(program, *arguments):
    """What one of the stream checks finds wrong; nothing if all is well."""
    command = [STREAM_CHECKS / program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else (done.stdout + done.stderr).splitlines() or [f"status {done.returncode}"]


def check_batch(tap, what, path, requests, *options):
    """One stream: its form, then what it says."""
    tap.nothing(findings("check-stream", path), f"{what}: a well-formed stream")
    tap.nothing(findings("check-demo", *options, requests, path), f"{what}: says what the demo did")


def check_batches(tap, kernel, result):
    """Batches that nothing is lost of."""
    machine.check_end(tap, kernel, result)
    tap.nothing(result.output.splitlines(), f"{kernel}: streams end in order and leave no trace in tracefs")
    for number, (requests, workers, slots) in enumerate(BATCHES):
        what = f"{kernel}: {requests} requests, {workers} workers, {slots} slots"
        path = result.folder / f"batch.{number}.json"
        check_batch(tap, what, path, requests, "--workers", workers, "--slots", slots)
    check_list(tap, kernel, result.text("list.txt"))
    check_drift(tap, kernel, result.text("batch.0.json"))
    check_memory(tap, kernel, result.text("batch.0.json"))
    check_delays(tap, kernel, result.text("delays.txt"))
    check_sessions(tap, kernel, result)


def sessions_of(result):
    """The lines of each session, in their order."""
    sessions = []
    for line in (result.text("sessions.first.json") + result.text("sessions.json")).splitlines(keepends=True):
        if '"event":"version"' in line:
            sessions.append([])
        sessions[-1].append(line)
    return sessions


def continued_slices(lines, kind):
    """Which slices a session begins or ends with as continued ones: their tracks without number, and names."""
    events = [json.loads(line) for line in lines if f'"event":"{kind}"' in line and '"continued":true' in line]
    return Counter((event["thread"].partition(":")[2], event["label"], event["nesting"]) for event in events)


def check_sessions(tap, kernel, result):
    """Sessions that follow one another are whole, each by itself, and all of it together."""
    sessions, requests = sessions_of(result), 2000 * int(result.text("sessions.batches"))
    for number, lines in enumerate(sessions):
        path = result.folder / f"session.{number}.json"
        path.write_text("".join(lines))
        tap.nothing(findings("check-stream", path), f"{kernel}: session {number} of {len(sessions)}: a well-formed stream")
    tap.ok(len({json.loads(lines[0])["sid"] for lines in sessions}) == len(sessions) >= 4, f"{kernel}: each has its own id")
    found = sum('"event":"region_enter"' in line and "ktrack_demo_io" in line and '"continued"' not in line for lines in sessions for line in lines)
    tap.ok(found == requests, f"{kernel}: sessions: {requests} requests", f"{found} of them")
    ends = [continued_slices(lines, "region_leave") for lines in sessions]
    begins = [continued_slices(lines, "region_enter") for lines in sessions]
    tap.ok(any(begins), f"{kernel}: slices go on")
    strange = [str(after - before) for before, after in zip(ends, begins[1:]) if after - before]
    tap.nothing(strange, f"{kernel}: only what was asked to go on does")
    unmatched = [line for lines in sessions for line in lines if '"unmatched_ends"' in line]
    tap.nothing(unmatched, f"{kernel}: and all of that does")


def check_drift(tap, kernel, text):
    """The wall clock was looked at in the end too; nobody sets it here."""
    said = re.findall(r'"param":"wall_drift_ns","value":"(-?\d+)"', text)
    tap.ok(len(said) == 1 and abs(int(said[0])) < DRIFT_NS, f"{kernel}: how far the clocks have drifted is said", said)


def check_memory(tap, kernel, text):
    """Memory of the buffers of both CPUs and of the sideband buffers."""
    said = {name: int(number) for name, number in re.findall(r'"param":"(cpus|buffer_kib|memory_kib)","value":"(\d+)"', text)}
    least = said.get("cpus", 0) * said.get("buffer_kib", 0)
    sideband = said.get("memory_kib", 0) - least
    tap.ok(0 < sideband <= said.get("cpus", 0) * 64, f"{kernel}: what the buffers take of memory is said", said)


def check_list(tap, kernel, text):
    """The table of tracepoints."""
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines()[1:]}
    wanted = {
        "ktrack_demo:ktrack_demo_io": ["async", "global", "track_name", "no", "request,op,bytes,result,ktrack_demo_request(flow)"],
        "ktrack_demo:ktrack_demo_work": ["slice", "thread", "-", "no", "ktrack_demo_request(flow)"],
        "ktrack_demo:ktrack_demo_completed": ["counter", "scope_cpu", "track_name", "no", "-"],
        "ktrack:ktrack_slice": ["slice", "thread", "-", "no", "-"],
    }
    for name, row in wanted.items():
        tap.ok(rows.get(name) == row, f"{kernel}: list reports {name}", rows.get(name))
    strange = [name for name in rows if not name.startswith(("ktrack:", "ktrack_demo:"))]
    tap.nothing(strange, f"{kernel}: list reports nothing else")


def check_delays(tap, kernel, text):
    """Output is there within the time that is promised, whatever else the machine does for a while."""
    delays = [10 * int(line) for line in text.split()]
    groups = [sorted(delays[begin : begin + DELAY_GROUP]) for begin in range(0, len(delays), DELAY_GROUP)]
    usual = [group[len(group) // 2] for group in groups]
    what = f"{kernel}: what happened is in the output within {DELAY_MS} ms"
    tap.ok(len(groups) == DELAY_GROUPS and min(usual) <= DELAY_MS, what, delays)
    tap.comment(f"{kernel}: usual delays {usual} ms")


def check_circular(tap, kernel, text):
    """From the promised moment on everything is there."""
    promised = re.findall(r'"param":"complete_from","value":"([0-9]+\.[0-9]{9})"', text)
    events = [json.loads(line) for line in text.splitlines() if '"event":"data"' in line and "ktrack_demo_bytes" in line]
    found = [int(event["value"]) for event in events if promised and event["t_abs"] >= float(promised[0])]
    wanted = list(accumulate(512 << request % 4 for request in range(OVERRUN_REQUESTS)))
    tap.ok(len(promised) == 1 and float(promised[0]) > 0, f"{kernel}: circular: a moment is promised", promised)
    tap.ok(found and found == wanted[-len(found) :], f"{kernel}: circular: and from then on all is there", found[:3])


def check_overrun(tap, kernel, result):
    """More than the ring buffer holds while the reader is stopped."""
    machine.check_end(tap, kernel, result)
    tap.nothing(result.output.splitlines(), f"{kernel}: an overrun stream ends in order")
    path = result.folder / "lost.json"
    check_batch(tap, f"{kernel}: overrun", path, OVERRUN_REQUESTS, "--with-loss")
    text = result.text("lost.json")
    tap.ok('"name":"lost_records"' in text, f"{kernel}: overrun: something was lost")
    tap.ok('"fmt":"lost ' in text, f"{kernel}: overrun: the gap is reported")
    tap.ok('"name":"lost_task_records"' in text, f"{kernel}: overrun: what was lost of threads is counted apart")
    lines = result.text("lost.errors").splitlines()
    is_reported = len(lines) == 2 and "records about threads" in lines[0] and "try -b" in lines[1]
    tap.ok(is_reported, f"{kernel}: overrun: both are said", *lines)
    text, status = result.text("record.errors"), result.text("record.status").strip()
    tap.ok(status == "3" and LOST_RECORD.search(text), f"{kernel}: overrun: record gives the same advice, and its status", status, text)
    check_batch(tap, f"{kernel}: circular", result.folder / "circular.json", OVERRUN_REQUESTS, "--with-loss")
    check_circular(tap, kernel, result.text("circular.json"))


@tested
def main(tap):
    for kernel in machine.ONE_6_1:
        scripts = {"stream.sh": [":".join(map(str, batch)) for batch in BATCHES], "overrun.sh": [OVERRUN_REQUESTS]}
        with machine.ran_together(kernel, scripts, options=machine.pair()) as (streams, overrun):
            check_batches(tap, kernel, streams)
            check_overrun(tap, kernel, overrun)
