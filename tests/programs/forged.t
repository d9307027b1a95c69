#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: programs that give their events names of the kernel feed no rule that does not ask for programs, recorded or live."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import KTRACK, build, own_socket, read_events, stream  # noqa: E402
from tap import tested  # noqa: E402

OWN = {
    "program:sched:sched_switch",
    "program:sched:sched_process_exec",
    "program:sched:sched_waking",
    "program:sched:thread",
    "mytool:request",
}
RULE = "state mytool:switched on=program:sched:sched_switch scope=thread:next_pid name={next_comm}"
ANY = "instant mytool:any event=program:*:* name={filename} args=-"
KERNELS = "instant mytool:kernels event=*:* name=any"


def categories(events):
    """The tracepoints of tracks."""
    return {event["value"]["tracepoint"] for event in events if event["event"] == "data_json" and event["category"] == "track"}


def ktrack(*words):
    """Runs ktrack; returns its status and its messages."""
    done = subprocess.run([KTRACK, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def export(path, *options):
    """The events of a recording, and ktrack's messages."""
    target = path.with_suffix(".event")
    target.unlink(missing_ok=True)
    status, messages = ktrack("export", f"--event={target}", *options, path)
    return status, read_events(target) if target.exists() else [], messages


def check_recorded(tap, program, path):
    """Of a file."""
    status, messages = ktrack("record", "--programs", "-o", path, "--", program)
    tap.ok((status, messages) == (0, ""), "a forging program is recorded", messages)
    status, events, messages = export(path)
    tap.ok((status, categories(events), messages) == (0, OWN, ""), "its events are a program's", status, categories(events), messages)
    for rules in ("sched", KERNELS):
        status, _, messages = export(path, "-r", rules)
        tap.ok(status == 1 and "the source has none of the tracepoints that the rules use" in messages, f"-r {rules[:12]}: they are none of the kernel", messages)
        tap.ok((rules == KERNELS) == ("name events of programs program:SYSTEM:EVENT" in messages), f"-r {rules[:12]}: how a rule names an event of a program", messages)
    status, events, messages = export(path, "-r", RULE)
    names = [event["label"] for event in events if event["event"] == "region_enter"]
    tap.ok((status, names) == (0, ["FORGED"] * 5), "a rule asks for an event of a program", status, names, messages)
    status, events, messages = export(path, "-r", ANY)
    tap.ok(status == 0 and categories(events) == {"mytool:any"}, "wildcards mean all events of programs", status, categories(events))
    lines = [line for line in messages.splitlines() if "no field" in line or "lack" in line]
    tap.ok(len(lines) == 2 and lines[1] == "ktrack: rules: 4 tracepoints lack fields that they need", "those without a field are counted, and one is reported", messages)


def check_live(tap, program):
    """While it runs."""
    _, events, messages = stream([program], "-r", RULE, "-r", ANY)
    wanted = {*OWN, "mytool:switched", "mytool:any"}
    tap.ok(categories(events) == wanted, "live: rules of programs need no other", categories(events), messages)
    names = [event["label"] for event in events if event["event"] == "region_enter" and event["category"] == "mytool:switched"]
    tap.ok(names == ["FORGED"] * 5, "live: a rule has all records", names)
    sources = [event["value"] for event in events if event["event"] == "def_param" and event["param"] == "source"]
    tap.ok(sources == ["programs"], "live: the kernel is not recorded", sources)
    tap.ok(messages.count("no field") == 1, "live: an event without a field is reported once", messages)
    status, messages = ktrack("stream", "-r", RULE, "--", "true")
    tap.ok(status == 2 and "-r: a rule uses events of programs; use --programs of 'ktrack record' or 'stream'" in messages, "without programs such a rule is refused", messages)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        program = build(folder, "forge", source="forge.c")
        check_recorded(tap, program, Path(folder) / "forged.dat")
        check_live(tap, program)
