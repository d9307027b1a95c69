#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: -e selects events of programs one by one: in the program itself, or in the recorder if its headers are older."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import FLAGS, KTRACK, PATIENCE, PROJECT, SOURCES, Recorder, build, own_socket, read_events, stream  # noqa: E402
from tap import tested  # noqa: E402

ALL = {"ub:open_file", "ub:open_dir", "ub:close_file", "ub:depth", "other:opened"}
# Options, and what they select.
CASES = (
    ((), ALL),
    (("-e", "ub:open*"), {"ub:open_file", "ub:open_dir"}),
    (("-e", "ub:open_file,other"), {"ub:open_file", "other:opened"}),
    (("-e", "ub:open_[a-f]*", "-e", "*:d?pth"), {"ub:open_dir", "ub:open_file", "ub:depth"}),
    (("-e", "u[!a]:[!od]*"), {"ub:close_file"}),
    (("-e", "program:other:*"), {"other:opened"}),
    (("-e", "ub:*"), ALL - {"other:opened"}),
)


def categories(events):
    """The events that a stream has."""
    return {event["value"]["tracepoint"] for event in events if event["event"] == "data_json" and event.get("category") == "track"}


def enabled(line):
    """The events for which a program has printed that they are enabled."""
    return {("other:" if name == "opened" else "ub:") + name for name in line.removeprefix("enabled").split()}


def check_cases(tap, program):
    """A program, and its child, emit what is wanted."""
    for options, wanted in CASES:
        output, events, messages = stream([program, "fork"], *options)
        states = [enabled(line) for line in output.splitlines()]
        tap.ok(states == [wanted] * 2, f"{options}: enabled", output)
        tap.ok(categories(events) == wanted and "matches" not in messages, f"{options}: recorded", categories(events), messages)


def copy(folder, name):
    """A copy of the headers."""
    shutil.copytree(PROJECT / "include/ktrack", f"{folder}/{name}/ktrack")
    return Path(folder) / name / "ktrack/user"


def change(header, pattern, replacement):
    """Changes a copied header in one place."""
    text, count = re.subn(pattern, replacement, header.read_text())
    assert count == 1, (header, pattern)
    header.write_text(text)


def check_older(tap, folder):
    """A program that cannot select is filtered by the recorder."""
    older = build(folder, "old", compiler=("gcc", f"-I{folder}/older"), source="select.c")
    for options, wanted in CASES:
        output, events, _ = stream([older, "fork"], *options)
        tap.ok(all(enabled(line) == ALL for line in output.splitlines()) and output, f"{options}: older headers emit all", output)
        tap.ok(categories(events) == wanted, f"{options}: and the recorder takes those that are wanted", categories(events))


def check_mixed(tap, folder):
    """A program with an object of older headers, which have other names and another order of what an event has."""
    first = f"{folder}/first.o"
    headers = copy(folder, "first")
    change(headers / "describe.h", r"(unsigned int kind;\s*)(unsigned int size;\s*uint32_t number;)", r"\2 \1")
    change(headers / "emit.h", r"(KTRACK_USER_##kind,[\s\\]*)(sizeof\(struct stored\) - KTRACK_USER_STORED, 0,)", r"\2 \1")
    for header in [headers.parent / "user.h", *headers.glob("*.h")]:
        header.write_text(header.read_text().replace("ktrack_user3_", "ktrack_user1_"))
    subprocess.run(["gcc", f"-I{folder}/first", *FLAGS, PATIENCE, "-c", "-o", first, SOURCES / "library.c"], check=True)
    mixed = build(folder, "mixed", source="select.c", more=["-DLIBRARY", first])
    for options, wanted in CASES[:2]:
        output, events, messages = stream([mixed, "fork"], *options)
        states = [enabled(line) for line in output.splitlines()]
        tap.ok(states == [wanted] * 2, f"{options}: enabled, with older headers in the program", output)
        wanted = wanted | ({"lib:lib_work"} if wanted == ALL else set())
        tap.ok(categories(events) == wanted and "damaged" not in messages, f"{options}: recorded, older events, too", categories(events), messages)


def check_classes(tap, program):
    """A pattern that programs do not match is the recorder's."""
    output, events, _ = stream([program], "-e", "ub:open_[[:lower:]]*")
    tap.ok(enabled(output) == ALL and categories(events) == {"ub:open_file", "ub:open_dir"}, "a class is matched by the recorder", output, categories(events))


def check_next(tap, program, folder):
    """Recorders one after the other, of a program that runs."""
    with subprocess.Popen([program, "fork", "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=0) as process:
        process.stdout.readline(), process.stdout.readline()
        for name, options, wanted in (("first", ["-e", "ub:open*"], {"ub:open_file", "ub:open_dir"}), ("second", ["-e", "ub:close*"], {"ub:close_file"}), ("third", [], ALL)):
            recorder = Recorder(folder, name, "--programs", *options)
            process.stdin.write("\n")
            state = enabled(process.stdout.readline())
            events = recorder.stop()
            tap.ok(state == wanted and categories(events) == wanted, f"the {name} recorder has its own selection", state, categories(events), recorder.messages)
        process.stdin.close()


def check_record(tap, program, folder):
    """ktrack record does so, too, and says what nothing matches."""
    path = Path(folder) / "trace.dat"
    done = subprocess.run([KTRACK, "record", "--programs", "-e", "ub:open*,ub:opne*", "-o", path, "--", program], capture_output=True, text=True, check=False)
    target = path.with_suffix(".event")
    subprocess.run([KTRACK, "export", f"--event={target}", path], check=True, capture_output=True)
    tap.ok(done.returncode == 0 and categories(read_events(target)) == {"ub:open_file", "ub:open_dir"}, "record has the selected events", done.stderr)
    tap.ok("'ub:opne*': no tracepoint, and no program has emitted such an event; see " in done.stderr and "'ub:open*': no" not in done.stderr, "a pattern without an event is named", done.stderr)
    done = subprocess.run([KTRACK, "record", "--programs", "-e", "ub:open*", "--filter=number > 3", "-o", path, "--", program], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 2 and "--filter: 'ub:open*' matches no tracepoint, and events of programs have no filters" in done.stderr, "a filter of a program's events is refused", done.stderr)


def check_command(tap, program, folder):
    """Events of an instrumented command are recorded without --programs, in whatever a pattern matches no tracepoint; others are refused before it runs."""
    path, target = Path(folder) / "command.dat", Path(folder) / "command.event"
    done = subprocess.run([KTRACK, "record", "-e", "ub:open*", "-o", path, "--", program], capture_output=True, text=True, check=False)
    subprocess.run([KTRACK, "export", f"--event={target}", path], check=False, capture_output=True)
    tap.ok(done.returncode == 0 and categories(read_events(target)) == {"ub:open_file", "ub:open_dir"}, "-e means events of the command without --programs", done.stderr)
    for name, pattern, command in (("a system that it does not have", "bu:open*", [program]), ("a system with a wildcard", "b?:open*", [program]), ("one of two patterns", "ub:open*,bu:*", [program]), ("another program", "ub:open*", ["touch"])):
        ran = Path(folder) / "ran"
        done = subprocess.run([KTRACK, "record", "-e", pattern, "-o", path, "--", *command, ran], capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 125 and not ran.exists(), f"{name}: refused", done.returncode, done.stderr)
    done = subprocess.run([KTRACK, "record", "--cpu=0", "-e", "ub:open*", "-o", path, "--", program], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 2 and "--cpu: has no effect: 'ub:open*' matches no tracepoint" in done.stderr, "an option without effect is refused because of the pattern", done.stderr)


def check_unit(tap, program):
    """A rule gives a counter a unit, which the event itself cannot have."""
    path = Path(program).with_suffix(".dat")
    subprocess.run([KTRACK, "record", "--programs", "-o", path, "--", program], check=True, capture_output=True)
    rule = "counter mytool:depth event=program:ub:depth value=counter_value unit=requests"
    done = subprocess.run([KTRACK, "export", "-r", rule, "--event=-", path], capture_output=True, text=True, check=False)
    tap.ok(":depth (requests) tid " in done.stdout, "a rule names the unit of a program's counter", done.stdout[-500:], done.stderr)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        program = build(folder, "select", source="select.c")
        # Headers as they were: the flag that tells ktrack of selections is not set.
        change(copy(folder, "older") / "setup.h", "control->can_select = 1;", "")
        check_cases(tap, program)
        check_older(tap, folder)
        check_mixed(tap, folder)
        check_classes(tap, program)
        check_next(tap, program, folder)
        check_record(tap, program, folder)
        check_command(tap, program, folder)
        check_unit(tap, program)
