#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what ktrack why prints of made recordings, byte by byte, and that the parts of its JSON add up; --update rewrites it."""

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from schema import undocumented, wrong_answer  # noqa: E402
from sums import wrong_sums  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = HERE.parents[1] / "build/ktrack"
MKTRACE = HERE.parent / "golden/mktrace"

# Script: the command lines whose output its expected file has, one after the other.
CASES = {
    "driver": (
        "busy",
        "mydrv:io/locked",
        "--why-depth=0 mydrv:io/locked",
        "write",
        "--slowest=2 'w*'",
        "dma",
        "lossy",
        "hung@reader",
        "--at=350us '*'",
        "--slowest=3 'sched:thread/*@reader'",
        "irq:cpu/BLOCK",
        "mydrv:request",
        "--aggregate 'mydrv:*/*'",
        "--json locked",
        "--json --aggregate '*'",
    ),
    "device": (
        "held",
        "queued",
        "--json queued",
        "shared",
        "--json shared",
        "slept",
        "--slowest=2 'sched:cpu/reader'",
        "--aggregate 'sched:cpu/*'",
        "--aggregate held",
        "'block:*/R*'",
    ),
    "names": ("read",),
    # Without a slice.
    "overview": ("", "--slowest=8", "--slowest=1 --from=50us --to=1ms", "-e mydrv --slowest=1", "--json --slowest=2"),
    "interrupts": ("timed", "received", "read", "--slowest=3 'mydrv:request/*'", "waits", "'mydrv:request/*@4'"),
    "armed": ("timed",),
    "alone": ("read", "write", ""),
    "raced": ("read",),
    "single": ("read",),
    "reused": ("lost", "fresh"),
    # Many small parts.
    "rivals": ("key", "--all key", "--json key", "pooled"),
    "kinds": ("varied", "--all varied", "compute", "--evidence compute", "--json --evidence compute", "faults", "syscalls:call/write"),
    # Many waits one after the other.
    "chain": ("front", "--why-depth=0 front", "long", "--json front"),
    # What else a disk does meanwhile.
    "disk": ("crowded", "--json crowded", "brief", "elsewhere", "own", "outlived"),
    # What a thread waits for, by its kernel stack.
    "memory": ("high", "swap", "dirty", "locked", "--json locked"),
    # Points that a driver declares.
    "stages": ("demoq:req/read", "nested", "twice", "--json twice"),
    "realtime": ("irq:thread/NET_RX", "write"),
    "loopback": ("answered", "received", "delayed", "--json delayed", "guessed", "batched", "unflagged"),
    "bound": ("bound", "crowded"),
    "taken": ("throttled", "--json throttled", "taken", "moved", "woken", "served", "stopped", "kept", "preempted", "migrated"),
    "priorities": ("inverted", "urgent", "behind", "raised", "counted"),
    "signals": ("handled", "left", "ignored", "signaled", "woken", "frozen", "thawed", "flushed", "noted", "aside", "held", "vforked", "dies", "--json dies", "lives"),
    "impossible": ("difference", "product"),
    "slack": ("slack", "--json slack", "late", "wheel"),
    "companions": ("spins", "--json spins", "flushes", "shares", "--json shares", "queued", "served", "unrelated", "pools", "yields", "--json yields"),
    "recorder": ("read", "--slowest=2 read", "--at=500us read", "hello", "sleep", ""),
    "locks": ("update", "count"),
    "window": ("unread", "confirmed", "closed", "locked"),
}
ONLY_INSTANTS = [
    "INSTANTS   SHARE  BUSIEST PROCESSES",
    "       5   62.5%  tid 40",
    "       3   37.5%  worker (41)",
    "",
    "INSTANTS   SHARE  MOST FREQUENT INSTANTS",
    "       6   75.0%  mydrv:io/tick",
    "       2   25.0%  mydrv:io/tock",
    "",
    "no slices, so no durations; record with -r default",
    "all instants: ktrack stat trace.dat",
]
CATEGORIES = "there are slices of mydrv:io, mydrv:request, mydrv:transfer, irq:cpu and 3 more; 'CATEGORY/*' matches all of one"
REFUSED = {
    "--aggregate nothing": (1, f"trace.dat: no slice matches 'nothing'; {CATEGORIES}"),
    "nothing": (1, f"trace.dat: no slice matches 'nothing'; {CATEGORIES}"),
    "lokced": (1, "trace.dat: no slice matches 'lokced'; did you mean 'mydrv:io/locked'?"),
    "BLOCK": (1, "trace.dat: no slice matches 'BLOCK'; did you mean 'irq:cpu/BLOCK'?"),
    "mydrv:oi/locked": (1, "trace.dat: no slice matches 'mydrv:oi/locked'; did you mean 'mydrv:io/locked'?"),
    "mydrv:io/lockd": (1, "trace.dat: no slice matches 'mydrv:io/lockd'; did you mean 'mydrv:io/locked'?"),
    "locked@writer": (1, "trace.dat: no slice matches 'locked@writer'; did you mean 'mydrv:io/locked'? no track that matches 'writer' has it"),
    "mydrv:io/lockd@wr*": (1, "trace.dat: no slice matches 'mydrv:io/lockd@wr*'; did you mean 'mydrv:io/locked@wr*'?"),
    "--at=5s '*'": (1, "trace.dat: no slice matches '*' at that time; slices that match are open between 0.000010000 and 0.001040000"),
    "--aggregate": (2, "--aggregate: a slice is missing; write '*' for any"),
    "--at=5": (2, "--at: a slice is missing; write '*' for any"),
    "--from=2 --to=1": (2, "--from: later than --to; write an earlier time"),
    "a b": (2, "unexpected argument 'b'"),
    "a@": (2, "'a@': no track behind '@'; write \\@ for an @ of a name"),
    "--aggregate --slowest=2 a": (2, "--aggregate: covers all slices; leave out --slowest"),
    "--aggregate --at=2 a": (2, "--aggregate: covers all slices; leave out --at"),
    "--aggregate --folded=x a": (2, "--folded: contains single slices; leave out --aggregate"),
    "--folded=- a": (2, "--folded=-: standard output is that of the explanation; write a file"),
    "--slowest=1001 a": (2, "--slowest=1001: too large; write a number up to 1000"),
    "--why-depth=17 a": (2, "--why-depth=17: too large; write a number up to 16"),
}


def make(name, folder):
    """Makes a case's trace.dat."""
    subprocess.run([MKTRACE, HERE / f"data/{name}.script", folder / "trace.dat"], check=True)


def explain(words, folder):
    """Runs ktrack why on trace.dat; returns (status, output, errors)."""
    command = [KTRACK, "why", "trace.dat", *shlex.split(words)]
    done = process.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def explain_script(script, folder, words=""):
    """Explains a recording made of a script, likewise."""
    (folder / "made.script").write_text(script)
    subprocess.run([MKTRACE, folder / "made.script", folder / "trace.dat"], check=True)
    return explain(words, folder)


def check_sums(tap, folder):
    """All slices of a file."""
    answer = json.loads(explain("--json --slowest=1000 '*:*/*'", folder)[1])
    wrong = [line for one in answer["slices"] for line in wrong_sums(one["parts"], one["ns"], one["name"])]
    tap.ok(len(answer["slices"]) == answer["matched"] > 1, "all slices are explained", answer["matched"])
    tap.nothing(wrong, "the parts of each add up")


def check_aggregate(tap, folder):
    """The groups' parts add up to the time of their slices."""
    answer = json.loads(explain("--json --aggregate '*:*/*'", folder)[1])["aggregate"]
    for group in ("slowest", "median"):
        found = sum(part[f"{group}_ns"] for part in answer["parts"])
        tap.ok(found == answer[group]["ns"] > 0, f"the parts of the {group} slices add up", found, answer[group])


def check_window(tap, folder):
    """Statistics count the same slices of a window, also those that cross it."""
    for window in ("--from=50us --to=1ms", "--from=100us --to=300us", "--from=42us --to=46us"):
        answer = json.loads(explain(f"--json --aggregate {window} 'mydrv:io/*'", folder)[1])["aggregate"]
        rows = json.loads(process.run([KTRACK, "stat", "--json", *window.split(), "trace.dat"], cwd=folder, capture_output=True, text=True).stdout)["slices"]
        wanted = sum(row["count"] for row in rows if row["tracepoint"] == "mydrv:io")
        tap.ok(answer["count"] + answer["not_explained"] == wanted > 0, f"{window}: the slices of statistics", answer, wanted)


def check_schema(tap, folder):
    """The JSON has the members that ktrack-why(1) describes, and no others."""
    for words in ("--slowest=1000 '*:*/*'", "--aggregate '*:*/*'", "--at=350us '*'", ""):
        tap.nothing(list(wrong_answer(json.loads(explain(f"--json {words}", folder)[1]))), f"the members of --json {words}")
    tap.nothing(undocumented(), "the page names all members")


def check_folded(tap, folder):
    """Folded stacks of all slices add up to their time; semicolons are only between frames."""
    answer = json.loads(explain("--json --slowest=1000 --folded=out.folded '*:*/*'", folder)[1])
    lines = [line.rsplit(" ", 1) for line in (folder / "out.folded").read_text().splitlines()]
    total = sum(int(ns) for _, ns in lines)
    tap.ok(total == sum(one["ns"] for one in answer["slices"]) > 0, "folded stacks add up", total)
    wanted = "mydrv:io;locked;blocked (D) in READ, woken by holder (50);runnable on CPU 1 behind hog (61), same priority"
    tap.ok([wanted, "200000"] in lines, "a waker's parts are on the wait")


def check_rule(tap, folder):
    """A user's rule may have the name of the threads' states, and another scope."""
    rule = "state sched:thread on=sched:sched_switch scope=cpu name={prev_state}"
    done = subprocess.run([KTRACK, "export", "--html=/dev/null", "-r", rule, "trace.dat"], cwd=folder, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0, "a rule under the name of states", done.returncode, done.stderr)


def check_refused(tap, folder):
    """Wrong usage, and slices that do not exist, with what may be meant; a file has nothing else to report."""
    for words, (status, message) in REFUSED.items():
        done, output, errors = explain(words, folder)
        is_right = done == status and errors.splitlines() == [f"ktrack: {message}"] and "no slice" not in output
        tap.ok(is_right, f"'{words}' is refused", done, errors, output)
    swapped = subprocess.run([KTRACK, "why", "mydrv:io/locked", "trace.dat"], cwd=folder, capture_output=True, text=True, check=False)
    wanted = "ktrack: 'mydrv:io/locked': no such file; the source comes first: trace.dat\n"
    tap.ok((swapped.returncode, swapped.stderr) == (2, wanted), "the source comes first", swapped.stderr)
    once = subprocess.run([KTRACK, "why", "--evidence", "-", "a"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    tap.ok(once.returncode == 2 and "--evidence: reads a file twice" in once.stderr, "standard input is read once", once.stderr)


def check_commands(tap, folder):
    """Each command that an overview prints explains the slice above it."""
    lines = explain("--slowest=8", folder)[1].splitlines()
    titles = [line.split(", the slowest of ")[0] for line in lines if " @ " in line]
    commands = [shlex.split(line.split(": ", 1)[1])[3:] for line in lines if line.startswith("all parts: ")]
    found = [explain(shlex.join(words), folder)[1].splitlines()[0] for words in commands]
    tap.ok(found == titles and len(found) > 5, "the commands of an overview find its slices", found, titles)


def check_empty(tap, folder):
    """Without slices, an overview has the instants, or says what there is instead, the command that shows it, and what to record."""
    event = "event mydrv:io 3000 char track_event_type; string slice_name\nevent mydrv:depth 3001 s64 counter_value\n"
    counter = "20us 40@0 depth 1\n"
    for records, what in ((counter, ", only counters, which 'ktrack stat trace.dat' counts"), ("", "")):
        done, output, errors = explain_script(event + records, folder)
        is_right = done == 1 and not output and errors.splitlines()[-1:] == [f"ktrack: trace.dat: no slices{what}; record with -r default"]
        tap.ok(is_right, f"no slices{what}", done, output, errors)
    instants = "".join(f"{10 + i}us 4{i % 3 % 2}@0 io I {('tick', 'tock')[i % 4 == 3]}\n" for i in range(8)) + counter
    done, output, errors = explain_script(event + "task 41 worker 41\n" + instants, folder)
    tap.ok((done, output.splitlines()) == (0, ONLY_INSTANTS), "of instants alone, the most frequent and whose they are", done, output, errors)
    answer = json.loads(explain("--json", folder)[1])
    counted = [[(one["instants"], one["pid"]) for one in answer["processes"]], [(one["count"], one["name"]) for one in answer["instants"]]]
    tap.ok(counted == [[(5, 40), (3, 41)], [(6, "tick"), (2, "tock")]], "instants alone in JSON", answer)
    tap.nothing(list(wrong_answer(answer)), "the members of the JSON of instants")
    done, output, errors = explain_script(f"{event}{instants}50us 40@0 io B late\n51us 40@0 io E late\n", folder)
    tap.ok(done == 0 and "mydrv:io/late @" in output and "INSTANTS" not in output, "beside a slice, instants are no answer", output)


def check_programs(tap, folder):
    """Packs alone would leave out the records of programs: what explains more is recorded with them."""
    remedy = "running and waiting are not told apart without the scheduler's records; record with -r sched,irq"
    event = 'writer "ktrack 0.2.0 thread 9"\nevent mytool:task 40000 char track_event_type; string slice_name\ntask 7 mytool 7\n'
    for buffer, end in (("", "\n"), ("buffer programs\n", " --programs\n")):
        _, output, errors = explain_script(f"{event}{buffer}10us 7@0 40000 B read\n20us 7@0 40000 E read\n", folder, "read")
        tap.ok(remedy + end in output, f"the remedy is{end.rstrip() or ' that of drivers'}", output, errors)
        _, output, errors = explain_script(f"{event}{buffer}10us 7@0 40000 I tick\n", folder)
        tap.ok(f"no durations; record with -r default{end}" in output, f"and without slices, too:{end.rstrip()}", output, errors)


def check_control_bytes(tap, folder):
    """A name cannot write to the terminal, nor lines of its own."""
    event = "event mydrv:io 3000 char track_event_type; string slice_name\n"
    lines = "10us 40@0 io B a\033[2Jb\n20us 40@0 io E a\033[2Jb\n" '30us 40@0 io B "read p99"\n45us 40@0 io E "read p99"\n'
    (folder / "bytes.script").write_text(event + lines)
    subprocess.run([MKTRACE, folder / "bytes.script", folder / "trace.dat"], check=True)
    _, output, errors = explain("", folder)
    tap.ok("all parts: ktrack why trace.dat 'mydrv:io/a?\\[2Jb'" in output and "\033" not in output, "control bytes of names are not printed", output, errors)
    tap.ok("all parts: ktrack why trace.dat 'mydrv:io/read\\ p99'" in output, "a name that ends like an aggregate is none", output, errors)


def check_stored(tap, folder):
    """The command that decides more records the recording's own selection, too."""
    script = (HERE / "data/driver.script").read_text().replace("format ../../", f"format {HERE.parent}/")
    (folder / "stored.script").write_text(f'writer "ktrack 0.2.0 thread 1\\n# select -r sched,irq\\n# select -e mydrv:*"\n{script}')
    subprocess.run([MKTRACE, folder / "stored.script", folder / "trace.dat"], check=True)
    output = explain("-r sched,irq -e mydrv write", folder)[1]
    wanted = "to decide more: ktrack record -r sched,irq -e 'mydrv:*' -r block -- COMMAND"
    tap.ok(wanted in output.splitlines(), "stored: the command that decides more", output)


COMPARED = """format {formats}/sched/sched_switch
event mydrv:io 3000 char track_event_type; string slice_name
0 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=0 next_comm=reader next_pid=40
{other}10us 40@0 io B read
60us 40@0 sched_switch prev_comm=reader prev_pid=40 prev_state=256 next_comm=hog next_pid=60
{back}us 60@0 sched_switch prev_comm=hog prev_pid=60 prev_state=256 next_comm=reader next_pid=40
{end}us 40@0 io E read
"""


# A reader waits for a server, which computes for so long.
WAITED = """
format {formats}/sched/sched_switch
format {formats}/sched/sched_waking
event mydrv:io 3000 char track_event_type; string slice_name
0 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=0 next_comm=reader next_pid=40 next_prio=120
0 0@1 sched_switch prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=0 next_comm=server next_pid=50 next_prio=120
10us 40@0 io B read
20us 40@0 sched_switch prev_comm=reader prev_pid=40 prev_prio=120 prev_state=1 next_comm=swapper/0 next_pid=0 next_prio=120
{woken}us 50@1 sched_waking comm=reader pid=40 prio=120 target_cpu=0
{runs}us 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=0 next_comm=reader next_pid=40 next_prio=120
{end}us 40@0 io E read
"""


def check_compare_waits(tap, folder):
    """What grew is what the thread did that was waited for."""
    for name, woken in ("base", 40), ("trace", 240):
        (folder / f"{name}.script").write_text(WAITED.format(formats=HERE.parent / "formats/6.12", woken=woken, runs=woken + 1, end=woken + 10))
        subprocess.run([MKTRACE, folder / f"{name}.script", folder / f"{name}.dat"], check=True)
    done, output, errors = explain("--compare=base.dat read", folder)
    wanted = "longer by 200us (+500.0%); what grew most: 200us server: running"
    tap.ok(done == 0 and output.splitlines()[0] == wanted, "compare: the thread that was waited for", errors, output)
    rows = json.loads(explain("--json --compare=base.dat read", folder)[1])["aggregate"]
    tap.ok(sum(row["source_ns"] for row in rows["parts"]) == rows["source"]["ns"], "compare: parts of waits add up", rows)


def check_compare(tap, folder):
    """The parts of another recording's slices, and which of them grew."""
    # One of them has a name before those of the other one.
    for name, wait, other in ("base", 20, "2us 70@1 io B other\n4us 70@1 io E other\n"), ("trace", 220, ""):
        text = COMPARED.format(formats=HERE.parent / "formats/6.12", back=60 + wait, end=90 + wait, other=other)
        (folder / f"{name}.script").write_text(text)
        subprocess.run([MKTRACE, folder / f"{name}.script", folder / f"{name}.dat"], check=True)
    done, output, errors = explain("--compare=base.dat read", folder)
    wanted = [
        "longer by 200us (+200.0%); what grew most: 200us runnable in read behind hog",
        "the time of a part is the mean of a slice",
        "trace.dat: 1 slice of 300us to 300us",
        "base.dat: 1 slice of 100us to 100us",
        "   SOURCE      BASE  DIFFERENCE  WHAT",
        "    220us    20.0us       200us  runnable in read behind hog",
        "   80.0us    80.0us         0ns  running in read",
    ]
    tap.ok(done == 0 and output.splitlines()[: len(wanted)] == wanted, "compare: what grew", done, errors, *output.splitlines())
    found = json.loads(explain("--json --compare=base.dat read", folder)[1])["aggregate"]
    rows = [(row["what"], row["source_ns"], row["base_ns"]) for row in found["parts"]]
    tap.ok(rows == [("runnable in read behind hog", 220000, 20000), ("running in read", 80000, 80000)] and found["base"]["ns"] == 100000, "compare: as JSON", found)
    tap.nothing(list(wrong_answer({**json.loads(explain("--json --compare=base.dat read", folder)[1])})), "compare: its members")
    swapped = explain("--compare=trace.dat --json read", folder)
    tap.ok(swapped[0] == 0 and json.loads(swapped[1])["aggregate"]["parts"][0]["excess_ns"] == 0, "compare: with itself nothing grew", swapped)
    make("taken", folder)
    same = json.loads(explain("--compare=trace.dat --json throttled", folder)[1])["aggregate"]
    grown = [row for row in same["parts"] if row["excess_ns"] != 0]
    tap.ok(len(same["parts"]) > 2 and not grown, "compare: a throttled thread with itself", *grown)
    refusals = {
        "--compare=base.dat": (2, "--compare: a slice is missing; 'ktrack stat --compare' lists which are longer"),
        "--compare=base.dat write": (1, "base.dat: no slice matches 'write'"),
        "--evidence --compare=base.dat read": (2, "--evidence: of single slices; leave out --compare"),
        "--compare=- read": (2, "--compare=-: standard input is no recording to compare with; save it in a file"),
    }
    for words, (status, message) in refusals.items():
        done, _, errors = explain(words, folder)
        tap.ok(done == status and message in errors, f"'{words}' is refused", done, errors)
    (folder / "base.script").write_text(text.partition("60us")[0])
    subprocess.run([MKTRACE, folder / "base.script", folder / "base.dat"], check=True)
    done, _, errors = explain("--compare=base.dat read", folder)
    wanted = "ktrack: base.dat: all slices that match 'read' are incomplete, suspect or foreign; record longer, or without losses\n"
    tap.ok(done == 1 and errors == wanted, "compare: slices without an end match", done, errors)


# Threads take turns on a CPU; the slice of each lasts until its next turn.
TURNS, TAKERS = 4, 300


def check_superseded(tap, folder):
    """If each of many slices is slower than all before, the slowest is explained as if it were asked for by itself."""
    lines = [f"format {HERE.parent}/formats/6.12/sched/sched_switch", "event mydrv:io 3000 char track_event_type; string slice_name"]
    for turn in range(TURNS):
        for tid in range(1000, 1000 + TAKERS):
            after = 1000 + (tid - 999) % TAKERS
            lines += [f"+{300 + turn}ns {tid}@0 io E turn"] if turn else []
            lines += [f"+100ns {tid}@0 io B turn"]
            lines += [f"+100ns {tid}@0 sched_switch prev_comm=t{tid} prev_pid={tid} prev_state=256 next_comm=t{after} next_pid={after}"]
    (folder / "superseded.script").write_text("\n".join(lines) + "\n")
    subprocess.run([MKTRACE, folder / "superseded.script", folder / "trace.dat"], check=True)
    found = json.loads(explain("--json turn", folder)[1])["slices"][0]
    alone = json.loads(explain(f"--json turn@{found['tid']}", folder)[1])["slices"][0]
    kind = json.loads(explain("--json --slowest=1", folder)[1])["kinds"][0]["slowest"]
    tap.ok(found == alone, "superseded: the slowest is explained as by itself", found, alone)
    tap.ok(kind == alone, "superseded: that of a kind, too", kind, alone)
    tap.nothing(list(wrong_sums(found["parts"], found["ns"], "turn")), "superseded: the parts add up")


# One slice of a program, and longer ones of the recorder, more than are explained at once.
OWN = f"""writer "ktrack 0.2.0 thread 9"
format {HERE.parent}/formats/6.12/sched/sched_switch
event mydrv:io 3000 char track_event_type; string slice_name
0 0@1 sched_switch prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=0 next_comm=ktrack next_pid=9 next_prio=120
+10us 40@0 io B read
+100us 40@0 io E read
0 0@2 sched_switch prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=0 next_comm=ktrack next_pid=77 next_prio=120
+10us 77@2 io B other
+50us 77@2 io E other
+10us 9@1 io B other
+60us 9@1 io E other
repeat 1000
+1us 9@1 io B read
+200us 9@1 io E read
end
"""


def check_own(tap, folder):
    """Slices of the recorder are no answer, however many there are."""
    (folder / "own.script").write_text(OWN)
    subprocess.run([MKTRACE, folder / "own.script", folder / "trace.dat"], check=True)
    answer = json.loads(explain("--json read", folder)[1])
    found = answer["slices"][0]
    tap.ok(found["tid"] == 40, "recorder: many slices of the recorder are no answer", found)
    tap.ok(answer.get("left_out_ns") == 200_000, "recorder: JSON has the time of a longer slice of the recorder", answer)
    found = json.loads(explain("--json other", folder)[1])["slices"][0]
    tap.ok(found["tid"] == 77, "recorder: another ktrack is an answer", found)


def check_many(tap, folder):
    """Beyond the limit of kinds, names of a tracepoint share one, whose slowest slice is shown."""
    event = "event mydrv:io 3000 char track_event_type; string slice_name\n"
    lines = "".join(f"{10 + 20 * number}us 40@0 io B n{number}\n{20 + 20 * number}us 40@0 io E n{number}\n" for number in range(16400))
    (folder / "many.script").write_text(f"{event}{lines}400000us 40@0 io B slow\n500000us 40@0 io E slow\n")
    subprocess.run([MKTRACE, folder / "many.script", folder / "trace.dat"], check=True)
    _, output, errors = explain("--slowest=1", folder)
    tap.ok("mydrv:io/slow @ io tid 40" in output, "a kind beyond the limit is counted", output, errors)


def check_case(tap, name, is_updating):
    """One script."""
    expected = HERE / f"data/{name}.expected"
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        make(name, folder)
        found = "".join(f"$ why {words}\n{explain(words, folder)[1]}" for words in CASES[name])
        check_sums(tap, folder)
        check_aggregate(tap, folder)
        check_schema(tap, folder)
        if name == "names":
            check_rule(tap, folder)
        if name == "overview":
            check_commands(tap, folder)
            check_window(tap, folder)
            check_empty(tap, folder)
            check_control_bytes(tap, folder)
            check_programs(tap, folder)
            check_superseded(tap, folder)
            check_own(tap, folder)
            check_many(tap, folder)
        if name == "driver":
            check_folded(tap, folder)
            check_stored(tap, folder)
            check_compare(tap, folder)
            check_compare_waits(tap, folder)
            make(name, folder)
            check_refused(tap, folder)
    if is_updating:
        expected.write_text(found)
    wanted = expected.read_text().splitlines() if expected.exists() else []
    wrong = [line for line in found.splitlines() if line not in wanted]
    tap.ok(found.splitlines() == wanted, f"{name}: the text is as expected", *wrong)


@tested
def main(tap):
    """All checks."""
    for name in CASES:
        check_case(tap, name, "--update" in sys.argv)
