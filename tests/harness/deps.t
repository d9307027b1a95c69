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

from tap import Tap  # noqa: E402

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
        names = {
            "PATH": f"{self.root}/bin:{os.environ['PATH']}",
            "CALLS": str(calls),
            "MISSING": missing,
            "FAILING": failing,
        }
        done = subprocess.run(
            [self.root / "scripts/deps", *words],
            env=os.environ | names,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        return (
            done.returncode,
            done.stdout.decode(),
            [line for line in calls.read_text().splitlines() if line != "sudo"],
        )


def is_debian_12():
    """True where the script would install."""
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return False
    return all(line in lines for line in DEBIAN_12)


def check_decisions(tap, machine):
    """What it does on Debian 12."""
    status, output, calls = machine.run("build", "check")
    tap.ok(
        (status, output, calls) == (0, "", []),
        "nothing missing: nothing said, nothing done",
        status,
        output,
        *calls,
    )
    status, output, calls = machine.run("build", "check", missing="sparse libmd-dev")
    tap.ok(
        status == 0 and "installing libmd-dev sparse" in output,
        "what is missing is named",
        status,
        output,
    )
    tap.ok(
        len(calls) == 2 and " update" in calls[0], "the index is brought up to date first", *calls
    )
    tap.ok(
        calls[1:]
        and calls[1].endswith("install --no-install-recommends --no-remove libmd-dev sparse"),
        "only that is installed, nothing recommended, nothing removed",
        *calls,
    )
    status, output, calls = machine.run("check", missing="libmd-dev")
    tap.ok(
        (status, calls) == (0, []),
        "another group's packages are not asked for",
        status,
        output,
        *calls,
    )
    status, output, calls = machine.run("check", missing="sparse", failing="update")
    tap.ok(
        status == 0 and len(calls) == 2,
        "a source that does not answer is no reason to give up",
        status,
        output,
        *calls,
    )
    status, output, calls = machine.run("check", missing="sparse", failing="install")
    tap.ok(
        status == 1 and "words of apt" in output, "apt's own words when it fails", status, output
    )


def check_browser(tap, machine):
    """The browser is welcome, but nothing fails without it."""
    status, output, calls = machine.run("browser", missing="chromium")
    is_right = status == 0 and len(calls) == 2 and calls[1].endswith(" chromium")
    tap.ok(is_right, "the browser is installed", status, output, *calls)
    status, output, _ = machine.run("build", "browser", missing="chromium", failing="install")
    is_right = status == 0 and "without a browser" in output
    tap.ok(is_right, "without the browser it goes on", status, output)
    status, output, _ = machine.run("build", "browser", missing="gcc", failing="install")
    tap.ok(status == 1, "but not without what is needed", status, output)


def check_demo(tap, machine):
    """The demo is what people run first: it has to be there soon."""
    status, output, calls = machine.run("build", "demo")
    tap.ok((status, calls) == (0, ["vm-kernel 6.12"]), "the demo fetches one kernel", output, *calls)
    status, output, calls = machine.run("vm")
    tap.ok((status, calls) == (0, ["vm-kernel 6.12", "vm-kernel 6.1"]), "tests fetch more", output, *calls)
    _, output, _ = machine.run("--list", "build", "demo")
    words = set(output.split())
    large = {"linux-source-6.1", "valgrind", "sparse", "chromium", "protobuf-compiler", "trace-cmd", "man-db"}
    tap.nothing(sorted(words & large), "the demo needs no package of the tests")
    tap.ok({"gcc", "qemu-system-x86", "python3", "libtracefs-dev"} <= words, "but an emulator and a compiler", output)


def check_elsewhere(tap, machine):
    """What it does on another system."""
    status, output, calls = machine.run("check", missing="sparse")
    tap.ok(
        status == 1 and "sparse" in output and not calls,
        "another system is told what it lacks",
        status,
        output,
        *calls,
    )


def check_usage(tap, machine):
    """The list, and words that mean nothing."""
    status, output, calls = machine.run("--list", "check", missing="sparse")
    tap.ok(
        status == 0 and {"python3", "shellcheck", "sparse"} <= set(output.split()) and not calls,
        "--list only lists",
        output,
    )
    tap.ok(machine.run("everything")[0] == 2, "an unknown group is refused")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder)
        if is_debian_12():
            check_decisions(tap, machine)
            check_browser(tap, machine)
            check_demo(tap, machine)
        else:
            check_elsewhere(tap, machine)
        check_usage(tap, machine)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
