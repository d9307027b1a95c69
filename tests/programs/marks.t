#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: descriptors are the program's: it may be started without any, close all, and open others in their place."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import KTRACK, Recorder, build, has_events, own_socket  # noqa: E402
from process import wait_for  # noqa: E402
from tap import tested  # noqa: E402

USER = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def check_closed(tap, load, folder):
    """The memory of a program without standard files is in none of their places."""
    recorder = Recorder(folder, "closed")
    count = Path(folder) / "count"
    program = subprocess.Popen(["sh", "-c", f"exec {load} 1 1 10000 wait <&- >&- 2>&-"], env={**os.environ, "COUNT": str(count)})
    tap.ok(wait_for(lambda: has_events(recorder), recorder.process), "a program without standard files is recorded")
    standard = [number for number in os.listdir(f"/proc/{program.pid}/fd") if int(number) <= 2 and "memfd" in os.readlink(f"/proc/{program.pid}/fd/{number}")]
    tap.nothing(standard, "its memory is no standard file")
    recorder.stop()
    program.kill()
    program.wait()


def check_daemon(tap, folder):
    """A daemon keeps its files, and is recorded from its start."""
    daemon = build(folder, "daemon", source="daemon.c")
    journal = Path(folder) / "journal"
    recorder = Recorder(folder, "first")
    process = subprocess.Popen([daemon, journal])
    tap.ok(wait_for(lambda: has_events(recorder), recorder.process), "a daemon that closes all descriptors is recorded")
    tap.ok(journal.read_text() == "parent\nchild\n", "its child writes to the file that it opened", journal.read_text())
    names = {line["label"] for line in recorder.stop() if line["event"] == "region_enter"}
    tap.ok(names == {"parent", "child"}, "and is recorded, too", names, recorder.messages)
    return process


def may_open_mappings(pid):
    """Whether this machine lets root open the mappings of a process."""
    try:
        folder = Path(f"/proc/{pid}/map_files")
        return bool([os.stat(path) for path in folder.iterdir()])
    except OSError:
        return False


def check_found(tap, folder, process):
    """A daemon whose mark was closed is found by its mappings."""
    if not may_open_mappings(process.pid):
        tap.skip("a running daemon is found", "mappings cannot be opened")
        return
    recorder = Recorder(folder, "second")
    tap.ok(wait_for(lambda: has_events(recorder), recorder.process), "a running daemon that has closed all descriptors is found")
    recorder.stop()


def check_user(tap, load, folder):
    """A ktrack without root finds a running program of its user by its mark."""
    prefix = USER if os.geteuid() == 0 else ()
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o777)
        for path in (load, KTRACK):
            (Path(home) / path.name).write_bytes(path.read_bytes())
            (Path(home) / path.name).chmod(0o755)
        program = subprocess.Popen([*prefix, f"{home}/load", "1", "1", "10000", "wait"], env={**os.environ, "COUNT": f"{home}/count"}, stdout=subprocess.DEVNULL)
        wait_for(lambda: Path(f"{home}/count").exists())
        event = Path(home) / "event"
        recorder = subprocess.Popen([*prefix, f"{home}/ktrack", "stream", "--programs", f"--event={event}"], env={**os.environ, "TMPDIR": home}, stderr=subprocess.PIPE, text=True)
        is_found = wait_for(lambda: event.exists() and "region_leave" in event.read_text())
        recorder.send_signal(signal.SIGINT)
        tap.ok(is_found, "without root, a running program is found", recorder.communicate()[1])
        program.kill()
        program.wait()


@tested
def main(tap):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        load = build(folder)
        check_closed(tap, load, folder)
        process = check_daemon(tap, folder)
        check_found(tap, folder, process)
        process.kill()
        process.wait()
        check_user(tap, load, folder)
