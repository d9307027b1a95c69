#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: at 100,000 events a second nothing is lost or late; of what is more, the stream says what is missing, and what that falsifies."""

import json
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import machine  # noqa: E402
from tap import tested  # noqa: E402

RATE, STEADY_S, LATE_US = 100000, machine.rounds(20, 3), 10**6

# A gap ends with the first record behind it, or some microseconds before: an end without its begin has no line.
EDGE_S = 1e-5

# Both CPUs write rounds of six records.
ROUND = 6
ROUNDS_PER_S = -(-RATE // (2 * ROUND))

# The places in a round, from 0, at which a slice begins and ends.
SLICES = {"everywhere": (0, 5), "inner": (1, 4)}
ENDS = {end for _, end in SLICES.values()}

LOST = re.compile(r"lost (\d+|an unknown number of) records? on cpu (\d+)")


def fired_of(result, name):
    """How many records each CPU wrote."""
    found = re.findall(r"^cpu (\d+) fired \d+ sequence (\d+)", result.text(f"{name}.fired"), re.MULTILINE)
    return {int(cpu): int(number) for cpu, number in found}


class Slice:
    """A slice of the stream; one that did not end by a record of its own has no last number."""

    def __init__(self, begin):
        self.label, self.cpu = begin["label"], begin["cpu"]
        self.first, self.begin = begin["args"]["sequence"], begin["t_abs"]
        self.last = self.end = self.is_suspect = None

    def finish(self, leave):
        """Takes in its end."""
        self.end, self.is_suspect = leave["t_abs"], "suspect" in leave
        self.last = leave["args"]["sequence"] if "args" in leave else None
        return self

    def is_true(self):
        """Whether begin and end are those of one slice of the module's."""
        begin, end = SLICES[self.label]
        turn = (self.first - 1) // ROUND * ROUND + 1
        return (self.first, self.last) == (turn + begin, turn + end)


class Stream:
    """Content of a stream: for each CPU the numbers of its records and of the gaps; the slices."""

    def __init__(self, text):
        self.numbers, self.times = defaultdict(list), defaultdict(list)
        self.gaps, self.slices, self.counters, self.promised = defaultdict(list), [], {}, None
        self.open = defaultdict(list)
        for line in text.splitlines():
            self.take(json.loads(line))

    def take(self, event):
        """One line."""
        kind, thread = event["event"], event["thread"]
        if "sequence" in event.get("args", ()):
            self.numbers[event["cpu"]].append(event["args"]["sequence"])
            self.times[event["cpu"]].append(event["t_abs"])
        if kind == "region_enter":
            self.open[thread].append(Slice(event))
        elif kind == "region_leave":
            self.slices.append(self.open[thread].pop().finish(event))
        elif kind == "error":
            count, cpu = LOST.fullmatch(event["msg"]).groups()
            self.gaps[int(cpu)].append((len(self.numbers[int(cpu)]), int(count) if count.isdigit() else None))
        elif kind == "counter":
            self.counters[event["name"]] = event["count"]
        elif event.get("param") == "complete_from":
            self.promised = float(event["value"])

    def unmatched(self, cpu, fired):
        """The ends without a line that are missing at gaps; None if other records are missing."""
        gaps, numbers, ends = dict(self.gaps[cpu]), self.numbers[cpu], 0
        for place, (before, after) in enumerate(zip([0, *numbers], [*numbers, fired + 1])):
            more = after - before - 1 - gaps.get(place, 0)
            if more < 0 or any((number - 1) % ROUND not in ENDS for number in range(after - more, after)):
                return None
            ends += more
        return ends

    def intervals(self):
        """When records were lost."""
        for cpu, gaps in self.gaps.items():
            times = [0, *self.times[cpu], float("inf")]
            for place, _ in gaps:
                yield times[place], times[place + 1]


def check_steady(tap, what, result):
    """As much as was fired has come, each record in time."""
    fired, text = fired_of(result, "steady"), result.text("steady.arrived")
    found = [tuple(map(int, row)) for row in re.findall(r"cpu (\d+) records (\d+) first (\d+) last (\d+) breaks (\d+)", text)]
    tap.ok(sum(fired.values()) >= RATE * STEADY_S, f"{what}: the module fired", fired)
    wanted = [(cpu, number, 1, number, 0) for cpu, number in fired.items()]
    tap.ok(found == wanted, f"{what}: read = fired, in order", text, wanted)
    late, least, span = map(int, re.search(r"late (-?\d+) least (-?\d+) span (\d+)", text + "late 0 least -1 span 0").groups())
    tap.ok(span and sum(fired.values()) * 10**6 / span >= RATE, f"{what}: {RATE} events a second", span)
    tap.ok(0 <= least <= late < LATE_US, f"{what}: each was there within a second of its time", text)
    tap.comment(f"{what}: {sum(fired.values())} records in {span} us, {least} to {late} us after their time")


def check_loss(tap, what, stream, fired):
    """What is missing is what is asked to be."""
    gaps = [count for found in stream.gaps.values() for _, count in found]
    tap.ok(gaps and None not in gaps and len(stream.gaps) == len(fired), f"{what}: gaps on every CPU, each with its number", stream.gaps)
    lost, read = stream.counters.get("lost_records", 0), sum(map(len, stream.numbers.values()))
    unmatched = stream.counters.get("unmatched_ends", 0)
    account = f"{read} read, {unmatched} ends alone, {lost} lost, {fired} fired"
    tap.ok(read + unmatched + lost == sum(fired.values()) and lost == sum(gaps), f"{what}: read + lost = fired", account, gaps)
    ends = [stream.unmatched(cpu, number) for cpu, number in fired.items()]
    tap.ok(None not in ends and sum(ends) == unmatched, f"{what}: the missing numbers are those of the gaps", ends, account)
    tap.comment(f"{what}: {account}, gaps {gaps}")


def check_marks(tap, what, stream):
    """Slices that a gap may have falsified are marked, and no others."""
    intervals = list(stream.intervals())
    marked = [slice for slice in stream.slices if slice.is_suspect]
    others = [slice for slice in stream.slices if not slice.is_suspect]
    tap.ok(marked and others, f"{what}: there are slices with a mark, and without", len(marked), len(others))
    tap.nothing([vars(slice) for slice in others if not slice.is_true()][:5], f"{what}: no falsified slice without a mark")
    strange = [slice for slice in others if any(slice.begin < to - EDGE_S and slice.end > since for since, to in intervals)]
    tap.nothing(list(map(vars, strange))[:5], f"{what}: nor any other in a gap")
    strange = [slice for slice in marked if not any(slice.begin <= to and slice.end >= since for since, to in intervals)]
    tap.nothing(list(map(vars, strange))[:5], f"{what}: no mark outside a gap")
    tap.comment(f"{what}: {len(marked)} slices marked, {len(others)} not")


def check_circular(tap, what, stream, fired):
    """From the promised moment on everything is there."""
    latest = max((times[0] for times in stream.times.values()), default=0)
    tap.ok(stream.promised is not None and abs(stream.promised - latest) < 1e-5, f"{what}: the moment is that of the latest first record", stream.promised, latest)
    ends = {cpu: numbers[-1] for cpu, numbers in stream.numbers.items()}
    tap.ok(ends == fired, f"{what}: up to the last record", ends)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        programs = (*machine.program(folder, "clocked"), *machine.program(folder, "yield"))
        options = (*machine.COUNTED, *programs)
        for kernel in sys.argv[1:] or machine.ONE_6_12:
            with machine.ran(kernel, "account.sh", STEADY_S * ROUNDS_PER_S, ROUNDS_PER_S, options=options) as result:
                machine.check_end(tap, kernel, result)
                tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
                check_steady(tap, f"{kernel}: steady", result)
                for name in ("overload", "circular"):
                    stream, fired = Stream(result.text(f"{name}.json")), fired_of(result, name)
                    check_loss(tap, f"{kernel}: {name}", stream, fired)
                    check_marks(tap, f"{kernel}: {name}", stream)
                check_circular(tap, f"{kernel}: circular", stream, fired)
