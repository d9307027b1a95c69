#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: scripts/vm returns all results of a guest script, and distinguishes its failures from the VM's."""

import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import machine  # noqa: E402
from tap import tested  # noqa: E402

STATUS_TIMEOUT = 124
STATUS_VM = 125
BIG_BYTES = 20_000_000

# All that a script may count on, in one boot; a process that stays behind delays nothing.
SCRIPT = b"""
echo "user $(id -u) release $(uname -r) cpus $(nproc)"
echo "other $(su user -c 'id -u; cat /sys/kernel/tracing/trace 2>/dev/null || echo refused' | xargs)"
grep -q '^tracefs /sys/kernel/tracing ' /proc/mounts && echo tracefs
ip address show lo | grep -q 127.0.0.1 && echo loopback
echo again >/dev/stdout
ls /modules
for word in "$@"; do echo "<$word>"; done
cat /added/big | md5sum | cut -d ' ' -f 1
mkdir -p /out/folder && cp /added/big /out/folder/copy
echo trouble >&2
seq 1 20000
sleep 1000 &
exit 7
"""


def run_typed(kernel, script, *arguments, options=()):
    """Runs a script given as bytes."""
    with machine.ran(kernel, "-", *arguments, options=options, typed=script) as result:
        result.dmesg = result.text("dmesg.log")
        result.console = result.text("console.log")
        return result


def check_script(tap, kernel):
    """Arguments of a guest script, and its results."""
    words = ["plain", "two words", "it's", "$HOME", "*", ""]
    with machine.tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / "big"
        big.write_bytes(random.Random(1).randbytes(BIG_BYTES))
        wanted = hashlib.md5(big.read_bytes()).hexdigest()
        options = ("--cpus", "3", "--add", f"{big}:/added/big")
        result = machine.run(folder, kernel, "-", *words, typed=SCRIPT, options=options)
        copy = Path(folder) / "folder/copy"
        found = hashlib.md5(copy.read_bytes()).hexdigest() if copy.exists() else "nothing"
        dmesg = result.text("dmesg.log")
    lines = result.output.splitlines()
    release = lines[0].split()[3] if lines[:1] else ""
    tap.ok(lines[:1] == [f"user 0 release {release} cpus 3"] and release.startswith(f"{kernel}."), f"{kernel}: root, 3 CPUs", *lines[:1])
    missing = {"other 1000 refused", "tracefs", "loopback", "again", "ktrack.ko", "ktrack_demo.ko", wanted} - set(lines)
    tap.nothing(sorted(missing), f"{kernel}: an account without rights, file systems, network, modules, an added file")
    tap.nothing([word for word in words if f"<{word}>" not in lines], f"{kernel}: arguments arrive unchanged")
    tap.ok(lines[-20000:] == [str(number) for number in range(1, 20001)], f"{kernel}: all of a long output", *lines[-3:])
    tap.ok((result.status, result.errors) == (7, "trouble\n"), f"{kernel}: exit status and standard error", result.status, result.errors)
    tap.ok(found == wanted, f"{kernel}: a file in /out comes back unchanged", found)
    if os.uname().machine == "x86_64":
        # A kernel that measures it on a busy host may be wrong by a factor. It prints what it measures if that is within a tenth.
        given, used = (re.search(expression, dmesg) for expression in (r" tsc_early_khz=(\d+) ", r"tsc: Detected ([\d.]+) MHz"))
        is_known = given and used and abs(int(given[1]) / 1000 - float(used[1])) * 10 <= float(used[1])
        tap.ok(is_known, f"{kernel}: the kernel is told how fast the timestamp counter is", given, used)
    is_apart = f"Linux version {kernel}" in dmesg and "Linux version" not in result.output + result.errors
    tap.ok(is_apart, f"{kernel}: the kernel's messages are kept out of the output")


def check_limits(tap, kernel):
    """A script that hangs, and a kernel that crashes."""
    result = run_typed(kernel, b"echo begun; sleep 1000 & sleep 1000", options=("--timeout", "3"))
    tap.ok((result.status, result.output) == (STATUS_TIMEOUT, "begun\n"), f"{kernel}: a script out of time", result.errors)
    tap.ok("Show Blocked State" in result.dmesg, f"{kernel}: blocked processes are listed")
    result = run_typed(kernel, b"echo begun; while :; do :; done", options=("--timeout", "3"))
    tap.ok((result.status, result.output) == (STATUS_TIMEOUT, "begun\n"), f"{kernel}: a script that uses more CPU time", result.errors)
    result = run_typed(kernel, b"echo begun; sleep 1; echo c >/proc/sysrq-trigger; sleep 1000")
    tap.ok((result.status, result.output) == (STATUS_VM, "begun\n"), f"{kernel}: a kernel that crashes", result.errors)
    tap.ok("Kernel panic" in result.errors and "Kernel panic" in result.console, f"{kernel}: its panic is shown", result.errors)


# A kind of machine that no other test has.
KEPT = ("--icount", "--shift", "6")

# Fails at each start but the last, as counted in a file beside it.
STUBBORN_QEMU = """#!/bin/sh
echo start >>"$0.starts"
[ "$(wc -l <"$0.starts")" -gt FAILURES ] || exit 1
exec REAL "$@"
"""


def run_stubborn(failures):
    """A run whose emulator fails to start this many times, and whose clock no load of the host starves; returns the number of attempts."""
    with machine.tempfile.TemporaryDirectory() as folder:
        stand_in = Path(folder) / "qemu-system-x86_64"
        real = shutil.which(stand_in.name)
        stand_in.write_text(
            STUBBORN_QEMU.replace("FAILURES", str(failures)).replace("REAL", real or "false")
        )
        stand_in.chmod(0o755)
        done = subprocess.run(
            [machine.PROJECT / "scripts/vm", "--boot", *KEPT, "-"],
            env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"},
            input=b"echo once",
            capture_output=True,
            check=False,
        )
        starts = len(Path(f"{stand_in}.starts").read_text().splitlines())
        return done.returncode, done.stdout.decode(), starts


# Leaves the emulator's process id in a file next to it.
KNOWN_QEMU = '#!/bin/sh\necho $$ >"$0.new" && mv "$0.new" "$0.pid"\nexec REAL "$@"\n'
STOPPED_S, LIMIT_S = 6, 4
LONG_SCRIPT = b"for step in 1 2; do echo step $step; sleep 1; done"


def check_stopped(tap):
    """A machine that the host stops for longer than its limit goes on: neither a boot nor a script has a limit by the host's clock."""
    with machine.tempfile.TemporaryDirectory() as folder:
        stand_in = Path(folder) / "qemu-system-x86_64"
        stand_in.write_text(KNOWN_QEMU.replace("REAL", shutil.which(stand_in.name) or "false"))
        stand_in.chmod(0o755)
        command = [machine.PROJECT / "scripts/vm", "--timeout", str(LIMIT_S), "-"]
        env = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
        with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdin.write(LONG_SCRIPT)
            run.stdin.close()
            first = run.stdout.readline()
            process = int(Path(f"{stand_in}.pid").read_text())
            os.kill(process, signal.SIGSTOP)
            time.sleep(STOPPED_S)
            os.kill(process, signal.SIGCONT)
            output, errors = first + run.stdout.read(), run.stderr.read()
        tap.ok((run.returncode, output) == (0, b"step 1\nstep 2\n"), "a machine that was stopped goes on", run.returncode, output, errors)


STARVED_LINES = (
    "[   31.0] rcu: INFO: rcu_preempt self-detected stall on CPU",
    "[   31.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
    "[   31.0] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [sh:100]",
    "[  131.0] INFO: task sh:100 blocked for more than 120 seconds.",
    "[   31.0] clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because the skew is too large:",
)


def starved_runs(logs, options=()):
    """How many runs there are if their kernels log this; and what the last one leaves in its folder, which had one file."""
    left = iter(logs)

    def run_once(folder, *_, **__):
        log = next(left)
        (Path(folder) / "dmesg.log").write_text(log)
        (Path(folder) / f"left-{len(log)}").touch()
        return machine.Result(subprocess.CompletedProcess([], 0, b"", b""), folder)

    usual, machine.run_once = machine.run_once, run_once
    try:
        with machine.tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "given").touch()
            machine.run(folder, "6.12", "-", options=options)
            return len(logs) - len(list(left)), sorted(path.name for path in Path(folder).iterdir())
    finally:
        machine.run_once = usual


def check_starved(tap):
    """A kernel that did not get to run is started again, at most twice, and leaves nothing; one on a counted clock always ran."""
    well, ill = "Linux version 6.12", STARVED_LINES[0]
    logs = [machine.Result(subprocess.CompletedProcess([], 0, b"", line.encode()), "/nonexistent") for line in (*STARVED_LINES, well)]
    tap.ok([bool(machine.starved(log)) for log in logs] == [True] * len(STARVED_LINES) + [False], "kernels that were starved are recognized")
    found = [starved_runs([ill, well, well]), starved_runs([ill] * 4), starved_runs([ill] * 2, machine.SINGLE)]
    names = [["dmesg.log", "given", f"left-{len(log)}"] for log in (well, ill, ill)]
    tap.ok(found == list(zip((2, 3, 1), names)), "and are started again, at most twice", found)


def kept_states():
    """The kept machines of that kind."""
    return sorted((machine.PROJECT / "build/vm/kept").glob("*.1-counted-6.????????????????"))


def kept_remove():
    """Removes them."""
    for path in kept_states():
        path.unlink()


def check_boots(tap):
    """A machine that does not come up is tried again, but not for ever; --boot keeps none."""
    kept_remove()
    found = run_stubborn(failures=2)
    tap.ok(found == (0, "once\n", 3), "the third boot succeeds", *found)
    tap.nothing(kept_states(), "--boot keeps none")
    found = run_stubborn(failures=100)
    tap.ok(found == (STATUS_VM, "", 3), "three boots that fail are enough", *found)


DAMAGED = "vm: boot 1 of 3 did not start the script\n"


def check_kept(tap):
    """A machine that is kept serves later runs, each with its own files; one whose state is damaged is replaced."""
    kept_remove()
    script = b"cat /proc/sys/kernel/random/boot_id; cat /word; ls -A /out; ls -A /tmp; ls /dev | grep vd"
    found = []
    with machine.tempfile.TemporaryDirectory() as folder:
        for word in ("first", "second"):
            Path(folder, "word").write_text(f"{word}\n")
            done = run_typed("6.12", script, options=(*KEPT, "--add", f"{folder}/word"))
            found.append((done.output.split("\n"), done.errors, [path.stat().st_ino for path in kept_states()]))
    (first, *_), (second, _, inodes) = found
    tap.ok([first[1:], second[1:]] == [["first", ""], ["second", ""]], "a kept machine has the files of each run, and nothing else", *found)
    tap.ok(len(inodes) == 1 and found[0][1:] == ("", inodes) == found[1][1:], "one is kept and used again", *found)
    tap.ok(len(first[0]) == 36 and first[0] != second[0], "its runs have random numbers of their own", first, second)
    path = kept_states()[0]
    os.truncate(path, path.stat().st_size // 2)
    done = run_typed("6.12", b"echo up", options=KEPT)
    tap.ok((done.status, done.output, done.errors) == (0, "up\n", DAMAGED) and not kept_states(), "a damaged state is removed, and the machine boots", done.errors)


def check_usage(tap):
    """Wrong command lines."""
    for words in ([], ["--cpus", "many", "x"], ["--color", "x"], ["--kernel", "1.2", "-"], ["--shift", "11", "-"], ["--disk", "/no/such", "-"], ["/no/such/script"]):
        done = subprocess.run([machine.PROJECT / "scripts/vm", *words], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        is_refused = done.returncode == STATUS_VM and done.stderr.startswith(b"vm")
        tap.ok(is_refused, f"refused: {' '.join(words) or 'nothing'}", done.returncode, done.stderr.decode())


def check_emulator(tap):
    """A crash with registers that cannot be is the emulator's; others are the kernel's."""
    line = "vm| [    5.4] RSP: 0018:ff417a7c8044b9b0 EFLAGS: {}\n"
    found = [machine.emulator_failed(line.format(flags)) for flags in ("00000202", "00010246", "42dbfbc2", "")]
    tap.ok(found == [False, False, True, False], "the emulator's own failures are recognized", found)


# What debugging aids say when they report nothing more, or before.
LAST_WORDS = (
    "[    1.0] INFO: trying to register non-static key.",
    "[    1.0] ODEBUG: Out of memory. ODEBUG disabled",
    "[    1.0] kmemleak: Memory pool empty, consider increasing CONFIG_DEBUG_KMEMLEAK_MEM_POOL_SIZE",
    "[    1.0] kmemleak: Kernel memory leak detector disabled",
)


def check_complaints(tap):
    """A debugging aid that has given up, and a log that has lost its beginning, may hide a report."""
    tap.nothing([line for line in LAST_WORDS if not machine.complaints_of(line)], "the last words of debugging aids are complaints")
    tap.nothing(machine.complaints_of("[    1.0] kmemleak: Kernel memory leak detector initialized (mem pool available: 15000)"), "their first words are none")
    found = []
    for log in ("[    0.0] Linux version 6.12\n[    9.0] last\n", "[    9.0] last\n", ""):
        with machine.tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "dmesg.log").write_text(log)
            done = subprocess.CompletedProcess([], 0, b"", b"")
            found.append(len(machine.Result(done, folder).complaints()))
    tap.ok(found == [0, 1, 0], "a log without its beginning is a complaint", found)


@tested
def main(tap):
    check_emulator(tap)
    check_complaints(tap)
    for kernel in machine.ONE_6_12:
        check_script(tap, kernel)
    check_limits(tap, "6.12")
    check_stopped(tap)
    check_starved(tap)
    check_boots(tap)
    check_kept(tap)
    check_usage(tap)
