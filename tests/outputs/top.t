#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the interactive view of ktrack stat --live on a terminal: columns, keys, sizes, and how it is left."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import view  # noqa: E402
import process  # noqa: E402
from tap import tested  # noqa: E402
from view import View  # noqa: E402

PROJECT = HERE.parents[1]
KTRACK = PROJECT / "build/ktrack"
DRIVER = PROJECT / "build/tests/outputs/top"
# Longer than the test: tables are copied only when the view is resumed.
NEVER_MS = 3_600_000
HOSTILE = b"a\x1b]0;owned\x07b\xff\xe2\x80\xae\x9bc"
# By name: durations in ns. The orders by count, total, mean, min and max differ.
SLICES = {"a": [100, 100, 100, 100], "b": [5000], "c": [10, 9000], "d": [3000, 4000, 4500]}


def started(rows=24, columns=120, interval_ms=NEVER_MS, **environment):
    """The driver with its view."""
    one = View([DRIVER, interval_ms], rows, columns, ASAN_OPTIONS="detect_leaks=0", **environment)
    one.wait(lambda lines: any(line.startswith("q quit") for line in lines))
    return one


def refresh(one):
    """Pauses and resumes, which copies the tables."""
    one.type("p")
    one.wait_text("PAUSED")
    one.type("p")
    one.wait(lambda lines: not any("PAUSED" in line for line in lines))


def with_slices(**options):
    one = started(**options)
    one.order(*[["slice", "t", name, ns] for name, all_ns in SLICES.items() for ns in all_ns])
    refresh(one)
    return one


def names(one):
    """The second column of the table."""
    return [line.split()[1] for line in one.lines()[3:-1] if line]


def titles(one):
    return one.lines()[2].split()


def check_columns(tap):
    """Columns of the last interval and of the whole recording."""
    one = with_slices(columns=140)
    wanted = ["TRACK", "NAME", "+COUNT", "+TOTAL", "+MEAN", "COUNT", "TOTALv", "SHARE", "SELF", "MIN", "MEAN", "P50", "P99", "MAX", "TRACEPOINT"]
    tap.ok(titles(one) == wanted, "columns of the interval have a +, the sort column is marked", *one.lines())
    row = next(line for line in one.lines() if line.startswith("t      d"))
    tap.ok(row.split()[2:9] == ["3", "11.5us", "3.83us", "3", "11.5us", "44.4%", "11.5us"], "the first interval has all slices", row)
    one.order(["slice", "t", "d", 500])
    refresh(one)
    row = next(line for line in one.lines() if line.startswith("t      d"))
    tap.ok(row.split()[2:9] == ["1", "500ns", "500ns", "4", "12.0us", "45.4%", "12.0us"], "the next one only those in it", row)
    one.close()


def check_sort(tap):
    """Rows are sorted by each column, both ways."""
    one = with_slices(columns=140)
    mean = {name: sum(all_ns) / len(all_ns) for name, all_ns in SLICES.items()}
    keys = {"COUNT": lambda n: -len(SLICES[n]), "TOTAL": lambda n: -sum(SLICES[n]), "MEAN": lambda n: -mean[n], "MIN": lambda n: -min(SLICES[n]),
            "MAX": lambda n: -max(SLICES[n]), "NAME": lambda n: n, "SELF": lambda n: -sum(SLICES[n]), "P99": lambda n: -max(SLICES[n])}
    found = set()
    for _ in titles(one):
        before = titles(one)
        marked = next(title for title in before if title.endswith("v"))
        key = keys.get(marked[:-1].lstrip("+"))
        if key:
            found.add(marked)
            tap.ok(names(one) == sorted(SLICES, key=key), f"sorted by {marked[:-1]}", *one.lines())
        one.type(view.RIGHT)
        one.wait(lambda lines: lines[2].split() != before)
    tap.ok(len(found) == len(keys) + 3, "the right arrow goes round all columns", *found)
    one.type(view.LEFT)
    one.wait(lambda lines: "SELF" in lines[2] and "TOTALv" not in lines[2])
    one.type(">r")
    one.wait_text("TOTAL^")
    tap.ok(names(one) == sorted(SLICES, key=lambda n: sum(SLICES[n])), "r reverses the order", *one.lines())
    one.close()


def check_filter(tap):
    """A filter is part of a text, in any case; what is typed is safe."""
    one = started()
    one.order(["slice", "queue0", "Read", 1], ["slice", "queue1", "write", 2], ["slice", "queue1", "überlauf", 3])
    refresh(one)
    for typed, wanted in (("/REA", ["Read"]), ("\x15que", ["überlauf", "write", "Read"]), ("\x15Ü\x7füber", ["überlauf"]), ("\x15nothing", [])):
        one.type(typed)
        tap.ok(one.wait(lambda lines: names(one) == wanted), f"filter {typed!r}: {len(wanted)} rows", *one.lines())
    one.type("\x15queue1\r")
    tap.ok(one.wait_text("2 of 3 slices  filter: queue1", "q quit"), "Enter keeps it, the status has both numbers", *one.lines())
    one.type("\x1b")
    tap.ok(one.wait(lambda lines: lines[1] == "3 slices"), "Esc clears it", *one.lines())
    one.close()


def check_pause(tap):
    """A paused view stands still, and can be sorted, filtered and looked at."""
    one = with_slices(rows=50)
    one.type("p")
    one.wait_text("PAUSED")
    one.order(["slice", "t", "e", 7], ["slice", "t", "c", 1])
    one.type("<>/c\r\r")
    tap.ok(one.wait_text("BELOW", "NAME"), "the detail of a row", *one.lines())
    tap.ok(any(line.split() == ["COUNT", "2"] for line in one.lines()), "has the counts before the pause", *one.lines())
    one.type("\x1b")
    one.wait_text("PAUSED", "filter: c")
    one.type("\x1bp")
    tap.ok(one.wait(lambda lines: lines[1] == "5 slices"), "afterwards all is there", *one.lines())
    one.close()


def check_detail(tap):
    """Percentiles and the histogram of the selected row, which stays selected when the order changes."""
    one = with_slices(rows=50)
    tap.ok(one.marked() and one.marked()[0].split()[1] == "d", "the first row is selected", *one.marked())
    one.type(view.DOWN)
    one.wait(lambda lines: one.marked()[0].split()[1] == "c")
    one.order(*[["slice", "t", "a", 100000]] * 3)
    refresh(one)
    tap.ok(names(one)[0] == "a" and one.marked()[0].split()[1] == "c", "it stays selected in another place", *one.lines())
    one.type("\r")
    one.wait_text("percentile 99.9", "BELOW")
    rows = [line.split() for line in one.lines()]
    histogram = [row for row in rows if len(row) == 5 and row[3] == "50.0%"]
    tap.ok([row[2] for row in histogram] == ["1", "1"] and histogram[0][:2] == ["0ns", "64ns"], "a bar for each of its two slices", *one.lines())
    tap.ok(["NAME", "c"] in rows and ["percentile", "25", "10ns"] in rows and ["TRACEPOINT", "demo:work"] in rows, "percentiles and texts", *one.lines())
    one.resize(12, 60)
    one.wait_text("q quit")
    one.type(view.END)
    tap.ok(one.wait_text("8.19us"), "it scrolls to its end", *one.lines())
    one.type("\rg")
    tap.ok(one.wait_text("<> sort"), "Enter goes back", *one.lines())
    one.close()


def check_header(tap):
    """Events, losses and messages, without their control characters."""
    one = started(columns=200)
    one.order(["progress", "123 events, 45/s, 0 lost"], ["slice", HOSTILE, HOSTILE, 1])
    refresh(one)
    tap.ok("123 events, 45/s, 0 lost" in one.lines()[0] and one.screen.buffer[0][0].bold, "the header has events and losses", *one.lines())
    tap.ok(one.wait_text(r"a\x1b]0;owned\x07b\xff\xe2\x80\xae\x9bc"), "names are shown with escapes", *one.lines())
    tap.ok(b"owned\x07" not in one.raw and b"\xe2\x80\xae" not in one.raw, "and change nothing on the terminal")
    one.order(["lost", 7], ["progress", "123 events, 0/s, 7 lost"], ["message", b"mydrv: unloaded \x1b[2J"])
    refresh(one)
    tap.ok(one.wait(lambda lines: "7 lost" in lines[0] and r"mydrv: unloaded \x1b[2J" in lines[1]), "losses and messages are shown", *one.lines())
    tap.ok(one.screen.buffer[0][0].fg == "red", "in red", one.screen.buffer[0][0])
    one.type("q")
    one.wait_end()
    tap.ok(one.errors == "driver: mydrv: unloaded \x1b[2J\n", "messages are reported after the view, once", one.errors)
    one.close()


def check_kinds(tap):
    """Tab shows counters and instants."""
    one = started()
    one.order(["counter", "depth", 5], ["counter", "depth", -3], ["counter", "speed", 9], ["instant", "t", "irq"])
    refresh(one)
    one.type("\t")
    one.wait_text("2 counters")
    tap.ok(one.lines()[3].split() == ["depth", "2", "2", "5", "-3", "-3", "5", "demo:work"], "counters with their levels", *one.lines())
    one.type(">>r")
    tap.ok(one.wait(lambda lines: "LAST^" in lines[2] and lines[3].startswith("depth")), "sorted by their last value", *one.lines())
    one.type("\t")
    tap.ok(one.wait(lambda lines: lines[1] == "1 instant" and lines[3].split()[:4] == ["t", "irq", "1", "1"]), "instants with their counts", *one.lines())
    one.close()


def check_sizes(tap):
    """Every size of the terminal has a view; many rows scroll."""
    one = started(rows=24)
    one.order(*[["slice", "track", f"name{i:03}", 1000 - i] for i in range(300)])
    refresh(one)
    for rows, columns in ((10, 80), (60, 250), (5, 30), (2, 3), (1, 1), (24, 80)):
        before = len(one.raw)
        one.resize(rows, columns)
        one.wait(lambda lines: len(one.raw) > before)
        refresh_lines = one.wait(lambda lines: rows < 4 or (lines[-1].startswith("q quit"[:columns]) and lines[3].startswith("track")))
        tap.ok(refresh_lines and one.process.poll() is None, f"{rows} lines of {columns}", *one.lines())
    lines = one.lines()
    tap.ok(len(names(one)) == 20 and names(one)[0] == "name000" and "Tab counters" in lines[-1], "a terminal of 80 columns has all keys", *lines)
    one.type(view.PAGE_DOWN)
    one.type(view.DOWN)
    tap.ok(one.wait(lambda lines: one.marked()[0].split()[1] == "name021"), "pages scroll", *one.lines())
    one.type(view.END)
    tap.ok(one.wait(lambda lines: names(one)[-1] == "name299" and one.marked()[0].split()[1] == "name299"), "to the last row", *one.lines())
    one.close()


def check_ends(tap):
    """However it ends, the terminal is restored, and the tables of the whole recording follow."""
    for what, end, status in (
        ("q", lambda one: one.type("q"), 0), ("Ctrl-C", lambda one: one.type("\x03"), 0), ("SIGTERM", lambda one: one.send(), 0),
        ("an error", lambda one: one.order(["fail"]), 1), ("the recording's end", lambda one: one.order(["end"]), 0),
    ):
        one = with_slices()
        end(one)
        found = one.wait_end()
        tap.ok(found == status and one.is_restored() and view.ENTER_VIEW in one.raw, f"{what}: status {status}, the terminal is restored", one.errors, one.raw[-200:])
        after = one.raw.rpartition(view.LEAVE_VIEW)[2]
        tap.ok((b"percentiles are within" in after) == (status == 0), f"{what}: {'tables follow' if status == 0 else 'no tables'}", after)
        one.close()


def check_stopped(tap):
    """A terminal that was stopped by Ctrl-S does not hold up the end; one that is gone ends the view."""
    one = with_slices(interval_ms=20)
    one.type("\x13")
    one.send()
    tap.ok(process.wait(one.process) == 1, "Ctrl-S: SIGTERM ends it", one.process.returncode)
    one.close()
    one = with_slices(interval_ms=20)
    os.close(one.own)
    one.own = os.open("/dev/null", os.O_RDONLY)
    tap.ok(process.wait(one.process) in (0, 1), "a closed terminal ends it")
    one.close()


def is_idle(one, seconds=1):
    """Whether the program uses almost no time of the processor."""
    def used():
        fields = Path(f"/proc/{one.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    before = used()
    begin_s = time.monotonic()
    time.sleep(seconds)
    return used() - before <= 10 * (time.monotonic() - begin_s)


def check_idle(tap):
    """Between the intervals it sleeps, also after keys."""
    one = with_slices()
    one.type("jj")
    one.wait(lambda lines: one.marked()[0].split()[1] == names(one)[2])
    tap.ok(is_idle(one), "no key and no event: no work")
    one.close()


def check_jobs(tap):
    """Ctrl-Z, fg, bg and kill of a shell."""
    one = View(["bash", "--norc", "--noprofile", "-i"], columns=120, with_commands=False, PS1="prompt> ", ASAN_OPTIONS="detect_leaks=0")
    one.wait_text("prompt>")
    cooked = lambda: view.termios.tcgetattr(one.terminal)[3] & view.termios.ICANON  # noqa: E731
    os.mkfifo("commands")
    one.type(f"{DRIVER} {NEVER_MS} 3<>commands 4>/dev/null\n")
    tap.ok(one.wait_text("q quit") and not cooked(), "a job shows the view", *one.lines())
    for turn in range(2):
        one.type("\x1a")
        tap.ok(one.wait_text("Stopped") and one.raw.count(view.LEAVE_VIEW) == turn + 1, "Ctrl-Z leaves it", *one.lines())
        one.screen.reset()
        one.type("fg\n")
        tap.ok(one.wait_text("q quit", "ktrack stat --live") and one.raw.count(view.ENTER_VIEW) == turn + 2, "fg shows it again", *one.lines())
    one.type("\x1a")
    one.wait_text("Stopped")
    one.screen.reset()
    one.type("kill %1; wait %1; echo status=$?\n")
    tap.ok(one.wait(lambda lines: any(line.startswith("status=") for line in lines)), "a suspended job can be ended", *one.lines())
    one.type("stty -a\n")
    tap.ok(one.wait_text(" icanon", " echo "), "and leaves the shell's modes", *one.lines())
    one.close()


def check_choice(tap):
    """Which runs have the view: examined with a terminal that cannot show it."""
    message = "TERM=nonsense: unknown to ncurses; --no-top prints tables only"
    for words, has_view in (([], True), (["--no-top"], False), (["--json"], False), (["--", "true"], False), (["-p", "1"], True)):
        one = View([KTRACK, "stat", "--live", "-d", "0.1", *words], with_commands=False, TERM="nonsense")
        one.wait_end()
        tap.ok((message.encode() in one.raw) == has_view, f"stat --live {' '.join(words)}: {'a' if has_view else 'no'} view", one.raw)
        one.close()
    done = subprocess.run([KTRACK, "stat", "--live", "-d", "0.1"], stdin=subprocess.DEVNULL, capture_output=True, check=False, env={**os.environ, "TERM": "nonsense"})
    tap.ok(b"nonsense" not in done.stderr, "none in a pipe", done.stderr)
    done = subprocess.run([KTRACK, "stat", "--no-top", "x"], capture_output=True, text=True, check=False)
    tap.ok((done.returncode, done.stderr) == (2, "ktrack: --no-top: needs --live\n"), "--no-top needs --live", done.stderr)


def check_library(tap):
    """Without ncurses one line says what to install."""
    Path("none.c").write_text('#include <stddef.h>\n#include <string.h>\nvoid *dlopen(const char *name, int flags) { (void)name; (void)flags; return NULL; }\n')
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "none.so", "none.c"], check=True)
    one = View([KTRACK, "stat", "--live", "-d", "0.1"], columns=200, with_commands=False, LD_PRELOAD=os.path.abspath("none.so"))
    one.wait_end()
    wanted = "libncursesw.so.6: cannot be loaded; install ncurses 6 (Debian's package libncursesw6); --no-top prints tables only"
    tap.ok(wanted.encode() in one.raw, "a missing library is named", one.raw)
    linked = subprocess.run(["ldd", KTRACK], capture_output=True, text=True, check=True).stdout
    tap.ok(not re.search("ncurses|tinfo", linked), "ktrack is not linked with it", linked)
    one.close()


@tested
def main(tap):
    """All checks."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for check in (check_columns, check_sort, check_filter, check_pause, check_detail, check_header, check_kinds, check_sizes, check_ends, check_stopped, check_idle, check_jobs, check_choice, check_library):
            check(tap)
        os.chdir("/")
