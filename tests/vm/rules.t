#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: tracks of the kernel's own tracepoints have every record, agree with the kernel's counts, and are the same from trace-cmd's file."""

import json
import re
import statistics
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import Tap  # noqa: E402

ATTEMPTS = ("live", "counted", "export", "self", "ours", "theirs")

# Rule: the tracepoints that begin its slices, and those that end them.
PAIRS = {
    "syscalls:call": (r"sys_enter", r"sys_exit"),
    "block:request": (r"block_rq_issue", r"block_rq_complete"),
    "workqueue:work": (r"workqueue_execute_start", r"workqueue_execute_end"),
    "irq:cpu": (
        r"(irq_handler|softirq|local_timer|reschedule|call_function(_single)?|irq_work|timer_expire|hrtimer_expire|csd_function)_entry",
        r"(irq_handler|softirq|local_timer|reschedule|call_function(_single)?|irq_work|timer_expire|hrtimer_expire|csd_function)_exit",
    ),
}
SOFTIRQS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
# A line of /proc/interrupts: the labels of its slices.
VECTORS = {"LOC": ("local timer",), "RES": ("reschedule",), "CAL": ("call function", "call function single")}
# What two instances may differ by in the times of a record, while a processor is not emulated in between.
APART_S = 0.05


class Slice:
    """A slice, and where it is."""

    def __init__(self, rule, label, begin):
        self.rule, self.label, self.begin = rule, label, begin
        self.is_unfinished = False
        self.args = {}


class Stream:
    """The slices of a stream, by track: (rule, scope, id)."""

    def __init__(self, result, name):
        self.tracks, self.unmatched, self.keys, self.execs, self.errors = defaultdict(list), Counter(), {}, [], []
        self.open = defaultdict(list)
        for line in result.text(f"{name}.json").splitlines():
            self.take(json.loads(line))

    def take(self, event):
        """One event."""
        what, thread = event["event"], event["thread"]
        if what == "data_json" and event["category"] == "track":
            value = event["value"]
            scope = (value["scope"], value.get("id"), value.get("cpu") if value.get("id") == 0 else None)
            self.keys[thread] = (value["tracepoint"], *scope)
        elif what == "data_json" and event["category"] == "sched:exec":
            self.execs.append(event["t_abs"])
        elif what == "region_enter":
            found = Slice(event["category"], event["label"], event["t_abs"])
            found.args = event.get("args", {})
            self.tracks[self.keys[thread]].append(found)
            self.open[thread].append(found)
        elif what == "region_leave":
            self.open[thread].pop().is_unfinished = event.get("unfinished", False)
        elif what == "th_counter" and event["name"] == "unmatched_ends":
            self.unmatched[self.keys[thread][0]] += event["count"]
        elif what == "counter" and event["name"] == "filtered_ends":
            # Of all these rules, only this one has a condition.
            self.unmatched["block:request"] += event["count"]
        elif what == "error":
            self.errors.append(event["msg"])

    def of(self, rule):
        """All slices of a rule."""
        return [one for key, slices in self.tracks.items() if key[0] == rule for one in slices]


def check_pairs(tap, what, stream, report):
    """Each begin has its slice, each end has one or is counted."""
    counts = Counter(re.findall(r"-\d+ +\[\d+\] *\d+: (\w+):", report))
    for rule, (begin, end) in PAIRS.items():
        begins = sum(number for name, number in counts.items() if re.fullmatch(begin, name))
        ends = sum(number for name, number in counts.items() if re.fullmatch(end, name))
        slices = stream.of(rule)
        unfinished = sum(one.is_unfinished for one in slices)
        tap.ok(begins > 0 and begins == len(slices), f"{what}: {rule}: begins = paired + unfinished", begins, len(slices))
        paired = len(slices) - unfinished
        tap.ok(ends == paired + stream.unmatched[rule], f"{what}: {rule}: ends = paired + unmatched", ends, paired, stream.unmatched[rule])
    tap.ok(counts["sched_switch"] == len(stream.of("sched:cpu")), f"{what}: each switch is a slice of a CPU", counts["sched_switch"])
    tap.nothing(stream.errors, f"{what}: no errors")


def is_near(found, wanted):
    """Whether the counts agree."""
    return abs(found - wanted) <= 0.01 * wanted + 5


def check_counts(tap, what, stream, result):
    """The kernel's own counts, which are read at the first and the last but three executions but the shell's."""
    begin, end = stream.execs[1], stream.execs[-3]

    def inside(rule, labels=None):
        return [one for one in stream.of(rule) if begin <= one.begin <= end and (not labels or one.label in labels)]

    def grown(name, pattern):
        before, after = (re.search(pattern, result.text(f"{when}.{name}"), re.M) for when in ("before", "after"))
        return [int(new) - int(old) for new, old in zip(after[1].split(), before[1].split(), strict=True)] if before and after else [0]

    switches = grown("stat", r"^ctxt (\d+)")[0]
    tap.ok(is_near(len(inside("sched:cpu")), switches) and switches > 100, f"{what}: switches", len(inside("sched:cpu")), switches)
    softirqs = grown("stat", r"^softirq ([\d ]+)")[0]
    tap.ok(is_near(len(inside("irq:cpu", SOFTIRQS)), softirqs), f"{what}: softirqs", len(inside("irq:cpu", SOFTIRQS)), softirqs)
    for line, labels in VECTORS.items():
        number = sum(grown("interrupts", rf"^ *{line}: +([\d ]+)"))
        tap.ok(is_near(len(inside("irq:cpu", labels)), number), f"{what}: {line}", len(inside("irq:cpu", labels)), number)
    disk = grown("diskstats", r"loop0 ([\d ]+)$")
    requests = inside("block:request")
    sectors = sum(one.args.get("nr_sector", 0) for one in requests)
    tap.ok(is_near(len(requests), disk[0] + disk[4]) and disk[0] > 200, f"{what}: requests", len(requests), disk)
    tap.ok(is_near(sectors, disk[2] + disk[6]), f"{what}: sectors", sectors, disk)


def check_self(tap, what, result):
    """The recorder's own thread has no tracks by default, and all the others have theirs."""
    found = re.search(rb"ktrack [\w.+-]+ thread (\d+)\0", (result.folder / "saved.dat").read_bytes())
    writer = int(found[1]) if found else None
    everything, others = Stream(result, "counted"), Stream(result, "self")

    def own(stream):
        return {key for key in stream.tracks if key[1] == "thread" and key[2] == writer}

    tap.ok(writer and own(everything) and not own(others), f"{what}: ktrack's own thread is left out", writer, own(everything), own(others))
    rest = {key: len(slices) for key, slices in everything.tracks.items() if key not in own(everything)}
    tap.ok(rest == {key: len(slices) for key, slices in others.tracks.items()}, f"{what}: all others stay")


def comparable(stream, shift):
    """The begins of all slices that both files have, by track and label, with times moved by @shift."""
    begins = defaultdict(list)
    for key, slices in stream.tracks.items():
        for one in slices:
            # Not recorded by trace-cmd. Runnable: whether a thread that is just leaving its CPU is woken before or after that
            # differs between two instances.
            if one.label != "Runnable" and (key[0] != "irq:cpu" or one.label in SOFTIRQS or one.label.startswith("IRQ ")):
                begins[(key, one.label)].append(one.begin + shift)
    return begins


def differences(ours, theirs, window):
    """Slices within the window that only one of both has: each one has a partner at nearly the same time, in the same order."""
    for key in ours.keys() | theirs.keys():
        mine, others = sorted(ours.get(key, [])), sorted(theirs.get(key, []))
        while mine or others:
            if mine and others and abs(mine[0] - others[0]) < APART_S:
                mine.pop(0), others.pop(0)
                continue
            is_mine = not others or (mine and mine[0] < others[0])
            begin = (mine if is_mine else others).pop(0)
            if window[0] <= begin <= window[1]:
                yield f"{key}: {begin:.6f} only in {'ours' if is_mine else 'theirs'}"


def check_same(tap, what, ours, theirs):
    """
    Both were recorded at once, ours for less time. An interrupt between the two instances' records of one event makes their
    order differ, so a track is compared label by label.
    """
    started = statistics.median(their - our for our, their in zip(ours.execs, theirs.execs[-len(ours.execs) :], strict=True))
    # The states of threads and CPUs before ours began are not in it.
    window = (started + ours.execs[0] + APART_S, started + ours.execs[-1] - APART_S)
    mine, others = comparable(ours, started), comparable(theirs, 0)
    number = sum(window[0] <= begin <= window[1] for begins in mine.values() for begin in begins)
    tap.nothing(list(differences(mine, others, window))[:5], f"{what}: the same slices from trace-cmd's file at the same times")
    tap.ok(number > 500, f"{what}: {len(mine)} kinds of slices on tracks are compared", number)


def check_live(tap, what, stream, result):
    """A live stream has the same kinds of tracks, and names functions."""
    labels = {one.label for one in stream.of("irq:cpu")}
    tap.ok(any(label.startswith("hrtimer tick_") for label in labels), f"{what}: functions have names", *labels)
    tap.nothing([label for label in labels if " 0x" in label], f"{what}: no function is an address")
    rules = {key[0] for key in stream.tracks}
    tap.ok({"sched:cpu", "sched:thread", "irq:cpu", "syscalls:call", "block:request"} <= rules, f"{what}: all packs", rules)
    tap.nothing(result.text("live.errors").splitlines(), f"{what}: there is nothing to say")


def descendants(result, process):
    """A process and all that descend from it, as the kernel reported their creation."""
    family = {process}
    for parent, child in re.findall(r" pid=(\d+) .*child_pid=(\d+)", result.text("forks")):
        if int(parent) in family:
            family.add(int(child))
    return family


def check_workload(tap, what, result, name, process):
    """Only the tracks of a process and of its descendants, of which some may be older than the recording."""
    stream, family = Stream(result, name), descendants(result, process)
    tids = {key[2] for key in stream.tracks if key[1] == "thread"}
    tap.ok(process in tids and len(tids) > 1, f"{what}: {name}: tracks of the process and of its children", process, tids)
    tap.nothing(sorted(tids - family), f"{what}: {name}: no other tracks")
    rules = {key[0] for key in stream.tracks}
    tap.ok(rules == {"sched:thread", "syscalls:call"}, f"{what}: {name}: rules", rules)
    said = "ktrack: sched:cpu: left out, needs the records of all tasks"
    tap.ok(result.text(f"{name}.errors").strip() == said, f"{what}: {name}: what is left out", result.text(f"{name}.errors"))


def check_kernel(tap, kernel, folder):
    """All of it on one kernel."""
    options = ("--add", f"{folder / 'more/loop.ko'}:/more/loop.ko", "--add", "/usr/bin/trace-cmd:/bin/trace-cmd")
    with machine.ran(kernel, "rules.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
        for name in ATTEMPTS:
            tap.ok(result.text(f"{name}.status").strip() == "0", f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
        counted = Stream(result, "counted")
        check_pairs(tap, f"{kernel}: counted", counted, result.text("counted.report"))
        check_counts(tap, f"{kernel}: the kernel counts as many", counted, result)
        check_self(tap, kernel, result)
        check_live(tap, f"{kernel}: live", Stream(result, "live"), result)
        for name, file in (("way--p", "process"), ("way-cgroup", "process"), ("way-unit", "process"), ("command", "command")):
            check_workload(tap, kernel, result, name, int(result.text(file)))
        refusal = "ktrack: block:request, block:inflight: needs the records of all tasks; leave out -p, --cgroup, --unit or --pid"
        tap.ok(result.text("all-tasks.errors").strip() == refusal, f"{kernel}: what cannot work is refused", result.text("all-tasks.errors"))
        check_same(tap, kernel, Stream(result, "ours"), Stream(result, "theirs"))


def main():
    tap = Tap()
    for kernel in machine.KERNELS:
        folder = machine.kernel_folder(kernel)
        if (folder / "more/loop.ko").exists():
            check_kernel(tap, kernel, folder)
        else:
            tap.skip(f"{kernel}: rules", "no loop.ko; remove build/vm, and it is fetched again")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
