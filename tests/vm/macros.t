#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: every macro writes right records in every context, and a thousand overlapping requests pair exactly by their ids."""

import re
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

ROUNDS = 3
IN_FLIGHT = 1000
THREADS = 4

# A line of the trace: thread, CPU, flags, tracepoint, text.
RECORD = re.compile(r"^.*-(\d+) +\[(\d+)\] (\S+) +[\d.]+: ktrack_test_(\w+): (.*)$", re.MULTILINE)
# What a thread's flags show of each context: interrupts off, and which interrupt it is. The idle thread is interrupted.
CONTEXTS = {"task": r"\..\.", "spinlock": r"d.\.", "softirq": r"[.db].s", "hardirq": r"d.[hH]", "nmi": r"d.[zZ]"}

# What one call of each macro writes, in order; ID is the same in all of them, NEXT the one behind it, CPU the
# record's. FIRST and SECOND are numbers of flows, which no other call has.
MACROS = """\
request: B slice_name=begin scope_request=ID ktrack_test_flow=ID op=read result=0
request: B slice_name=begin 2 scope_request=ID ktrack_test_flow=0x0 op=write result=0
request: I slice_name=instant scope_request=ID ktrack_test_flow=FIRST op=read result=0
key: I slice_name=instant 2 scope_queue=1 scope_cpu=CPU flags=sync text=text
request: E slice_name= scope_request=ID ktrack_test_flow=ID op=read result=-5
request: E slice_name= scope_request=ID ktrack_test_flow=0x0 op=write result=5
state: counter_value=1 scope_global=0 op=write
global: B slice_name=guard scope_global=0 track_name=track
global: B slice_name=guard 1 scope_global=0 track_name=track
request: B slice_name=named scope_request=ID ktrack_test_flow=ID op=read result=0
request: B slice_name=named 1 scope_request=NEXT ktrack_test_flow=SECOND op=write result=0
key: B slice_name=copy scope_queue=1 scope_cpu=CPU flags=sync|discard text=copied
key: E slice_name= scope_queue=1 scope_cpu=CPU flags=sync|discard text=
request: E slice_name= scope_request=NEXT ktrack_test_flow=SECOND op=write result=5
request: E slice_name= scope_request=ID ktrack_test_flow=ID op=read result=-5
global: E slice_name= scope_global=0 track_name=track
global: E slice_name= scope_global=0 track_name=track
""".splitlines()


def flows_of(lines):
    """The two numbers of flows that the records of one call have, other than their id."""
    found = re.findall(r"scope_request=(\w+) ktrack_test_flow=(\w+)", "\n".join(lines))
    return list(dict.fromkeys(flow for number, flow in found if flow not in (number, "0x0")))


def expected(cpu, lines):
    """The records of one call, with the id that the first of them has, and the flows that they have."""
    number = int(re.search(r"scope_request=0x(\w+)", lines[0])[1], 16)
    words = {"ID": f"0x{number:x}", "NEXT": f"0x{number + 1:x}", "CPU": str(int(cpu))}
    words |= dict(zip(("FIRST", "SECOND"), flows_of(lines)))
    return [re.sub(r"\b(ID|NEXT|CPU|FIRST|SECOND)\b", lambda match: words.get(match[1], "none"), line) for line in MACROS]


def context_of(thread, flags):
    """The context that the kernel reports for a record."""
    if thread == "0":
        return "idle"
    return next((name for name in reversed(CONTEXTS) if re.match(CONTEXTS[name], flags)), flags)


def contexts_of(kernel):
    """The contexts that the test module has on a kernel."""
    return [name for name in CONTEXTS if name != "nmi" or machine.has_nmi(kernel)]


def check_macros(tap, kernel, text):
    """One call of all macros after the other, each in its context."""
    records, found, flows = RECORD.findall(text), Counter(), []
    for start in range(0, len(records), len(MACROS)):
        call = records[start : start + len(MACROS)]
        thread, cpu, flags = call[0][:3]
        lines = [f"{event}: {words}" for *_, event, words in call]
        flows += flows_of(lines)
        if lines == expected(cpu, lines):
            found[context_of(thread, flags)] += 1
        else:
            found["wrong"] += 1
    wanted = {name: ROUNDS for name in (*contexts_of(kernel), "idle")}
    tap.ok(found == wanted, f"{kernel}: every macro writes its records in every context", found, text[:3000])
    is_new = len(flows) == len(set(flows)) == 2 * sum(wanted.values())
    tap.ok(is_new, f"{kernel}: new flows have other numbers in every call, from both files", flows)


def wrong_requests(records):
    """Everything that does not pair: (thread, CPU, flags, event, words) of each record in the order of time."""
    opened = {}
    for thread, cpu, _, _, words in records:
        fields = dict(re.findall(r"(\w+)=(\S*)", words))
        number = int(fields["scope_request"], 16)
        if fields["ktrack_test_flow"] != fields["scope_request"]:
            yield f"{words}: another flow"
        if words.startswith("B "):
            if number in opened or fields["result"] != "0" or fields["op"] != ("write" if (number - 1) % 2 else "read"):
                yield f"{words}: a wrong begin"
            opened[number] = thread, cpu
        elif opened.pop(number, (thread, cpu))[0] == thread or int(fields["result"]) != -number:
            yield f"{words}: a wrong end"
    yield from (f"{number}: has no end" for number in opened)


def most_in_flight(records):
    """How many requests are open at once."""
    level = most = 0
    for *_, words in records:
        level += 1 if words.startswith("B ") else -1
        most = max(most, level)
    return most


def check_requests(tap, kernel, text):
    """Begins and ends of all requests."""
    records = RECORD.findall(text)
    tap.nothing(list(wrong_requests(records)), f"{kernel}: begin and end pair by their ids, on two threads each")
    count = 2 * ROUNDS * IN_FLIGHT
    tap.ok(len(records) == count, f"{kernel}: {count} records", len(records))
    most = most_in_flight(records)
    tap.ok(most == IN_FLIGHT, f"{kernel}: {IN_FLIGHT} requests are in flight", most)
    threads, cpus = {record[0] for record in records}, {record[1] for record in records}
    tap.ok(len(threads) == THREADS and len(cpus) == 2, f"{kernel}: of {THREADS} threads on 2 CPUs", threads, cpus)


def check_lost(tap, kernel, result):
    """Nothing was lost."""
    for name in ("macros", "requests"):
        lost = [line for line in result.text(f"{name}.lost").splitlines() if not line.endswith(": 0")]
        tap.nothing(lost, f"{kernel}: no record of {name} is lost")


@tested
def main(tap):
    for kernel in machine.kernels_with_newest(tap, machine.ONE_6_1):
        with machine.ran(kernel, "macros.sh", ROUNDS) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: other counts are refused")
            check_macros(tap, kernel, result.text("macros.trace"))
            check_requests(tap, kernel, result.text("requests.trace"))
            check_lost(tap, kernel, result)
