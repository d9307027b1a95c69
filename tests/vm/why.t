#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack why finds the causes of prepared incidents, and its sums are those of the scheduler's slices."""

import json
import sys
import tempfile
from collections import defaultdict
from fnmatch import fnmatchcase
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm", "why")]

import machine  # noqa: E402
from sums import wrong_sums  # noqa: E402
from tap import tested  # noqa: E402

# The answers, which were written before the tool was tried: the longest part, and then the longest part of what its waker did
# meanwhile. A tuple has alternatives.
BLOCKED = {"kind": "blocked", "woken": True}
# The kernel's numbers of priorities.
NICE_0, REALTIME_50 = 120, 49
ANSWERS = {
    # A driver's lock is held by a thread that sleeps with it.
    "lock": [{**BLOCKED, "slice": "MUTEX", "waker": "test_holder"}, {**BLOCKED, "interrupt": "timer process_timeout"}],
    # The lock's holder cannot run, because an urgent thread has its CPU.
    "inversion": [{**BLOCKED, "waker": "test_holder"}, {"kind": "runnable", "behind": "test_hog", "prio": NICE_0, "behind_prio": REALTIME_50}],
    # Interrupts take the CPU while the thread runs.
    "storm": [{"kind": "hard interrupt"}],
    # An urgent thread has the CPU.
    "starvation": [{"kind": "runnable", "behind": "test_hog", "prio": NICE_0, "behind_prio": REALTIME_50}],
    # The driver sleeps.
    "sleep": [{**BLOCKED, "waker_context": "soft interrupt", "interrupt": "timer process_timeout"}],
    # The same with kernel stacks.
    "stack": [{**BLOCKED, "interrupt": "timer process_timeout"}],
    # A work item waits for the worker, which has a slow one.
    "worker": [{**BLOCKED, "waker": "kworker/*", "waker_slice": "test_quick_work"}, {"kind": "running", "slice": "test_slow_work"}],
    # Nobody wakes the thread: its wait for a completion ends by the timeout.
    "lost_wakeup": [{**BLOCKED, "timeout": True, "interrupt": "timer process_timeout"}],
    # A timer expires late, because the callback of another one takes the CPU.
    "late_timer": [{"kind": "late", "interrupt": "hrtimer test_slow_callback"}],
    # An asynchronous request waits for its device, whose interrupt queues the work that ends it.
    "request": [{"kind": "waiting", "operation": "hrtimer test_device_interrupt", "issuer": "sh"}],
    # Somebody stops the process.
    "stop": [{"kind": "stopped", "state": "T", "waker": "sh"}],
    # Another cgroup has the larger share of the CPU.
    "group": [{"kind": "runnable", "behind": "dd", "prio": NICE_0, "behind_prio": NICE_0}],
    # A read waits for a request to a disk whose bandwidth is limited: it is held back until a timer expires.
    # If the same tick expires a timer of other work first, that one wakes the worker, which then finds the request's work too.
    "disk": [
        {**BLOCKED, "slice": "read", "operation": "block:request/R*@7,0"},
        ({"kind": "waiting", "operation": "timer throtl_pending_timer_fn", "issuer": "dd"}, {"kind": "waiting", "interrupt": "timer delayed_work_timer_fn"}),
    ],
    # A program writes faster than its disk: it is paused when too many of its pages are dirty.
    "write": [{**BLOCKED, "slice": "write", "after": "dirty pages 7:0", "timeout": True}],
    # Each page of a buffer is used for the first time.
    "faults": [{"kind": "running", "instant": "kernel fault"}],
}
# Names that the explanation of an incident contains at any depth.
CONTAINED = {
    "storm": ("hrtimer test_storm_tick",),
    "lost_wakeup": ("*wait_for_com*", "test_incident_run"),
    "request": ("kworker/*",),
}
# What the text says at its end: what to record for more, or where to look.
REMARKS = {
    "sleep": "no kernel stacks show where threads slept; record with --stack='sched:sched_switch if prev_state & 3'\n"
    "to decide more: ktrack record -e 'ktrack_t*' -r sched,irq,locks,workqueue,timers --stack='sched:sched_switch if prev_state & 3' -- COMMAND\n",
    "request": "",
    "stack": "",
    "lost_wakeup": "",
    "write": "the slowest of * slices that match\n",
    # Whether CPU 1 was idle for long is the recorder's affair; tests/why/data/bound has that remark.
    "group": "*dd (*) has the same priority; if its cgroup (/proc/*/cgroup) is another one, cpu.weight divides the CPU between them\n",
}
KINDS = {"running": "Running", "hard interrupt": "Running", "soft interrupt": "Running", "runnable": "Runnable"}
RUNNABLE = ("Runnable", "R", "R+")


def matches(part, wanted):
    """Whether a part has the wanted members; texts may have wildcards."""
    for key, value in wanted.items():
        found = part.get(key)
        if not (fnmatchcase(str(found), value) if isinstance(value, str) else found == value):
            return False
    return True


def longest(parts):
    """The longest kind of parts, and of it the longest part."""
    kinds = defaultdict(int)
    for part in parts:
        kinds[part["kind"]] += part["ns"]
    kind = max(kinds, key=kinds.get)
    return max((part for part in parts if part["kind"] == kind), key=lambda part: part["ns"])


def names_in(parts):
    """All names at any depth."""
    for part in parts:
        yield from (part[key] for key in ("waker", "interrupt", "behind", "comm", "slice") if key in part)
        yield from part.get("stack", ())
        yield from names_in(part.get("meanwhile", ()))


def wrong_answer(name, parts):
    """How the explanation differs from the expected answer."""
    found = parts
    for wanted in ANSWERS[name]:
        part = longest(found) if found else {}
        if not any(matches(part, one) for one in (wanted if isinstance(wanted, tuple) else (wanted,))):
            yield f"the longest part is {part}, expected is {wanted}"
            return
        found = part.get("meanwhile", ())
    names = set(names_in(parts))
    for wanted in CONTAINED.get(name, ()):
        if not any(fnmatchcase(str(one), wanted) for one in names):
            yield f"{wanted} is missing: {sorted(names)}"


class States:
    """The states of threads that the stream of the same file reports: (begin, end, name), by thread."""

    def __init__(self, text):
        self.slices, threads, stacks, start = defaultdict(list), {}, defaultdict(list), None
        for line in text.splitlines():
            event = json.loads(line)
            start = event["t_abs"] if event["event"] == "start" else start
            if event["event"] == "data_json" and event["category"] == "track":
                threads[event["thread"]] = event["value"]
            elif event["event"] == "region_enter":
                stacks[event["thread"]].append(event["t_abs"])
            elif event["event"] == "region_leave":
                track = threads[event["thread"]]
                begin = stacks[event["thread"]].pop()
                if track["tracepoint"] == "sched:thread":
                    self.slices[track["id"]].append((begin, event["t_abs"], event["label"]))

    def sum_of(self, tid, begin, end, labels):
        """The seconds of a thread in some states, within a time."""
        return sum(
            max(0, min(last, end) - max(first, begin)) for first, last, label in self.slices[tid] if label in labels
        )


def wrong_states(found, states):
    """Every state whose sum is not that of the scheduler's slices of the same file."""
    sums = defaultdict(int)
    for part in found["parts"]:
        sums[KINDS.get(part["kind"], part["kind"])] += part["ns"]
    begin, end = found["begin_ns"] / 1e9, (found["begin_ns"] + found["ns"]) / 1e9
    expected = {
        "Running": states.sum_of(found["tid"], begin, end, ("Running",)),
        "Runnable": states.sum_of(found["tid"], begin, end, RUNNABLE),
    }
    for name, seconds in expected.items():
        # Times of the stream are doubles.
        if abs(sums[name] / 1e9 - seconds) > 1e-6:
            yield f"{name}: {sums[name]} ns, expected are {seconds} s"
    if sums["undecided"] > 0:
        yield f"undecided: {sums['undecided']} ns"


def check_stack(tap, kernel, found):
    """The kernel stack of the wait leads from the driver to the sleep; no other functions are before it."""
    stack = longest(found["parts"]).get("stack", [])
    places = [stack.index(name) if name in stack else -1 for name in ("schedule_timeout", "msleep", "test_incident_sleep")]
    tap.ok(places == sorted(places) and places[0] in (0, 1), f"{kernel}: the stack of a wait", stack)


def explain(tap, kernel, name, result):
    """Explains an incident: NAME.json.output, NAME.text.output and NAME.event."""
    packs, place, file = result.text(f"{name}.packs").strip(), result.text(f"{name}.slice").strip(), f"{name}.dat"
    result.attempt(f"{name}.json", "ktrack", "why", "--json", file, place)
    result.attempt(f"{name}.text", "ktrack", "why", file, place)
    result.attempt(f"{name}.export", "ktrack", "export", "--include-self", "-e", "ktrack_t*", "-r", packs, f"--event={name}.event", file)
    ends = [result.text(f"{name}.{part}status").strip() for part in ("", "json.", "text.", "export.")]
    tap.ok(ends == ["0"] * 4, f"{kernel}: {name} is recorded and read", ends, *(result.text(f"{name}.{part}errors") for part in ("", "json.", "text.", "export.")))


def check_incident(tap, kernel, name, result):
    """One incident."""
    explain(tap, kernel, name, result)
    text = result.text(f"{name}.json.output")
    answer = json.loads(text) if text else {"slices": []}
    if not tap.ok(len(answer["slices"]) == 1, f"{kernel}: {name} is explained", text, result.text(f"{name}.json.errors")):
        return
    found = answer["slices"][0]
    wrong = list(wrong_answer(name, found["parts"]))
    tap.ok(not wrong, f"{kernel}: {name}: the cause", *wrong, result.text(f"{name}.text.output"))
    tap.nothing(list(wrong_sums(found["parts"], found["ns"], name)), f"{kernel}: {name}: parts add up to the nanosecond")
    if name in REMARKS:
        found_remarks = result.text(f"{name}.text.output").rpartition("\n\n")[2]
        tap.ok(fnmatchcase(found_remarks, REMARKS[name]), f"{kernel}: {name}: the remarks", found_remarks)
    if name == "stack":
        check_stack(tap, kernel, found)
    if not found["async"]:
        wrong = list(wrong_states(found, States(result.text(f"{name}.event"))))
        tap.nothing(wrong, f"{kernel}: {name}: the scheduler's slices have the same sums")


def check_live(tap, kernel, result):
    """ktrack stream explains at its end, next to other outputs; without such a slice it reports that."""
    text = result.text("live.output")
    is_right = text.startswith("ktrack_test:ktrack_test_thread/incident @ ") and "woken by soft interrupt timer process_timeout" in text
    tap.ok(is_right and result.text("live.status") == "0\n", f"{kernel}: a stream is explained at its end", text, result.text("live.errors"))
    tap.ok('"event":"atexit"' in result.text("live.event"), f"{kernel}: next to a stream in a file")
    text = result.text("live-group.output")
    wanted = "CPU 1 was idle for *% of the longest wait for CPU 0; the CPUs that sh (*) may use: taskset -pc *\n"
    wanted += "dd (*) has the same priority and is in cgroup /large; cpu.weight divides a CPU between cgroups\n"
    tap.ok(fnmatchcase(text.rpartition("\n\n")[2], wanted), f"{kernel}: the cgroup of a thread that still runs", text, result.text("live-group.errors"))
    text = result.text("live-none.output")
    tap.ok(text == "no slice matches 'incident'\n" and result.text("live-none.status") == "0\n", f"{kernel}: no such slice is no error", text)


def check_kernel(tap, kernel, result):
    """All incidents of one boot."""
    machine.check_end(tap, kernel, result)
    tap.nothing(result.output.splitlines(), f"{kernel}: all are recorded")
    for name in ANSWERS:
        check_incident(tap, kernel, name, result)
    check_live(tap, kernel, result)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        programs = machine.program(folder, "yield")
        for kernel in sys.argv[1:] or machine.ONE_6_12:
            more = machine.kernel_folder(kernel) / "more/loop.ko"
            options = (*machine.COUNTED, *programs, "--add", f"{more}:/more/loop.ko")
            with machine.ran(kernel, "why.sh", options=options) as result:
                check_kernel(tap, kernel, result)
