#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack stat says what EVENT's timers and summaries say, and its table fits the terminal."""

import fcntl
import json
import os
import pty
import re
import struct
import sys
import tempfile
import termios
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from model import nanoseconds  # noqa: E402
from tap import Tap  # noqa: E402

COLOUR = re.compile(r"\x1b\[[0-9]*m")
# Tracks and names with slices of these lengths: no two agree in anything that is sorted by.
DIFFERENT = {(7, "often"): [100] * 40, (8, "some"): range(0, 4000, 200), (8, "once"): [70000]}
COUNTERS = """event demo:depth 100 u64 counter_value; u32 scope_queue
+10 7@0 depth 10 1
+10 7@0 depth 7 2
+10 7@0 depth 30 1
"""
SUMS = ("count", "total_ns", "min_ns", "max_ns")


def read_sums(stream):
    """(slices by track, slices over all tracks, counters by track, totals) of an EVENT stream."""
    by_track, over_all, counters, totals = {}, {}, {}, {"malformed of": {}}
    categories = {}
    for line in stream.splitlines():
        event = json.loads(line, parse_float=Decimal)
        kind, label = event["event"], event["thread"].partition(":")[2]
        if kind == "data_json" and event["category"] == "track":
            categories[event["thread"]] = event["value"]["tracepoint"]
        elif kind == "th_timer":
            put(by_track, (event["category"], label, event["name"]), event)
        elif kind == "timer":
            put(over_all, (event["category"], event["name"]), event)
        elif kind == "data_json" and event["category"] == "summary":
            counters[categories[event["thread"]], label] = event["value"]
        elif kind == "counter":
            if event["category"] == "ktrack":
                totals[event["name"]] = event["count"]
            else:
                totals["malformed of"][event["category"]] = event["count"]
    return by_track, over_all, counters, totals


def put(rows, key, event):
    """A timer; tracks that look the same are one row."""
    times = [nanoseconds(event[name]) for name in ("t_total", "t_min", "t_max")]
    count, total, least, most = rows.get(key, (0, 0, times[1], times[2]))
    rows[key] = (
        count + event["intervals"],
        total + times[0],
        min(least, times[1]),
        max(most, times[2]),
    )


def slices_of(statistics, *names):
    """The sums of rows that have any complete slice."""
    return {
        tuple(row[name] for name in names): tuple(row[name] for name in SUMS)
        for row in statistics["slices"]
        if row["count"] > 0
    }


def wrong_quantiles(statistics):
    """Rows whose quantiles or histogram cannot be."""
    for row in statistics["slices"]:
        if row["count"] == 0:
            continue
        order = [row[name] for name in ("min_ns", "p50_ns", "p99_ns", "max_ns")]
        if order != sorted(order) or not row["min_ns"] <= row["mean_ns"] <= row["max_ns"]:
            yield f"not in order: {row}"
        if sum(count for _, count in row["histogram"]) != row["count"]:
            yield f"the histogram is not of all: {row}"


def sum_up(rows):
    """What is left where rows are put together."""
    return {"all": tuple(sum(row[i] for row in rows.values()) for i in (0, 1))}


def difference(expected, found, what):
    """What two dictionaries do not share."""
    for key in expected.keys() | found.keys():
        if expected.get(key) != found.get(key):
            yield f"{what} {key}: {found.get(key)}, EVENT says {expected.get(key)}"


def check_case(tap, name):
    """The statistics of one case."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(name, Path(folder, "trace.dat"))
        rules = cases.rules_of(name)
        stream, wrong = cases.run(folder, "export", *rules, "trace.dat")
        each, more = cases.run(folder, "stat", "--json", *rules, "trace.dat")
        merged, most = cases.run(folder, "stat", "--json", "--by-name", *rules, "trace.dat")
    by_track, over_all, counters, totals = read_sums(stream)
    each, merged = json.loads(each), json.loads(merged)
    wrong += more + most + list(wrong_quantiles(each)) + list(wrong_quantiles(merged))
    found = slices_of(each, "tracepoint", "track", "name")
    if each["beyond_rows"] > 0:
        by_track, found = sum_up(by_track), sum_up(found)
    wrong += difference(by_track, found, "slices")
    wrong += difference(over_all, slices_of(merged, "tracepoint", "name"), "slices")
    for statistics, key in ((each, "track"), (merged, "name")):
        found = {(row.pop("tracepoint"), row.pop(key)): row for row in statistics["counters"]}
        wrong += difference(counters, found, f"counter by {key}")
    found = {key: value for key, value in each["totals"].items() if value}
    found["malformed of"] = {row["tracepoint"]: row["count"] for row in each["malformed_of"]}
    wrong += difference(totals, found, "total")
    wrong += difference(*lost_sums(each), "all losses by CPU:")
    tap.nothing(wrong, name.replace("-", " "))


def lost_sums(statistics):
    """All losses, and the sum of the rows of CPUs."""
    names = {"lost_records": "records", "lost_gaps": "gaps", "lost_gaps_unknown": "gaps_of_unknown_size"}
    found = {name: sum(row[of_cpu] for row in statistics["losses"]) for name, of_cpu in names.items()}
    return {name: statistics["totals"][name] for name in names}, found


def on_terminal(folder, width, *words):
    """What ktrack writes to a terminal of that width."""
    child, fd = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(LC_ALL="C.UTF-8", COLUMNS=str(width))
        os.environ.pop("NO_COLOR", None)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        os.execl(cases.KTRACK, "ktrack", *words)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    said = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        said += more
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode("utf-8").splitlines()


def check_terminal(tap):
    """Lines fit, whatever is in them, and only colours are there to act on the terminal."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("names-with-odd-bytes", "loss-on-two-cpus", "several-buffers"):
            cases.make(name, Path(folder, "trace.dat"))
            for width in (72, 100, 200):
                status, lines = on_terminal(folder, width, "stat", "trace.dat")
                plain = [COLOUR.sub("", line) for line in lines]
                wrong = [line for line in plain if len(line) > width and "recorded" not in line]
                wrong += [line for line in plain if not line.isprintable()]
                is_full = status == 0 and any("\x1b[1m" in line for line in lines)
                tap.nothing(wrong + ([] if is_full else [str(lines)]), f"{name}, {width} wide")


def check_plain(tap):
    """Output to a pipe has no colours and is not cut; losses are reported."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make("loss-on-two-cpus", Path(folder, "trace.dat"))
        text, wrong = cases.run(folder, "stat", "trace.dat")
        found = sorted(re.findall(r"^cpu .*", text.decode(), re.MULTILINE))
        wanted = ["cpu 0 lost 4 records in 1 gap"]
        wanted += ["cpu 1 lost an unknown number of records in 1 gap"]
        wrong += [] if found == wanted else [f"losses: {found}"]
        wrong += ["colours"] if b"\x1b" in text else []
        tap.nothing(wrong, "losses by CPU, without colours")
        cases.make("names-with-odd-bytes", Path(folder, "trace.dat"))
        text, wrong = cases.run(folder, "stat", "trace.dat")
        wrong += [] if b"a" * 100 in text else ["a long name is cut"]
        wrong += [] if text.replace(b"\n", b"").decode().isprintable() else ["control characters"]
        tap.nothing(wrong, "long and odd names in a pipe")
        _, wrong = cases.run(folder, "stat", "--fail-on-loss", "trace.dat")
        cases.make("loss-on-two-cpus", Path(folder, "trace.dat"))
        _, more = cases.run(folder, "stat", "--fail-on-loss", "trace.dat", status=3)
        tap.nothing(wrong + more, "--fail-on-loss")


def different_script():
    """The script of DIFFERENT."""
    yield "event demo:io 100 char track_event_type; string slice_name\n"
    for (tid, name), lengths in DIFFERENT.items():
        for length in lengths:
            yield f'+10 {tid}@0 io B {name}\n+{length} {tid}@0 io E ""\n'


def check_names(tap):
    """With --by-name every counter has its own row and a name."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(COUNTERS, Path(folder, "trace.dat"))
        text, wrong = cases.run(folder, "stat", "--by-name", "trace.dat")
    rows = [line.split() for line in text.decode().splitlines()[:3]]
    wanted = [
        ["NAME", "SAMPLES", "FIRST", "LAST", "MIN", "MAX", "TRACEPOINT"],
        ["depth", "queue", "1", "2", "10", "30", "10", "30", "demo:depth"],
        ["depth", "queue", "2", "1", "7", "7", "7", "7", "demo:depth"],
    ]
    wrong += [] if rows == wanted else [text.decode()]
    tap.nothing(wrong, "counters by name")


def check_order(tap):
    """Every --sort gives its order, and --limit the first of it."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of("".join(different_script()), Path(folder, "trace.dat"))
        keys = {"total": "total_ns", "count": "count"}
        keys |= {word: f"{word}_ns" for word in ("min", "mean", "p50", "p99", "max")}
        for word, key in [*keys.items(), ("name", "name"), ("track", "track")]:
            text, wrong = cases.run(folder, "stat", "--json", f"--sort={word}", "trace.dat")
            rows = [row.get(key, 0) for row in json.loads(text)["slices"]]
            is_sorted = rows == sorted(rows, reverse=word in keys) and len(set(rows)) > 1
            tap.ok(is_sorted and not wrong, f"--sort={word}", rows, *wrong)
        rows = json.loads(cases.run(folder, "stat", "--json", "trace.dat")[0])
        error = rows["quantile_error"]
        (some,) = (row for row in rows["slices"] if row["name"] == "some")
        for key, exact in (("p50_ns", 1800), ("p99_ns", 3800)):
            tap.ok(abs(some[key] - exact) <= exact * error, f"{key} is near {exact}", some[key])
        text, wrong = cases.run(folder, "stat", "--json", "--limit=1", "trace.dat")
        first, more = cases.run(folder, "stat", "--json", "trace.dat")
        is_first = json.loads(text)["slices"] == json.loads(first)["slices"][:1]
        tap.ok(is_first and not wrong + more, "--limit=1", *wrong, *more)
        count = len(json.loads(first)["slices"])
        for limit, rest in ((count - 2, "and 2 more rows of slices"), (count - 1, "and 1 more row of slices")):
            lines = cases.run(folder, "stat", f"--limit={limit}", "trace.dat")[0].decode().splitlines()
            tap.ok(rest in lines, f"{rest!r} at --limit={limit}", *lines)


def check_refusals(tap):
    """What is wrong with a command line is said."""
    with tempfile.TemporaryDirectory() as folder:
        for words, said in (
            ((), "a source is missing; see 'ktrack stat --help'"),
            (("a", "b"), "unexpected argument 'b'"),
            (("--interval=1", "a"), "--interval: needs --live"),
            (("--limit=0", "a"), "'0': not a number of rows; write a number from 1"),
            (("--live", "a"), "'a': unexpected with --live; write -- before a command"),
            (("--live", "--cpu=1"), "--live: records cannot be filtered; select tracepoints with -e"),
            (("--interval=0", "--live"), "--interval=0: too short; write a time above 0"),
        ):
            _, errors = cases.run(folder, "stat", *words, status=2)
            tap.ok(errors == [f"ktrack: {said}"], f"refused: {' '.join(words)}", *errors)
        _, errors = cases.run(folder, "stat", "--sort=size", "a", status=2)
        tap.ok(len(errors) == 1 and "--sort=size: unknown" in errors[0], "refused: --sort=size", *errors)


def main():
    """Returns the exit status."""
    tap = Tap()
    for name in cases.names():
        check_case(tap, name)
    check_terminal(tap)
    check_plain(tap)
    check_names(tap)
    check_order(tap)
    check_refusals(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
