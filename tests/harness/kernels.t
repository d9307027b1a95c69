#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: scripts/vm-kernel waits for another run; scripts/vm-modules builds modules also below a limit of CPU time, and refuses warnings.

Kernels are chosen without git, too. The build tools are a stand-in.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import process  # noqa: E402
from tap import tested  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]
# Makes a module that has the limit of its build, and warns on request.
STAND_IN = r"""#!/bin/bash
[ ! -e warns ] || echo "main.c:1:2: warning: this looks odd"
[ ! -e fails ] || exit 1
for word in "$@"; do case $word in M=*) ulimit -t >"${word#M=}/limit.ko" ;; esac done
"""


def children_of(pid):
    """The names of a process's children."""
    children = [one.pid for one in process.processes().values() if one.parent == pid]
    return [process.text_of(child, "comm").strip() for child in children]


def check_waiting(tap, folder):
    """A run that finds another one waits for its end, and reports that."""
    root, release = Path(folder), "6.12.0-amd64"
    (root / "scripts").mkdir()
    shutil.copy(PROJECT / "scripts/vm-kernel", root / "scripts")
    (root / "build/vm" / release).mkdir(parents=True)
    (root / "build/vm" / release / "vmlinuz").touch()
    (root / "build/vm/6.12.newest").write_text(f"{release}\n")
    with open(root / "build/vm/6.12.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        words = [root / "scripts/vm-kernel", "6.12"]
        waiting = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        message = waiting.stderr.readline()
        tap.ok(message == "vm-kernel: waiting for another run, which provides Linux 6.12\n", "a run that waits reports it", message)
        tap.ok(process.wait_for(lambda: "flock" in children_of(waiting.pid), waiting), "and waits")
    output, errors = process.communicate(waiting)
    wanted = (0, f"{root}/build/vm/{release}\n", "")
    tap.ok((waiting.returncode, output, errors) == wanted, "it goes on when the other run has ended", output, errors)


def builder(folder, limit_s):
    """A tree with stand-ins, and the command that builds its modules below a limit."""
    root = Path(folder)
    for name in ("scripts", "kmod", "include", "kernel"):
        (root / name).mkdir()
    shutil.copy(PROJECT / "scripts/vm-modules", root / "scripts")
    (root / "scripts/vm-tools").write_text(STAND_IN)
    (root / "scripts/vm-tools").chmod(0o755)
    (root / "Kbuild").write_text("")
    words = ["bash", "-c", f'ulimit -t {limit_s}; exec "$@"', "-", root / "scripts/vm-modules", root / "kernel", root / "out"]
    # Only with this capability, a limit can be raised.
    if os.geteuid() == 0:
        words[:0] = ["setpriv", "--bounding-set=-sys_resource"]
    return root, words


def built(folder, limit_s):
    """The exit status of a build below a limit, and the module."""
    root, words = builder(folder, limit_s)
    done = process.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    module = root / "out/limit.ko"
    return done.returncode, module.read_text().strip() if module.exists() else done.stderr


def check_warnings(tap, folder):
    """A build with a warning is an error, also when nothing has changed since; one without is none. Whatever fails is compiled again."""
    root, words = builder(folder, 500)
    (root / "warns").touch()
    (root / "fails").touch()
    done = process.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    tap.ok(done.returncode == 1 and not (root / "kernel/modules/sources").exists(), "what has warned is compiled again if another file has failed", done.stderr)
    (root / "fails").unlink()
    for what in ("a warning", "the same warning"):
        done = process.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        is_refused = done.returncode == 1 and "this looks odd" in done.stderr and not (root / "out").exists()
        tap.ok(is_refused, f"{what} is an error", done.returncode, done.stderr)
    (root / "warns").unlink()
    done = process.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    tap.ok(done.returncode == 0, "without it the modules are there", done.stderr)


def check_chosen(tap):
    """Which kernels a test takes depends on the commit, or on the sources."""
    script = "import pathlib, sys; sys.path[:0] = sys.argv[1:2]; import commit; print(*commit.ranked(pathlib.Path(sys.argv[2]), 'ab'))"
    done = subprocess.run([sys.executable, "-Bc", script, PROJECT / "tests", PROJECT], env={"PATH": ""}, capture_output=True, text=True, check=False)
    tap.ok(sorted(done.stdout.split()) == ["a", "b"], "kernels are chosen where there is no git", done.stderr)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        check_waiting(tap, folder)
    for limit_s, wanted_s in ((10000, "900"), (500, "500")):
        with tempfile.TemporaryDirectory() as folder:
            found = built(folder, limit_s)
        tap.ok(found == (0, wanted_s), f"below a limit of {limit_s} s, a build has {wanted_s} s", *found)
    with tempfile.TemporaryDirectory() as folder:
        check_warnings(tap, folder)
    check_chosen(tap)
