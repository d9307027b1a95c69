# SPDX-License-Identifier: GPL-2.0-only
"""Programs with ktrack/user.h, and recordings of them."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "stream")]

from process import text_of  # noqa: E402
from reading.stream import read_plain  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]
KTRACK = PROJECT / "build/ktrack"
SOURCES = PROJECT / "tests/programs"
# How long programs wait for ktrack's answer: on a busy machine, ktrack may not run for seconds.
PATIENCE = "-D__KTRACK_ANSWER_MS=120000"
FLAGS = ["-O2", "-Wall", "-Wextra", "-Werror", f"-I{PROJECT / 'include'}", f"-I{SOURCES}", "-pthread"]

# A program whose memory cannot be opened without waiting.
LEASED = """\
#define _GNU_SOURCE
#include <ktrack/user.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
int main(void)
{
	char path[32];
	signal(SIGIO, SIG_IGN);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ktrack_user3_process.fd);
	if (fcntl(open(path, O_RDONLY), F_SETLEASE, F_RDLCK) < 0)
		return 1;
	puts("leased");
	fflush(stdout);
	return pause();
}
"""


def build(folder, name="load", compiler=("gcc",), more=(), source="load.c", patience=PATIENCE):
    """Builds a program under a name; returns its path."""
    path = Path(folder) / name
    subprocess.run([*compiler, *FLAGS, patience, "-o", path, *more, SOURCES / source], check=True)
    return path


def own_socket(folder):
    """A socket of the test's own: ktrack finds no programs that do not use it, and no other ktrack finds the test's."""
    os.environ["KTRACK_USER_SOCKET"] = str(Path(folder) / "user.sock")
    for name in [name for name in os.environ if name.startswith(("KTRACK_TRACE2", "GIT_TRACE2"))]:
        del os.environ[name]


def own_programs(folder):
    """The option that records only programs of a folder, for tests without a socket of their own."""
    return f"--programs={folder}/*"


def stream(words, *options, check=True, programs="--programs"):
    """Records a command and its descendants, or other programs; returns its standard output, the events as dictionaries, and ktrack's messages."""
    folder = Path(os.environ["KTRACK_USER_SOCKET"]).parent
    target = folder / "stream.event"
    target.unlink(missing_ok=True)
    command = [KTRACK, "stream", programs, f"--event={target}", *options, "--", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout, read_events(target), done.stderr


def read_events(path):
    """The lines of an EVENT file."""
    return read_plain(Path(path).read_text())


def fired(output):
    """What the programs counted."""
    return sum(int(number) for number in re.findall(r"^fired (\d+)$", output, re.MULTILINE))


def exported(events):
    """How many begins and ends became events; ends without their begins have a counter."""
    enters = sum(event["event"] == "region_enter" for event in events)
    leaves = sum(event["event"] == "region_leave" and not event.get("unfinished") for event in events)
    return enters + leaves + unmatched(events)


def unmatched(events):
    """Ends without a begin, which slices behind a loss have."""
    return sum(event["count"] for event in events if event["event"] == "counter" and event["name"] == "unmatched_ends")


def lost(events):
    """Records that losses count, and whether one has no number."""
    losses = [event["args"] for event in events if event["event"] == "error" and "records" in event.get("args", {})]
    return sum(loss["records"] or 0 for loss in losses), any(loss["records"] is None for loss in losses)


class Recorder:
    """A ktrack stream that runs until it is stopped."""

    def __init__(self, folder, name, *options, **more):
        self.event = Path(folder) / f"{name}.event"
        read_fd, write_fd = os.pipe()
        words = [KTRACK, "stream", f"--event={self.event}", f"--ready-fd={write_fd}", *(options or ["--programs"])]
        self.process = subprocess.Popen(words, pass_fds=[write_fd], stderr=subprocess.PIPE, text=True, **more)
        os.close(write_fd)
        with os.fdopen(read_fd) as ready:
            self.is_ready = ready.read() == "ready\n"

    def stop(self, number=signal.SIGINT):
        """Ends it; returns its events."""
        self.process.send_signal(number)
        self.messages = self.process.communicate()[1]
        return read_events(self.event) if number == signal.SIGINT else []


def children_of(pid):
    """The processes that a process has started."""
    return [int(word) for word in text_of(pid, f"task/{pid}/children").split()]


def helper_of(recorder):
    """The helper process of a recorder."""
    return children_of(recorder.process.pid)[0]


def reader_of(recorder):
    """The process that reads the memory of programs for a recorder; 0 while there is none."""
    readers = [pid for pid in children_of(helper_of(recorder)) if text_of(pid, "comm") == "ktrack-reader\n"]
    return readers[0] if readers else 0


def kill_all(recorder):
    """Kills a recorder and its helpers, so that programs stay switched on."""
    pids = [helper_of(recorder), reader_of(recorder)]
    for pid in filter(None, pids):
        os.kill(pid, signal.SIGKILL)
    recorder.stop(signal.SIGKILL)


def has_events(recorder):
    """Whether the recorder has exported a slice."""
    return recorder.event.exists() and "region_leave" in recorder.event.read_text()
