# SPDX-License-Identifier: GPL-2.0-only
"""Runs a guest script in the test machine, once on each kernel, and hands over what came back."""

import atexit
import functools
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import process
from commit import ranked

PROJECT = Path(__file__).resolve().parents[2]
GUEST = Path(__file__).resolve().parent / "guest"
# Which tests run on Debian's newest kernel, too: "some" (those that ask for it, the default), "all" of this kind, or "none".
NEWEST = os.environ.get("KTRACK_NEWEST", "some")
# Other kernels than the usual ones, such as 6.12-debug: make check-debug.
CHOSEN = tuple(os.environ.get("KTRACK_KERNELS", "").split())
KERNELS = CHOSEN or ("6.1", "6.12") + (("newest",) if NEWEST == "all" else ())
# make check-full: all rounds of repeated tests, and every kernel for tests that depend little on it.
IS_FULL = bool(os.environ.get("KTRACK_FULL"))
# These test files, options and rights: each runs on one kernel, except with IS_FULL.
ONE_6_1, ONE_6_12 = (KERNELS, KERNELS) if IS_FULL or CHOSEN else (("6.1",), ("6.12",))
# These are about ktrack's readers of what a kernel wrote: on one kernel, another one for each commit, except with IS_FULL.
ONE_OF = KERNELS if IS_FULL or CHOSEN else ranked(PROJECT, KERNELS)[:1]
# Two processors on a clock that counts their instructions, a nanosecond for each, whichever of them runs: what is done in a
# second is the same on every host, however busy, and less than what a modest machine of today does. The second one has to be
# put online.
COUNTED = ("--icount", "--cpus", "2")
# One processor on such a clock, of four nanoseconds each: enough for what is no matter of several CPUs.
SINGLE = ("--icount", "--shift", "2")

# How the kernel starts to complain, in any of its debugging aids; and what they say when they give up and report nothing more.
COMPLAINT = re.compile(
    r"WARNING: |BUG: |Oops: |general protection fault|INFO: .*(stall|blocked|non-static key)|UBSAN: |Kernel panic|kmemleak: \d+ new"
    r"|kmemleak: .*(detector disabled|pool empty|Cannot allocate)"
)
# Some of the first characters of a log.
LOG_BEGIN = 1000
# A report of KCSAN, from its first line to the last one, and an access of one of our modules: by a function, or by one of the kernel
# that it calls. Farther callers are in every report about the clock and the buffers of tracing, to which our modules write.
RACE = re.compile(r"^[^\n]*BUG: KCSAN: .*?^[^\n]*={30,}\n", re.MULTILINE | re.DOTALL)
OWN_ACCESS = re.compile(r" to 0x[0-9a-f]+ of [^\n]*:\n(?:[^\n]*\n)?[^\n]*\[ktrack")

# The bits of EFLAGS that are zero on every processor. QEMU 7.2 has been seen to leave part of an address in EFLAGS after a
# cmpxchg16b of the kernel's, which then crashes: no kernel and no module can do that.
ZERO_FLAGS = 0xFFC08028
RUNS_MAX = 3

# How a kernel reports that it did not get to run: on a busy host, that is the host's doing. Where instructions count the time,
# it cannot be.
STARVED = re.compile(
    r"rcu: INFO: .*stall|rcu.* kthread starved|BUG: soft lockup|INFO: task .* blocked for more than|clocksource: timekeeping watchdog"
)

# CPU time of the emulator, and idle time of the guest: scripts/vm. Kernels with debugging aids take several times as long, above
# all for what they send out.
VM_LIMIT_S = 3600 if any(kernel.endswith(("-debug", "-kcsan")) for kernel in CHOSEN) else 900


class Result:
    """What one run of scripts/vm gave."""

    def __init__(self, done, folder):
        self.status = done.returncode
        self.output = done.stdout.decode(errors="replace")
        self.errors = done.stderr.decode(errors="replace")
        self.folder = Path(folder)

    def text(self, name):
        """A file that the script left in /out, nothing if it did not."""
        path = self.folder / name
        return path.read_text(errors="replace") if path.exists() else ""

    def part(self, name):
        """The result of one of several scripts. The kernel's log is that of all."""
        folder = self.folder / name
        if self.status or not folder.exists():
            return Result(subprocess.CompletedProcess([], self.status or 1, b"", f"{name} left nothing: {self.errors}".encode()), folder)
        (folder / "dmesg.log").write_text(self.text("dmesg.log"))
        output, errors, status = ((folder / f".{kind}").read_bytes() for kind in ("output", "errors", "status"))
        return Result(subprocess.CompletedProcess([], int(status), output, errors), folder)

    def attempt(self, name, program, *words):
        """What attempt of helpers.sh does, outside of the machine, in the folder of /out: reading a recording takes less than a tenth there."""
        command = [PROJECT / "build/ktrack" if program == "ktrack" else program, *words]
        done = process.run(command, cpu_s=VM_LIMIT_S, cwd=self.folder, capture_output=True)
        for suffix, content in (("status", b"%d\n" % done.returncode), ("output", done.stdout), ("errors", done.stderr)):
            (self.folder / f"{name}.{suffix}").write_bytes(content)

    def report(self, name):
        """What trace-cmd reports of NAME.dat, with the formats of the recording alone."""
        self.attempt(f"{name}.report", "trace-cmd", "report", "-N", f"{name}.dat")
        return self.text(f"{name}.report.output")

    def complaints(self):
        """What the kernel complained about. Its log keeps the latest lines only, where there are too many."""
        log = self.text("dmesg.log")
        is_whole = not log or "Linux version" in log[:LOG_BEGIN]
        return complaints_of(log) + ([] if is_whole else ["the beginning of the kernel's log is lost"])


def complaints_of(log):
    """The lines of a kernel's log that complain; data races of its own functions are not our concern."""
    log = RACE.sub(lambda race: race[0] if OWN_ACCESS.search(race[0]) else "", log)
    return [line for line in log.splitlines() if COMPLAINT.search(line)]


def rounds(full, check):
    """How often a test repeats what it does: less often in make check."""
    return full if IS_FULL else check


def has_nmi(kernel):
    """Whether the test module has NMIs: those of x86."""
    return "-arm64" not in kernel


def compiler():
    """What compiles for the chosen kernels."""
    if not any("-arm64" in kernel for kernel in CHOSEN):
        return ["gcc"]
    root = subprocess.run([PROJECT / "scripts/arm64", "root"], capture_output=True, text=True, check=True)
    return ["aarch64-linux-gnu-gcc", f"--sysroot={root.stdout.strip()}"]


def program(folder, name):
    """Compiles a C program of this folder; returns the option that brings it into the machine's root folder."""
    path = Path(folder) / name
    subprocess.run([*compiler(), "-O2", "-o", path, PROJECT / f"tests/vm/{name}.c"], check=True)
    return "--add", f"{path}:/{name}"


@functools.cache
def pair():
    """The options of two processors on a counted clock, and what second_cpu_start of helpers.sh needs. They take turns: for races of
    processors, let them run freely."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return (*SINGLE, "--cpus", "2", *program(folder.name, "yield"))


def shared_object(folder, name):
    """The same with a library for LD_PRELOAD."""
    path = Path(folder) / f"{name}.so"
    subprocess.run([*compiler(), "-O2", "-shared", "-fPIC", "-o", path, PROJECT / f"tests/vm/{name}.c"], check=True)
    return "--add", f"{path}:/{name}.so"


def emulator_failed(text):
    """Whether registers that a kernel printed are some that no processor can have."""
    return any(int(flags, 16) & ZERO_FLAGS for flags in re.findall(r"EFLAGS: ([0-9a-f]{8})\b", text))


def starved(result, options=()):
    """The first line in which the kernel reports that it did not get to run, if the host may be the reason; else nothing."""
    if "--icount" in options:
        return ""
    lines = (result.text("dmesg.log") + result.text("console.log") + result.errors).splitlines()
    return next((line for line in lines if STARVED.search(line)), "")


def run_again(folder, kernel, once, options=()):
    """The result of a run that leaves its files in a folder; of another run if the emulator failed, or the host starved the kernel."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    before = set(Path(folder).iterdir())
    for number in range(1, RUNS_MAX + 1):
        result = once()
        reason = "the emulator failed" if emulator_failed(result.errors) else starved(result, options)
        if not reason:
            break
        print(f"# {kernel}: run {number} of at most {RUNS_MAX} does not count: {reason}", flush=True)
        if number < RUNS_MAX:
            folder_clear(folder, before)
    return result


def run(folder, kernel, script, *arguments, options=(), typed=None):
    """Runs a script of guest/, or what is typed where the script is "-"."""
    return run_again(folder, kernel, lambda: run_once(folder, kernel, script, *arguments, options=options, typed=typed), options)


def folder_clear(folder, kept):
    """Removes what a run left."""
    for path in set(Path(folder).iterdir()) - kept:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def run_once(folder, kernel, script, *arguments, options=(), typed=None):
    """The same, however it ends."""
    command = [PROJECT / "scripts/vm", "--kernel", kernel, "--timeout", str(VM_LIMIT_S)]
    command += ["--out", folder, "--add", f"{GUEST / 'helpers.sh'}:/helpers.sh", *options, "--"]
    command += [script if script == "-" else GUEST / script, *map(str, arguments)]
    return Result(subprocess.run(command, input=typed or b"", capture_output=True, check=False), folder)


@contextmanager
def ran(kernel, script, *arguments, **more):
    """The same in a folder that lasts as long as the result is looked at."""
    with tempfile.TemporaryDirectory() as folder:
        yield run(folder, kernel, script, *arguments, **more)


@contextmanager
def ran_together(kernel, scripts, **more):
    """Runs several scripts in one machine, {name: arguments without blanks}, which must leave it as they found it; a result for each."""
    words = [word for name, arguments in scripts.items() for word in ("--", name, *map(str, arguments))][1:]
    added = [word for name in scripts for word in ("--add", f"{GUEST / name}:/scripts/{name}")]
    options = (*more.pop("options", ()), *added)
    with ran(kernel, "several.sh", *words, options=options, **more) as result:
        yield [result.part(name) for name in scripts]


def kernel_folder(kernel):
    """Where the files of a kernel are."""
    done = subprocess.run([PROJECT / "scripts/vm-kernel", kernel], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def newest_problem():
    """Why modules for Debian's newest kernel cannot be built here, None where they can."""
    scripts = PROJECT / "scripts"
    found = subprocess.run([scripts / "vm-kernel", "--headers", "newest"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        return f"it cannot be fetched: {found.stderr.strip().splitlines()[-1:]}"
    tools = [scripts / "vm-tools", found.stdout.strip(), "true"]
    tried = subprocess.run(tools, capture_output=True, text=True, check=False)
    return f"its build tools do not run: {tried.stderr.strip()}" if tried.returncode != 0 else None


def kernels_with_newest(tap, usual=KERNELS):
    """KERNELS, or one of them, and, where it can be had, Debian's newest."""
    if "newest" in usual or NEWEST == "none" or CHOSEN:
        return usual
    problem = newest_problem()
    if problem:
        tap.skip("Debian's newest kernel", problem)
        return usual
    return (*usual, "newest")


def check_end(tap, kernel, result, expected=None):
    """Every script has to end well and to leave the kernel without a complaint, but for those that match an expression."""
    tap.ok(
        result.status == 0,
        f"{kernel}: the guest script ends well",
        f"exit status {result.status}",
        result.output[-2000:],
        result.errors[-4000:],
    )
    complaints = [line for line in result.complaints() if not expected or not re.search(expected, line)]
    tap.nothing(complaints, f"{kernel}: the kernel has no complaints")
