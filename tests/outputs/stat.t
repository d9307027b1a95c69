#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack stat says what EVENT's timers and summaries say, and its table fits the terminal."""

import csv
import fcntl
import json
import os
import pty
import re
import struct
import sys
import tempfile
import termios
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "stream")]

import cases  # noqa: E402
from reading.session import Statistics, statistics_of_timer  # noqa: E402
from reading.stream import read_events  # noqa: E402
from tap import tested  # noqa: E402

COLOUR = re.compile(r"\x1b\[[0-9]*m")
# Tracks and names with slices of these lengths: no two agree in anything that is sorted by.
DIFFERENT = {(7, "often"): [100] * 40, (8, "some"): range(0, 4000, 200), (8, "once"): [70000]}
COUNTERS = """event demo:depth 100 u64 counter_value; u32 scope_queue
+10 7@0 depth 10 1
+10 7@0 depth 7 2
+10 7@0 depth 30 1
"""
# States of threads; idle tasks are none.
STATES = "sched:thread"
SUMS = ("count", "total_ns", "min_ns", "max_ns")


def read_sums(stream):
    """(slices by track, slices over all tracks, counters by track, totals) of an EVENT stream."""
    by_track, over_all, counters, totals = {}, {}, {}, {"malformed of": {}}
    categories = {}
    for event in read_events(stream.splitlines(keepends=True)):
        kind, label = event.kind, event.thread.partition(":")[2]
        if kind == "data_json" and event["category"] == "track":
            categories[event.thread] = event["value"]["tracepoint"]
        elif kind == "th_timer":
            put(by_track, (event["category"], label, event["name"]), event)
            if event["category"] == STATES and "tid 0 swapper/" not in label:
                put(over_all, (event["category"], event["name"]), event)
        elif kind == "timer" and event["category"] != STATES:
            put(over_all, (event["category"], event["name"]), event)
        elif kind == "data_json" and event["category"] == "summary":
            counters[categories[event.thread], label] = event["value"]
        elif kind == "counter":
            if event["category"] == "ktrack":
                totals[event["name"]] = event["count"]
            else:
                totals["malformed of"][event["category"]] = event["count"]
    by_track, over_all = [{key: row.as_tuple() for key, row in rows.items()} for rows in (by_track, over_all)]
    return by_track, over_all, counters, totals


def put(rows, key, event):
    """A timer; tracks that look the same are one row."""
    rows.setdefault(key, Statistics()).merge(statistics_of_timer(event))


def check_idle(tap):
    """In rows of several tracks an idle task is no thread; in a row of its own it is."""
    formats = "format ../formats/6.12/sched/sched_switch\n"
    switch = "sched_switch prev_comm={} prev_pid={} prev_state={} next_comm={} next_pid={}\n"
    records = ("swapper/0", 0, 0, "work", 7), ("work", 7, 1, "swapper/0", 0), ("swapper/0", 0, 0, "work", 7), ("work", 7, 1, "swapper/0", 0)
    times = 0, 10, 900, 920
    text = "".join(f"{time}us {record[1]}@0 {switch.format(*record)}" for time, record in zip(times, records))
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(formats + text, Path(folder, "trace.dat"))
        by_name, wrong = cases.run(folder, "stat", "-r", "sched", "--by-name", "--json", "trace.dat")
        by_track, _ = cases.run(folder, "stat", "-r", "sched", "--json", "trace.dat")
    found = {row["name"]: row["max_ns"] for row in json.loads(by_name)["slices"] if row["tracepoint"] == STATES}
    tap.ok(found["Running"] == 20000 and "R" not in found and not wrong, "idle tasks are no threads", found, wrong)
    tracks = {row["track"]: row["max_ns"] for row in json.loads(by_track)["slices"] if row["tracepoint"] == STATES and row["name"] == "Running"}
    tap.ok(max(tracks.values()) == 890000, "but have rows of their own", tracks)


BRIEF = """format ../formats/6.12/sched/sched_switch
event demo:io 100 char track_event_type; string slice_name
0   7@0 sched_switch prev_comm=reader prev_pid=7 prev_state=1 next_comm=swapper/0 next_pid=0
9ms 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=0 next_comm=reader next_pid=7
repeat 30
+10us 7@0 io B name$i
+10us 7@0 io E ""
end
+10us 7@0 sched_switch prev_comm=reader prev_pid=7 prev_state=2 next_comm=swapper/0 next_pid=0
"""


def check_brief(tap):
    """A table that nobody shaped begins with what took time; sleeping threads, idle CPUs and further rows are counted."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(BRIEF, Path(folder, "trace.dat"))
        brief, every, sorted_, of_name = (
            cases.run(folder, "stat", *words, "trace.dat")[0].decode().splitlines()
            for words in ((), ("--all",), ("--sort=total",), ("--name=S",))
        )
        rows = [line.split("  ")[0] for line in brief[1:3]]
        tap.ok(rows == ["running cpu 0", "state tid 7 reader"] and "Running" in brief[2], "what ran is first", *brief[:4])
        # 37 rows: 30 of the driver; "swapper/0" and "reader" on the CPU; two of the idle task; "S", "Running" and "D" of the thread.
        tap.ok("and 12 more rows of slices: --all" in brief and brief.index("") == 27, "25 rows, and how many more there are", *brief)
        tap.ok(not any("swapper" in line or "idle" in line for line in brief), "neither sleep nor idle CPUs", *brief)
        for words, lines in (("--all", every), ("--sort", sorted_)):
            tap.ok(lines.index("") == 38 and any("swapper" in line for line in lines), f"{words} prints all rows", len(lines), *lines)
        tap.ok(any(line.startswith("state tid 7 reader") for line in of_name), "what is named is printed", *of_name)


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
        cases.make("loss-on-two-cpus", Path(folder, "trace.dat"))
        _, lines = on_terminal(folder, 80, "stat", "--by-name", "trace.dat")
        titles = COLOUR.sub("", lines[0]).split()
        tap.nothing([] if "TRACEPOINT" in titles and "HISTOGRAM" not in titles else lines, "the category, by which slices are selected, is dropped last")


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


GROUPED = """event demo:io 100 char track_event_type; string slice_name; u32 bytes
task 7 worker 7
cgroup 7 /a/b
+10 7@0 io B outer 4096
+10 7@0 io B inner 1
+20 7@0 io E "" 2
+20 7@0 io E "" 0
+10 7@0 io B inner 1
+30 7@1 io E "" 3
+10 8@1 io B other 1
+40 8@1 io E "" 1
+20 8@1 io I tick 1
"""


def grouped(folder, *words):
    """The slices of GROUPED: {values of the keys: (count, total, self)}."""
    text, wrong = cases.run(folder, "stat", "--json", *words, "trace.dat")
    keys = words[0].partition("=")[2].split(",")
    rows = json.loads(text)["slices"]
    return {tuple(row[key] for key in keys): (row["count"], row["total_ns"], row["self_ns"]) for row in rows}, wrong


# Both move while a slice is open, which stays where it began; the state of 8 ends there.
MOVED = """event cgroup:cgroup_attach_task 101 s32 dst_root; s32 pid; string dst_path
event demo:io 100 char track_event_type; string slice_name
event demo:run 102 string what
cgroup 7 /a
cgroup 8 /a
+10 7@0 io B outer
+10 7@0 run busy
+10 9@1 cgroup_attach_task dst_root=0 pid=7 dst_path=/b
+10 7@0 io E outer
+10 7@0 io B inner
+10 7@0 io E inner
+10 7@0 run idle
+10 9@1 cgroup_attach_task dst_root=0 pid=7 dst_path=/a
+10 7@0 run busy
+10 7@0 run idle
+10 7@0 io E none
+10 8@0 io E none
"""


def check_moves(tap):
    """A slice, and a state, is of the cgroup in which it began."""
    rule = "state demo:state on=demo:run name={what}"
    wanted = {
        ("/a", "outer"): (1, 30, 30),
        ("/b", "inner"): (1, 10, 10),
        ("/a", "busy"): (2, 60, 60),
        ("/b", "idle"): (1, 20, 20),
        ("/a", "idle"): (0, 0, 0),
    }
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(MOVED, Path(folder, "trace.dat"))
        words = ("--group-by=cgroup,name", "-e", "demo:io", "-r", rule)
        found, wrong = grouped(folder, *words)
        tap.ok(found == wanted, "slices of a process that moves", found, *wrong)
        for path in ("/a", "/b"):
            one, wrong = grouped(folder, *words, f"--cgroup={path}")
            tap.ok(one == {key: row for key, row in wanted.items() if key[0] == path}, f"--cgroup={path}", one, *wrong)
        text, _ = cases.run(folder, "stat", *words, "--cgroup=/b", "trace.dat")
        tap.ok(b"without" not in text, "what began elsewhere has no end here", text)


# On tracks of no process: of 7 and 8, which move; of 9, which does not; and one that 7 ends for 10.
JOBS = """event cgroup:cgroup_attach_task 101 s32 dst_root; s32 pid; string dst_path
event demo:job 100 char track_event_type; string slice_name; u32 scope_job
task 7 server 7
task 8 helper 7
cgroup 7 /a
cgroup 9 /c
cgroup 10 /b
+10 7@0 job B moved 1
+10 9@1 job B other 1
+10 9@1 cgroup_attach_task dst_root=0 pid=7 dst_path=/b
+10 9@1 job E other 1
+10 8@0 job E moved 1
+10 7@0 job B later 1
+10 7@0 job E later 1
+10 10@1 job B handed 2
+10 7@0 job E handed 2
"""
# A slice that begins after the move inside one of before.
NESTED = """event cgroup:cgroup_attach_task 101 s32 dst_root; s32 pid; string dst_path
event demo:io 100 char track_event_type; string slice_name
cgroup 7 /a
+10 7@0 io B outer
+10 9@1 cgroup_attach_task dst_root=0 pid=7 dst_path=/b
+10 7@0 io B inner
+10 7@0 io E inner
+10 7@0 io E outer
"""


def check_moved_jobs(tap):
    """--cgroup keeps slices whole whose writer moves."""
    rows = {
        "/a": {("moved",): (1, 40, 40)},
        "/b": {("later",): (1, 10, 10), ("handed",): (1, 10, 10)},
        "/c": {("other",): (1, 20, 20)},
    }
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(JOBS, Path(folder, "trace.dat"))
        for path, wanted in rows.items():
            words = ("--group-by=name", f"--cgroup={path}")
            found, wrong = grouped(folder, *words)
            text, _ = cases.run(folder, "stat", *words, "trace.dat")
            tap.ok(found == wanted and b"without" not in text, f"slices on tracks of no process, --cgroup={path}", found, text, *wrong)
        cases.make_of(NESTED, Path(folder, "trace.dat"))
        found = [set(grouped(folder, "--group-by=cgroup,name", *more)[0]) for more in ((), ("--cgroup=/a",), ("--cgroup=/b",))]
        old = {("/a", "outer"), ("/a", "inner")}
        tap.ok(found == [old, old, {("/b", "inner")}], "a slice of after the move inside one of before is selected by both paths", *found)


def check_groups(tap):
    """Each key of --group-by: that of the record of a slice's begin."""
    wanted = {
        "name": {("outer",): (1, 50, 30), ("inner",): (2, 50, 50), ("other",): (1, 40, 40)},
        "cpu": {("0",): (3, 100, 80), ("1",): (1, 40, 40)},
        "pid": {("7",): (3, 100, 80), ("8",): (1, 40, 40)},
        "cgroup": {("/a/b",): (3, 100, 80), ("",): (1, 40, 40)},
        "comm": {("worker",): (3, 100, 80), ("",): (1, 40, 40)},
        "field:bytes": {("4096",): (1, 50, 30), ("1",): (3, 90, 90)},
        "field:nothing": {("",): (4, 140, 120)},
        "cpu,name": {("0", "outer"): (1, 50, 30), ("0", "inner"): (2, 50, 50), ("1", "other"): (1, 40, 40)},
        "field:bytes,name": {("4096", "outer"): (1, 50, 30), ("1", "inner"): (2, 50, 50), ("1", "other"): (1, 40, 40)},
    }
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(GROUPED, Path(folder, "trace.dat"))
        for keys, rows in wanted.items():
            found, wrong = grouped(folder, f"--group-by={keys}")
            tap.ok(found == rows and not wrong, f"--group-by={keys}", found, *wrong)
        found, wrong = grouped(folder, "--group-by=name", "--name=*er")
        tap.ok(sorted(found) == [("inner",), ("other",), ("outer",)], "--name", found, *wrong)
        found, wrong = grouped(folder, "--group-by=name", "--cgroup=/a")
        tap.ok(sorted(found) == [("inner",), ("outer",)], "--cgroup", found, *wrong)
        found, wrong = grouped(folder, "--group-by=name", "--name=o*")
        tap.ok(sorted(found) == [("other",), ("outer",)], "--name leaves others out", found, *wrong)
        text, wrong = cases.run(folder, "stat", "--name=t*", "--json", "trace.dat")
        rows = json.loads(text)
        tap.ok([row["name"] for row in rows["instants"]] == ["tick"] and not rows["slices"], "and instants", *wrong)


def check_crossing(tap):
    """A slice is inside the one that is open around it from its begin to its end, whatever their depths are."""
    wanted = [(name, (1, total * 1000, own * 1000)) for name, total, own in (("main", 14, 4), ("A", 2, 2), ("B", 4, 4), ("C", 2, 2), ("D", 1, 1), ("F", 1, 1))]
    with tempfile.TemporaryDirectory() as folder:
        cases.make(cases.CROSSING_CASE, Path(folder, "trace.dat"))
        found, wrong = grouped(folder, "--group-by=name")
    tap.ok([(name, found.get((name,))) for name, _ in wanted] == wanted, "self times of slices that cross", found, *wrong)


def check_groups_by_the_end(tap):
    """A field that only ends have; the other keys stay those of the begin. The last read has no end."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make("rules-syscalls", Path(folder, "trace.dat"))
        rules = cases.rules_of("rules-syscalls")
        text, wrong = cases.run(folder, "stat", "--json", *rules, "--group-by=name,pid,field:ret", "trace.dat")
        found = {(row["name"], row["pid"], row["field:ret"]): row["count"] for row in json.loads(text)["slices"]}
        for one in (("write", "7", "4096"), ("futex", "8", "-512"), ("syscall_9999", "7", "-38"), ("getpid", "9", "9")):
            tap.ok(found.get(one) == 1, f"a row of {' '.join(one)}", found, *wrong)
        tap.ok(found.get(("read", "7", "")) == 0, "no value if there is no end", found)


def check_forms(tap):
    """--csv, --slowest, --histogram, --percentiles, and --sort the other way."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(GROUPED, Path(folder, "trace.dat"))
        text, wrong = cases.run(folder, "stat", "--csv", "--percentiles=50,99.9", "trace.dat")
        rows = list(csv.DictReader(text.decode().splitlines()))
        found = [(row["kind"], row["name"], row["count"], row["total_ns"], row["p50_ns"], row["p99.9_ns"]) for row in rows]
        wanted = [
            ("slice", "inner", "2", "50", "20", "30"),
            ("slice", "outer", "1", "50", "50", "50"),
            ("slice", "other", "1", "40", "40", "40"),
            ("instant", "tick", "1", "", "", ""),
        ]
        tap.ok(found == wanted and not wrong, "--csv", found, *wrong)
        text, wrong = cases.run(folder, "stat", "--json", "--slowest=2", "trace.dat")
        rows = json.loads(text)
        found = {row["name"]: round(row["per_second"] * rows["duration_ns"] / 1e9) for row in rows["slices"]}
        tap.ok(found == {"outer": 1, "inner": 2, "other": 1}, "rates", found)
        found = [(row["begin_ns"], row["ns"], row["name"], row["fields"]) for row in json.loads(text)["slowest"]]
        wanted = [(0, 50, "outer", "bytes=4096; bytes=0"), (100, 40, "other", "bytes=1; bytes=1")]
        tap.ok(found == wanted and not wrong, "--slowest", found, *wrong)
        text, wrong = cases.run(folder, "stat", "--slowest=1", "--histogram", "--name=inner", "trace.dat")
        lines = text.decode().splitlines()
        is_there = any(line.split()[:4] == ["0ns", "64ns", "2", "100.0%"] for line in lines)
        slow = [line.split() for line in lines if line.startswith("0.0000000")]
        wanted = [["0.000000060", "30ns", "inner", "io", "tid", "7", "worker", "bytes=1;", "bytes=3", "demo:io"]]
        tap.ok(is_there and slow == wanted and not wrong, "both in tables", *lines)
        for word, reverse in (("total", True), ("-total", False), ("p90", True), ("-name", True), ("self", True)):
            text, wrong = cases.run(folder, "stat", "--json", "--percentiles=90", f"--sort={word}", "trace.dat")
            key = {"p90": "p90_ns", "name": "name"}.get(word.lstrip("-"), word.lstrip("-") + "_ns")
            found = [row[key] for row in json.loads(text)["slices"]]
            tap.ok(found == sorted(found, reverse=reverse) and not wrong, f"--sort={word}", found, *wrong)


def check_share(tap):
    """The part of the recorded time: a fraction in JSON and CSV, percent in tables that are sorted by it; several tracks may have more than all."""
    script = "event demo:io 100 char track_event_type; string slice_name\n"
    script += '+10 7@0 io B both\n+0 8@1 io B both\n+30 8@1 io B few\n+10 8@1 io E ""\n+160 7@0 io E ""\n+0 8@1 io E ""\n'
    shares = {"both": 2, "few": 0.05}
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(script, Path(folder, "trace.dat"))
        text, wrong = cases.run(folder, "stat", "--by-name", "--json", "trace.dat")
        tap.ok({row["name"]: row["share"] for row in json.loads(text)["slices"]} == shares, "shares in JSON", text.decode(), *wrong)
        text, wrong = cases.run(folder, "stat", "--by-name", "--csv", "trace.dat")
        rows = list(csv.DictReader(text.decode().splitlines()))
        tap.ok({row["name"]: float(row["share"]) for row in rows} == shares, "and in CSV", rows, *wrong)
        text, wrong = cases.run(folder, "stat", "--by-name", "--sort=-share", "trace.dat")
        titles, *rows = [line.split() for line in text.decode().splitlines()[:3]]
        tap.ok([(row[0], row[titles.index("SHARE")]) for row in rows] == [("few", "5.0%"), ("both", "200.0%")], "--sort=-share has the column", titles, rows, *wrong)
        text, wrong = cases.run(folder, "stat", "--by-name", "trace.dat")
        tap.ok(b"SHARE" not in text and not wrong, "other tables do not", text.decode())


def check_left_out(tap):
    """A row whose slices are all left out has sums in JSON and CSV, and neither extremes nor percentiles; in tables it has its count."""
    script = "event demo:io 100 char track_event_type; string slice_name\n+10 7@0 io B open\n"
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(script, Path(folder, "trace.dat"))
        text, wrong = cases.run(folder, "stat", "--json", "trace.dat")
        (row,) = json.loads(text)["slices"]
        tap.ok([row["count"], row["total_ns"], row["unfinished"]] == [0, 0, 1] and "mean_ns" not in row and "p50_ns" not in row, "JSON without extremes", row, *wrong)
        text, wrong = cases.run(folder, "stat", "--csv", "trace.dat")
        (row,) = csv.DictReader(text.decode().splitlines())
        tap.ok([row["total_ns"], row["unfinished"], row["min_ns"], row["p99_ns"], row["first"]] == ["0", "1", "", "", ""], "CSV without extremes", row, *wrong)
        text, wrong = cases.run(folder, "stat", "--by-name", "trace.dat")
        tap.ok(text.decode().splitlines()[1].split() == ["open", "0", "demo:io"], "tables without times", text.decode(), *wrong)


def check_many_slowest(tap):
    """The slowest of many, in order."""
    lengths = [(number * 7919) % 5003 for number in range(3000)]
    script = "event demo:io 100 char track_event_type; string slice_name\n"
    script += "".join(f'+10 7@0 io B x\n+{length} 7@0 io E ""\n' for length in lengths)
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(script, Path(folder, "trace.dat"))
        text, wrong = cases.run(folder, "stat", "--json", "--slowest=100", "trace.dat")
    found = [row["ns"] for row in json.loads(text)["slowest"]]
    tap.ok(found == sorted(lengths, reverse=True)[:100] and not wrong, "the slowest 100 of 3000", *wrong)


def check_refusals(tap):
    """What is wrong with a command line is said."""
    with tempfile.TemporaryDirectory() as folder:
        for words, said in (
            ((), "a source is missing, for example trace.dat; see 'ktrack stat --help'"),
            (("a", "b"), "unexpected argument 'b'"),
            (("--interval=1", "a"), "--interval: needs --live"),
            (("--limit=0", "a"), "'0': not a number of rows; write a number from 1"),
            (("--live", "a"), "'a': unexpected with --live; write -- before a command"),
            (("--live", "--cpu=1"), "--live: records cannot be filtered; select tracepoints with -e"),
            (("--csv", "--json", "a"), "--csv: excludes --json; leave out one of them"),
            (("--csv", "--live"), "--csv: not with --live; use --json"),
            (("--csv", "--slowest=1", "a"), "--slowest: not with --csv; use --json"),
            (("--json", "--histogram", "a"), "--histogram: part of tables; --json has all histograms"),
            (("--by-name", "--group-by=cpu", "a"), "--by-name: excludes --group-by; leave out one of them"),
            (("--slowest=1001", "a"), "--slowest=1001: too large; write a number up to 1000"),
            (("--group-by=cpu,cpu", "a"), "--group-by=cpu,cpu: 'cpu' is given twice"),
            (
                ("--group-by=field:", "a"),
                "--group-by=field:: 'field:' is unknown; write track, name, cgroup, pid, comm, cpu or field:FIELD",
            ),
            (("--percentiles=100", "a"), "--percentiles=100: '100' is none; write numbers such as 50,90,99.9"),
            (("--percentiles=99.99", "a"), "--percentiles=99.99: '99.99' is none; write numbers such as 50,90,99.9"),
            (("--percentiles=", "a"), "--percentiles=: '' is none; write numbers such as 50,90,99.9"),
            (("--interval=0", "--live"), "--interval=0: too short; write a time above 0"),
        ):
            _, errors = cases.run(folder, "stat", *words, status=2)
            tap.ok(errors == [f"ktrack: {said}"], f"refused: {' '.join(words)}", *errors)
        known = "track, name, count, total, share, self, min, mean, p99 (or another percentile), max"
        for word in ("size", "-size", "p", "p100", "pid", ""):
            _, errors = cases.run(folder, "stat", f"--sort={word}", "a", status=2)
            tap.ok(errors == [f"ktrack: --sort={word}: unknown; write one of {known}"], f"refused: --sort={word}", *errors)


@tested
def main(tap):
    """All checks."""
    check_idle(tap)
    check_brief(tap)
    for name in cases.names():
        check_case(tap, name)
    check_terminal(tap)
    check_plain(tap)
    check_names(tap)
    check_order(tap)
    check_groups(tap)
    check_moves(tap)
    check_moved_jobs(tap)
    check_crossing(tap)
    check_groups_by_the_end(tap)
    check_forms(tap)
    check_share(tap)
    check_left_out(tap)
    check_many_slowest(tap)
    check_refusals(tap)
