# SPDX-License-Identifier: GPL-2.0-only
"""Runs programs and waits for conditions; only CPU time limits them, so that a busy machine changes no verdict.

The wall clock ends only what used no CPU for ten minutes. Less than a hundredth is none: whoever waits by looking again
and again uses that much itself. A program that others stop, or that waits for a CPU, has all the time that it needs.
"""

import fcntl
import os
import signal
import struct
import subprocess
import termios
import time
from contextlib import suppress

# tests/mutants sets another time: what a mutant makes a test wait for may never come.
IDLE_S, IDLE_SHARE = int(os.environ.get("TEST_IDLE_S", "600")), 0.01
CPU_S = 60
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
# The longest time between two looks that counts: whoever was stopped itself has not seen whether others ran.
STEP_S = 2


class Overrun(Exception):
    """A program that used more CPU time than it may, or none for too long."""


class Process:
    """A row of /proc."""

    def __init__(self, text):
        number, _, rest = text.partition(" (")
        fields = rest.rpartition(") ")[2].split()
        self.pid, self.state = int(number), fields[0]
        self.parent, self.group, self.session = map(int, fields[1:4])
        self.cpu_s = sum(map(int, fields[11:15])) * TICK_S  # its own, and that of children that it waited for
        self.key = (self.pid, fields[19])  # numbers are used again, but not with the same start


def processes():
    """All processes, by number."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
            found[int(name)] = Process(file.read())
    return found


def text_of(pid, name):
    """The text of /proc/PID/NAME, nothing if the process has ended, at any moment."""
    with suppress(OSError), open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
        return file.read()
    return ""


class Family:
    """A process and those that it started, also in groups and sessions of their own, and when their parents have ended."""

    def __init__(self, pid):
        self.keys, self.leaders, self.cpu_s = set(), set(), 0.0
        found = processes().get(pid)
        if found:
            self.keys.add(found.key)
        self.members()

    def is_led(self, number, found):
        """Whether one of the family leads, or led, a group or session."""
        return number in self.leaders and (number not in found or found[number].key in self.keys)

    def members(self):
        """Those that are there now; also adds up their CPU time."""
        found = processes()
        ours, others = [], list(found.values())
        is_more = True
        while is_more:
            pids = {one.pid for one in ours}
            new = [
                one for one in others
                if one.key in self.keys or one.parent in pids or self.is_led(one.group, found) or self.is_led(one.session, found)
            ]
            self.keys |= {one.key for one in new}
            self.leaders |= {one.pid for one in new if one.pid in (one.group, one.session)}
            ours, others, is_more = ours + new, [one for one in others if one not in new], bool(new)
        # A number that leads nobody may be used again.
        self.leaders &= {number for one in ours for number in (one.group, one.session)}
        # One process after another is read: what ends meanwhile is missing, and counts with its parent the next time.
        self.cpu_s = max(self.cpu_s, sum(one.cpu_s for one in ours))
        return ours

    def signal(self, number):
        """Sends a signal to all that run; returns how many there are."""
        running = [one for one in self.members() if one.state not in "ZX"]
        for one in running:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, number)
        return len(running)

    def end(self, reap=lambda: None):
        """Ends all; they have ten seconds to clean up. @reap waits for those that have ended."""
        for _ in range(100):
            if not self.signal(signal.SIGTERM):
                return
            self.signal(signal.SIGCONT)  # who is stopped gets no other signal
            reap()
            time.sleep(0.1)
        while self.signal(signal.SIGKILL):
            reap()
            time.sleep(0.01)


class Watch:
    """The limits of a family."""

    def __init__(self, pid, cpu_s=CPU_S, idle_s=IDLE_S):
        self.family, self.limit_s, self.idle_limit_s = Family(pid), cpu_s, idle_s
        self.begin_s = self.busy_s = self.family.cpu_s
        self.idle_s, self.seen_s = 0.0, time.monotonic()

    def overrun(self):
        """What a family did that ends it; None if it may go on. To be called about every second."""
        self.family.members()
        now_s, used_s = time.monotonic(), self.family.cpu_s
        self.idle_s += min(now_s - self.seen_s, STEP_S)
        self.seen_s = now_s
        if used_s - self.busy_s > max(TICK_S, self.idle_limit_s * IDLE_SHARE):
            self.busy_s, self.idle_s = used_s, 0.0
        if used_s - self.begin_s > self.limit_s:
            return f"it used more than {self.limit_s:g} s of CPU"
        return f"it used no CPU for {self.idle_limit_s:g} s" if self.idle_s > self.idle_limit_s else None


def communicate(process, sent=None, cpu_s=CPU_S):
    """Like the method of a subprocess.Popen, within limits; raises Overrun."""
    watch = None
    while True:
        try:
            return process.communicate(sent, timeout=1)
        except subprocess.TimeoutExpired:
            watch, sent = watch or Watch(process.pid, cpu_s), None
        problem = watch.overrun()
        if problem:
            watch.family.signal(signal.SIGKILL)
            output = process.communicate()
            raise Overrun(f"{process.args}: {problem}; it printed {output}")


def run(words, cpu_s=CPU_S, check=False, capture_output=False, **more):
    """Like subprocess.run, with a limit of CPU time for the command and all that it starts; raises Overrun."""
    sent = more.pop("input", None)
    if sent is not None:
        more["stdin"] = subprocess.PIPE
    if capture_output:
        more |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, **more) as process:
        try:
            output = communicate(process, sent, cpu_s)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(process.args, process.returncode, *output)
    if check:
        done.check_returncode()
    return done


def wait(process, cpu_s=CPU_S):
    """The exit status of a subprocess.Popen, within limits; raises Overrun."""
    watch = None
    while True:
        try:
            return process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            watch = watch or Watch(process.pid, cpu_s)
        problem = watch.overrun()
        if problem:
            watch.family.signal(signal.SIGKILL)
            raise Overrun(f"{process.args}: {problem}")


def wait_for(condition, *watched, cpu_s=CPU_S, most_pause_s=0.5):
    """The value of a condition once it is true; its last value if a watched subprocess.Popen ends or exceeds its limits."""
    watches, pause_s, seen_s = [], 0.01, time.monotonic()
    while True:
        has_ended = [one.poll() for one in watched].count(None) < len(watched)
        found = condition()
        if found or has_ended:
            return found
        time.sleep(pause_s)
        pause_s = min(1.5 * pause_s, most_pause_s)
        if time.monotonic() - seen_s > 1:
            watches = watches or [Watch(one.pid, cpu_s) for one in watched]
            seen_s = time.monotonic()
            if any(watch.overrun() for watch in watches):
                return found


def fill_pipe(command, folder):
    """(descriptor, Popen) of a command that writes to @folder/pipe, which nobody reads: it waits because the pipe is full."""
    os.mkfifo(f"{folder}/pipe")
    pipe = os.open(f"{folder}/pipe", os.O_RDWR)
    writer = subprocess.Popen(command, cwd=folder)

    def is_waiting():
        (size,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
        return size > 32768 and processes()[writer.pid].state == "S"

    wait_for(is_waiting, writer)
    return pipe, writer
