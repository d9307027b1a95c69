#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the file of stat --prometheus keeps the rules of Prometheus' text format, and has the numbers of stat --json.

The reader accepts Prometheus' "Exposition formats", text format 0.0.4, without its options: lines are HELP, TYPE or a sample without a
time; labels are escaped as there; a family is typed once, before its samples, which follow each other; a series occurs once.
"""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from tap import tested  # noqa: E402

HEAD = re.compile(r"# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)")
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(?:,|$)')
ODD = """event demo:io 100 char track_event_type; string slice_name; u32 bytes
0 7@0 io I "a\\"b\\\\c" 1
1us 7@0 io I "a\\"b\\\\c" 1
"""


def labels_of(text):
    """The labels of a sample, whose names are unique."""
    found, place = {}, 0
    while place < len(text):
        label = LABEL.match(text, place)
        if not label or label[1] in found:
            raise ValueError(text)
        found[label[1]], place = re.sub(r"\\(.)", lambda one: "\n" if one[1] == "n" else one[1], label[2]), label.end()
    return found


def read_file(data):
    """{(name, labels): value}; a family has one type, before all of its samples, and a series occurs once."""
    types, series = {}, {}
    for line in data.decode().split("\n")[:-1]:
        head, sample = HEAD.fullmatch(line), SAMPLE.fullmatch(line)
        if head:
            if head[1] == "TYPE":
                if head[2] in types:
                    raise ValueError(f"twice: {line}")
                types[head[2]] = head[3]
            family = head[2]
            continue
        if not sample or re.sub("_(bucket|sum|count)$", "", sample[1]) != family and sample[1] != family:
            raise ValueError(line)
        labels = labels_of(sample[2] or "")
        if labels.pop("textfile") != "own.prom":
            raise ValueError(f"not of this file: {line}")
        key = (sample[1], tuple(sorted(labels.items())))
        if key in series:
            raise ValueError(f"twice: {line}")
        series[key] = float(sample[3])
    if data and not data.endswith(b"\n"):
        raise ValueError("the last line has no end")
    return series


def value_of(series, metric, **labels):
    """The value of one series."""
    return series.get((metric, tuple(sorted(labels.items()))))


def compare(series, statistics):
    """How the file differs from stat --json."""
    for row in statistics["slices"]:
        labels = {"tracepoint": row["tracepoint"], "name": row["name"]}
        name = "ktrack_slice_duration_seconds"
        count, total = value_of(series, f"{name}_count", **labels), value_of(series, f"{name}_sum", **labels)
        if (count, round((total or 0) * 1e9)) != (row["count"], row["total_ns"]):
            yield f"{row} became {count} {total}"
        buckets = [(float(dict(key[1])["le"]), value) for key, value in series.items() if key[0] == f"{name}_bucket" and dict(key[1]).items() >= labels.items()]
        buckets.sort()
        values = [value for _, value in buckets]
        if values != sorted(values) or values[-1:] != [count] or len(values) != 14:
            yield f"buckets of {labels}: {values}"
        if row["count"] and [value for limit, value in buckets if limit * 1e9 >= row["max_ns"]][:1] != [count]:
            yield f"buckets of {labels}: the slowest is in none"
        if row["count"] and any(value for limit, value in buckets if limit * 1e9 + 0.5 < row["min_ns"]):
            yield f"buckets of {labels}: the fastest is not in the first"
    for row in statistics["instants"]:
        if value_of(series, "ktrack_instants_total", tracepoint=row["tracepoint"], name=row["name"]) != row["count"]:
            yield f"{row}"
    for row in statistics["counters"]:
        found = [value for key, value in series.items() if key[0] == "ktrack_counter_value" and dict(key[1])["tracepoint"] == row["tracepoint"]]
        if float(row["last"]) not in found:
            yield f"{row} became {found}"
    for row in statistics["losses"]:
        if value_of(series, "ktrack_lost_records_total", cpu=str(row["cpu"])) != row["records"]:
            yield f"{row}"


def check_case(tap, name):
    """A golden case; names with odd bytes are compared by their number only."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(name, Path(folder, "trace.dat"))
        rules = cases.rules_of(name)
        out, wrong = cases.run(folder, "stat", *rules, "--prometheus=own.prom", "trace.dat")
        expected = json.loads(cases.run(folder, "stat", *rules, "--by-name", "--json", "trace.dat")[0])
        path = Path(folder, "own.prom")
        try:
            series = read_file(path.read_bytes())
            is_odd = "odd-bytes" in name or any("(other)" == row["name"] or "�" in row["name"] for row in expected["slices"] + expected["instants"])
            wrong += [] if is_odd else list(compare(series, expected))
        except (ValueError, OSError) as problem:
            wrong.append(f"cannot be read: {problem!r}")
        wrong += ["standard output"] if out else []
        wrong += [one.name for one in Path(folder).iterdir() if one.name.endswith(".new")]
    tap.nothing(wrong, name.replace("-", " "))


def check_labels(tap):
    """Quotes and backslashes of names, and labels of groups."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(ODD, Path(folder, "trace.dat"))
        cases.run(folder, "stat", "--prometheus=own.prom", "--group-by=name,field:bytes", "trace.dat")
        series = read_file(Path(folder, "own.prom").read_bytes())
        mode = Path(folder, "own.prom").stat().st_mode & 0o777
    names = [dict(key[1]) for key in series if key[0] == "ktrack_instants_total"]
    tap.ok(len(names) == 1 and names[0].get("field_bytes") == "1" and '"' in names[0]["name"], "labels are escaped", names)
    tap.ok(mode & 0o444 == 0o444, "node_exporter may read it", oct(mode))


def check_refusals(tap):
    """What cannot be written."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make("nothing-in-it", Path(folder, "trace.dat"))
        _, said = cases.run(folder, "stat", "--prometheus=absent/own.prom", "trace.dat", status=1)
        tap.ok(said == ["ktrack: cannot write absent/own.prom: No such file or directory"], "no such directory", *said)
        _, said = cases.run(folder, "stat", "--json", "--prometheus=own.prom", "trace.dat", status=2)
        tap.ok(said == ["ktrack: --json: not with --prometheus; leave out one of them"], "no JSON meanwhile", *said)
        before = Path(folder, "trace.dat").read_bytes()
        _, said = cases.run(folder, "stat", "--prometheus=trace.dat", "trace.dat", status=1)
        tap.ok(said == ["ktrack: trace.dat: the source; write to another file"], "the recording is not replaced", *said)
        tap.ok(Path(folder, "trace.dat").read_bytes() == before, "and stays as it was")
        Path(folder, "trace.new").write_bytes(before)
        _, said = cases.run(folder, "stat", "--prometheus=trace", "trace.new", status=1)
        tap.ok(said == ["ktrack: trace.new: the source; write to another file"], "nor is one with the name of the new file", *said)
        tap.ok(Path(folder, "trace.new").read_bytes() == before, "which stays as it was, too")
        Path(folder, "link.prom").symlink_to("trace.new")
        _, said = cases.run(folder, "stat", "--prometheus=link.prom", "trace.dat", status=1)
        tap.ok(said == ["ktrack: link.prom: a symbolic link; name the file itself"], "nor a link", *said)
        os.mkfifo(Path(folder, "pipe.prom"))
        _, said = cases.run(folder, "stat", "--prometheus=pipe.prom", "trace.dat", status=1)
        tap.ok(said == ["ktrack: pipe.prom: not a regular file; name another file"], "nor a FIFO", *said)
        tap.ok(Path(folder, "pipe.prom").is_fifo(), "which stays one")
        os.mkfifo(Path(folder, "new.prom.new"))
        _, said = cases.run(folder, "stat", "--prometheus=new.prom", "trace.dat", status=1)
        tap.ok(said == ["ktrack: new.prom.new: not a regular file; remove it"], "a FIFO next to it does not block", *said)
        Path(folder, "own.prom").write_text("before")
        Path(folder, "own.prom.new").symlink_to("own.prom")
        _, said = cases.run(folder, "stat", "--prometheus=own.prom", "trace.dat", status=1)
        kept = Path(folder, "own.prom").read_text()
        tap.ok(len(said) == 1 and kept == "before", "a link is not followed, and the old file stays", *said, kept)


@tested
def main(tap):
    """All checks."""
    for name in cases.names():
        check_case(tap, name)
    check_labels(tap)
    check_refusals(tap)
