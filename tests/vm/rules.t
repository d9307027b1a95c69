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

ATTEMPTS = ("live", "counted", "export", "self", "ours", "theirs", "record", "leftover", "recover", "tables", "verbose")

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
# What two instances may differ by in the times of a record: the host may not emulate the processor for a while in between.
APART_S, MEDIAN_APART_S = 1.0, 0.001


class Slice:
    """A slice, and where it is."""

    def __init__(self, rule, label, begin):
        self.rule, self.label, self.begin = rule, label, begin
        self.end = begin
        self.is_unfinished = False
        self.args = {}

    def us(self, begin, end):
        """How much of it is in a window."""
        return max(0, round(1e6 * (min(self.end, end) - max(self.begin, begin))))


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
            found = self.open[thread].pop()
            found.end, found.is_unfinished = event["t_abs"], event.get("unfinished", False)
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


class Counts:
    """The kernel's own counts before and after the work, each one read by an execution of its own."""

    def __init__(self, stream, result, *files):
        self.stream, self.result, self.files = stream, result, files

    def grown(self, file, pattern):
        """How much each number of a line of a file has grown."""
        before, after = (re.search(pattern, self.result.text(f"{when}.{file}"), re.M) for when in ("before", "after"))
        return [int(new) - int(old) for new, old in zip(after[1].split(), before[1].split(), strict=True)] if before and after else [0]

    def windows(self, file):
        """
        The time from after the first reading until before the last one, and the time that includes both. The first execution
        is the shell's; each one ends before the next.
        """
        first = 1 + self.files.index(file)
        last = first - 1 - len(self.files)
        execs = [*self.stream.execs, float("inf")]
        return (execs[first + 1], execs[last - 1]), (execs[first], execs[last])

    def agree(self, file, number, measure):
        """Whether the sum of @measure, which has a window, is between those of both windows, but for 1% + 5."""
        least, most = (measure(*window) for window in self.windows(file))
        margin = 0.01 * number + 5
        return least - margin <= number <= most + margin, f"{least} <= {number} <= {most}"

    def slices(self, rule, labels=None, weight=lambda one: 1):
        """A measure: slices of a rule, or what they weigh."""
        chosen = [one for one in self.stream.of(rule) if not labels or one.label in labels]
        return lambda begin, end: sum(weight(one) for one in chosen if begin <= one.begin <= end)


def check_counts(tap, what, stream, result):
    """The kernel counts as many."""
    counts = Counts(stream, result, "stat", "interrupts", "diskstats")

    def check(name, file, number, measure, least=1):
        is_same, text = counts.agree(file, number, measure)
        tap.ok(is_same and number >= least, f"{what}: {name}", text)

    check("switches", "stat", counts.grown("stat", r"^ctxt (\d+)")[0], counts.slices("sched:cpu"), 100)
    check("softirqs", "stat", counts.grown("stat", r"^softirq ([\d ]+)")[0], counts.slices("irq:cpu", SOFTIRQS))
    for line, labels in VECTORS.items():
        check(line, "interrupts", sum(counts.grown("interrupts", rf"^ *{line}: +([\d ]+)")), counts.slices("irq:cpu", labels))
    disk = counts.grown("diskstats", r"loop0 ([\d ]+)$")
    check("requests", "diskstats", disk[0] + disk[4], counts.slices("block:request"), 200)
    check("sectors", "diskstats", disk[2] + disk[6], counts.slices("block:request", weight=lambda one: one.args.get("nr_sector", 0)))


def check_run_time(tap, kernel):
    """A thread runs as long as the kernel accounts for it. Time counts instructions here: the host must not stop a switch halfway."""
    with machine.ran(kernel, "run_time.sh", options=("--icount",)) as result:
        machine.check_end(tap, kernel, result)
        stream = Stream(result, "time")
        counts = Counts(stream, result, "schedstat")
        shell = ("sched:thread", "thread", int(result.text("counting")), None)
        running = [one for one in stream.tracks.get(shell, []) if one.label == "Running"]
        run_us = counts.grown("schedstat", r"^(\d+)")[0] // 1000
        is_same, text = counts.agree("schedstat", run_us, lambda begin, end: sum(one.us(begin, end) for one in running))
        tap.ok(is_same and run_us > 1000 and len(running) > 10, f"{kernel}: the kernel accounts for the same run time", text, len(running))


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


def distances(mine, others):
    """
    The distances of begins to those of the other recording: the same slices in the same order, from the place on where they
    are nearest. None if there is no such place: the other recording may have more before and behind, but none in between.
    """
    places = range(len(others) - len(mine) + 1)
    return min(([abs(one - others[place + i]) for i, one in enumerate(mine)] for place in places), key=max, default=None)


def differences(ours, theirs, window):
    """Tracks and labels whose slices differ, as text, and the distances of all others."""
    problems, apart = [], []
    for key in ours.keys() | theirs.keys():
        mine, others = sorted(ours.get(key, [])), sorted(theirs.get(key, []))
        found = distances(mine, others) if mine else []
        if found is None or max(found, default=0) > APART_S:
            problems.append(f"{key}: {len(mine)} of ours, {len(others)} of theirs, {max(found or [0]):.3f} s apart")
        missing = [begin for begin in others if window[0] <= begin <= window[1]]
        if not mine and missing:
            problems.append(f"{key}: only in theirs: {missing[:10]}")
        apart += found or []
    return problems, apart


def check_same(tap, what, ours, theirs):
    """
    Both were recorded at once, ours for less time. An interrupt between the two instances' records of one event makes their
    order differ, so a track is compared label by label.
    """
    started = statistics.median(their - our for our, their in zip(ours.execs, theirs.execs[-len(ours.execs) :], strict=True))
    mine, others = comparable(ours, started), comparable(theirs, 0)
    problems, apart = differences(mine, others, (started + ours.execs[0], started + ours.execs[-1]))
    tap.nothing(problems[:5], f"{what}: the same slices from trace-cmd's file")
    is_near = len(apart) > 500 and statistics.median(apart) < MEDIAN_APART_S
    tap.ok(is_near, f"{what}: at the same times", len(apart), sorted(apart)[-5:])


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


def check_leftover(tap, what, result):
    """The instance of a killed run of selected threads."""
    said = result.text("leftover.errors")
    is_reported = "recorded only selected threads (-p, --cgroup, --unit or --pid); the tracks of all others are incomplete" in said
    tap.ok(is_reported, f"{what}: a killed run of selected threads is reported", said)
    tap.ok("sched:cpu: left out, needs the records of all tasks" in said, f"{what}: rules that need all tasks are left out", said)
    rules = {key[0] for key in Stream(result, "leftover").tracks}
    tap.ok(rules == {"sched:thread", "syscalls:call"}, f"{what}: all other rules have tracks", rules)


def check_tables(tap, what, result, process):
    """Statistics of a workload that runs."""
    last = json.loads(result.text("tables.output").splitlines()[-1])
    tids = {int(tid) for tid in re.findall(r"tid (\d+)", json.dumps(last))}
    tap.ok(process in tids, f"{what}: stat --live -p: the process has a row", last)
    tap.nothing(sorted(tids - descendants(result, process)), f"{what}: stat --live -p: no others have")


def check_absent(tap, what, result):
    """Tracepoints that do not exist are reported on request; a rule without any is an error."""
    said = result.text("verbose.errors").splitlines()
    tap.ok("ktrack: my:none: skipped, does not exist: no:such" in said, f"{what}: a rule that is skipped is reported", *said)
    csd = "ktrack: irq:cpu: skipped, does not exist: csd:csd_function_entry, csd:csd_function_exit"
    tap.ok((csd in said) == (what == "6.1"), f"{what}: tracepoints of a rule that do not exist are reported", *said)
    refusal = "ktrack: -r: none of the tracepoints that the rules use exists; see 'ktrack list --rules'\n"
    tap.ok(result.text("alone.errors") == refusal, f"{what}: rules of which none exists are an error", result.text("alone.errors"))


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
        for name in ("way--p", "way-cgroup", "way-unit", "way-file", "way-recovered"):
            check_workload(tap, kernel, result, name, int(result.text("process")))
        check_workload(tap, kernel, result, "command", int(result.text("command")))
        check_leftover(tap, kernel, result)
        check_tables(tap, kernel, result, int(result.text("process")))
        check_absent(tap, kernel, result)
        refusal = "ktrack: block:request, block:inflight: needs the records of all tasks; leave out -p, --cgroup, --unit or --pid"
        tap.ok(result.text("all-tasks.errors").strip() == refusal, f"{kernel}: what cannot work is refused", result.text("all-tasks.errors"))
        check_same(tap, kernel, Stream(result, "ours"), Stream(result, "theirs"))


def main():
    tap = Tap()
    for kernel in machine.KERNELS:
        folder = machine.kernel_folder(kernel)
        if (folder / "more/loop.ko").exists():
            check_kernel(tap, kernel, folder)
            check_run_time(tap, kernel)
        else:
            tap.skip(f"{kernel}: rules", "no loop.ko; remove build/vm, and it is fetched again")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
