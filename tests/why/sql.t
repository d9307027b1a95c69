#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the views of where time went, in databases and in queries of recordings, are equal to what ktrack why prints."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from tap import tested  # noqa: E402

KTRACK = HERE.parents[1] / "build/ktrack"
MKTRACE = HERE.parent / "golden/mktrace"
RULES = "sched,irq,locks,workqueue,block,timers,writeback,reclaim"
COLUMNS = {"running": "running_ns", "runnable": "runnable_ns", "blocked": "blocked_ns", "hard interrupt": "interrupted_ns", "soft interrupt": "interrupted_ns"}
SPLIT = "SELECT t.category, s.name, s.ts_ns, s.dur_ns, w.* FROM why_split w JOIN slice s ON s.id = w.slice_id JOIN track t ON t.id = s.track_id"
PARTS = "SELECT s.ts_ns, s.name, p.* FROM why_part p JOIN slice s ON s.id = p.slice_id"


def run(folder, *words):
    """Standard output of a command that succeeds."""
    done = subprocess.run([KTRACK, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def ask(folder, source, query, *words):
    return json.loads(run(folder, "query", *words, "--json", source, query))


def split_of(one):
    """The row of a slice, computed of its parts."""
    sums = dict.fromkeys((*COLUMNS.values(), "other_ns"), 0)
    for part in one["parts"]:
        sums[COLUMNS.get(part["kind"], "other_ns")] += part["ns"]
    return (one["tracepoint"], one["name"], one["begin_ns"], one["ns"]), sums


def check_case(tap, name, folder):
    """Each explained slice of one recording; those without a duration are not explained in databases."""
    subprocess.run([MKTRACE, HERE / f"data/{name}.script", folder / "trace.dat"], check=True)
    answer = json.loads(run(folder, "why", "-r", RULES, "-e", "mydrv", "--json", "--slowest=1000", "trace.dat", "*:*/*"))
    explained = [one for one in answer["slices"] if one["ns"] > 0]
    selection = ("-r", RULES, "-e", "mydrv")
    rows = ask(folder, "trace.dat", SPLIT, *selection)
    found = {(row["category"], row["name"], row["ts_ns"], row["dur_ns"]): {key: row[key] for key in (*COLUMNS.values(), "other_ns")} for row in rows}
    wanted = {key: sums for key, sums in map(split_of, explained) if key in found}
    mine = {split_of(one)[0] for one in explained if one["tracepoint"].startswith("mydrv:")}
    tap.ok(found == wanted and mine and mine <= set(found), f"{name}: {len(found)} slices have the split of ktrack why", wanted, found)
    tap.ok(all(row["total_ns"] == row["dur_ns"] for row in rows), f"{name}: parts add up to durations")
    run(folder, "export", *selection, "--sqlite=trace.db", "trace.dat")
    tap.ok(ask(folder, "trace.db", SPLIT) == rows, f"{name}: a database has the same")
    parts = [(row["ts_ns"], row["name"], json.loads(row["json"])) for row in ask(folder, "trace.db", PARTS)]
    printed = [(one["begin_ns"], one["name"], part) for one in explained if split_of(one)[0] in found for part in one["parts"]]
    wrong = [part for part in parts if part not in printed] + [part for part in printed if part not in parts]
    tap.nothing(wrong, f"{name}: the view of parts has every member of each")
    slowest = json.loads(run(folder, "query", "--json", "trace.db", "@why", "limit=1"))[0]
    top = max(found, key=lambda key: key[3])
    tap.ok(slowest["dur_ns"] == top[3] and slowest["most"], f"{name}: @why begins with the slowest", slowest)
    (folder / "trace.db").unlink()


def check_none(tap, folder):
    """Without the states of threads there is nothing to explain, and the views are empty."""
    tap.ok(ask(folder, "trace.dat", SPLIT, "-r", "irq") == [], "without sched no slice is explained")


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as name:
        for case in ("driver", "device", "interrupts"):
            check_case(tap, case, Path(name))
        check_none(tap, Path(name))
