#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what ktrack shows on a terminal: progress of long operations, the closing line, colours."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from tap import tested  # noqa: E402
from terminal import Shown  # noqa: E402

PROJECT = HERE.parents[1]
KTRACK = PROJECT / "build/ktrack"
SCRIPT = PROJECT / "tests/golden/filters.script"
PAUSE_S = 0.03
RULE = "instant my:level event=demo:level name=level"


def quiet_environment():
    """Settings of the user who runs the tests do not count."""
    for name in [name for name in os.environ if name.startswith("KTRACK_TRACE2") or name == "NO_COLOR"]:
        del os.environ[name]


LARGE = """
event demo:work 101 char track_event_type; string slice_name
repeat 20000
+100 8@1 work B handle
+100 8@1 work E handle
end
"""


def recordings_make():
    """A small recording, twice, one with losses, and one of a MiB."""
    make = PROJECT / "tests/golden/mktrace"
    Path("large.script").write_text(LARGE)
    for script, name in (
        (SCRIPT, "trace.dat"), (SCRIPT, "a b.dat"), (PROJECT / "tests/golden/recorded-selection.script", "kept.dat"), (PROJECT / "tests/golden/loss-on-two-cpus.script", "lost.dat"), (PROJECT / "tests/golden/rules-sched-6.12.script", "sched.dat"), ("large.script", "large.dat"),
    ):
        subprocess.run([make, script, name], check=True)


def check_closing(tap):
    """The last line reports what was written and lost, and a command that works."""
    for words, wanted in (
        (["export", "--html=page.html", "--event=x.event", "trace.dat"], "x.event, page.html: 9 events, nothing lost; next: open page.html in a browser"),
        (["export", "--perfetto=x.pftrace", "trace.dat"], "x.pftrace: 9 events, nothing lost; next: open x.pftrace in ui.perfetto.dev"),
        (["export", "trace.dat"], "trace.dat: 9 events, nothing lost; next: ktrack stat trace.dat"),
        (["stat", "trace.dat"], "trace.dat: 9 events, nothing lost; next: ktrack export --html=page.html trace.dat"),
        (["query", "trace.dat", "SELECT 1"], "trace.dat: 9 events, nothing lost; next: ktrack export --html=page.html trace.dat"),
        (
            ["stat", "-e", "other,demo:io", "-r", RULE, "trace.dat"],
            f"trace.dat: 9 events, nothing lost; next: ktrack export --html=page.html -e other,demo:io -r '{RULE}' trace.dat",
        ),
        (["export", "a b.dat"], "a b.dat: 9 events, nothing lost; next: ktrack stat 'a b.dat'"),
    ):
        shown = Shown([KTRACK, *words])
        last = shown.screen()[-1]
        tap.ok(shown.status == 0 and last == f"ktrack: {wanted}", f"ktrack {' '.join(words)}: {wanted}", shown.text)
        command = wanted.partition("next: ktrack ")[2]
        if command:
            done = subprocess.run(f"{KTRACK} {command}", shell=True, capture_output=True, text=True, check=False)
            tap.ok(done.returncode == 0, "and that command works", done.stderr)
    shown = Shown([KTRACK, "why", "kept.dat", "*"])
    tap.ok(shown.screen()[-1].endswith("; next: ktrack export --html=page.html kept.dat"), "a recording with its selection needs no other", shown.text)
    shown = Shown([KTRACK, "stat", "-r", "sched", "-r", "irq", "-r", "block", "sched.dat"])
    tap.ok(shown.screen()[-1].endswith("; next: ktrack export --html=page.html -r sched,irq,block sched.dat"), "packs of several -r are one list", shown.text)
    shown = Shown([KTRACK, "stat", "--pid=99999", "trace.dat"])
    tap.ok("no track events match --pid" in shown.text and "nothing lost" not in shown.text, "without events, their absence is reported, and nothing is recommended", shown.text)
    for words, wanted in (([], "no program with ktrack/user.h has emitted events"), (["--programs=nosuch"], "no program that --programs names has emitted events")):
        shown = Shown([KTRACK, "record", *(words or ["--programs"]), "-o", "none.dat", "--", "true"])
        tap.ok(f"ktrack: none.dat: no records: {wanted}; 'ktrack list" in shown.text, f"without records: {wanted}", shown.text)
    shown = Shown([KTRACK, "export", "lost.dat"])
    tap.ok("lost" in shown.screen()[-1] and "nothing lost" not in shown.text, "losses are part of it", shown.text)
    subprocess.run([KTRACK, "export", "-q", "--sqlite=a b.db", "trace.dat"], check=True)
    subprocess.run([KTRACK, "export", "-q", "--sqlite=lost.db", "lost.dat"], check=True)
    for words, wanted in (
        (("a b.db", "SELECT 1 UNION SELECT 2"), "a b.db: 2 rows, nothing lost; next: ktrack query 'a b.db' @slowest"),
        (("a b.db", "@slowest", "limit=1"), "a b.db: 1 row, nothing lost; next: ktrack query 'a b.db' @names"),
    ):
        shown = Shown([KTRACK, "query", *words])
        tap.ok(shown.screen() == [f"ktrack: {wanted}"], f"of a database: {wanted}", shown.text)
        done = subprocess.run(f"{KTRACK} {wanted.partition('next: ktrack ')[2]}", shell=True, capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 0 and done.stdout, "and that command works", done.stderr)
    of_database, of_file = Shown([KTRACK, "query", "lost.db", "SELECT 1"]).screen(), Shown([KTRACK, "query", "lost.dat", "SELECT 1"]).screen()
    losses = [lines[-1].split("; next")[0].split(", ", 1)[1] for lines in (of_database, of_file)]
    tap.ok(losses[0] == losses[1] and "lost" in losses[0] and "nothing" not in losses[0], "with the losses of its recording", *losses)
    command = "ktrack stream -r sched,irq --html=page.html -- sleep 1"
    for sudo, words in (("", ["env", "-u", "SUDO_UID"]), ("sudo ", ["env", "SUDO_UID=0"])):
        shown = Shown([*words, KTRACK, "list", "--rules"])
        tap.ok(shown.screen()[-1].endswith(f"rules; next: {sudo}{command}"), f"a list has one: {sudo}ktrack", shown.text)


def check_silence(tap):
    """There is none without a terminal, after a failure, or with --quiet."""
    done = subprocess.run([KTRACK, "stat", "trace.dat"], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0 and done.stderr == "", "no closing line without a terminal", done.stderr)
    for option in ("-q", "--quiet"):
        shown = Shown([KTRACK, "stat", option, "trace.dat"])
        tap.ok(shown.status == 0 and shown.text == "", f"nor with {option}", shown.text)
    shown = Shown([KTRACK, "stat", "nosuch.dat"])
    tap.ok(shown.status == 1 and "next:" not in shown.text, "nor after a failure", shown.text)


def drain_slowly(path, seconds):
    """Reads a pipe so slowly that its writer needs longer than @seconds."""
    until = time.monotonic() + seconds
    with open(path, "rb", buffering=0) as pipe:
        while pipe.read(65536):
            if time.monotonic() < until:
                time.sleep(PAUSE_S)


def export_slowly(words, seconds):
    """An export whose output is read slowly."""
    os.mkfifo("slow")
    reader = threading.Thread(target=drain_slowly, args=("slow", seconds))
    reader.start()
    shown = Shown([KTRACK, "export", "--event=slow", *words])
    reader.join()
    os.unlink("slow")
    return shown


def check_progress(tap):
    """A long export shows how far it is, and removes the line."""
    shown = export_slowly(["large.dat"], 10)
    lines = shown.progress()
    steps = [line for line in lines if line.startswith("large.dat: ") and "% of " in line and line.endswith(" events")]
    tap.ok(shown.status == 0 and len(steps) >= 2, "an export of more than a second shows progress", shown.text, *lines)
    tap.ok(not any("% of" in line for line in shown.screen()), "and removes it", shown.text)
    tap.ok(shown.screen()[-1].startswith("ktrack: slow: "), "before the closing line", shown.text)
    shown = export_slowly(["-q", "large.dat"], 1.5)
    tap.ok(shown.status == 0 and not shown.progress() and "next:" not in shown.text, "--quiet shows none", shown.text)


def feed_slowly(path, pipe, is_shown):
    """Writes the second half of a file to a pipe when ktrack has shown that it read the first half."""
    content = Path(path).read_bytes()
    half = len(content) // 2
    with open(pipe, "wb", buffering=0) as out:
        out.write(content[:half])
        is_shown.wait()
        out.write(content[half:])


def check_pipe_progress(tap):
    """How much of a pipe was read is shown, also while its writer pauses."""
    reading, writing = os.pipe()
    half_mib = Path("large.dat").stat().st_size / 2 / 1024 / 1024
    wanted = f"standard input: {half_mib:.1f} MiB"
    is_shown = threading.Event()
    writer = threading.Thread(target=feed_slowly, args=("large.dat", writing, is_shown))
    writer.start()
    shown = Shown([KTRACK, "export", "--event=pipe.event", "-"], stdin=reading, see=lambda text: wanted.encode() in text and is_shown.set())
    os.close(reading)
    writer.join()
    tap.ok(shown.status == 0 and wanted in shown.progress(), f"a slow pipe shows {wanted}", shown.text)
    tap.ok(shown.screen()[-1].startswith("ktrack: pipe.event: ") and not any("MiB" in line for line in shown.screen()), "and removes it", shown.text)
    with open("trace.dat", "rb") as small:
        shown = Shown([KTRACK, "export", "-"], stdin=small)
    tap.ok(shown.screen()[-1].startswith("ktrack: standard input: 9 events"), "the closing line names standard input", shown.text)


def check_colour(tap):
    """Colours only on a terminal, and not with NO_COLOR."""
    for words, environment, wanted in (
        (["stat", "large.dat"], {}, True), (["stat", "large.dat"], {"NO_COLOR": "1"}, False), (["stat", "large.dat"], {"NO_COLOR": ""}, True),
    ):
        shown = Shown([KTRACK, *words], also_output=True, **environment)
        tap.ok(("\x1b[" in shown.text.replace("\x1b[K", "")) == wanted, f"colours with {environment}: {wanted}", shown.text[:500])
    done = subprocess.run([KTRACK, "stat", "large.dat"], capture_output=True, text=True, check=False)
    tap.ok("\x1b" not in done.stdout + done.stderr, "and none in a file", done.stdout[:500])


@tested
def main(tap):
    """All checks."""
    quiet_environment()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        recordings_make()
        check_closing(tap)
        check_silence(tap)
        check_progress(tap)
        check_pipe_progress(tap)
        check_colour(tap)
