#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: scripts/deps asks for what is missing and nothing else; dpkg-query, apt-get and sudo are stand-ins."""

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

DEPS = Path(__file__).resolve().parents[2] / "scripts/deps"

STAND_INS = {
    "dpkg-query": 'case " $MISSING " in *" ${4:-none} "*) exit 1 ;; esac; echo installed',
    "apt-get": 'echo "apt-get $*" >>"$CALLS"; echo "words of apt"; case "$*" in *" $FAILING "*) exit 100 ;; esac',
    "sudo": 'echo sudo >>"$CALLS"; exec "$@"',
}
DEBIAN_12 = ("ID=debian", 'VERSION_ID="12"')


class Machine:
    """A scratch tree with the script, and a PATH on which the stand-ins come first."""

    def __init__(self, folder):
        self.root = Path(folder)
        (self.root / "scripts").mkdir()
        (self.root / "bin").mkdir()
        shutil.copy(DEPS, self.root / "scripts/deps")
        for name, script in STAND_INS.items():
            self.stand_in(f"bin/{name}", script)
        self.stand_in("scripts/vm-kernel", 'echo "vm-kernel $*" >>"$CALLS"')

    def stand_in(self, name, script):
        """A program that only writes down how it was called."""
        file = self.root / name
        file.write_text("#!/bin/sh\n" + script + "\n")
        file.chmod(0o755)

    def run(self, *words, missing="", failing="nothing"):
        """Exit status, output, and the calls of apt-get."""
        calls = self.root / "calls"
        calls.write_text("")
        # The caller of the tests may have set KTRACK_DEPS=skip.
        names = {
            "KTRACK_DEPS": "",
            "PATH": f"{self.root}/bin:{os.environ['PATH']}",
            "CALLS": str(calls),
            "MISSING": missing,
            "FAILING": failing,
        }
        command = [self.root / "scripts/deps", *words]
        done = process.run(
            command, env=os.environ | names, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        calls = [line for line in calls.read_text().splitlines() if line != "sudo"]
        return done.returncode, done.stdout + done.stderr, calls


def is_debian_12():
    """True where the script would install."""
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return False
    return all(line in lines for line in DEBIAN_12)


def check_decisions(tap, machine):
    """On Debian 12."""
    found = machine.run("build", "check")
    tap.ok(found == (0, "", []), "nothing is missing: nothing is printed or installed", *found)
    status, output, calls = machine.run("build", "check", missing="sparse libmd-dev")
    tap.ok(status == 0 and "installing libmd-dev sparse" in output, "missing packages are named", status, output)
    is_right = len(calls) == 2 and " update" in calls[0]
    is_right = is_right and calls[1].endswith("install --no-install-recommends --no-remove libmd-dev sparse")
    tap.ok(is_right, "the index is updated, only these are installed, nothing recommended, nothing removed", *calls)
    status, output, calls = machine.run("check", missing="libmd-dev")
    tap.ok((status, calls) == (0, []), "packages of other groups are not installed", status, output, *calls)
    status, output, calls = machine.run("check", missing="sparse", failing="update")
    tap.ok(status == 0 and len(calls) == 2, "a source that does not answer is no failure", status, output, *calls)
    status, output, calls = machine.run("check", missing="sparse", failing="install")
    tap.ok(status == 1 and "words of apt" in output, "a failure has apt's message", status, output)
    status, output, _ = machine.run("build", "browser", missing="chromium", failing="install")
    tap.ok(status == 0 and "without a browser" in output, "the browser is optional", status, output)


def check_demo(tap, machine):
    """The demo needs few packages."""
    status, output, calls = machine.run("build", "demo")
    tap.ok((status, calls) == (0, ["vm-kernel 6.12"]), "the demo fetches one kernel", output, *calls)
    status, output, calls = machine.run("vm")
    tap.ok((status, calls) == (0, ["vm-kernel 6.12", "vm-kernel 6.1"]), "tests fetch more", output, *calls)
    words = set(machine.run("--list", "build", "demo")[1].split())
    large = {"linux-source-6.1", "valgrind", "sparse", "chromium", "protobuf-compiler", "trace-cmd", "man-db"}
    tap.nothing(sorted(words & large), "the demo needs no package of the tests")
    tap.nothing(sorted({"gcc", "qemu-system-x86", "python3", "libtracefs-dev"} - words), "it needs an emulator and a compiler")


def check_usage(tap, machine):
    """Other systems, the list, unknown groups."""
    if not is_debian_12():
        status, output, calls = machine.run("check", missing="sparse")
        tap.ok(status == 1 and "sparse" in output and not calls, "another system prints what is missing", output, *calls)
    status, output, calls = machine.run("--list", "check", missing="sparse")
    is_right = status == 0 and {"python3", "shellcheck", "sparse"} <= set(output.split()) and not calls
    tap.ok(is_right, "--list only lists", output)
    tap.ok(machine.run("everything")[0] == 2, "an unknown group is refused")


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder)
        if is_debian_12():
            check_decisions(tap, machine)
            check_demo(tap, machine)
        check_usage(tap, machine)
