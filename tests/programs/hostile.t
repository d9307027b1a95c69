#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: programs that send files whose close blocks delay neither other programs nor ktrack's end."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import FLAGS, KTRACK, LEASED, Recorder, build, exported, fired, lost, own_socket  # noqa: E402
from tap import tested  # noqa: E402


def check_hostile(tap, load, kind, words):
    """Beside a hostile program, an honest one is recorded, and ktrack ends, while the close still waits."""
    socket = Path(os.environ["KTRACK_USER_SOCKET"])
    recorder = Recorder(socket.parent, kind)
    hostile = subprocess.Popen([*words[:1], socket, *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if hostile.stdout.readline() != "sent\n":
        tap.skip(f"{kind}: a hostile program", hostile.communicate()[1].strip())
        recorder.stop()
        return
    output = subprocess.run([load, "2", "500", "1000"], stdout=subprocess.PIPE, text=True, check=True).stdout
    events = recorder.stop()
    tap.ok(fired(output) == exported(events) > 0 and lost(events) == (0, False), f"{kind}: an honest program is recorded", fired(output), exported(events), recorder.messages)
    tap.ok(recorder.process.returncode == 0 and hostile.poll() is None and not socket.exists(), f"{kind}: ktrack ends", recorder.process.returncode, recorder.messages)
    hostile.kill()
    hostile.wait()


def check_lease(tap, load, folder):
    """A program whose memory cannot be opened without waiting is named at the end, and is no loss of others."""
    source, program = Path(folder) / "leased.c", Path(folder) / "leased"
    source.write_text(LEASED)
    subprocess.run(["gcc", *FLAGS, "-o", program, source], check=True)
    leased = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    tap.ok(leased.stdout.readline() == "leased\n", "a program has a lease on its memory")
    recorder = Recorder(folder, "leased")
    output = subprocess.run([load, "2", "500", "1000"], stdout=subprocess.PIPE, text=True, check=True).stdout
    events = recorder.stop()
    tap.ok(f"1 program was not recorded, or only in part: leased ({leased.pid}): its memory has a lease" in recorder.messages, "the end names it", recorder.messages)
    tap.ok(fired(output) == exported(events) > 0 and lost(events) == (0, False), "an honest program is recorded", fired(output), exported(events), recorder.messages)
    done = subprocess.run([KTRACK, "doctor"], capture_output=True, text=True, check=False)
    tap.ok(f"leased ({leased.pid}): its memory has a lease" in done.stdout, "ktrack doctor names it", done.stdout, done.stderr)
    leased.kill()
    leased.wait()


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        load = build(folder)
        check_lease(tap, load, folder)
        hostile = build(folder, "hostile", source="hostile.c")
        check_hostile(tap, load, "a socket that lingers", [hostile, "linger"])
        mounted = Path(folder) / "mounted"
        mounted.mkdir()
        check_hostile(tap, load, "a file of FUSE", [hostile, "fuse", mounted])
        subprocess.run(["umount", "-l", mounted], stderr=subprocess.DEVNULL, check=False)
