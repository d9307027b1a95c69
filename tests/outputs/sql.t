#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what Perfetto's trace_processor made of our traces, as golden/ keeps it, is what EVENT reports.

The program is packaged nowhere. Where KTRACK_TRACE_PROCESSOR names one, it reads the traces again,
and its results must be those of golden/; --update puts them there.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
import process  # noqa: E402
from model import losses_of, read_event  # noqa: E402
from perfetto import grouped, is_below_task, names_of  # noqa: E402
from tap import tested  # noqa: E402

GOLDEN = HERE / "golden"
QUERIES = HERE / "trace.sql"
PROGRAM = os.environ.get("KTRACK_TRACE_PROCESSOR")
WALL_S = 1577934245
CASES = (
    "begin-never-closed",
    "counters-above-2-to-the-53-are-exact",
    "counters-of-every-integer-type",
    "end-closes-the-top-slice",
    "extra-fields-are-attached",
    "extra-fields-of-every-type",
    "extremes-of-64-bits",
    "idle-tasks-are-apart-by-cpu",
    "instant-inside-a-slice",
    "loss-before-inside-and-between-slices",
    "loss-on-two-cpus",
    "loss-swallows-begin-and-end",
    "names-of-tasks",
    "names-with-odd-bytes",
    "requests-in-slots",
    "same-event-name-in-two-systems",
    "scope-values-keep-sign-and-size",
    "scopes-process-cpu-custom-thread",
    "several-buffers",
    "two-track-names-interleaved",
)
DOUBLE_EXACT = 1 << 53
INT64_MAX = (1 << 63) - 1


def read_results(text):
    """{kind: rows} of what the program printed: a title and objects in quotes, with blank lines."""
    results, rows = {}, None
    for line in text.splitlines():
        if not line:
            rows = None
        elif rows is None:
            rows = results.setdefault(line.strip('"'), [])
        else:
            rows.append(json.loads(line[1:-1]))
    return results


def show(value):
    """A value as the program shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(value)
    return str(value)


def args_of(prefix, args):
    """Arguments as the program shows them; what 64 bits with a sign do not hold is a text too."""
    for name, value in args.items():
        text = show(value)
        if text.isdigit() and INT64_MAX < int(text) <= 2 * INT64_MAX + 1:
            yield f"debug.ktrack:exact:{prefix}{name}", text
        yield f"debug.{prefix}{name}", text


def read_named(stream):
    """The tracks of EVENT, called as the program calls them."""
    tracks = list(read_event(stream).values())
    groups = grouped(track.identity for track in tracks)
    has_buffers = len({track.identity.get("buffer") for track in tracks}) > 1
    for track in tracks:
        is_below = is_below_task(track.identity)
        is_alone = not is_below and track.identity["tracepoint"] not in groups
        track.label = names_of(track.label, track.identity, is_below, is_alone, has_buffers)[0]
    return tracks


def slice_of(track, one):
    """A slice of EVENT as the program would show it."""
    begin, end, name, before, behind, marks, depth = one
    is_open = marks == ("unfinished",)
    args = dict(args_of("", before)) | dict(args_of("end:", behind))
    args |= {f"debug.ktrack:{mark}": "true" for mark in marks if not is_open}
    return (track.label, begin, -1 if is_open else end - begin, depth, track.category, name, args)


def slices_of(stream):
    """All slices and instants of EVENT, in any order; of an instant the depth is not compared."""
    for track in read_named(stream):
        for one in track.slices:
            yield slice_of(track, one)
        for time, name, args in track.instants:
            args = dict(args_of("", args))
            yield (track.label, time, 0, None, track.category, name, args)


def samples_of(stream):
    """All samples of EVENT."""
    for track in read_named(stream):
        for time, text in track.samples:
            exact = {} if abs(int(text)) <= DOUBLE_EXACT else {"debug.ktrack:exact": text}
            yield (track.label, time, float(int(text)), exact)


def difference(expected, found, what):
    """What two lists do not share, whatever their order."""
    rest = list(found)
    for one in expected:
        if one in rest:
            rest.remove(one)
        else:
            yield f"{what} missing: {one}"
    yield from (f"{what} in SQL only: {one}" for one in rest)


def compare(stream, results):
    """How results differ from an EVENT stream."""
    (start,) = (row["value"] for row in results["clock"] if row["clock"] == "BOOTTIME")
    walls = [row["value"] for row in results["clock"] if row["clock"] == "REALTIME"]
    if walls != [WALL_S * 10**9]:
        yield f"the wall clock is {walls}"
    expected = list(slices_of(stream))
    instants = {(one[0], one[1], one[5]) for one in expected if one[3] is None}
    found, losses = [], {}
    for row in results["slice"]:
        time = row["ts"] - start
        is_instant = row["dur"] == 0 and (row["track"], time, row["name"]) in instants
        depth = None if is_instant else row["depth"]
        one = (row["track"], time, row["dur"], depth, row["category"], row["name"], row["args"])
        if row["category"] == "ktrack":
            losses[row["name"]] = losses.get(row["name"], 0) + (row["dur"] >= 0)
        else:
            found.append(one)
    yield from difference(expected, found, "slice")
    samples = [(r["track"], r["ts"] - start, float(r["value"]), r["args"]) for r in results["counter"]]
    plain = [(*one[:3], {k: v for k, v in one[3].items() if "exact" in k}) for one in samples]
    yield from difference(samples_of(stream), plain, "sample")
    yield from (f"{row}" for row in results.get("problem", []))
    if {name: count for name, count in losses.items() if name.startswith("lost")} != losses_of(stream):
        yield f"losses {losses} instead of {losses_of(stream)}"


def ask(path):
    """What the program says of a trace."""
    command = [PROGRAM, "-q", QUERIES, path]
    done = process.run(command, capture_output=True, check=True)
    return done.stdout.decode()


def check_case(tap, name, is_updating):
    """The kept results of a case, and the program's own where there is one."""
    golden = GOLDEN / f"{name}.sql.txt"
    with tempfile.TemporaryDirectory() as folder:
        cases.make(name, Path(folder, "trace.dat"))
        words = ("--event", "--perfetto=out", f"--wall-clock={WALL_S}", "trace.dat")
        stream, wrong = cases.run(folder, "export", *words)
        asked = ask(Path(folder, "out")) if PROGRAM else None
    if is_updating:
        golden.write_text(asked)
    kept = golden.read_text()
    wrong += compare(stream, read_results(kept))
    tap.nothing(wrong, f"{name.replace('-', ' ')}: the kept results are what EVENT reports")
    if asked is not None:
        tap.ok(asked == kept, f"{name.replace('-', ' ')}: the program reports it", asked)


@tested
def main(tap):
    """All checks."""
    is_updating = sys.argv[1:] == ["--update"]
    for name in CASES:
        check_case(tap, name, is_updating)
    if not PROGRAM:
        tap.skip("trace_processor itself", "KTRACK_TRACE_PROCESSOR names none")
