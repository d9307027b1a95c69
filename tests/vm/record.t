#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what was fired is in a recording's file or counted as lost, in every mode and however the recording ends."""

import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

FIRED, FIRED_MORE = 6000, 48000

# Name of the attempt, status, and words of its one line; without words there must be no line.
ENDS = (
    ("whole", 0, ()),
    ("clock", 0, ()),
    ("one-cpu", 0, ()),
    ("filtered", 0, ()),
    ("named", 0, ()),
    ("comes-online", 4, ()),
    ("interrupted", 0, ()),
    ("duration", 0, ()),
    ("as-user", 0, ()),
    ("command-status", 7, ()),
    ("command-killed", 128 + 9, ()),
    ("full-disk", 125, ("/small/full.dat.spool", "No space left", "ktrack recover /small/full.dat")),
    ("no-command", 127, ("/no/such/command", "No such file")),
    ("no-program", 126, ("/etc/passwd", "Permission denied")),
    ("no-folder", 1, ("/no/such/folder/x.spool", "No such file")),
    ("no-file", 1, ("/tmp/no-file.dat", "not a regular file")),
    ("no-clock", 1, ("'nonsense': no such clock; see trace_clock in tracefs",)),
    ("no-filter", 1, ("nonsense == 1", "a filter of ktrack_test:", "Field not found", "has no field 'nonsense'; it has ")),
    ("no-text", 1, ("a filter of ktrack_test:ktrack_test_request: ", "field op has no value 'raed'; it has \"read\", \"write\"")),
    ("nothing-to-recover", 1, ("/tmp/nothing.dat.spool", "No such file")),
    ("killed-cleaned", 0, ("its tracing instance is gone",)),
)
# Whatever they say, or nothing.
OTHER_ENDS = (("small", 0), ("oneshot", 0), ("circular", 0), ("max-size", 5), ("max-size-signalled", 5), ("killed", 0), ("pushed", 0), ("pushed-killed", 0), ("pushed-saved", 0), ("pushed-attached", 0), ("lossy", 3))
CAP_KILL = 1 << 5
CUT_OFF = tuple(f"cut-off-{kind}-{how}" for kind in ("record", "stream") for how in ("streaming", "circular", "late", "attached"))
RECORD = re.compile(r" \[(\d+)\] *(\d+): .*sequence=(\d+)")
COMPLETE = re.compile(r"is complete (from|up to) (\d+)\.(\d{9}) on")


def run(*command):
    """What a program prints, nothing where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


class Recording:
    """What a file has, and what it should have."""

    def __init__(self, result, name):
        self.records = defaultdict(list)
        path = result.folder / f"{name}.dat"
        report = run("/usr/bin/trace-cmd", "report", "--raw-ts", "-t", "-R", path)
        for cpu, time_ns, number in RECORD.findall(report):
            self.records[int(cpu)].append((int(number), int(time_ns)))
        fired = re.findall(r"^cpu (\d+) fired \d+ sequence (\d+)", result.text(f"{name}.fired"), re.MULTILINE)
        self.fired = {int(cpu): int(number) for cpu, number in fired}
        events = list(map(json.loads, run(machine.PROJECT / "build/ktrack", "export", path).splitlines()))
        reported = {event["param"]: event["value"] for event in events if event["event"] == "def_param"}
        self.promises = {param: reported[param] for param in ("complete_from", "complete_until") if param in reported}
        self.lost = sum(event["count"] for event in events if event.get("name") == "lost_records")

    def read(self):
        """How many records there are."""
        return sum(map(len, self.records.values()))

    def strange(self):
        """Numbers that come twice, or in another order."""
        for cpu, records in self.records.items():
            numbers = [number for number, _ in records]
            if numbers != sorted(set(numbers)):
                yield f"CPU {cpu} has {numbers[:20]}..."

    def holes(self):
        """Where numbers are left out between the first and the last."""
        for cpu, records in self.records.items():
            for (before, _), (after, _) in zip(records, records[1:]):
                if after != before + 1:
                    yield f"CPU {cpu}: {after} behind {before}"

    def firsts(self):
        """When the CPUs begin that do not have their first records."""
        return [records[0][1] for records in self.records.values() if records[0][0] > 1]

    def lasts(self):
        """When the CPUs end that do not have their last records."""
        return [records[-1][1] for cpu, records in self.records.items() if records[-1][0] < self.fired[cpu]]


def check_attempt(tap, what, result, name, status):
    """What every attempt has to keep to."""
    found = result.text(f"{name}.status").strip()
    tap.ok(found == str(status), f"{what}: status {status}", f"it was {found}", result.text(f"{name}.errors"))
    tap.nothing(result.text(f"{name}.left").split(), f"{what}: no instance left")


def check_end(tap, kernel, result, name, status, words):
    """One line that says what is wrong, or none."""
    what = f"{kernel}: {name}"
    lines = result.text(f"{name}.errors").splitlines()
    check_attempt(tap, what, result, name, status)
    tap.ok(len(lines) == (1 if words else 0), f"{what}: as many lines as there is to say", *lines)
    tap.nothing([word for word in words if word not in "".join(lines)], f"{what}: the line says why")


def check_account(tap, what, recording, fired=None):
    """Every record is in the file, or counted."""
    wanted = sum(recording.fired.values())
    tap.ok(wanted > 0 and fired in (None, wanted), f"{what}: the module fired", recording.fired)
    account = f"{recording.read()} read, {recording.lost} lost, {wanted} fired"
    tap.ok(recording.read() + recording.lost == wanted, f"{what}: read + lost = fired", account)
    tap.nothing(list(recording.strange()), f"{what}: none comes twice")
    tap.comment(f"{what}: {account}")


def moments(result, name):
    """What a recording says of when it is complete."""
    found = COMPLETE.findall(result.text(f"{name}.errors"))
    return [(word, int(seconds) * 10**9 + int(rest)) for word, seconds, rest in found]


def check_promise(tap, what, recording, name, wanted):
    """The moment is in the export of the file, counted from its first record."""
    begin = min(time_ns for records in recording.records.values() for _, time_ns in records)
    said = {param: int(value.replace(".", "")) + begin for param, value in recording.promises.items()}
    tap.ok(said == {name: wanted}, f"{what}: the export reports it, too", said, wanted)


def check_modes(tap, kernel, result):
    """What each mode promises."""
    whole, small, oneshot, circular = (Recording(result, name) for name in ("whole", "small", "oneshot", "circular"))
    for name, recording in (("whole", whole), ("small", small)):
        check_account(tap, f"{kernel}: {name}", recording, 2 * FIRED)
    tap.ok(whole.lost == 0, f"{kernel}: whole: nothing is lost")
    for name, recording in (("oneshot", oneshot), ("circular", circular)):
        check_account(tap, f"{kernel}: {name}", recording, 2 * FIRED_MORE)
        tap.ok(recording.lost > 0, f"{kernel}: {name}: more was fired than fits")
        tap.nothing(list(recording.holes()), f"{kernel}: {name}: what is there is in one piece")
    tap.nothing(oneshot.firsts(), f"{kernel}: oneshot: the first records are there")
    tap.nothing(circular.lasts(), f"{kernel}: circular: the last records are there")
    check_promise(tap, f"{kernel}: oneshot", oneshot, "complete_until", min(oneshot.lasts(), default=0))
    check_promise(tap, f"{kernel}: circular", circular, "complete_from", max(circular.firsts(), default=0))
    for name, recording in (("whole", whole), ("small", small)):
        tap.ok(not recording.promises, f"{kernel}: {name}: gaps have their places, no moment is promised", recording.promises)
    said, wanted = moments(result, "oneshot"), [("up to", min(oneshot.lasts(), default=0))]
    tap.ok(said == wanted, f"{kernel}: oneshot: up to when it is complete is said", said, wanted)
    said, wanted = moments(result, "circular"), [("from", max(circular.firsts(), default=0))]
    tap.ok(said == wanted, f"{kernel}: circular: from when on it is complete is said", said, wanted)


def check_killed(tap, kernel, result):
    """What a kill leaves is recovered."""
    for name in ("killed", "interrupted"):
        check_account(tap, f"{kernel}: {name}", Recording(result, name))
    check_full_disk(tap, f"{kernel}: full-disk", Recording(result, "full-disk"))
    refused = result.text("killed.refused").splitlines()[-1:]
    tap.ok(refused and "/tmp/killed.dat.spool: contains a killed recording" in refused[0], f"{kernel}: killed: nobody records over it", *refused)
    cleaned = Recording(result, "killed-cleaned")
    tap.ok(cleaned.read() > 0, f"{kernel}: killed-cleaned: what was in files is recovered")
    tap.nothing(list(cleaned.strange()), f"{kernel}: killed-cleaned: and nothing else")
    export = [machine.PROJECT / "build/ktrack", "export", "--fail-on-loss", result.folder / "killed-cleaned.dat"]
    done = subprocess.run(export, capture_output=True, text=True, check=False)
    reported = [line for line in done.stdout.splitlines() if "lost an unknown number of records on cpu" in line]
    tap.ok(done.returncode == 3 and len(reported) > 1, f"{kernel}: killed-cleaned: the file says that more was lost", done.returncode, *reported)


def check_full_disk(tap, what, recording):
    """What got to the disk is there, and what did not by the time it was full is counted."""
    tap.nothing(list(recording.strange()), f"{what}: what is there is in order")
    last = sum(records[-1][0] for records in recording.records.values())
    account = f"{recording.read()} read, {recording.lost} lost, {last} up to the last one"
    tap.ok(recording.lost > 0 and last <= recording.read() + recording.lost <= 2 * FIRED, f"{what}: the rest is counted", account)


def check_narrowed(tap, kernel, result):
    """What is left out."""
    tap.ok(set(Recording(result, "one-cpu").records) == {1}, f"{kernel}: one-cpu: records of that one only")
    numbers = {number for records in Recording(result, "filtered").records.values() for number, _ in records}
    tap.ok(numbers == set(range(1, 12)), f"{kernel}: filtered: records that meet the filter", numbers)
    shown = run("/usr/bin/trace-cmd", "report", result.folder / "named.dat")
    values = set(re.findall(r"ktrack_test_request: .* op=(\w+)", shown))
    tap.ok(values == {"write"}, f"{kernel}: named: records whose number has the text of the filter", shown)
    for name in ("clock", "comes-online"):
        check_account(tap, f"{kernel}: {name}", Recording(result, name))
    lines = result.text("max-size.errors").splitlines()
    reported = len(lines) == 2 and "--max-size" in lines[0] and "still runs; a signal is forwarded to it" in lines[1]
    tap.ok(reported, f"{kernel}: max-size: why the recording is over is said", *lines)
    lines = result.text("max-size-signalled.errors").splitlines()
    reported = len(lines) == 2 and lines[1].endswith("still runs; another signal ends ktrack without it")
    tap.ok(reported, f"{kernel}: max-size-signalled: what the next signal does is said", *lines)
    tap.ok(Recording(result, "max-size").read() > 0, f"{kernel}: max-size: what was recorded until then is there")


def selection_of(events):
    """What a stream says of its selection."""
    return [event["value"] for event in events if event["event"] == "def_param" and event["param"] == "selection"]


def check_selections(tap, kernel, result):
    """What is recorded by default, by --all, and beside -r none; exports need no options for it."""
    begun = {"sched:cpu", "sched:thread", "syscalls:call"}
    for name, wanted, selection in (
        ("default", begun, "recorded (default)"),
        ("all", {*begun, "events:other"}, "all"),
        ("none", {"events:other"}, "recorded (-e sched:sched_process_exit, none)"),
        ("killed", set(), "recorded (-e ktrack_test)"),
    ):
        check_attempt(tap, f"{kernel}: {name}", result, name, 0)
        events = list(map(json.loads, run(machine.PROJECT / "build/ktrack", "export", result.folder / f"{name}.dat").splitlines()))
        found = {event["value"]["tracepoint"] for event in events if event["event"] == "data_json" and event["category"] == "track"}
        ours = any(tracepoint.startswith("ktrack_test:") for tracepoint in found)
        tap.ok(wanted <= found and ours == (name != "none"), f"{kernel}: {name}: tracks of what is selected", sorted(found))
        others = [tracepoint for tracepoint in found if tracepoint not in wanted]
        tap.ok(name != "none" or not others, f"{kernel}: {name}: and no others", *others)
        shown = selection_of(events)
        tap.ok(shown == [selection], f"{kernel}: {name}: the selection is named", *shown)
    live = selection_of(map(json.loads, result.text("names.json").splitlines()))
    tap.ok(live == ["-e ktrack_test"], f"{kernel}: a stream names its selection, too", *live)


def check_pushed(tap, kernel, result):
    """Packs lose records, and the convention's tracepoints none: they have a buffer of their own."""
    for name in ("pushed", "pushed-killed", "pushed-saved", "pushed-attached"):
        what = f"{kernel}: {name}"
        recording = Recording(result, name)
        fired = sum(recording.fired.values())
        tap.ok(fired > 0 and recording.read() == fired, f"{what}: all that was fired is there", recording.read(), fired)
        tap.nothing(list(recording.strange()), f"{what}: and nothing twice")
        events = map(json.loads, run(machine.PROJECT / "build/ktrack", "export", result.folder / f"{name}.dat").splitlines())
        lost = Counter()
        named = set()
        for event in events:
            if event["event"] == "error" and "records" in event.get("args", ()):
                lost[event["args"].get("buffer")] += event["args"]["records"] or 0
            elif event["event"] == "data_json" and event["category"] == "track":
                named.add(event["value"].get("buffer"))
        if name == "pushed-attached":
            tap.ok(set(lost) <= {None}, f"{what}: records of packs were lost before, and no others", dict(lost))
        else:
            tap.ok(lost[None] > 0 and set(lost) == {None}, f"{what}: records of packs were lost, and no others", dict(lost))
        tap.ok(named == {None}, f"{what}: tracks do not name ktrack's buffers", named)
        text = result.text(f"{name}.errors")
        tap.ok(re.search("lost [0-9]+ records(| in .*), 0 of the convention's tracepoints", text), f"{what}: the end line reports it", text)
    companions = result.text("pushed-killed.companions").split()
    tap.ok(companions == ["left:", "convention"], f"{kernel}: pushed-killed: the instance stays until it is recovered", *companions)


def check_comes(tap, kernel, result):
    """A driver that comes and goes beside packs: each record once, and unloading it loses none."""
    what = f"{kernel}: comes"
    check_attempt(tap, what, result, "comes", 0)
    tap.nothing(result.text("comes.errors").splitlines(), f"{what}: there is nothing to say")
    found = Counter()
    for event in map(json.loads, result.text("comes.json").splitlines()):
        if "sequence" in event.get("args", ()):
            found[event["cpu"], event["args"]["sequence"]] += 1
    fired = Counter()
    for load in (1, 2):
        for cpu, last in re.findall(r"^cpu (\d+) fired \d+ sequence (\d+)", result.text(f"comes.{load}.fired"), re.MULTILINE):
            fired.update((int(cpu), number) for number in range(1, int(last) + 1))
    tap.ok(fired and found == fired, f"{what}: read = fired", sum(found.values()), sum(fired.values()))


def check_names(tap, kernel, result):
    """Who a thread is at the time, though it has another name later, and has ended since."""
    check_attempt(tap, f"{kernel}: names", result, "names", 0)
    reported = {"live": result.text("names.json"), "file": run(machine.PROJECT / "build/ktrack", "export", result.folder / "names.dat")}
    for source, text in reported.items():
        found = []
        for event in map(json.loads, text.splitlines()):
            if event["event"] == "data_json" and event["category"] == "track" and event["value"]["name"] == "ktrack_test_thread":
                track = event["value"]
                found.append((track["id"] == track.get("tgid"), track.get("comm")))
        tap.ok(found == [(True, "first"), (True, "second")], f"{kernel}: names: a thread has its name of the time, {source}", found)
    # The command's shell forks the process with the two names next.
    page, ids = run(machine.PROJECT / "build/ktrack", "export", "--html=/dev/stdout", result.folder / "names.dat"), re.findall(r'"id":(\d+),"tgid"', reported["file"])
    command = re.search(r'"command_pid":"(\d+)"', page)
    tap.ok(command and str(int(command[1]) + 1) in ids, f"{kernel}: names: the recording has the number of the command", command, ids)


def check_terminal(tap, kernel, result):
    """How far the recording is, and what it takes of memory, shown on a terminal."""
    check_attempt(tap, f"{kernel}: progress", result, "progress", 0)
    line = r"\x1b\[Kktrack: the buffers use \d+ KiB of kernel memory\s+(0 events, 0/s, 0 lost, buffers \d+% full(, \d+ KiB)?\x1b\[K\s)+\x1b\[K\s"
    closing = r"\x1b\[Kktrack: /tmp/progress\.dat: 0 records, nothing lost; next: ktrack export --html=page\.html /tmp/progress\.dat\s"
    shown = result.text("progress.output")
    tap.ok(re.fullmatch(line + closing, shown), f"{kernel}: progress: there are lines, and the last one goes", repr(shown))


def check_privileges(tap, kernel, result):
    """Who reads has given up what root may do, and the command has it all."""
    check_attempt(tap, f"{kernel}: privileges", result, "privileges", 0)
    sets = [int(line.split()[1], 16) for line in result.text("privileges.output").splitlines()]
    tap.ok(len(sets) == 5 and sets[:2] == [0, 0], f"{kernel}: privileges: nothing is left", *map(hex, sets))
    tap.ok(sets[2:4] == [CAP_KILL, CAP_KILL], f"{kernel}: privileges: but to send a command signals", *map(hex, sets))
    tap.ok(sets and sets[-1] not in (0, CAP_KILL), f"{kernel}: privileges: which has it all")


def numbers_of(result, name):
    """Of each CPU, the numbers of the records that a run has."""
    numbers = defaultdict(list)
    if name.startswith("cut-off-record"):
        for cpu, records in Recording(result, name).records.items():
            numbers[cpu] = [number for number, _ in records]
        return numbers
    for event in map(json.loads, result.text(f"{name}.json").splitlines()):
        if "args" in event:
            numbers[event["cpu"]].append(event["args"]["sequence"])
    return numbers


def check_cut_off(tap, kernel, result, name):
    """Who reads has open all that it takes to go on and to come to an end, and no privilege."""
    what = f"{kernel}: {name}"
    check_attempt(tap, what, result, name, 0)
    tap.nothing(result.text(f"{name}.errors").splitlines(), f"{what}: there is nothing to say")
    sets = [int(line.split()[1], 16) for line in result.text(f"{name}.output").splitlines()]
    tap.ok(sets == [0, 0], f"{what}: no privilege is left", *map(hex, sets))
    numbers = {cpu: (found == list(range(1, len(found) + 1)), len(found)) for cpu, found in numbers_of(result, name).items()}
    fired = {cpu: (True, number) for cpu, number in Recording(result, name).fired.items()}
    tap.ok(fired and numbers == fired, f"{what}: read = fired", numbers, fired)


@tested
def main(tap):
    options = (*machine.pair(), "--add", "/usr/bin/env:/bin/gnu-env", "--add", "/usr/bin/script:/bin/script")
    for kernel in machine.ONE_6_12:
        with machine.ran(kernel, "record.sh", options=options) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
            for name, status, words in ENDS:
                check_end(tap, kernel, result, name, status, words)
            for name, status in OTHER_ENDS:
                check_attempt(tap, f"{kernel}: {name}", result, name, status)
            check_modes(tap, kernel, result)
            check_killed(tap, kernel, result)
            check_narrowed(tap, kernel, result)
            check_selections(tap, kernel, result)
            check_pushed(tap, kernel, result)
            check_comes(tap, kernel, result)
            check_names(tap, kernel, result)
            check_terminal(tap, kernel, result)
            check_privileges(tap, kernel, result)
            for name in CUT_OFF:
                check_cut_off(tap, kernel, result, name)
            for name, owner in (("whole", "0 0"), ("as-user", "1000 1000")):
                words = result.text(f"{name}.listed").split()
                tap.ok(words[:1] == ["-rw-------"] and " ".join(words[2:4]) == owner, f"{kernel}: {name}: the owner's alone", *words)
            tap.nothing(result.text("parts").split(), f"{kernel}: no parts are left")
