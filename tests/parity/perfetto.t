#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the packs make the same slices and states of a real recording as Perfetto made of the same records.

recording-6.1.dat is a window of trace-cmd's recording of kernel 6.1.192: 2,588 of 55,666 records, from 27.169 s to 27.716 s of
the clock boot. All records are in the buffer instance "v"; the top-level buffer is empty. The file was rewritten: the sub-buffers
at both ends of the window are cut, nothing is compressed, and the statistics of the buffers and the formats of tracepoints without
a record are left out. It has the names of a few functions only.

verdict-6.1.txt has the slices and states that Perfetto's trace_processor found in the whole recording and that begin and end in the
window: 1,225 of 25,431 rows. Its tables have lines "BEGIN DURATION SUBJECT NAME" in ns; BEGIN is the distance to the line before,
and SUBJECT a CPU or a thread. A duration of -1 means that Perfetto found no end in the whole recording.

Rows that begin before the window are in neither side. ktrack's rows that are incomplete at the end of the window are left out
unless the verdict has them too; the test checks how many are left out.
"""

import json
import lzma
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import process  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = HERE.parents[1] / "build/ktrack"
FIRST_RECORD_NS = 27168516559  # t_abs counts from here
VERDICT_ROWS = 1225
INCOMPLETE_ROWS = 13  # ktrack's rows that begin in the window and end after it
SOFTIRQS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")

# Differences, each one explained: the row of one side, and of the other, or None.
#
# A thread (218) that is not the first of its process executes a program and takes the number 216. Perfetto never ends what
# 218 did. Its CPU's slice is the same one until the next switch; the other tracks continue as 216's.
# The number 224 belongs to three processes one after the other. The kernel frees the first ones late; Perfetto takes that for
# the end of the third, whose state and execve it never ends.
EXPLAINED = {
    "running": [((27208649563, 22388400, 1, "218"), (27208649563, -1, 1, "218"))],
    "state": [
        ((27208649563, 1807896, 218, "Running"), (27208649563, -1, 218, "Running")),
        ((27210457459, 20580504, 216, "Running"), None),
        ((27643003025, 50710196, 224, "Running"), (27643003025, -1, 224, "Running")),
    ],
    "syscall": [
        ((27190276735, 20180724, 218, "sys_execve"), (27190276735, -1, 218, "sys_execve")),
        ((27210457459, 20990, 216, "sys_execve"), None),
        ((27643095100, 20119277, 224, "sys_execve"), (27643095100, -1, 224, "sys_execve")),
    ],
}


def read_verdict(path):
    """The tables of the verdict: name, rows (begin, duration, subject, name)."""
    tables, rows, begin = {}, None, 0
    for line in lzma.decompress(path.read_bytes()).decode().splitlines():
        first, *rest = line.split(" ", 3)
        if first == "table":
            rows, begin = tables.setdefault(rest[0], []), 0
            continue
        begin += int(first)
        rows.append((begin, int(rest[0]), int(rest[1]), rest[2]))
    return tables


def export(recording, packs):
    """The slices and states of the recording: rows (rule, begin, duration, subject, name, args)."""
    command = [KTRACK, "export", "-r", packs, "--event", recording]
    done = process.run(command, capture_output=True, text=True, check=True)
    subjects, stacks, rows = {}, defaultdict(list), []
    for event in map(json.loads, done.stdout.splitlines()):
        thread = event["thread"]
        if event["event"] == "data_json" and event["category"] == "track":
            subjects[thread] = event["value"].get("id")
        elif event["event"] == "region_enter":
            begin = FIRST_RECORD_NS + round(event["t_abs"] * 1e9)
            stacks[thread].append((event["category"], begin, event["label"], event.get("args", {})))
        elif event["event"] == "region_leave":
            rule, begin, label, args = stacks[thread].pop()
            duration = -1 if event.get("unfinished") else FIRST_RECORD_NS + round(event["t_abs"] * 1e9) - begin
            rows.append((rule, begin, duration, subjects[thread], label, args))
    return rows


def interrupt_table(label):
    """The table of a slice of the pack irq and its name there; None for slices that Perfetto does not have."""
    if label in SOFTIRQS:
        return "irq", label
    if label == "local timer":
        return "irq", "IRQ (LocalTimer)"
    if label.startswith("IRQ "):
        return "irq", f"IRQ ({label.split(' ', 2)[2]})"
    return ("hrtimer", label.removeprefix("hrtimer ")) if label.startswith("hrtimer ") else None


def tables_of(slices):
    """The same tables as the verdict's, of ktrack's slices. The idle tasks have no rows."""
    tables = defaultdict(list)
    for rule, begin, duration, subject, label, args in slices:
        if rule == "sched:cpu" and args["next_pid"] != 0:
            tables["running"].append((begin, duration, subject, str(args["next_pid"])))
        elif rule == "sched:thread" and subject != 0:
            tables["state"].append((begin, duration, subject, "R" if label == "Runnable" else label))
        elif rule == "syscalls:call":
            tables["syscall"].append((begin, duration, subject, f"sys_{label}"))
        elif rule == "workqueue:work":
            tables["workqueue"].append((begin, duration, subject, label))
        elif rule == "irq:cpu" and interrupt_table(label):
            table, name = interrupt_table(label)
            tables[table].append((begin, duration, subject, name))
    return tables


def drop_incomplete(tables, verdict):
    """Leaves out ktrack's rows without an end, except those that the verdict has too; returns how many were left out."""
    number = 0
    for table, rows in tables.items():
        known = set(verdict[table])
        kept = [row for row in rows if row[1] >= 0 or row in known]
        number += len(rows) - len(kept)
        rows[:] = kept
    return number


def drop_kinds(table, ours, theirs):
    """Leaves out the differences of a kind, and checks that they are of this kind; returns what is left, and how many were."""
    number = 0
    if table == "syscall":
        # Perfetto shows rt_sigreturn as an instant: its end has another number.
        returned = [row for row in ours if row[3] == "sys_rt_sigreturn"]
        ours -= Counter(returned)
        theirs -= Counter((begin, 0, tid, name) for begin, _, tid, name in returned)
        number = len(returned)
    if table == "state":
        # Perfetto never ends the state of a dead thread. Here Z lasts until the kernel frees the thread, and X is no state.
        zombies = [row for row in ours if row[3] == "Z" and row[1] >= 0]
        dead = [row for row in theirs if row[3] == "X" and row[1] == -1]
        ours -= Counter(zombies)
        theirs -= Counter((begin, -1, tid, name) for begin, _, tid, name in zombies) + Counter(dead)
        number = len(zombies) + len(dead)
    return ours, theirs, number


def check_table(tap, table, mine, verdict):
    """All rows of a table but the explained ones are the same."""
    explained = EXPLAINED.get(table, [])
    same = sum((Counter(mine) & Counter(verdict)).values())
    ours, theirs, number = drop_kinds(table, Counter(mine) - Counter(verdict), Counter(verdict) - Counter(mine))
    ours_explained, theirs_explained = ({row for row in side if row} for side in zip(*explained, strict=True)) if explained else ((), ())
    tap.nothing(sorted(set(ours) ^ set(ours_explained)), f"{table}: {same} rows are the same, {number} explained by kind; ktrack's others")
    tap.nothing(sorted(set(theirs) ^ set(theirs_explained)), f"{table}: of {len(verdict)} rows, Perfetto's others are the explained ones")


@tested
def main(tap):
    verdict = read_verdict(HERE / "verdict-6.1.txt.xz")
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "trace.dat"
        recording.write_bytes(lzma.decompress((HERE / "recording-6.1.dat.xz").read_bytes()))
        tables = tables_of(row for packs in ("sched", "irq,workqueue,syscalls") for row in export(recording, packs))
    number = sum(map(len, verdict.values()))
    tap.ok(number == VERDICT_ROWS, "the verdict is complete", {table: len(rows) for table, rows in verdict.items()})
    number = drop_incomplete(tables, verdict)
    tap.ok(number == INCOMPLETE_ROWS, f"{INCOMPLETE_ROWS} rows are incomplete at the end of the window", number)
    for table, rows in verdict.items():
        check_table(tap, table, tables[table], rows)
