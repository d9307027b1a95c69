#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: of files that trace-cmd recorded, every record is exported as trace-cmd reports it."""

import json
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = machine.PROJECT / "build/ktrack"
CHECK_STREAM = machine.PROJECT / "tests/stream/check-stream"
TRACE_CMD = "/usr/bin/trace-cmd"

ALL = "-e,ktrack_demo,-e,ktrack"
# name: (options of trace-cmd record, the trace clock, how wall-clock time is known)
FILES = {
    "v6": (f"--file-version,6,-C,boot,{ALL}", "boot", "none"),
    "v7": (f"--file-version,7,--compression,none,-C,mono,{ALL}", "mono", "none"),
    "v7zstd": (f"--file-version,7,--compression,zstd,-C,boot,{ALL}", "boot", "none"),
    "two6": (f"--file-version,6,-C,boot,-e,ktrack_demo,-B,other,{ALL}", "boot", "none"),
    "two7": (f"--file-version,7,--compression,zstd,-C,boot,-e,ktrack_demo,-B,other,{ALL}", "boot", "none"),
    "date6": (f"--file-version,6,--date,-C,mono,{ALL}", "mono", "date"),
    "date7": (f"--file-version,7,--date,-C,boot,{ALL}", "boot", "date"),
    "tai": (f"--file-version,7,-C,tai,{ALL}", "tai", "tai"),
    "tsc": (f"--file-version,7,-C,x86-tsc,{ALL}", "x86-tsc", "none"),
}

LINE = re.compile(
    r"(?:(?P<buffer>\w+):\s+)?\s*(?P<comm>\S.*)-(?P<tid>\d+)\s+\[(?P<cpu>\d+)\]\s*(?P<time>[\d.]+): "
    r"(?P<event>\w+):\s+(?P<fields>.*)"
)
FIELD = re.compile(r"(\w+)=(.*?)(?=\s+\w+=|\s*$)")
OWN_FIELDS = ("track_event_type", "slice_name", "track_name", "counter_value", "ktrack_demo_request")
ASYNC_ID, FLOW, OPERATIONS = "scope_request", "ktrack_demo_request", ("read", "write")
UNKNOWN_COMMS = ("<...>", "<idle>")


def digits(text):
    """A time in seconds with nine decimals as nanoseconds."""
    return int(text.replace(".", ""))


def matched(text):
    """The lines of a report that are records."""
    return [match for match in map(LINE.match, text.splitlines()) if match]


def times(text):
    """When the records of a report were written."""
    return {digits(match["time"]) for match in matched(text)}


def extras_of(fields, kind):
    """What a stream shows of raw fields: the id and the text of asynchronous slices, flows of begins, results of ends."""
    extras = {name: int(fields[name], 0) for name in fields if name not in OWN_FIELDS and not name.startswith("scope_")}
    if ASYNC_ID in fields:
        extras |= {"request": int(fields[ASYNC_ID], 0), "op": OPERATIONS[extras["op"]]}
    if kind != "E":
        extras.pop("result", None)
    if kind in "BI" and int(fields.get(FLOW, "0"), 0):
        extras[FLOW] = int(fields[FLOW], 0)
    return tuple(sorted(extras.items()))


def reported(text, start=None):
    """Yields what a report says of each record, as a tuple that exported() yields too, its time since start."""
    if start is None:
        start = min(times(text), default=0)
    for match in matched(text):
        fields = dict(FIELD.findall(match["fields"]))
        scope = next((int(fields[name], 0) for name in fields if name.startswith("scope_")), int(match["tid"]))
        kind = chr(int(fields.get("track_event_type", ord("C"))))
        yield (
            digits(match["time"]) - start, match["buffer"] or "", int(match["cpu"]), int(match["tid"]),
            "" if match["comm"] in UNKNOWN_COMMS else match["comm"], match["event"],
            fields.get("track_name", match["event"]), None if ASYNC_ID in fields else scope, kind,
            fields["counter_value"] if kind == "C" else fields["slice_name"] if kind != "E" else "",
            extras_of(fields, kind),
        )


# A line that stands for a record: its kind, the key that has its name or value.
LINES = {
    "region_enter": ("B", "label"),
    "region_leave": ("E", None),
    "data": ("C", "value"),
    "data_json": ("I", "key"),
}


def exported(text):
    """Yields what an EVENT stream says of each record."""
    tracks = {}
    for event in (json.loads(line, parse_float=str) for line in text.splitlines()):
        if event["event"] == "data_json" and event["category"] == "track":
            tracks[event["thread"]] = event["value"]
        if event["event"] not in LINES or "tid" not in event:
            continue
        track, (kind, key) = tracks[event["thread"]], LINES[event["event"]]
        args = dict(event["value"] if kind == "I" else event.get("args", {}))
        args |= {name: int(number, 16) for name, number in (one.split(":") for one in event.get("flow", []))}
        yield (
            digits(event["t_abs"]), track.get("buffer", ""), event["cpu"], event["tid"], event.get("comm", ""),
            event["category"].split(":")[1], track["name"], track.get("id"), kind, event[key] if key else "",
            tuple(sorted(args.items())),
        )


def export(*arguments, given=None):
    """Runs ktrack export."""
    command = [KTRACK, "export", "--with=tid,cpu,comm", *map(str, arguments)]
    return subprocess.run(command, stdin=given, capture_output=True, text=True, check=False)


def parameters(text):
    """What def_param says."""
    events = (json.loads(line) for line in text.splitlines())
    return {event["param"]: event["value"] for event in events if event["event"] == "def_param"}


def differences(got, want):
    """What one has and the other has not."""
    got, want = Counter(got), Counter(want)
    found = [f"only exported: {record}" for record in sorted((got - want).elements())]
    return found + [f"only reported: {record}" for record in sorted((want - got).elements())]


def check_form(tap, what, text):
    """The stream as a stream."""
    done = subprocess.run([CHECK_STREAM, "-"], input=text, capture_output=True, text=True, check=False)
    tap.nothing((done.stdout + done.stderr).splitlines() if done.returncode else [], f"{what}: a well-formed stream")


def check_file(tap, kernel, folder, name):
    """One file against its report."""
    _, clock, time_source = FILES[name]
    what = f"{kernel}: {name}"
    done = export(folder / f"{name}.dat")
    records = list(exported(done.stdout))
    report = (folder / f"{name}.report.output").read_text()
    notes = [] if time_source != "none" else [f"the wall clock is unknown (clock {clock}), "]
    lines = done.stderr.splitlines()
    is_noted = len(lines) == len(notes) and all(note in line for note, line in zip(notes, lines))
    tap.ok(done.returncode == 0 and is_noted, f"{what}: exported", done.stderr)
    tap.ok(len(records) > 3400, f"{what}: the whole batch is there", len(records))
    tap.nothing(differences(records, reported(report)), f"{what}: every record is as reported")
    said = parameters(done.stdout)
    tap.ok(said["clock"] == clock and said["time_source"] == time_source, f"{what}: clock and wall-clock time", said)
    tap.ok(said["kernel"].startswith(f"{kernel}."), f"{what}: the kernel that wrote it", said["kernel"])
    check_form(tap, what, done.stdout)


def check_text(tap, kernel, folder):
    """What trace-cmd formats: the letter of a record's type, its name, its operation in words."""
    words = {"B": "begins", "E": "ends", "I": "instants"}
    found, wanted = Counter(), Counter()
    for match in matched((folder / "v6.text.output").read_text()):
        letter, _, rest = match["fields"].partition(" ")
        if letter in words:
            fields = dict(FIELD.findall(rest))
            found[letter, match["event"], fields["slice_name"], fields.get("op")] += 1
    for match in matched((folder / "v6.report.output").read_text()):
        fields = dict(FIELD.findall(match["fields"]))
        if "track_event_type" in fields:
            operation = OPERATIONS[int(fields["op"])] if "op" in fields else None
            wanted[chr(int(fields["track_event_type"])), match["event"], fields["slice_name"], operation] += 1
    tap.ok(found == wanted and {key[0] for key in found} == set(words), f"{kernel}: texts are as the raw fields", found, wanted)


def check_input(tap, kernel, folder):
    """The same by a pipe."""
    with subprocess.Popen(["cat", folder / "two7.dat"], stdout=subprocess.PIPE) as pipe:
        done = export("-", given=pipe.stdout)
    want = list(exported(export(folder / "two7.dat").stdout))
    tap.ok(done.returncode == 0 and list(exported(done.stdout)) == want, f"{kernel}: a pipe gives the same", done.stderr)


def begin_us(text):
    """When an exported session begins."""
    first = json.loads(text.splitlines()[0])["time"]
    return (datetime.fromisoformat(first.rstrip("Z")) - datetime(1970, 1, 1)) // timedelta(microseconds=1)


def strange(done, report):
    """
    What was exported but not reported. Times count from the first record that is left, which the session reports to
    the microsecond: it is a record of that microsecond.
    """
    records, begin = Counter(exported(done.stdout)), begin_us(done.stdout)
    starts = [time for time in times(report) if time // 1000 == begin]
    rests = [sorted((records - Counter(reported(report, start))).elements()) for start in starts]
    return min(rests, key=len, default=[f"no record of the report is of the time {begin}"])


def check_cut(tap, kernel, folder, name, share):
    """A file cut short gives what it has, and a complaint."""
    whole = (folder / f"{name}.dat").read_bytes()
    path = folder / "cut.dat"
    path.write_bytes(whole[: int(len(whole) * share)])
    done = export(path)
    what = f"{kernel}: {name} cut to {share}"
    rest = strange(done, (folder / f"{name}.report.output").read_text())
    tap.nothing([f"strange: {record}" for record in rest], f"{what}: nothing but what was there")
    tap.ok(list(exported(done.stdout)), f"{what}: something is left")
    *losses, damage = done.stderr.splitlines() or [""]
    reported = str(path) in damage and "at offset" in damage and all(": lost an unknown number of " in line for line in losses)
    tap.ok(done.returncode == 1 and reported and len(losses) < 2, f"{what}: its place and status 1", done.returncode, done.stderr)


def counters(text):
    """What the totals at a stream's end say."""
    events = (json.loads(line) for line in text.splitlines())
    own = (event for event in events if event["event"] == "counter" and event["category"] == "ktrack")
    return {event["name"]: event["count"] for event in own}


def check_lost(tap, kernel, folder):
    """What was overwritten is counted as the kernel counts it; ends whose begin it took are not exported, but counted."""
    done = export(folder / "lost.dat")
    stats = (folder / "lost.stats").read_text()
    want = sum(map(int, re.findall(r"^(?:overrun|commit overrun|dropped events): (\d+)", stats, re.MULTILINE)))
    got = counters(done.stdout)
    is_right = want > 0 and got.get("lost_records") == want
    tap.ok(is_right, f"{kernel}: lost records are counted as the kernel does", got, want, done.stderr)
    records, report = Counter(exported(done.stdout)), Counter(reported((folder / "lost.report.output").read_text()))
    missing = list((report - records).elements())
    rest = [record for record in missing if record[8] != "E"] + list((records - report).elements())
    tap.nothing(rest, f"{kernel}: what was not lost is as reported")
    tap.ok(len(missing) == got.get("unmatched_ends", 0), f"{kernel}: ends without a begin are counted", len(missing), got)
    check_form(tap, f"{kernel}: lost", done.stdout)


def check_reports(tap, kernel, result):
    """What trace-cmd reports of each file, outside of the machine: NAME.report.output, and v6.text.output with formatted fields."""
    for name in (*FILES, "lost"):
        result.attempt(f"{name}.report", "trace-cmd", "report", "-N", "-R", "-t", f"{name}.dat")
    result.attempt("v6.text", "trace-cmd", "report", "-N", "-t", "v6.dat")
    failed = [path.name for path in sorted(result.folder.glob("*.status")) if path.read_text() != "0\n"]
    tap.nothing(failed, f"{kernel}: trace-cmd reports everything")


def check_kernel(tap, kernel):
    """All files of one kernel."""
    arguments = [f"{name}:{options}" for name, (options, _, _) in FILES.items()]
    options = ("--add", f"{TRACE_CMD}:/bin/trace-cmd")
    with machine.ran(kernel, "tracedat.sh", *arguments, options=options) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: trace-cmd records everything")
        check_reports(tap, kernel, result)
        for name in FILES:
            check_file(tap, kernel, result.folder, name)
        check_text(tap, kernel, result.folder)
        check_input(tap, kernel, result.folder)
        check_cut(tap, kernel, result.folder, "v6", 0.99)
        check_cut(tap, kernel, result.folder, "two6", 0.995)
        check_lost(tap, kernel, result.folder)


@tested
def main(tap):
    for kernel in machine.ONE_6_12:
        check_kernel(tap, kernel)
