#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: tracks of the kernel's own tracepoints have every record, and agree with the kernel's counts."""

import json
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from rule_stream import Counts, Stream, check_counts, check_pairs  # noqa: E402
from tap import tested  # noqa: E402

ATTEMPTS = ("live", "counted", "export", "self", "record", "leftover", "recover", "tables", "verbose", "moved-stream", "moved-record", "moved-file")

PACKS = ("syscalls", "block", "workqueue", "irq", "sched")
RULES = ("syscalls:call", "block:request", "workqueue:work", "irq:cpu")
NR_REQUESTS = 200


def check_conditions(tap, what, result):
    """Functions and names of threads select records: the kernel compares both, or, if it is older, ktrack the functions."""
    for name in ("function", "comm"):
        tap.ok(result.text(f"{name}.status") == "0\n", f"{what}: {name} ends well", result.text(f"{name}.errors"))
    timers, calls = ([json.loads(line) for line in result.text(f"{name}.json").splitlines()] for name in ("function", "comm"))
    names = [event["key"] for event in timers if event.get("category") == "my:timer"]
    tap.ok(len(names) >= 2 and set(names) == {"hrtimer_wakeup"}, f"{what}: timers of one function", names)
    is_said = "; ktrack evaluates the condition" in result.text("function.errors")
    tap.ok(is_said == (what == "6.1"), f"{what}: who compares functions is reported", result.text("function.errors"))
    nr_calls = sum(event.get("category") == "my:call" for event in calls)
    threads = {event["value"].get("comm") for event in calls if event.get("category") == "track"}
    tap.ok(nr_calls > 5 and threads == {"cat"}, f"{what}: calls of threads with one name", nr_calls, threads)


def check_run_time(tap, kernel):
    """A thread runs as long as the kernel accounts for it. Time counts instructions here: the host must not stop a switch halfway."""
    with machine.ran(kernel, "run_time.sh", options=machine.SINGLE) as result:
        machine.check_end(tap, kernel, result)
        stream = Stream(result.text("time.json"))
        counts = Counts(stream, result, "schedstat")
        shell = ("sched:thread", "thread", int(result.text("counting")), None)
        running = [one for one in stream.tracks.get(shell, []) if one.label == "Running"]
        run_us = counts.grown("schedstat", r"^(\d+)")[0] // 1000
        is_same, text = counts.agree("schedstat", run_us, lambda begin, end: sum(one.us(begin, end) for one in running))
        tap.ok(is_same and run_us > 1000 and len(running) > 10, f"{kernel}: the kernel accounts for the same run time", text, len(running))
        check_conditions(tap, kernel, result)


def check_moves(tap, what, result, name):
    """Slices of a process that is moved, of its threads, and of one that moves itself, are of the cgroup in which they began."""
    tracks, begun, moved = {}, {}, {}
    for event in (json.loads(line) for line in result.text(f"{name}.json").splitlines()):
        if event["event"] == "data_json" and event.get("category") == "track":
            value = event["value"]
            tracks[event["thread"]] = (value.get("tgid"), value.get("id"), value.get("cgroup", "/"))
        elif event["event"] == "region_enter" and event["thread"] in tracks:
            begun.setdefault(tracks[event["thread"]][:2], []).append((event["t_abs"], tracks[event["thread"]][2]))
    for (process, _), slices in begun.items():
        paths = [path for _, path in sorted(slices)]
        found = [path for i, path in enumerate(paths) if i == 0 or path != paths[i - 1]]
        moved.setdefault(process, []).append(found)
    process = int(result.text("moved"))
    tap.ok(moved.get(process) == [["/first", "/second"]] * 3, f"{what}: {name}: three threads are moved once", moved.get(process))
    mover = [paths for paths in moved.values() if paths in ([["/", "/second"]], [["/second"]])]
    tap.ok([["/", "/second"]] in mover, f"{what}: {name}: a process moves itself, others are created there", moved)
    tap.ok([["/second"]] in mover, f"{what}: {name}: what it creates is there", moved)


def check_self(tap, what, result):
    """The recorder's own thread has no tracks by default, and all the others have theirs."""
    found = re.search(rb"ktrack [\w.+-]+ thread (\d+)\b", (result.folder / "counted.dat").read_bytes())
    writer = int(found[1]) if found else None
    everything, others = Stream(result.text("counted.json")), Stream(result.text("self.json"))

    def own(stream):
        return {key for key in stream.tracks if key[1] == "thread" and key[2] == writer}

    tap.ok(writer and own(everything) and not own(others), f"{what}: ktrack's own thread is left out", writer, own(everything), own(others))
    rest = {key: len(slices) for key, slices in everything.tracks.items() if key not in own(everything)}
    tap.ok(rest == {key: len(slices) for key, slices in others.tracks.items()}, f"{what}: all others stay")


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
    stream, family = Stream(result.text(f"{name}.json")), descendants(result, process)
    tids = {key[2] for key in stream.tracks if key[1] == "thread"}
    tap.ok(process in tids and len(tids) > 1, f"{what}: {name}: tracks of the process and of its children", process, tids)
    tap.nothing(sorted(tids - family), f"{what}: {name}: no other tracks")
    rules = {key[0] for key in stream.tracks}
    tap.ok(rules == {"sched:thread", "syscalls:call"}, f"{what}: {name}: rules", rules)
    said = "ktrack: sched:cpu: left out, needs the records of all tasks"
    tap.ok(result.text(f"{name}.errors").strip() == said, f"{what}: {name}: what is left out", result.text(f"{name}.errors"))


def check_thread(tap, what, result):
    """The id of any thread selects its process."""
    stream, tids = Stream(result.text("way-thread.json")), {int(tid) for tid in result.text("tids").split()}
    found = {key[2] for key in stream.tracks}
    tap.ok(len(tids) == 3 and found == tids, f"{what}: -p with the id of another thread than the first: all threads of the process", tids, found)


def check_leftover(tap, what, result):
    """The instance of a killed run of selected threads."""
    said = result.text("leftover.errors")
    is_reported = "recorded only selected threads (-p, --cgroup, --unit or --pid); the tracks of all others are incomplete" in said
    tap.ok(is_reported, f"{what}: a killed run of selected threads is reported", said)
    tap.ok("sched:cpu: left out, needs the records of all tasks" in said, f"{what}: rules that need all tasks are left out", said)
    rules = {key[0] for key in Stream(result.text("leftover.json")).tracks}
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
    refusal = "ktrack: -r: none of the tracepoints that the rules use exists; see 'ktrack list --rules', and name events of programs program:SYSTEM:EVENT\n"
    tap.ok(result.text("alone.errors") == refusal, f"{what}: rules of which none exists are an error", result.text("alone.errors"))


def read_files(result):
    """Exports the recordings."""
    result.attempt("export", "ktrack", "export", "--include-self", "-r", ",".join(PACKS), "--event=counted.json", "counted.dat")
    result.attempt("self", "ktrack", "export", "-r", ",".join(PACKS), "--event=self.json", "counted.dat")
    for name, file in (("way-file", "way.dat"), ("way-recovered", "killed.dat")):
        result.attempt(name, "ktrack", "export", "-r", "sched,syscalls", f"--event={name}.json", file)


def check_kernel(tap, kernel, folder, threads):
    """All of it on one kernel."""
    options = (*machine.pair(), *threads, "--add", f"{folder / 'more/loop.ko'}:/more/loop.ko")
    with machine.ran(kernel, "rules.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
        read_files(result)
        for name in ATTEMPTS:
            tap.ok(result.text(f"{name}.status").strip() == "0", f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
        counted = Stream(result.text("counted.json"))
        check_pairs(tap, f"{kernel}: counted", counted, result.report("counted"), PACKS, RULES)
        counts = Counts(counted, result, "stat", "interrupts", "diskstats")
        check_counts(tap, f"{kernel}: the kernel counts as many", counts, "loop0", NR_REQUESTS)
        check_self(tap, kernel, result)
        check_live(tap, f"{kernel}: live", Stream(result.text("live.json")), result)
        for name in ("way--p", "way-cgroup", "way-unit", "way-file", "way-recovered"):
            check_workload(tap, kernel, result, name, int(result.text("process")))
            cgroups = set(re.findall(r'"cgroup":"([^"]+)"', result.text(f"{name}.json")))
            tap.ok(cgroups == {"/top.slice/worker.service"}, f"{kernel}: {name}: tracks have the cgroup of the process", cgroups)
        for name in ("moved-live", "moved-file"):
            check_moves(tap, kernel, result, name)
        check_workload(tap, kernel, result, "command", int(result.text("command")))
        check_thread(tap, kernel, result)
        check_leftover(tap, kernel, result)
        check_tables(tap, kernel, result, int(result.text("process")))
        check_absent(tap, kernel, result)
        check_conditions(tap, kernel, result)
        refusal = "ktrack: block:request, block:flush, block:inflight: needs the records of all tasks; leave out -p, --cgroup, --unit or --pid"
        tap.ok(result.text("all-tasks.errors").strip() == refusal, f"{kernel}: what cannot work is refused", result.text("all-tasks.errors"))


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as name:
        threads = machine.program(name, "threads")
        for kernel in sys.argv[1:] or machine.ONE_6_1:
            folder = machine.kernel_folder(kernel)
            if (folder / "more/loop.ko").exists():
                check_kernel(tap, kernel, folder, threads)
            else:
                tap.skip(f"{kernel}: rules", "no loop.ko; remove build/vm, and it is fetched again")
        for kernel in sys.argv[1:] or machine.ONE_6_12:
            check_run_time(tap, kernel)
