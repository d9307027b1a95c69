#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: plain tracefs shows of every batch of the demo exactly what the demo promises."""

import re
import sys
from collections import Counter, defaultdict
from itertools import accumulate
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "stream", "vm")]

import contract  # noqa: E402
import machine  # noqa: E402
from contract import Batch  # noqa: E402
from tap import tested  # noqa: E402

BATCHES = (Batch(100), Batch(1), Batch(33, workers=3, slots=2), Batch(1000, workers=1, slots=1))

RECORD = re.compile(
    r"^ *(?P<task>.+)-(?P<tid>\d+) +\[(?P<cpu>\d+)\] \S+ +(?P<time>[0-9.]+): (?P<event>\w+): (?P<rest>.*)$"
)
FIELD = re.compile(r"(\w+)=(.*?)(?= \w+=|$)")


class Record:
    """One line of the trace."""

    def __init__(self, match):
        self.task, self.cpu = match["task"], int(match["cpu"])
        self.event = match["event"]
        self.letter = match["rest"][0] if re.match(r"[BEI] ", match["rest"]) else "C"
        self.fields = dict(FIELD.findall(match["rest"]))

    def number(self, name):
        """A field that is a number."""
        return int(self.fields[name])


class Trace:
    """All records of one batch, by tracepoint."""

    def __init__(self, text):
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        matches = [RECORD.match(line) for line in lines]
        self.strange = [line for line, match in zip(lines, matches) if not match]
        self.records = [Record(match) for match in matches if match]

    def of(self, tracepoint, letters="BEIC"):
        """The records of one tracepoint."""
        event = tracepoint.name.partition(":")[2]
        return [one for one in self.records if one.event == event and one.letter in letters]

    def names(self, tracepoint, letters="BI"):
        """How often each slice name began."""
        return Counter(one.fields["slice_name"] for one in self.of(tracepoint, letters))

    def values(self, tracepoint):
        """The samples in order."""
        return [one.number("counter_value") for one in self.of(tracepoint)]


def counts_expected(batch):
    """Records by tracepoint and letter."""
    n, ticks, fails = batch.requests, batch.ticks(), batch.requests // 16
    both = {
        contract.SUBMIT: n + 1,
        contract.IO: n,
        contract.WORK: 4 * n,
        contract.TICK: ticks,
        contract.RUN: 1,
    }
    samples = {contract.BYTES: n, contract.DEPTH: 2 * n, contract.HANDLED: n, contract.COMPLETED: n}
    counts = {(one, letter): count for one, count in both.items() for letter in "BE"}
    counts |= {(one, "C"): count for one, count in samples.items()}
    return counts | {(contract.RUN, "I"): 1, (contract.WORK, "I"): fails}


def wrong_counts(trace, batch):
    """Every tracepoint's records that are too many or too few."""
    for (tracepoint, letter), count in counts_expected(batch).items():
        found = len(trace.of(tracepoint, letter))
        if found != count:
            yield f"{tracepoint.name} {letter}: {found} records, not {count}"
    if len(trace.records) != batch.records():
        yield f"{len(trace.records)} records in all, not {batch.records()}"


def names_expected(batch):
    """How often each name begins, by tracepoint."""
    n = batch.requests
    work = Counter(dict.fromkeys(("handle", "prepare", "transfer"), n))
    work.update(f"checksum {request % 4}" for request in range(n))
    work.update("retry" for request in range(n) if contract.fails(request))
    return {
        contract.SUBMIT: Counter(batch=1, submit=n),
        contract.IO: Counter(request=n),
        contract.WORK: work,
        contract.TICK: Counter(tick=batch.ticks()),
        contract.RUN: Counter(run=1, done=1),
    }


def wrong_names(trace, batch):
    """Every tracepoint whose names are others."""
    for tracepoint, names in names_expected(batch).items():
        if trace.names(tracepoint) != names:
            yield f"{tracepoint.name}: {dict(trace.names(tracepoint))}, not {dict(names)}"


def wrong_requests(trace, batch):
    """Every request that is not begun and ended once with its fields, or of which more are in flight than there are slots."""
    for letter, fields in (("B", contract.begin_fields), ("E", contract.end_fields)):
        records = sorted(trace.of(contract.IO, letter), key=lambda one: int(one.fields["scope_request"], 16))
        for request, record in enumerate(records):
            wanted = {"result": 0} | fields(request)
            wanted |= {"scope_request": f"0x{wanted.pop('request'):x}", "ktrack_demo_request": f"0x{contract.number(request):x}"}
            found = {name: record.fields[name] for name in wanted}
            if found != {name: str(value) for name, value in wanted.items()}:
                yield f"request {request} {letter}: {found}, not {wanted}"
    level = list(accumulate({"B": 1, "E": -1}[record.letter] for record in trace.of(contract.IO)))
    if max(level) > batch.slots:
        yield f"{max(level)} requests in flight, in {batch.slots} slots"


def wrong_flows(trace, _batch):
    """Every request whose flow has other points than its submission, itself and its worker."""
    points = defaultdict(list)
    for record in trace.records:
        if record.fields.get("ktrack_demo_request", "0x0") != "0x0":
            points[record.fields["ktrack_demo_request"]].append((record.event, record.letter))
    names = [one.name.partition(":")[2] for one in (contract.SUBMIT, contract.IO, contract.WORK)]
    wanted = Counter((name, letter) for name in names for letter in "BE")
    for number, found in points.items():
        if Counter(found) != wanted or found[:2] != [(name, "B") for name in names[:2]]:
            yield f"{number}: {found}"


def wrong_counters(trace, batch):
    """Every counter whose samples are not what they count."""
    total, sums = 0, []
    for request in range(batch.requests):
        total += contract.size_bytes(request)
        sums.append(total)
    if trace.values(contract.BYTES) != sums:
        yield "bytes is not the running total"
    depth = [0] + trace.values(contract.DEPTH)
    if depth[-1] != 0 or not all(0 <= value <= batch.slots for value in depth):
        yield f"depth ends at {depth[-1]} after {min(depth)} to {max(depth)}"
    if any(abs(after - before) != 1 for before, after in zip(depth, depth[1:])):
        yield "depth jumps"
    for worker in range(batch.workers):
        handled = [
            one.number("counter_value")
            for one in trace.of(contract.HANDLED)
            if one.task == f"ktrack_demo/{worker}"
        ]
        if handled != list(range(1, len(batch.of_worker(worker)) + 1)):
            yield f"worker {worker} handled {handled}"


def wrong_cpus(trace, batch):
    """Every sample and tick that names another CPU than the one that it was written on."""
    last = Counter()
    for record in trace.of(contract.COMPLETED):
        last[record.cpu] += 1
        if (
            record.number("scope_cpu") != record.cpu
            or record.number("counter_value") != last[record.cpu]
        ):
            yield f"completed {record.fields} on CPU {record.cpu}, which had {last[record.cpu]}"
    if sum(last.values()) != batch.requests:
        yield f"completed ends at {dict(last)}"
    for record in trace.of(contract.TICK):
        if record.number("scope_cpu") != record.cpu:
            yield f"tick {record.fields} on CPU {record.cpu}"


CHECKS = {
    "counts": wrong_counts,
    "slice names": wrong_names,
    "requests": wrong_requests,
    "flows": wrong_flows,
    "counters": wrong_counters,
    "CPUs": wrong_cpus,
}


def lost(stats):
    """The lines of the kernel's statistics that report a loss."""
    names = ("overrun", "commit overrun", "dropped events")
    return [
        line for line in stats.splitlines() if line.startswith(names) and not line.endswith(": 0")
    ]


def check_batch(tap, kernel, result, number, batch):
    """One batch of one boot."""
    what = f"{kernel}: {batch.requests} requests, {batch.workers} workers, {batch.slots} slots"
    trace = Trace(result.text(f"batch.{number}/trace"))
    tap.nothing(trace.strange, f"{what}: every line is a record")
    tap.nothing(lost(result.text(f"batch.{number}/stats")), f"{what}: nothing is lost")
    for name, check in CHECKS.items():
        tap.nothing(list(check(trace, batch)), f"{what}: {name} are as promised")


@tested
def main(tap):
    batches = [f"{one.requests}:{one.workers}:{one.slots}" for one in BATCHES]
    for kernel in machine.kernels_with_newest(tap):
        with machine.ran(kernel, "tracefs.sh", *batches) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: modules start and end in order")
            for number, batch in enumerate(BATCHES):
                check_batch(tap, kernel, result, number, batch)
