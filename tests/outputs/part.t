#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a part that export --save cuts out of a recording shows what the whole shows with --from and --to.

Arguments choose golden cases by name and random recordings by number, with more windows.
"""

import difflib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "outputs", "stream")]

import cases  # noqa: E402
import process  # noqa: E402
from model import read_event  # noqa: E402
from tap import tested  # noqa: E402
from window import RULES, random_script, times_of, windows_of  # noqa: E402

WINDOWS = 2
RANDOM = 20
LINES_MAX = 20


def lines_of(stream):
    """EVENT lines without the start, which has the command line."""
    return [line for line in stream.decode(errors="replace").splitlines() if '"event":"start"' not in line]


def differences(what, whole, part):
    """How two lists of lines differ."""
    if whole == part:
        return []
    lines = difflib.unified_diff(whole, part, "whole", "part", lineterm="", n=0)
    return [f"{what}: {line[:400]}" for line in itertools.islice(lines, LINES_MAX)]


def compare(folder, words, from_ns, to_ns, commands):
    """Differences between a window of the whole and its part. Both have one name, in a folder of their own."""
    window = (f"--from={from_ns}ns", f"--to={to_ns}ns")
    whole, part = folder / "whole", folder / "part"
    save = cases.run(whole, "export", f"--save={part}/trace.dat", "--event=/dev/null", *window, *words, "trace.dat")
    wrong = [line for line in save[1] if "no track events match" not in line]
    if not (part / "trace.dat").exists():
        return [line for line in wrong if "has no record of that time" not in line and "exit status 1" not in line]
    for command in commands:
        one = cases.run(whole, *command, *window, *words, "trace.dat")
        other = cases.run(part, *command, *words, "trace.dat")
        wrong += differences(" ".join(command), lines_of(one[0]), lines_of(other[0]))
        wrong += [line for line in other[1] if line not in one[1] and "no track events" not in line]
    report = process.run(["trace-cmd", "report", part / "trace.dat"], capture_output=True) if shutil.which("trace-cmd") else None
    if report and report.returncode:
        wrong.append(f"trace-cmd report: {report.stderr.decode()}")
    return wrong


def sums_of(one):
    """An explanation by kinds of parts: who a thread waits for, names and priorities may be known from earlier records only."""
    sums = {}
    for part in one["parts"]:
        key = f"{part['kind']} {part.get('reason', '')}"
        sums[key] = sums.get(key, 0) + part["ns"]
    return [one["begin_ns"], one["ns"], one["tracepoint"], one["name"], sorted(sums.items())]


def explained(folder, from_ns, to_ns):
    """The slices within a window as ktrack why explains them."""
    text, _ = cases.run(folder, "why", "--json", "--slowest=1000", "trace.dat", "*")
    slices = json.loads(text)["slices"] if text else []
    inside = [one for one in slices if not one["unfinished"] and from_ns <= one["begin_ns"] and one["begin_ns"] + one["ns"] <= to_ns]
    return sorted(str(sums_of(one)) for one in inside)


def compare_explanations(folder, from_ns, to_ns):
    """Differences of slices that begin and end in a window."""
    one, other = explained(folder / "whole", from_ns, to_ns), explained(folder / "part", from_ns, to_ns)
    return differences("why", one, other)


COMMANDS = (("export", "--sid=x", "--event", "--with=tid,cpu"), ("stat", "--json"))


def differences_of(folder, name, words, number):
    """All differences of some parts of folder/whole/trace.dat."""
    stream, wrong = cases.run(folder / "whole", "export", "--event", *words, "trace.dat")
    times = times_of(read_event(stream))
    wrong = []
    for from_ns, to_ns in windows_of(name, times, number) if times else ():
        found = compare(folder, words, from_ns, to_ns, COMMANDS)
        if name.startswith("why/") and (folder / "part/trace.dat").exists():
            found += compare_explanations(folder, from_ns, to_ns)
        wrong += [f"{from_ns} to {to_ns}: {line}" for line in found]
        (folder / "part/trace.dat").unlink(missing_ok=True)
    return wrong


def check_case(tap, name, number):
    """A golden case, or a random recording."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for part in ("whole", "part"):
            (folder / part).mkdir()
        if name.isdigit():
            cases.make_of(random_script(name), folder / "whole/trace.dat")
        elif name.startswith("why/"):
            script = cases.ROOT / "tests/why/data" / f"{name.partition('/')[2]}.script"
            cases.make_of(script.read_text().replace("../../formats", "../formats"), folder / "whole/trace.dat")
        else:
            cases.make(name, folder / "whole/trace.dat")
        words = RULES if name.isdigit() else () if "/" in name else cases.rules_of(name)
        tap.nothing(differences_of(folder, name, words, number), name.replace("-", " "))


LAYOUTS = (
    "version 6\norder big\nlong 4\n",
    "version 7\norder big\nlong 8\ncompression zlib\npage 65536\n",
    "version 6\norder little\nlong 4\n",
)


def check_layouts(tap):
    """Recordings of other machines keep their layout."""
    script = random_script("layouts")
    for layout in LAYOUTS:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            for part in ("whole", "part"):
                (folder / part).mkdir()
            cases.make_of(layout + script, folder / "whole/trace.dat")
            tap.nothing(differences_of(folder, "layouts", RULES, WINDOWS), " ".join(layout.split()))


def check_again(tap):
    """A part of a part is the part of the whole."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        cases.make_of(random_script("again"), folder / "trace.dat")
        for source, target, window in (
            ("trace.dat", "large.dat", ("--from=500ns", "--to=6000ns")),
            ("large.dat", "small.dat", ("--from=1000ns", "--to=4000ns")),
        ):
            _, wrong = cases.run(folder, "export", f"--save={target}", *window, *RULES, source)
            tap.nothing([line for line in wrong if "wall clock" not in line], f"{target} is cut")
        stream, _ = cases.run(folder, "export", "--sid=x", "--event", "--from=1000ns", "--to=4000ns", *RULES, "trace.dat")
        again, _ = cases.run(folder, "export", "--sid=x", "--event", *RULES, "small.dat")
        one, other = ([line for line in lines_of(text) if '"param":"source"' not in line] for text in (stream, again))
        tap.nothing(differences("again", one, other), "a part of a part shows what the whole shows")


def check_sizes(tap):
    """Sub-buffers as no kernel has them, by the file's own words."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        cases.make_of(random_script("sizes"), folder / "trace.dat")
        whole = (folder / "trace.dat").read_bytes()
        for size in (b"0000", b"0007"):
            (folder / "odd.dat").write_bytes(whole.replace(b"offset:16;\tsize:4080;", b"offset:16;\tsize:" + size + b";"))
            done = process.run([cases.KTRACK, "export", "--save=part.dat", "--from=1ns", "odd.dat"], cwd=folder, capture_output=True)
            is_refused = done.returncode == 1 and b"its sub-buffers cannot have the size" in done.stderr
            tap.ok(is_refused, f"pages of 16 bytes and {size.decode()} are refused", done.returncode, done.stderr.decode())


def hostile(folder, lines, *script):
    """Makes a recording that claims to be a part with these lines; "?" is its begin."""
    text = "".join(script)
    lines = "".join(f"\\n# part {line}" for line in ["window ? 4000000000 0", *lines])
    begin = 1 + int(re.findall(r"^(\d+)ns", text, re.MULTILINE)[-2])
    cases.make_of(f'start 0\nwriter "ktrack 0.2.0 thread 1{lines}"\n'.replace("?", str(begin)) + text, folder / "trace.dat")


def usage(folder, *words, memory_mib=1024):
    """(CPU seconds, exit status, messages) of an export with this much address space."""
    command = f"ulimit -v {memory_mib * 1024}; exec \"$@\""
    with open(folder / "errors", "w+") as errors:
        run = subprocess.Popen(["sh", "-c", command, "sh", cases.KTRACK, "export", "--event=/dev/null", *words, "trace.dat"], cwd=folder, stderr=errors)
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return used.ru_utime + used.ru_stime, run.returncode, errors.read()


QUEUE = "event demo:queue 100 char track_event_type; string slice_name; u32 scope_queue\n"


def check_hostile_losses(tap, folder):
    """Losses before a window, and slices that are open there: neither looks at all of the others."""
    cpu_s = {}
    for nr_tracks, nr_losses in ((4000, 1), (1, 40000), (4000, 40000)):
        uses = [f"use {track} {track} {track} 0 demo:queue" for track in range(nr_tracks)]
        records = [f"{time}ns 7@0 queue B x {time}\n" for time in range(nr_tracks)]
        hostile(folder, ["lost 0 0 0 ? ? 1"] * nr_losses + uses, QUEUE, *records, f"{nr_tracks + 9}ns 7@0 queue I y 9999\n")
        cpu_s[nr_tracks, nr_losses], status, said = usage(folder)
        tap.ok(status == 0 and f"{nr_losses:,} gap".replace(",", "") in said, f"losses and open slices are shown: {nr_losses}, {nr_tracks}", status, said)
    tap.ok(cpu_s[4000, 40000] < 4 * (cpu_s[4000, 1] + cpu_s[1, 40000]), "their time is not the product of their numbers", *cpu_s.items())


def check_hostile_sizes(tap, folder):
    """Lines and records that would take much memory."""
    hostile(folder, [f"suspect {buffer} 65535 5" for buffer in range(1000)], QUEUE, "0ns 7@0 queue B x 1\n", "9ns 7@0 queue E x 1\n")
    _, status, said = usage(folder, memory_mib=128)
    tap.ok(status == 0, "lines about losses of many buffers take little memory", status, said)
    records = [f'{number}ns 7@0 queue B "{"x" * 60000}" {number}\n' for number in range(1200)]
    cases.make_of("start 0\nversion 7\npage 65536\ncompression zlib\n" + QUEUE + "".join(records) + "3000ns 7@0 queue I y 1\n", folder / "trace.dat")
    _, status, said = usage(folder, "--from=2us", memory_mib=256)
    refusal = "ktrack: --from: records that began slices which are open then have more than 64 MiB; write another time\n"
    tap.ok(status == 1 and said.endswith(refusal), "copies of large records are refused", status, said)


@tested
def main(tap):
    """All golden cases and some random recordings, or those that are named."""
    chosen = sys.argv[1:]
    explained_names = [f"why/{path.stem}" for path in sorted((cases.ROOT / "tests/why/data").glob("*.script"))]
    for name in [one for one in chosen if one not in ("layouts", "sizes", "hostile")] if chosen else [*cases.names(), *explained_names, *map(str, range(RANDOM))]:
        check_case(tap, name, 6 * WINDOWS if chosen else WINDOWS)
    if not chosen or "layouts" in chosen:
        check_layouts(tap)
        check_again(tap)
    if not chosen or "sizes" in chosen:
        check_sizes(tap)
    if not chosen or "hostile" in chosen:
        for check in (check_hostile_losses, check_hostile_sizes):
            with tempfile.TemporaryDirectory() as place:
                check(tap, Path(place))
