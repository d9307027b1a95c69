#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack record stores programs' records as trace-cmd reads them, in every mode, and after ktrack was killed."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import KTRACK, build, exported, fired, lost, own_socket, read_events  # noqa: E402
from process import wait_for  # noqa: E402
from tap import tested  # noqa: E402

KILLS, DURATION_S = 20, 3


def export(path):
    """The events of a recording, and ktrack's messages."""
    target = path.with_suffix(".event")
    done = subprocess.run([KTRACK, "export", f"--event={target}", path], capture_output=True, text=True, check=False)
    return read_events(target), done.stderr


def record(folder, words, *options):
    """Records a command; returns its output, the recording and ktrack's messages."""
    path = Path(folder) / "trace.dat"
    path.unlink(missing_ok=True)
    done = subprocess.run([KTRACK, "record", "--programs", "-o", path, *options, "--", *words], capture_output=True, text=True, check=False)
    return done.stdout, path, done.stderr


def check_modes(tap, load, folder):
    """Fired = exported + lost in each mode, with little memory and with enough. A ring has all that its thread writes if nothing is to be lost."""
    for mode, size, has_lost in (("streaming", "1024", False), ("circular", "8192", False), ("circular", "64", True), ("oneshot", "64", True), ("streaming", "64", False)):
        # A recorder that does not get to run reads all that rings have at once.
        pairs = 20000 if has_lost else 4500
        output, path, messages = record(folder, [load, "4", str(pairs), "2000"], f"--mode={mode}", "-b", size)
        events, more = export(path)
        number, is_unknown = lost(events)
        tap.ok(fired(output) == exported(events) + number == 8 * pairs and not is_unknown, f"{mode}, {size} KiB: fired = exported + lost", exported(events), number, messages, more)
        tap.ok((number > 0) == has_lost == ("lost" in messages), f"{mode}, {size} KiB: {'something' if has_lost else 'nothing'} is lost, and reported", number, messages)


def check_limits(tap, load, folder):
    """Where few files may be open, a recording has all records and names, or does not begin and leaves nothing."""
    begun = refused = 0
    for limit in range(6, 48, 3):
        folder.mkdir()
        command = ["prlimit", f"--nofile={limit}:{limit}", KTRACK, "record", "--programs", "-o", folder / "trace.dat", "--", load, "1", "100", "1000"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            events, messages = export(folder / "trace.dat")
            names = {event["value"].get("comm") for event in events if event["event"] == "data_json" and event.get("category") == "track"}
            is_right = fired(done.stdout) == exported(events) > 0 and names == {"load"} and not messages
            begun += 1
        else:
            refused += "too few files may be open for this recording" in done.stderr
            is_right = done.returncode == 125 and done.stderr.count("\n") == 1 and not list(folder.iterdir())
        tap.ok(is_right, f"at most {limit} open files", done.returncode, done.stdout, done.stderr, list(folder.iterdir()))
        shutil.rmtree(folder)
    tap.ok(begun > 0 and refused > 0, "some allow so few that it does not begin, though it could", begun, refused)


def check_duration(tap, folder):
    """The duration is the command's, however long a recording takes to begin: here, until somebody reads that it is ready."""
    path, (begin, end) = folder / "trace.dat", os.pipe2(os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while os.write(end, bytes(4096)):
            pass
    for fd in (begin, end):
        os.set_blocking(fd, True)
    path.unlink(missing_ok=True)
    command = [KTRACK, "record", "--programs", "-d", str(DURATION_S), f"--ready-fd={end}", "-o", path, "--", "cat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=[end]) as recorder:
        os.close(end)
        time.sleep(DURATION_S + 0.5)
        begin_s = time.monotonic()
        with open(begin, "rb") as ready:
            ready.read()
        over = next((line for line in recorder.stderr if "the recording is over, 'cat' still runs" in line), "")
        took_s = time.monotonic() - begin_s
        recorder.communicate()
    tap.ok(over and took_s > DURATION_S - 0.1, "the duration begins with the command", over, took_s)


def check_contents(tap, load, folder):
    """The file has names of ended threads; trace-cmd reads all its records; the events are those of a stream."""
    output, path, _ = record(folder, [load, "4", "1000", "1000", "threads", "fork", "exec"])
    events, messages = export(path)
    tap.ok(fired(output) == exported(events) and not messages, "a recording of threads, children and executed programs", fired(output), exported(events), messages)
    names = {event["value"].get("comm") for event in events if event["event"] == "data_json" and event.get("category") == "track"}
    tap.ok(names == {"load", "exe"}, "ended threads have names", names)
    shown = subprocess.run(["trace-cmd", "report", path], capture_output=True, text=True, check=False)
    lines = [line for line in shown.stdout.splitlines() if re.search(r"programs:\s+(?:load|exe)-\d+\s+\[000\]\s*[\d.]+: prog_one:\s+(B slice_name=pair|E slice_name=) bytes=\d+$", line)]
    tap.ok(len(lines) == fired(output), "trace-cmd reads all records", len(lines), shown.stdout[:300], shown.stderr)
    done = subprocess.run([KTRACK, "export", "--buffer=programs", "--event", path], capture_output=True, text=True, check=False)
    tap.ok(done.stdout.count('"region_enter"') * 2 == fired(output), "the buffer has a name")


QUIET = """\
#define _GNU_SOURCE
#include <ktrack/user.h>
KTRACK_SLICE(quiet_work);
static void *work(void *argument)
{
	pthread_setname_np(pthread_self(), "worker");
	ktrack_guard(quiet_work, "work");
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return usleep(500000);
}
"""


def check_process(tap, folder):
    """A program whose main thread emits nothing has its name, as the process of its threads, in Chrome's file and Perfetto's."""
    source, program = Path(folder) / "quiet.c", Path(folder) / "quiet"
    source.write_text(QUIET)
    subprocess.run(["gcc", f"-I{HERE.parents[1]}/include", "-o", program, source, "-pthread"], check=True)
    chrome, perfetto = Path(folder) / "quiet.json", Path(folder) / "quiet.pftrace"
    outputs = [f"--chrome={chrome}", f"--perfetto={perfetto}"]
    _, path, messages = record(folder, [program])
    subprocess.run([KTRACK, "export", *outputs, path], check=True)
    for command in ("record", "stream"):
        if command == "stream":
            messages = subprocess.run([KTRACK, "stream", "--programs", *outputs, "--", program], capture_output=True, text=True, check=False).stderr
        events = json.loads(chrome.read_text())
        names = {one["args"]["name"] for one in events if one.get("name") == "process_name"}
        tap.ok(names == {"quiet", "ktrack"}, f"{command}: a program whose main thread emits nothing has its name", names, messages)
        tap.ok(b"quiet" in perfetto.read_bytes().replace(b"quiet_work", b"").replace(bytes(program), b""), f"{command}: for Perfetto, too")


def started(program, folder):
    """A program that emits until it is killed, and the file in which it counts."""
    count = Path(folder) / "count"
    count.unlink(missing_ok=True)
    return subprocess.Popen([program, "1", "1", "1000", "wait"], env={**os.environ, "COUNT": str(count)}, stdout=subprocess.DEVNULL)


def check_killed(tap, load, folder):
    """ktrack record is killed; ktrack recover makes a file of what was moved to the spool."""
    process = started(load, folder)
    try:
        kill_recorders(tap, process, folder)
    finally:
        process.kill()
        process.wait()


def kill_recorders(tap, process, folder):
    """Kills a recorder at each moment, while the program runs."""
    problems = []
    for i in range(KILLS):
        path = Path(folder) / f"killed{i}.dat"
        spooled = Path(f"{path}.spool") / "programs"
        recorder = subprocess.Popen([KTRACK, "record", "--programs", "-o", path], stderr=subprocess.DEVNULL)
        if not wait_for(lambda: spooled.exists() and spooled.stat().st_size > 4096 * (1 + i % 5), recorder):
            problems.append(f"round {i}: nothing recorded")
        time.sleep(0.003 * i)
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
        size = spooled.stat().st_size
        done = subprocess.run([KTRACK, "recover", path], capture_output=True, text=True, check=False)
        if done.returncode != 0 or not path.exists():
            problems.append(f"round {i}: {done.stderr}")
            continue
        events, messages = export(path)
        if exported(events) < size // 4096 * 40 or "damage" in messages:
            problems.append(f"round {i}: {exported(events)} events of {size} bytes; {messages}")
    tap.nothing(problems, f"ktrack record is killed at {KILLS} moments and recovered")
    tap.ok(process.poll() is None, "the program still runs")


def check_ring(tap, load, folder):
    """A part of the ring is too small, which is reported with what helps; -b does not."""
    command = [KTRACK, "record", "--programs", "--program-ring=4k", "-o", f"{folder}/ring.dat", "--", load, "1", "50000", "0"]
    messages = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    is_right = "did not fit into rings of programs, try a larger --program-ring than 4k" in messages and " -b " not in messages
    tap.ok(is_right, "a loss names the rings of programs", messages)


def written(pid):
    """How often a process has called write(2) and the like."""
    return int(re.search(r"^syscw: (\d+)$", Path(f"/proc/{pid}/io").read_text(), re.MULTILINE)[1])


def check_batches(tap, load, folder):
    """What a program has written while the recorder did not run is one pass, and becomes few pieces of the file."""
    path, pairs = Path(folder) / "batches.dat", 4000
    spooled, least = Path(f"{path}.spool") / "programs", 50 * pairs
    begin, end = os.pipe()
    recorder = subprocess.Popen([KTRACK, "record", "--programs", f"--ready-fd={end}", "-o", path], stderr=subprocess.PIPE, text=True, pass_fds=[end])
    os.close(end)
    with open(begin, "rb") as ready:
        ready.read()
    program = subprocess.Popen([load, "1", str(pairs), "0", "halves"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    wait_for(lambda: spooled.stat().st_size > least, recorder, program)
    recorder.send_signal(signal.SIGSTOP)
    before = written(recorder.pid)
    output = program.communicate("x")[0]
    recorder.send_signal(signal.SIGCONT)
    wait_for(lambda: spooled.stat().st_size > 2 * least, recorder)
    calls, size = written(recorder.pid) - before, spooled.stat().st_size
    recorder.send_signal(signal.SIGTERM)
    messages = recorder.communicate()[1]
    tap.ok(fired(output) == exported(export(path)[0]) == 4 * pairs, "a recorder that was stopped", output, messages)
    tap.ok(calls < (size - least) / 4096 / 4, "sub-buffers are written in pieces", calls, size)


SIZED = """\
#include <ktrack/user.h>
#include <stdlib.h>
KTRACK_SLICE(sized_plain);
KTRACK_SLICE(sized_one, KTRACK_FIELD(uint64_t, number));
int main(int argc, char **argv)
{
	for (int i = 0, count = atoi(argv[1]); i < count; i++) {
		if (argc > 2) {
			ktrack_guard(sized_one, "parse", (uint64_t)random());
		} else {
			ktrack_guard(sized_plain, "parse");
		}
	}
	return 0;
}
"""
# What an event adds to the file, with a name of five letters.
EVENT_BYTES = {"an event": ((), 30, 18), "an event with a number of 64 bits": (("one",), 38, 18)}


def check_sizes(tap, folder):
    """Bytes of the file, and of the same by zstd, of so many events more."""
    source, program = Path(folder) / "sized.c", Path(folder) / "sized"
    source.write_text(SIZED)
    subprocess.run(["gcc", "-O2", f"-I{HERE.parents[1]}/include", "-o", program, source], check=True)
    for name, (words, *most) in EVENT_BYTES.items():
        sizes = []
        for pairs in (1000, 11000):
            _, path, messages = record(folder, [program, str(pairs), *words])
            packed = subprocess.run(["zstd", "-qc", path], stdout=subprocess.PIPE, check=True).stdout
            sizes.append((path.stat().st_size, len(packed)))
        found = [(many - few) / 20000 for few, many in zip(*sizes, strict=True)]
        is_small = all(0 < size <= limit for size, limit in zip(found, most, strict=True))
        tap.ok(is_small and not messages, f"{name}: at most {most[0]} bytes of the file, {most[1]} of it compressed", found, messages)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        load = build(folder)
        check_modes(tap, load, folder)
        check_duration(tap, Path(folder))
        check_limits(tap, load, Path(folder) / "limited")
        check_contents(tap, load, folder)
        check_sizes(tap, folder)
        check_process(tap, folder)
        check_ring(tap, load, folder)
        check_batches(tap, load, folder)
        check_killed(tap, load, folder)
