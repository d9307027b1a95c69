#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ftrace's text has the events of the recording that it was printed from, in every form that the kernel and tools print.

trace-cmd prints recordings of tests/golden/. The other forms are made of its lines: columns, digits of times, and switches as the
kernel prints them. --update rewrites what is expected of function_graph.
"""

import collections
import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "stream")]

import cases  # noqa: E402
import process  # noqa: E402
from model import read_event  # noqa: E402
from tap import tested  # noqa: E402

# What texts do not have is not compared.
LACKING = {
    "rules-conditions": "addresses of functions",
    "rules-fs-6.1": "that a tracepoint exists which wrote no line: a begin that never ends is no slice then",
    "rules-fs-6.12": "likewise",
    "rules-irq-realtime": "that the kernel has PREEMPT_RT",
    "rules-marker": "bytes that trace-cmd does not print",
    "rules-marker-numbers": "the processes of threads",
    "rules-new-packs": "forms of these tracepoints",
    "rules-syscalls-32-bit": "which threads are of 32 bits",
    "rules-syscalls-of-another-machine": "the machine, whose numbers system calls have",
    "rules-that-do-not-fit": "fields that trace-cmd does not find",
    "rules-trace-printk": "the values, which trace-cmd finds only in the format of the kernel",
    "rules-trace-printk-big": "likewise",
    "rules-workload": "which threads are selected",
}
EVENTS = ("region_enter", "region_leave", "data", "data_json")
LINE = re.compile(r"^( *\S.*)-(\d+) +\[(\d+)\] +(\d+): ([a-z_0-9]+): +(.*)$")
SWITCH = re.compile(r"(.+):(\d+) \[(-?\d+)\] (\S+) ==> (.+):(\d+) \[(-?\d+)\]")
WAKEUP = re.compile(r"(.+):(\d+) \[(-?\d+)\] CPU:(\d+)")
# The memory of any export, and a text that is longer.
MEMORY_KIB, MEMORY_LINES = 32 * 1024, 1000000
# trace-cmd prints the bits of new kernels with the letters of old ones.
LETTERS = {"Z": "X", "X": "Z", "W": "I", "x": "P"}
HEADER = """# tracer: nop
#
# entries-in-buffer/entries-written: 4/4   #P:2
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
"""


def is_of_forms(name):
    """Whether the case is about tracepoints of the kernel, with rules of packs."""
    text = (cases.GOLDEN / f"{name}.script").read_text()
    return name.startswith("rules-") and "\nevent drv:" not in text and name not in LACKING


NAMES = [name for name in cases.names() if is_of_forms(name)]


def report(folder):
    """The lines of trace-cmd report."""
    done = process.run(["trace-cmd", "report", "-i", "trace.dat"], cwd=folder, capture_output=True)
    return done.stdout.decode(errors="surrogateescape").splitlines()


def kernel_text(event, text):
    """The fields as the kernel prints them."""
    switch, wakeup = SWITCH.fullmatch(text), WAKEUP.fullmatch(text)
    if event == "sched_switch" and switch:
        values = list(switch.groups())
        values[3] = LETTERS.get(values[3], values[3])
        return (
            "prev_comm={} prev_pid={} prev_prio={} prev_state={} ==> next_comm={} next_pid={} next_prio={}".format(*values)
        )
    if event in ("sched_wakeup", "sched_wakeup_new") and wakeup:
        return "comm={} pid={} prio={} target_cpu={}".format(*wakeup.groups())
    return text


def rewrite(lines, columns):
    """The lines with other columns: a format of the name, thread, CPU, seconds, microseconds, nanoseconds, event and text."""
    for line in lines:
        match = LINE.match(line)
        if not match:
            yield line
            continue
        comm, tid, cpu, time, event, text = match.groups()
        seconds, rest = divmod(int(time), 10**9)
        yield columns.format(
            comm=comm, tid=tid, cpu=cpu, s=seconds, us=rest // 1000, ns=rest, event=event, text=text, kernel=kernel_text(event, text)
        )


# Form: its columns, how exact its times are, and what precedes the lines.
FORMS = {
    "trace-cmd report": (None, 0, ""),
    "trace-cmd report with nine digits": ("{comm}-{tid} [{cpu}] {s}.{ns:09}: {event}: {text}", 0, "cpus=2\n"),
    "trace-cmd report with six digits and flags": ("{comm}-{tid} [{cpu}] d..2. {s}.{us:06}: {event}: {text}", 1000, ""),
    "trace of tracefs": ("{comm}-{tid}     [{cpu}] ..... {s:5}.{us:06}: {event}: {kernel}", 1000, HEADER),
    "trace_pipe with processes": ("{comm}-{tid}     (-----) [{cpu}] d..2. {s:5}.{us:06}: {event}: {kernel}", 1000, ""),
    "trace-cmd report -l": ("{comm}-{tid}     {cpu}..... {s:5}.{us:06}: {event}: {text}", 1000, ""),
    "trace in latency format": ("{comm}-{tid}     {cpu}dN.2. {s}{us:06}us+: {event}: {kernel}", 1000, HEADER),
    "systrace": (
        "{comm}-{tid}   (-----) [{cpu}] d..2 {s}.{us:06}: {event}: {kernel}",
        1000,
        '<!DOCTYPE html>\n<script>\nvar a = 1;\n</script>\n  <script class="trace-data">\n' + HEADER,
    ),
}


def events_of(stream):
    """Times in nanoseconds of what is equal in a recording and in its text."""
    found = collections.defaultdict(list)
    for line in stream.splitlines():
        event = json.loads(line)
        if event["event"] not in EVENTS or ":" not in event.get("category", "").strip(":"):
            continue
        label = event.get("label", event.get("key", "")).removesuffix("+")
        found[event["event"], event["category"], label].append(round(event["t_abs"] * 1e9))
    return found


def differences(recording, text, exact_ns):
    """Where the events of a text are not those of its recording."""
    wrong = [f"{key}: {len(recording[key])} in the recording, {len(text[key])} in the text" for key in sorted(recording.keys() | text.keys()) if len(recording[key]) != len(text[key])]
    for key in recording.keys() & text.keys():
        for ours, theirs in zip(sorted(text[key]), sorted(recording[key])):
            if abs(ours - theirs) > exact_ns:
                wrong.append(f"{key}: {ours}, not {theirs}")
    return wrong


def check_form(tap, form, names):
    """Each recording has the same events as its text in this form."""
    columns, exact_ns, header = FORMS[form]
    nr_events = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            cases.make(name, Path(folder, "trace.dat"))
            lines = report(folder)
            lines = rewrite(lines, columns) if columns else lines
            Path(folder, "trace.txt").write_text(header + "".join(line + "\n" for line in lines), errors="surrogateescape")
            words = ("export", "--event", *cases.rules_of(name))
            streams = [cases.run(folder, *words, source)[0] for source in ("trace.dat", "trace.txt")]
            recording, text = map(events_of, streams)
            nr_events += sum(map(len, recording.values()))
            wrong = [f"line {number}: {rule}: {said}" for number, rule, said in cases.check_lines(streams[1].splitlines(keepends=True))]
            tap.nothing(wrong + differences(recording, text, exact_ns), f"{form}: {name.replace('-', ' ')}")
    tap.ok(nr_events > 100, f"{form}: {nr_events} events are compared")


OWN = """# tracer: nop
#
             app-10      (     10) [000] .....     1.000001: tracing_mark_write: B|10|frame
             app-11      (     10) [001] .....     1.000001: tracing_mark_write: first
second
             app-10      (     10) [000] .....     1.000002: tracing_mark_write: E|10
             app-10      (     10) [000] .....     1.000002: mine: a=1 b=2
CPU:1 [LOST 12 EVENTS]
             app-11      (     10) [001] .....     1.000009: mine: a=3
CPU:0 [LOST EVENTS]
             app-10      (     10) [000] .....     1.000007: kfree <-putname
             app-10      (     10) [000] .....     1.000006: mine: older
             app-11      (     10) [001] .....     1.000010: sys_read(fd: 3, buf: 7ffc, count: 10)
             app-11      (     10) [001] .....     1.000012: sys_read -> 0x10
             app-11      (     10) [001] .....     1.000013: sys_enter_getpid:
             app-11      (     10) [001] .....     1.000015: sys_exit_getpid:      0xfffffffffffffffe
             app-11      (     10) [001] .....     1.000016: sys_enter_nocall: fd: 0x3
"""
# Calls of function_graph as trace-cmd prints them: those without an inner call have one line, whose time is rounded down.
GRAPH = """app-10 [000]     1.000010: funcgraph_entry:                   |  outer() {
app-10 [000]     1.000011: funcgraph_entry:        1.900 us   |    first();
app-11 [001]     1.000011: funcgraph_entry:      ! 151.456 us |  other(a=1); /* first */
app-10 [000]     1.000012: funcgraph_entry:        0.100 us   |    next();
app-10 [000]     1.000013: funcgraph_exit:         3.000 us   |  }
"""
GRAPH_EVENTS = [("outer", 0, 3000), ("first", 1000, 2900), ("other", 1001, 152457), ("next", 2900, 3000)]
# Threads take turns on a CPU, and one goes on on another; the first switch of a CPU names the thread before it.
AWAY = """# tracer: function_graph
 0)   0.700 us    |  before();
 0)   =========> |
 0)   first-7    =>    second-8
 0)               |  wait() {
 0)   first-7    =>    a =>-9
 0)   1.000 us    |  a_leaf [mod]();
 1)   5.000 us    |  of_third();
 0)   a =>-9    =>    second-8
 0) @ 2500000 us  |  } /* wait = 0 */
 0)               |  moved() {
 0)   1.500 us    |    inner(x=1);
 2)   5.000 us    |  of_nobody();
 1)   third-10    =>    second-8
 1)   0.500 us    |    there();
 1) * 20000.25 us |  }
 1)   0.250 us    |  last();
"""
AWAY_CALLS = [
    "a => 9 700 1000 a_leaf [mod]",
    "first 7 0 700 before",
    "second 8 2500000700 1500   inner",
    "second 8 2500000700 20000250 moved",
    "second 8 2500002200 500   there",
    "second 8 2520000950 250 last",
    "second 8 700 2500000000 wait",
    "third 10 0 5000 of_third",
    "unknown 4194306 0 5000 of_nobody",
]
OWN_EVENTS = [
    ("region_enter", "marker:call", "frame", 0),
    ("region_leave", "marker:call", "frame", 1000),
    ("data_json", "marker:text", "first\nsecond", 1),
    ("data_json", "text:mine", "a=1 b=2", 1001),
    ("data_json", "text:mine", "a=3", 8000),
    ("data_json", "functions:call", "kfree", 6000),
    ("data_json", "text:mine", "older", 6000),
    ("region_enter", "syscalls:call", "read", 9000),
    ("region_leave", "syscalls:call", "read", 11000),
    ("region_enter", "syscalls:call", "getpid", 12000),
    ("region_leave", "syscalls:call", "getpid", 14000),
    ("data_json", "syscalls:sys_enter_nocall", "fd: 0x3", 15000),
]
LACK = "ktrack: trace.txt: text of ftrace has times in microseconds, losses only if it reports them, and no tracks of drivers; 'ktrack record' keeps them"
OLDER = "ktrack: trace.txt: 1 line with an earlier time than the line before of the same CPU, which was used instead"


def own_events(stream):
    """The events of the text above."""
    for line in stream.splitlines():
        event = json.loads(line)
        if event["event"] in EVENTS and ":" in event.get("category", "").strip(":"):
            text = event.get("value", {}).get("text") or event.get("label") or event.get("key")
            yield event["event"], event["category"], text, round(event["t_abs"] * 1e9)


def check_own(tap):
    """Events without a form, texts of several lines, losses, lines in the wrong order."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "trace.txt").write_text(OWN)
        stream, wrong = cases.run(folder, "export", "--event", "-e", "text,syscalls", "-r", "marker,syscalls,functions", "trace.txt", status=1)
        found = sorted(own_events(stream))
        tap.ok(found == sorted(OWN_EVENTS), "events without a form are instants with their text", *map(str, found))
        tap.ok(wrong == [LACK, OLDER], "what the text lacks, and lines in the wrong order, are reported", *wrong)
        losses = [json.loads(line)["msg"] for line in stream.splitlines() if b'"msg":"lost' in line]
        tap.ok(losses == ["lost 12 records on cpu 1", "lost an unknown number of records on cpu 0"], "losses are those that the text reports", *losses)


def check_functions(tap):
    """Calls of the function tracer, as the kernel and trace-cmd print them, and with less than both."""
    calls = {
        "kfree <-putname": ("functions:call", "kfree", {"parent_ip": "putname"}),
        "function: kfree [mod] <-- putname": ("functions:call", "kfree [mod]", {"parent_ip": "putname"}),
        "function:             0xc644ae30": ("functions:call", "0xc644ae30", {}),
        "function: two words": ("text:function", "function", {"text": "two words"}),
    }
    with tempfile.TemporaryDirectory() as folder:
        for call, wanted in calls.items():
            Path(folder, "trace.txt").write_text(f"a-1 [000] 5.000000: {call}\n")
            events = map(json.loads, cases.run(folder, "export", "--event", "trace.txt")[0].splitlines())
            found = [(event["category"], event["key"], event["value"]) for event in events if ":" in event.get("category", "")]
            tap.ok(found == [wanted], f"a call of the function tracer: {call}", *found)


def unread(pipe):
    """Bytes in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def awaits_signal(pid):
    """Whether a process has blocked SIGINT, to read it."""
    mask = re.search(r"^SigBlk:\t([0-9a-f]+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return bool(mask) and bool(int(mask.group(1), 16) >> (signal.SIGINT - 1) & 1)


def check_input(tap):
    """Standard input is a text, too; Ctrl-C ends it."""
    environment = {name: value for name, value in os.environ.items() if "TRACE2" not in name}
    with tempfile.TemporaryDirectory() as folder:
        words = [cases.KTRACK, "stat", "-e", "text", "-"]
        run = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run.stdin.write(OWN.encode())
        run.stdin.flush()
        process.wait_for(lambda: unread(run.stdin) == 0, run)
        run.send_signal(signal.SIGINT)
        run.wait()
        found, said = run.stdout.read().decode(), run.stderr.read().decode()
        run.stdin.close()
        tap.ok("text:mine" in found, "Ctrl-C ends a text on standard input", found, said)
        run = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        process.wait_for(lambda: awaits_signal(run.pid), run)
        run.send_signal(signal.SIGINT)
        tap.ok(run.wait() == -signal.SIGINT, "Ctrl-C before any input ends ktrack")
        run.stdin.close()
        done = process.run(words, cwd=folder, env=environment, input=b"no trace\n" * 100000, capture_output=True)
        tap.ok(done.returncode == 1 and b"not a trace.dat" in done.stderr, "other texts are refused", done.stderr)


def check_many(tap):
    """More lines than there may be events, and than a microsecond has nanoseconds; a page that is no text of ftrace."""
    lines = [f"app-10 [000] 1.{number:06}: tracing_mark_write: {'BE'[number % 2]}|10|frame\n" for number in range(2400)]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "trace.txt").write_text("".join(lines) + "app-10 [000] 5.0: sched_waking: comm=b pid=11 prio=120 target_cpu=000\n")
        stream, wrong = cases.run(folder, "export", "--event", "trace.txt")
        begins = [line for line in stream.splitlines() if b'"event":"region_enter"' in line and b'"marker:call"' in line]
        tap.ok(len(begins) == 1200 and b'"Runnable"' in stream, "slices of 2,400 lines of trace_marker, and what follows them", len(begins))
        Path(folder, "trace.txt").write_text("".join(f"app-10 [{n % 2:03}] 1.000001: sys_close(fd: {n})\n" for n in range(1300)) + "app-10 [000] 1.000002: sys_exit: NR 3 = 0\n")
        stream, more = cases.run(folder, "export", "--event", "trace.txt")
        tap.nothing([line for line in more if "earlier" in line], "1,300 lines with one time are in order")
        Path(folder, "page.html").write_text("<!DOCTYPE html>\n<p>Nothing of ftrace.</p>\n")
        _, wrong = cases.run(folder, "stat", "page.html", status=1)
        tap.ok(len(wrong) == 1 and "a page without lines of ftrace, not a trace.dat" in wrong[0], "another page is refused", *wrong)


def check_graph(tap):
    """Calls of function_graph have their durations."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "trace.txt").write_text(GRAPH)
        stream, wrong = cases.run(folder, "export", "--event", "trace.txt")
        events = [json.loads(line) for line in stream.splitlines()]
        ends = {(event["category"], event["label"]): event for event in events if event["event"] == "region_leave" and "label" in event}
        found = [(name, round((end["t_abs"] - end["t_rel"]) * 1e9), round(end["t_abs"] * 1e9)) for (category, name), end in ends.items()]
        tap.ok(sorted(found) == sorted(GRAPH_EVENTS), "calls of function_graph have their durations", *map(str, found))
        tap.ok(not any("earlier" in line for line in wrong), "lines that are rounded down are no damage", *wrong)
        Path(folder, "trace.txt").write_text("# tracer: function_graph\n#\n   0.123 us    |  getname();\n")
        _, wrong = cases.run(folder, "stat", "trace.txt", status=1)
        tap.ok(len(wrong) == 1 and "no call of function_graph that shows its CPU" in wrong[0], "lines without CPUs are no input", *wrong)


def graph_lines(stream):
    """The calls of a stream: thread, begin and duration in nanoseconds, name."""
    for track in read_event(stream).values():
        if track.category == "functions:graph":
            for begin, end, name, _, _, marks, depth in track.slices:
                yield f"{track.identity['comm']} {track.identity.get('id', '')} {begin} {end - begin} {'  ' * depth}{name}{''.join(f' {mark}' for mark in marks)}"


def check_tracefs_graph(tap, is_updating):
    """function_graph as a kernel 6.12 printed it in tracefs: as it is, with times and threads, with times and flags."""
    for name, lack in (("plain", "calls follow each other without gaps"), ("times", LACK.partition(": ")[2]), ("flags", LACK.partition(": ")[2])):
        golden = cases.ROOT / f"tests/outputs/golden/function_graph.{name}.calls"
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "trace.txt").write_text(golden.with_suffix(".text").read_text())
            stream, wrong = cases.run(folder, "export", "--event", "trace.txt")
        lines = sorted(graph_lines(stream), key=lambda line: int(line.split()[2]))
        if is_updating:
            golden.write_text("".join(f"{line}\n" for line in lines))
        tap.ok(lines == golden.read_text().splitlines(), f"function_graph of tracefs: {name}", *lines)
        tap.ok(len(wrong) == 1 and lack in wrong[0], f"function_graph of tracefs: what {name} lacks", *wrong)
        calls = [line for line in golden.with_suffix(".text").read_text().splitlines() if "();" in line or "() {" in line]
        tap.ok(len(calls) == len(lines), f"function_graph of tracefs: each call of {name}", len(calls), len(lines))


def check_graph_threads(tap):
    """Without times, a call ends after its own duration, also if it was away, or ended on another CPU."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "trace.txt").write_text(AWAY)
        stream, _ = cases.run(folder, "export", "--event", "trace.txt")
    found = sorted(graph_lines(stream))
    tap.ok(found == AWAY_CALLS, "calls that were away have their durations", *found)


def check_window(tap):
    """A text has no parts; outputs of a time are those of the recording."""
    window = ("--from=1us", "--to=8us")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "trace.txt").write_text(OWN)
        _, wrong = cases.run(folder, "export", "--save=part.dat", *window, "trace.txt", status=1)
        wanted = "ktrack: --save: only a trace.dat has parts, and this is a text; leave it out and write an output of that time, such as --html=page.html"
        tap.ok(wanted in wrong and not Path(folder, "part.dat").exists(), "no part of a text is saved", *wrong)
        stream, _ = cases.run(folder, "export", "--event", "-e", "text,syscalls", "-r", "marker,syscalls", *window, "trace.txt", status=1)
        ends = [json.loads(line) for line in stream.splitlines() if b'"region_leave"' in line]
        found = [(end["label"], round(end["t_rel"] * 1e9), end.get("crossing")) for end in ends]
        tap.ok(found == [("frame", 1000, True)], "a window of a text", *map(str, found))
        _, wrong = cases.run(folder, "export", *window, "--html=page.html", "trace.txt", status=1)
        tap.ok(Path(folder, "page.html").stat().st_size > 0, "its output is written", *wrong)


def check_memory(tap):
    """Memory does not grow with the length of a text."""
    environment = {name: value for name, value in os.environ.items() if "TRACE2" not in name}
    line = "app-10 [{}] {}.{:06}: sched_waking: comm=b pid=11 prio=120 target_cpu=000\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.txt")
        with open(path, "w") as out:
            out.writelines(line.format(number % 4, number // 10**6, number % 10**6) for number in range(MEMORY_LINES))
        run = subprocess.Popen([cases.KTRACK, "stat", "-r", "sched", path], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        size = path.stat().st_size
    tap.ok(run.returncode == 0 and size > 2 * 1024 * MEMORY_KIB, f"a text of {size} bytes is read", run.returncode)
    tap.ok(usage.ru_maxrss < MEMORY_KIB, f"{usage.ru_maxrss} KiB of memory for a long text")


@tested
def main(tap):
    """All checks."""
    for form in FORMS:
        check_form(tap, form, NAMES)
    check_own(tap)
    check_functions(tap)
    check_graph(tap)
    check_tracefs_graph(tap, "--update" in sys.argv[1:])
    check_graph_threads(tap)
    check_window(tap)
    check_input(tap)
    check_memory(tap)
    check_many(tap)
