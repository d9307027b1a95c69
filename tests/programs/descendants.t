#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: --programs with a command records the command and its descendants, whatever their environment, parents and lives; --programs=all the machine."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from process import text_of, wait_for  # noqa: E402
from programs import Recorder, build, children_of, exported, own_socket, read_events  # noqa: E402
from tap import tested  # noqa: E402

# Bytes that ktrack writes in many rounds.
MUCH = 10000000
# A child that announces itself, one to which the socket is unknown, and one that has also lost its parent.
SCRIPT = '''
"$0/inner" 1 50 0
env -i KTRACK_USER_SOCKET="$0/nobody" COUNT="$0/clean.count" "$0/clean" 1 1 10000 wait &
sh -c 'env -i KTRACK_USER_SOCKET="$0/nobody" COUNT="$0/orphan.count" "$0/orphan" 1 1 10000 wait & echo $! >"$0/orphan.pid"' "$0"
read line
kill $!
'''
# Programs that do not know the socket and end at once: with a child, and with a parent that ends meanwhile; the shell waits for their output.
SHORT_LIVES = 15
SHORT = f'''
for i in $(seq {SHORT_LIVES}); do
	env -i "$0/short" 1 1 0 fork
	echo "$(sh -c 'env -i "$0/short" 1 1 0 &' "$0")"
done
read line
'''


def comms_of(recorder):
    """The names of the programs that a recorder has written so far."""
    text = recorder.event.read_text() if recorder.event.exists() else ""
    return {name for name in ("outer", "inner", "clean", "orphan") if f'"comm":"{name}"' in text}


def state_of(pid):
    """The state of a process, nothing if there is none."""
    return text_of(pid, "stat").rpartition(")")[2].strip()[:1]


def check_descendants(tap, folder):
    """Only what the command started is recorded, and what ends without a parent is no zombie."""
    recorder = Recorder(folder, "own", "--programs", "--", "sh", "-c", SCRIPT, folder, stdin=subprocess.PIPE)
    wanted = {"inner", "clean", "orphan"}
    tap.ok(wait_for(lambda: comms_of(recorder) >= wanted, recorder.process), "descendants without the socket or a parent are found", comms_of(recorder))
    orphan = int((Path(folder) / "orphan.pid").read_text())
    tap.ok(orphan in children_of(recorder.process.pid), "ktrack is the parent of the one that lost its own")
    os.kill(orphan, signal.SIGKILL)
    enough = recorder.event.stat().st_size + MUCH
    wait_for(lambda: state_of(orphan) == "" or recorder.event.stat().st_size > enough, recorder.process)
    tap.ok(state_of(orphan) == "", "it is no zombie after its end", state_of(orphan))
    messages = recorder.process.communicate("\n")[1]
    tap.ok(recorder.process.returncode == 0, "the end of the command is the end", messages)
    tap.ok(comms_of(recorder) == wanted, "a program that runs already is not recorded", comms_of(recorder))


def check_short(tap, folder):
    """No search finds what ends at once: it finds ktrack by its ancestors, which it has in common with its children. Nobody else is recorded, even if it knows the socket."""
    recorder = Recorder(folder, "short", "--programs", "--", "sh", "-c", SHORT, folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    fired = [recorder.process.stdout.readline() for _ in range(2 * SHORT_LIVES)]
    command = next(pid for pid in children_of(recorder.process.pid) if text_of(pid, "comm") == "sh\n")
    variable = next(word for word in Path(f"/proc/{command}/environ").read_text().split("\0") if word.startswith("KTRACK_USER_SOCKET="))
    subprocess.run([f"{folder}/outer", "1", "1", "0"], env=dict([variable.split("=", 1)]), check=True, stdout=subprocess.DEVNULL)
    messages = recorder.process.communicate("\n")[1]
    events = read_events(recorder.event)
    tap.ok(exported(events) == 6 * SHORT_LIVES, "short lives without the socket are recorded, also those of children and orphans", exported(events), fired, messages)
    comms = {event["value"].get("comm") for event in events if event["event"] == "data_json" and event.get("category") == "track"}
    tap.ok(comms == {"short"}, "one that was told the socket and is no descendant is not", comms)


def address_of(pid):
    """Where a ktrack of that number listens for descendants."""
    start = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return f"\0ktrack-user/{pid}/{start}".encode().ljust(108, b"\0")


def check_others(tap, folder):
    """An ancestor that is no ktrack is not asked: whoever listens at its number can delay no program."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address_of(os.getpid()))
        listener.listen()
        listener.setblocking(False)
        subprocess.run([f"{folder}/outer", "1", "1", "0"], env={}, check=True, stdout=subprocess.DEVNULL)
        try:
            listener.accept()[0].close()
            is_asked = True
        except BlockingIOError:
            is_asked = False
    tap.ok(not is_asked, "an ancestor of another name is not asked")


def check_taken(tap, folder):
    """One who has taken ktrack's address and accepts nothing delays no program, and ktrack says so."""
    looks = []

    def take():
        """In the process that becomes ktrack; its parent has the sockets, too."""
        listener.bind(address_of(os.getpid()))
        listener.listen(0)
        caller.connect(address_of(os.getpid()))

    def waiting():
        """The program, if it sleeps in many looks."""
        pids = [pid for pid in children_of(recorder.process.pid) if state_of(pid) == "S" and text_of(pid, "comm") == "short\n"]
        looks.extend(pids)
        return pids if len(looks) > 15 else []

    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller:
        recorder = Recorder(folder, "taken", "--programs", "--", "env", "-i", f"{folder}/short", "1", "1", "0", preexec_fn=take)
        found = wait_for(lambda: recorder.process.poll() is None and waiting(), recorder.process)
        for pid in found or []:
            os.kill(pid, signal.SIGKILL)
        messages = recorder.process.communicate()[1]
    tap.ok(not found, "a full queue at ktrack's address delays no program", looks)
    tap.ok("cannot listen for descendants" in messages, "ktrack says that its address is taken", messages)


def check_machine(tap, folder):
    """All programs, beside a command."""
    recorder = Recorder(folder, "all", "--programs=all", "--", "sh", "-c", "read line", stdin=subprocess.PIPE)
    tap.ok(wait_for(lambda: "outer" in comms_of(recorder), recorder.process), "--programs=all records those that run already")
    recorder.process.communicate("\n")


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        for name in ("outer", "inner", "clean", "orphan", "short"):
            build(folder, name)
        outer = subprocess.Popen([f"{folder}/outer", "1", "1", "10000", "wait"], env={**os.environ, "COUNT": f"{folder}/outer.count"}, stdout=subprocess.DEVNULL)
        check_descendants(tap, folder)
        check_short(tap, folder)
        check_others(tap, folder)
        check_taken(tap, folder)
        check_machine(tap, folder)
        outer.kill()
        outer.wait()
