#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a stream or a recording that is killed at any moment loses only records in flight, and their number is reported.

A number as argument is the seed of other moments.
"""

import random
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

SEED, MOMENTS = 6, machine.rounds(20, 6)

# How the module writes, on two CPUs, six records a round; and how many of its microseconds moments are chosen from.
ROUNDS, ROUNDS_PER_S = 800, 4000
SPAN_US = ROUNDS * 1000000 // ROUNDS_PER_S

# How long a stream waits before it reads again. A recording waits until a fifth of a buffer is full.
KINDS, INTERVAL_US = ("stream", "record"), 50000

# What the kernel says until the reader ends: records of the module, and the reader's waits.
SEEN = re.compile(r" (\d+)\.(\d{6}): (?:(ktrack_test)_\w+:|sys_poll(\(| ->))", re.MULTILINE)
ARRIVED = re.compile(r"^cpu (\d+) records (\d+) first (\d+) last (\d+) breaks (\d+)", re.MULTILINE)


class Kill:
    """What is known of one kill; the records of a stream's output and of the rest are (number, first, last, breaks) by CPU."""

    def __init__(self, result, number, kind):
        def arrived(name):
            rows = [tuple(map(int, row)) for row in ARRIVED.findall(result.text(f"{number}.{name}"))]
            return {cpu: rest for cpu, *rest in rows}

        def count(name, words):
            found = re.search(words, result.text(f"{number}.{name}"))
            return int(found[1]) if found else 0

        fired = re.findall(r"^cpu (\d+) fired \d+ sequence (\d+)", result.text(f"{number}.fired"), re.MULTILINE)
        self.fired = {int(cpu): int(records) for cpu, records in fired}
        self.output, self.rest = arrived("output"), arrived("rest")
        self.recovered = sum(row[0] for row in self.rest.values()) + count("counters", '"unmatched_ends","count":([0-9]+)')
        self.written = sum(row[0] for row in self.output.values())
        if kind == "stream":
            self.in_flight = count("params", '"read_before","value":"([0-9]+)"') - self.written
            self.reported = count("errors", "([0-9]+) records were read before") - self.written
        else:
            self.in_flight = count("counters", '"lost_records","count":([0-9]+)')
            self.reported = count("errors", "lost ([0-9]+) records?")
        self.look(result.text(f"{number}.seen"))

    def look(self, text):
        """Sets newest, the records that were written after the last read but one began, and the waits in which records were written."""
        records, reads, waits, since_us = [], [], [], None
        for seconds, parts, record, wait in SEEN.findall(text):
            now_us = int(seconds) * 1000000 + int(parts)
            if record:
                records.append(now_us)
            elif wait == "(":
                since_us = now_us
            else:
                reads.append(now_us)
                waits += [(since_us, now_us)] if since_us is not None else []
        self.newest = sum(now_us >= reads[-2] for now_us in records) if len(reads) > 1 else len(records)
        self.waits_us = [end_us - begin_us for begin_us, end_us in waits if records and begin_us > records[0]]

    def account(self):
        """All of it in one line."""
        return f"{self.fired} fired, {self.written} out, {self.recovered} recovered, {self.in_flight} in flight, {self.reported} reported"

    def is_settled(self):
        """Whether every record is somewhere."""
        return sum(self.fired.values()) == self.written + self.recovered + self.in_flight

    def is_in_order(self):
        """Whether the output is what came first, without a hole, and the rest what came last."""
        whole = all(row == [row[0], 1, row[0], 0] for row in self.output.values())
        last = {cpu: row[2] for cpu, row in self.rest.items()}
        after = all(row[1] > self.output.get(cpu, [0])[0] for cpu, row in self.rest.items())
        return whole and after and all(last.get(cpu, fired) == fired for cpu, fired in self.fired.items())


def check_kill(tap, what, result, number, kind):
    """One kill."""
    kill = Kill(result, number, kind)
    account = kill.account()
    tap.ok(sum(kill.fired.values()) == 12 * ROUNDS, f"{what}: the module fired", account)
    tap.ok(kill.is_settled(), f"{what}: fired = output + recovered + in flight", account)
    tap.ok(kill.is_in_order(), f"{what}: what came first is out, and what came last recovered", kill.output, kill.rest, account)
    tap.ok(0 <= kill.in_flight <= kill.newest, f"{what}: what is in flight was written after the last read but one", account, kill.newest)
    tap.ok(kill.reported == kill.in_flight, f"{what}: and that is reported", account)
    return kill


def check_kernel(tap, kernel, programs, kills):
    """All kills, on one kernel."""
    words = [word for kind, moment_us in kills for word in (kind, moment_us)]
    options = (*machine.COUNTED, *programs)
    with machine.ran(kernel, "kills.sh", ROUNDS, ROUNDS_PER_S, *words, options=options) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
        found = [
            (kind, check_kill(tap, f"{kernel}: {kind} killed after {moment_us} us", result, number, kind))
            for number, (kind, moment_us) in enumerate(kills, 1)
        ]
    written = [kill.written for kind, kill in found if kind == "stream"]
    tap.ok(any(0 < number < 12 * ROUNDS for number in written), f"{kernel}: some streams were killed in the middle", written)
    waits_us = [wait_us for kind, kill in found if kind == "stream" for wait_us in kill.waits_us]
    longest_us = max(waits_us, default=0)
    tap.ok(INTERVAL_US / 2 < longest_us < 2 * INTERVAL_US, f"{kernel}: streams wait {INTERVAL_US} us before they read again", waits_us)
    for name in KINDS:
        tap.comment(f"{kernel}: in flight, of those written after the last read but one, {name}: {[(kill.in_flight, kill.newest) for kind, kill in found if kind == name]}")


@tested
def main(tap):
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else SEED
    dice = random.Random(seed)
    moments = [dice.randrange(SPAN_US) for _ in range(MOMENTS)]
    tap.comment(f"seed {seed}: {moments}")
    # Streams and recordings take turns, the other way round on the next kernel.
    kinds = KINDS * MOMENTS
    with tempfile.TemporaryDirectory() as folder:
        programs = (*machine.program(folder, "clocked"), *machine.program(folder, "yield"))
        for place, kernel in enumerate(machine.ONE_6_12):
            check_kernel(tap, kernel, programs, list(zip(kinds[place:], moments)))
