#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: scripts/vm brings back all that a guest script does, and tells its failures from the machine's."""

import hashlib
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import machine  # noqa: E402
from tap import Tap  # noqa: E402

STATUS_TIMEOUT = 124
STATUS_VM = 125
BIG_BYTES = 20_000_000

SURROUNDINGS = b"""
echo "user $(id -u) release $(uname -r) cpus $(nproc)"
echo "other $(su user -c 'id -u; cat /sys/kernel/tracing/trace 2>/dev/null || echo refused' | xargs)"
grep -q '^tracefs /sys/kernel/tracing ' /proc/mounts && echo tracefs
ip address show lo | grep -q 127.0.0.1 && echo loopback
echo again >/dev/stdout
ls /modules
"""

DAMAGED = b"""
cat /added/big | md5sum | cut -d ' ' -f 1
mkdir -p /out/folder && cp /added/big /out/folder/copy
seq 1 20000
"""


def run_typed(kernel, script, *arguments, options=()):
    """Runs a script given as bytes, without a look at its folder."""
    with machine.ran(kernel, "-", *arguments, options=options, typed=script) as result:
        result.dmesg = result.text("dmesg.log")
        result.console = result.text("console.log")
        return result


def check_surroundings(tap, kernel):
    """What a guest script may count on."""
    result = run_typed(kernel, SURROUNDINGS, options=("--cpus", "3"))
    lines = result.output.splitlines()
    tap.ok(result.status == 0, f"{kernel}: a script that ends well", result.errors)
    tap.ok(
        lines[:1] and lines[0].startswith(f"user 0 release {kernel}."),
        f"{kernel}: root on that kernel",
        *lines,
    )
    tap.ok(
        lines[:1] and lines[0].endswith(" cpus 3"), f"{kernel}: as many CPUs as asked for", *lines
    )
    tap.ok("other 1000 refused" in lines, f"{kernel}: an account without rights", *lines)
    for what in ("tracefs", "loopback", "again", "ktrack.ko", "ktrack_demo.ko"):
        tap.ok(what in lines, f"{kernel}: {what}", *lines)
    tap.ok(
        "Linux version " + kernel in result.dmesg,
        f"{kernel}: the kernel's messages are kept",
        result.dmesg[:500],
    )
    tap.ok(
        "Linux version" not in result.output + result.errors,
        f"{kernel}: and kept out of the output",
    )


def check_own_failure(tap, kernel):
    """Status, streams and words of a script that fails."""
    words = ["plain", "two words", "it's", "$HOME", "*", ""]
    script = b'for word in "$@"; do echo "<$word>"; done; echo trouble >&2; exit 7'
    result = run_typed(kernel, script, *words)
    tap.ok(result.status == 7, f"{kernel}: a script's own exit status", result.status)
    tap.ok(
        result.output.splitlines() == [f"<{word}>" for word in words],
        f"{kernel}: words arrive as they were",
        result.output,
    )
    tap.ok(result.errors == "trouble\n", f"{kernel}: standard error by itself", result.errors)


def check_bytes(tap, kernel):
    """A large file comes in and goes out as it is."""
    with machine.tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / "big"
        big.write_bytes(random.Random(1).randbytes(BIG_BYTES))
        wanted = hashlib.md5(big.read_bytes()).hexdigest()
        result = machine.run(
            folder, kernel, "-", typed=DAMAGED, options=("--add", f"{big}:/added/big")
        )
        copy = Path(folder) / "folder/copy"
        found = hashlib.md5(copy.read_bytes()).hexdigest() if copy.exists() else "nothing"
    lines = result.output.splitlines()
    tap.ok(lines[:1] == [wanted], f"{kernel}: an added file is whole", *lines[:3], result.errors)
    tap.ok(found == wanted, f"{kernel}: a file in /out comes back whole", found)
    tap.ok(
        lines[1:] == [str(number) for number in range(1, 20001)],
        f"{kernel}: all of a long output",
        *lines[-3:],
    )


def check_limits(tap, kernel):
    """A script that hangs, one that leaves a process behind, and a kernel that dies."""
    result = run_typed(kernel, b"echo begun; sleep 1000 & sleep 1000", options=("--timeout", "3"))
    tap.ok(
        result.status == STATUS_TIMEOUT,
        f"{kernel}: a script out of time",
        result.status,
        result.errors,
    )
    tap.ok(result.output == "begun\n", f"{kernel}: and what it said before", result.output)
    tap.ok("Show Blocked State" in result.dmesg, f"{kernel}: and who was stuck")
    result = run_typed(kernel, b"sleep 1000 & exit 3")
    tap.ok(
        result.status == 3,
        f"{kernel}: a process that is left behind holds up nothing",
        result.status,
        result.errors,
    )
    result = run_typed(kernel, b"echo begun; sleep 1; echo c >/proc/sysrq-trigger; sleep 1000")
    tap.ok(
        result.status == STATUS_VM, f"{kernel}: a kernel that dies", result.status, result.errors
    )
    tap.ok(
        result.output == "begun\n",
        f"{kernel}: and what the script said before, once",
        result.output,
    )
    tap.ok(
        "Kernel panic" in result.errors and "Kernel panic" in result.console,
        f"{kernel}: and how it died",
        result.errors,
    )


def check_side_by_side(tap):
    """Two machines at once know nothing of each other."""
    script = b'echo "$1" >/out/mine; sleep 2; echo "$1"'
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda number: run_typed("6.12", script, number), range(2)))
    found = [(result.status, result.output) for result in results]
    tap.ok(
        found == [(0, "0\n"), (0, "1\n")],
        "two machines at once",
        found,
        results[0].errors,
        results[1].errors,
    )


# Fails at each start but the last, as counted in a file beside it.
STUBBORN_QEMU = """#!/bin/sh
echo start >>"$0.starts"
[ "$(wc -l <"$0.starts")" -gt FAILURES ] || exit 1
exec REAL "$@"
"""


def run_stubborn(failures):
    """A run with an emulator that does not start so many times; says how often it was tried."""
    with machine.tempfile.TemporaryDirectory() as folder:
        stand_in = Path(folder) / "qemu-system-x86_64"
        real = shutil.which(stand_in.name)
        stand_in.write_text(
            STUBBORN_QEMU.replace("FAILURES", str(failures)).replace("REAL", real or "false")
        )
        stand_in.chmod(0o755)
        done = subprocess.run(
            [machine.PROJECT / "scripts/vm", "-"],
            env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"},
            input=b"echo once",
            capture_output=True,
            check=False,
        )
        starts = len(Path(f"{stand_in}.starts").read_text().splitlines())
        return done.returncode, done.stdout.decode(), starts


def check_boots(tap):
    """A machine that does not come up is tried again, but not for ever."""
    found = run_stubborn(failures=2)
    tap.ok(found == (0, "once\n", 3), "the third boot succeeds", *found)
    found = run_stubborn(failures=100)
    tap.ok(found == (STATUS_VM, "", 3), "three boots that fail are enough", *found)


def check_usage(tap):
    """What cannot even be begun."""
    for words in (
        [],
        ["--cpus", "many", "x"],
        ["--color", "x"],
        ["--kernel", "1.2", "-"],
        ["/no/such/script"],
    ):
        done = subprocess.run(
            [machine.PROJECT / "scripts/vm", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        tap.ok(
            done.returncode == STATUS_VM and done.stderr.startswith(b"vm"),
            f"refused: {' '.join(words) or 'nothing'}",
            done.returncode,
            done.stderr.decode(),
        )


def check_emulator(tap):
    """A crash with registers that cannot be is the emulator's; others are the kernel's."""
    line = "vm| [    5.4] RSP: 0018:ff417a7c8044b9b0 EFLAGS: {}\n"
    found = [machine.emulator_failed(line.format(flags)) for flags in ("00000202", "00010246", "42dbfbc2", "")]
    tap.ok(found == [False, False, True, False], "the emulator's own failures are recognized", found)


def main():
    tap = Tap()
    check_emulator(tap)
    for kernel in machine.KERNELS:
        check_surroundings(tap, kernel)
        check_own_failure(tap, kernel)
    check_bytes(tap, "6.1")
    check_bytes(tap, "6.12")
    check_limits(tap, "6.12")
    check_side_by_side(tap)
    check_boots(tap)
    check_usage(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
