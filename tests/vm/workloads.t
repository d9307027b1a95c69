#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: on file copies to a virtio disk, compilations, pipes and a flood of packets, all packs have each record, and agree with the kernel's counts."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from rule_stream import Counts, Stream, check_counts, check_pairs  # noqa: E402
from scheduler_clock import RULES, SchedulerClock, is_idle  # noqa: E402
from tap import tested  # noqa: E402

PACKS = "irq,sched,syscalls,block,workqueue,locks,net,memory,fs,timers,writeback"
FILES = ("stat", "interrupts", "diskstats", "schedstat")
ALWAYS = ("syscalls:call", "irq:cpu", "memory:fault", "timers:armed", "timers:expired", "sched:fork", "sched:exec", "sched:exit")
# Workload: the rules that must have tracks, besides those; the least number of requests.
WORKLOADS = {
    "copy": (("block:request", "workqueue:work", "fs:ext4", "fs:journal_commit"), 250),
    "compile": (("block:request", "workqueue:work", "fs:ext4"), 4),
    "pipes": ((), 0),
    "flood": (("net:receive", "net:transmit", "net:poll"), 0),
    "pressure": (("block:request", "writeback:throttled", "writeback:flush", "memory:reclaim"), 100),
}
# The program that the guest compiles: a part of ktrack itself, preprocessed, so that the guest needs no headers.
PARTS = ("buffer", "json", "text", "value")
MAKEFILE = """\
program: {objects}
\tld -r -o $@ $^
%.o: /sources/%.i
\tgcc -O1 -c -o $@ $<
"""


def compiler_options():
    """The options that copy the host's compiler and make."""
    compiler = subprocess.run(["/usr/bin/gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=True)
    paths = ("/usr/bin/gcc", "/usr/bin/make", "/usr/bin/as", "/usr/bin/ld", compiler.stdout.strip())
    return [word for path in paths for word in ("--add", f"{path}:{path}")]


def sources_write(folder):
    """Files to compile."""
    for part in PARTS:
        source = machine.PROJECT / f"userspace/base/{part}.c"
        command = ["gcc", "-E", "-P", "-std=gnu11", "-D_GNU_SOURCE", f"-I{machine.PROJECT / 'userspace'}", f"-I{machine.PROJECT / 'include'}"]
        subprocess.run([*command, "-o", folder / f"{part}.i", source], check=True)
    (folder / "Makefile").write_text(MAKEFILE.format(objects=" ".join(f"{part}.o" for part in PARTS)))


def exported(path):
    """The stream of a recording, and trace-cmd's text of its records."""
    rules = [word for rule in (PACKS, *RULES) for word in ("-r", rule)]
    command = [machine.PROJECT / "build/ktrack", "export", "--include-self", *rules, "--event=/dev/stdout", path]
    stream = subprocess.run(command, capture_output=True, text=True, check=False)
    # Without plugins, since trace-cmd's has other letters of states than the kernel.
    report = subprocess.run(["trace-cmd", "report", "-N", path], capture_output=True, text=True, errors="replace", check=False)
    return stream, report.stdout


def check_states(tap, what, stream, report):
    """Each switch begins the state Running of a thread and ends that of another, unless this one is gone."""
    switches = re.findall(r" sched_switch: .* prev_state=(\S+) ==> ", report)
    labels = stream.labels("sched:thread")
    tap.ok(labels["Running"] == len(switches) > 0, f"{what}: each switch begins a state of its next thread", labels["Running"], len(switches))
    stopped = labels.total() - labels["Running"] - labels["Runnable"]
    left = sum("X" not in state for state in switches)
    tap.ok(stopped == left, f"{what}: and one of the thread before, unless that has gone", stopped, left)


def check_schedule(tap, what, counts):
    """How long all threads ran by the kernel's sums, to which it adds each run at its end, by its own clock."""
    grown, clock = counts.grown("schedstat", r"^cpu\d+ ([\d ]+)$"), SchedulerClock(counts.stream)
    running = [one for slices in clock.cpus.values() for one in slices if not is_idle(one)]
    tap.nothing(clock.problems, f"{what}: each switch is between what caused it and its record")
    run_us = sum(grown[6::9]) // 1000
    is_same, text = counts.agree("schedstat", run_us, clock.run_us)
    tap.ok(is_same and run_us > 10_000, f"{what}: run time in us", text)
    is_same, text = counts.agree("schedstat", sum(grown[8::9]), lambda begin, end: sum(begin <= one.end <= end for one in running))
    tap.ok(is_same, f"{what}: runs of threads", text)


def check_workload(tap, kernel, result, name):
    """One workload."""
    what, (rules, nr_requests) = f"{kernel}: {name}", WORKLOADS[name]
    tap.ok(result.text(f"{name}.status").strip() == "0", f"{what}: is recorded", result.text(f"{name}.errors"))
    done, report = exported(result.folder / f"{name}.dat")
    tap.ok(done.returncode == 0 and not done.stderr, f"{what}: is exported", done.stderr)
    stream = Stream(done.stdout)
    check_pairs(tap, what, stream, report, PACKS.split(","), (*ALWAYS, *rules))
    check_states(tap, what, stream, report)
    counts = Counts(stream, result, *FILES, name=f"{name}.")
    check_counts(tap, what, counts, "vda", nr_requests)
    # The queues of the disk have an interrupt each.
    wanted = sum(counts.grown("interrupts", r"^ *\d+: +((?:\d+ +)+)PCI-MSI.*-req\.\d+$"))
    lines = {one.label for one in stream.of("irq:cpu") if one.label.startswith("IRQ ") and "-req." in one.label}
    is_same, text = counts.agree("interrupts", wanted, counts.slices("irq:cpu", lines or {""}))
    tap.ok(is_same and (wanted > 0 or not nr_requests), f"{what}: interrupts of the disk", text, *lines)
    check_schedule(tap, what, counts)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sources").mkdir()
        sources_write(folder / "sources")
        subprocess.run(["mke2fs", "-q", "-t", "ext4", folder / "disk", "32M"], check=True)
        common = [*machine.COUNTED, *machine.program(folder, "yield"), *compiler_options()]
        common += ["--disk", folder / "disk", "--add", f"{folder / 'sources'}:/sources", "--add", f"{shutil.which('pahole')}:/bin/pahole"]
        for kernel in sys.argv[1:] or machine.ONE_6_1:
            more = machine.kernel_folder(kernel) / "more"
            if not (more / "virtio_blk.ko").exists():
                tap.skip(f"{kernel}: workloads", "no virtio_blk.ko; remove build/vm, and it is fetched again")
                continue
            options = [*common, *(word for path in sorted(more.iterdir()) for word in ("--add", f"{path}:/more/{path.name}"))]
            with machine.ran(kernel, "workloads.sh", options=options) as result:
                machine.check_end(tap, kernel, result)
                tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
                for workload in WORKLOADS:
                    check_workload(tap, kernel, result, workload)
