#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: runs disturb neither one another nor a user's tracing, and those that are attached to a user's instance leave it as it is."""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

# What has all that was fired, on all CPUs or on one of them.
WHOLE = (
    "streams.mono.json", "both.mono.json", "clock.stream.json", "clock.record.dat", "offline.stream.json", "offline.record.dat",
    "attached.json", "again.stream.json", "again.record.dat", "attached.counter.json", "attached.tai.json",
)
OF_ONE_CPU = ("streams.cpu.json", "both.cpu.dat")
LOSSY = ("lossy.stream.json", "lossy.record.dat", "lossy.overwrites.json")
REFUSED = {
    "second-stream": ("mine", "in use by another ktrack"),
    "second-record": ("mine", "in use by another ktrack"),
    "second-export": ("tracefs:mine", "in use by another ktrack"),
    "missing": ("nobodys", "there is no tracing instance"),
    "owned": ("ktrack-", "in use by another ktrack"),
}
# Streams of the user's instance: its clock, and whether the oldest records give way.
SETTINGS = {"attached": ("local", "0"), "attached.counter": ("counter", "1"), "attached.tai": ("tai", "1")}
CLOCK_NOTE = re.compile(r"ktrack: (tracefs:)?mine: (the wall clock is unknown \(clock (local|counter)\), times begin in 1970; .*|the clock local differs between CPUs: .*)")


def notes_of(result, name):
    """The lines on standard error, but for the clock's."""
    lines = result.text(f"{name}.errors").splitlines()
    return [line for line in lines if not CLOCK_NOTE.fullmatch(line)]


def stream_of(path):
    """The lines of a stream, or of what a recording exports."""
    if path.suffix == ".json":
        return path.read_text().splitlines() if path.exists() else []
    command = [machine.PROJECT / "build/ktrack", "export", "--with=cpu", path]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


class Run:
    """What a run has, and what it should have."""

    def __init__(self, result, file):
        self.name = file.rpartition(".")[0]
        self.events = [json.loads(line) for line in stream_of(result.folder / file)]
        self.numbers = defaultdict(list)
        for event in self.events:
            if "cpu" in event and "args" in event:
                self.numbers[event["cpu"]].append(event["args"]["sequence"])
        self.lost, self.unmatched = self.counted("lost_records"), self.counted("unmatched_ends")
        self.begin, self.end = (dict(self.fired(result, moment)) for moment in ("begin", "end"))

    def fired(self, result, moment):
        """(CPU, number of its last record) at a moment."""
        for line in result.text(f"{self.name}.{moment}").splitlines():
            yield tuple(map(int, line.split()))

    def counted(self, name):
        """A total of the stream's."""
        return sum(event["count"] for event in self.events if event["event"] == "counter" and event["name"] == name)

    def read(self):
        """How many records there are; ends without a begin have no line."""
        return sum(map(len, self.numbers.values())) + self.unmatched

    def wanted(self, cpu):
        """The numbers that were fired on a CPU meanwhile."""
        return range(self.begin.get(cpu, 0) + 1, self.end.get(cpu, 0) + 1)

    def strange(self):
        """CPUs whose numbers come twice, in another order, or were not fired meanwhile."""
        for cpu, numbers in self.numbers.items():
            if numbers != sorted(set(numbers)) or not set(numbers) <= set(self.wanted(cpu)):
                yield f"CPU {cpu} has {numbers[:10]}...{numbers[-1]} of {self.wanted(cpu)}"

    def parameters(self):
        """What the stream says of the recording."""
        return {event["param"]: event["value"] for event in self.events if event["event"] == "def_param"}


def check_run(tap, what, run, cpus):
    """Every record is there, or counted, and of nothing else."""
    fired = sum(len(run.wanted(cpu)) for cpu in cpus)
    account = f"{run.read()} read, {run.lost} lost, {fired} fired"
    tap.ok(fired > 0 and run.read() + run.lost == fired, f"{what}: read + lost = fired", account)
    tap.nothing(list(run.strange()), f"{what}: none comes twice or from elsewhere")
    times = [event["t_abs"] for event in run.events if "t_abs" in event and event["event"] != "atexit"]
    tap.ok(times == sorted(times), f"{what}: in the order of time")
    tap.comment(f"{what}: {account}")


def check_quiet(tap, what, result, run, cpus):
    """All of it is there, and there is nothing to say."""
    check_run(tap, what, run, cpus)
    tap.ok(run.lost == 0 and run.unmatched == 0, f"{what}: nothing is missing", run.lost, run.unmatched)
    lines = notes_of(result, run.name)
    tap.nothing(lines, f"{what}: nothing is reported but an unknown wall clock")


def check_lossy(tap, what, result, run):
    """A line says that something was lost, and the gaps say where: no number is missing elsewhere."""
    check_run(tap, what, run, (0, 1))
    said = notes_of(result, run.name)
    tap.ok(run.lost > 0 and len(said) == 1 and f"lost {run.lost} " in said[0], f"{what}: the loss is said", *said)
    has_advice = said and "write a larger number to the instance's buffer_size_kb" in said[0]
    tap.ok(has_advice, f"{what}: with advice", *said)
    errors = [event for event in run.events if event["event"] == "error"]
    tap.ok(errors, f"{what}: and reported")


def check_rest(tap, kernel, result):
    """Records after an attached stream are still there, and the number that the stream read is reported."""
    rest, taken = Run(result, "rest.json"), Run(result, "attached.json").read()
    check_run(tap, f"{kernel}: rest.json", rest, (0, 1))
    said = notes_of(result, "rest")
    tap.ok(len(said) == 1 and f"tracefs:mine: {taken} records were read before" in said[0], f"{kernel}: rest.json: what was taken is reported", *said)


def check_attached(tap, kernel, result):
    """What a stream says of the user's instance, and what is refused."""
    for name, (clock, overwrite) in SETTINGS.items():
        found = Run(result, f"{name}.json").parameters()
        wanted = {"source": "mine", "clock": clock, "overwrite": overwrite, "time_source": "realtime" if clock == "tai" else "none"}
        missing = {key: found.get(key) for key in wanted if found.get(key) != wanted[key]}
        size = int(found.get("buffer_kib", 0))
        tap.ok(not missing and 64 <= size < 128, f"{kernel}: {name}: the user's settings are reported", found)
    chosen = Run(result, "chosen.json")
    taken = int(chosen.parameters().get("read_before", 0))
    tap.ok(taken > 0, f"{kernel}: chosen: what others have taken out before is reported", taken)
    categories = {event["category"] for event in chosen.events if "cpu" in event}
    tap.ok(categories == {"ktrack_test:ktrack_test_level_cpu"}, f"{kernel}: chosen: only what was chosen", categories)
    for name, words in REFUSED.items():
        lines = result.text(f"{name}.errors").splitlines()
        status = result.text(f"{name}.status").strip()
        tap.ok(status == "1" and len(lines) == 1, f"{kernel}: {name}: one line and status 1", status, *lines)
        tap.nothing([word for word in words if word not in "".join(lines)], f"{kernel}: {name}: the line says why")


@tested
def main(tap):
    for kernel in machine.ONE_6_12:
        with machine.ran(kernel, "concurrent.sh") as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: nobody is disturbed")
            for file in WHOLE:
                check_quiet(tap, f"{kernel}: {file}", result, Run(result, file), (0, 1))
            for file in OF_ONE_CPU:
                check_quiet(tap, f"{kernel}: {file}", result, Run(result, file), (1,))
            for file in LOSSY:
                check_lossy(tap, f"{kernel}: {file}", result, Run(result, file))
            check_attached(tap, kernel, result)
            check_rest(tap, kernel, result)
            own = Run(result, "own.json")
            fired = sum(len(own.wanted(cpu)) for cpu in (0, 1))
            lines = result.text("own.lines").strip()
            tap.ok(fired > 0 and lines == str(fired), f"{kernel}: the user's tracing has all", lines, fired)
            tap.ok(result.text("left") == "mine\n", f"{kernel}: the user's instance stays, and no other", result.text("left"))
