#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: event filters give the verdict of the kernel: of records made at the same time, with its filter and without."""

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

# Event: filters that both kernels accept. The first of each event must select some records and not all.
ACCEPTED = {
    "sched:sched_switch": (
        "prev_pid != 0 && next_pid == 0",
        "prev_state == 0", "prev_state & 3", "prev_state > 0 && prev_state <= 2", "prev_prio < 120", "next_prio >= 0x78",
        'prev_comm ~ "s*"', 'prev_comm ~ "*o*"', 'prev_comm ~ "*rt"', 'next_comm == "sort"', "next_comm != 'swapper/0'",
        'prev_comm ~ "!swap*"', 'prev_comm ~ "sw[!x-z]pper/[01]"', 'prev_comm ~ "?ort"', 'prev_comm ~ "s*r*t"',
        'prev_comm ~ "*"', 'prev_comm ~ "sort"', 'next_comm ~ "swapper\\/1"', 'COMM == "sort"', 'comm ~ "swap*"',
        'COMM != "sort" && CPU == 1', "cpu == 0", "CPU >= 1", "common_pid == 0", "common_pid == 1 || prev_pid == 1",
        "!(prev_pid == 0) && !(next_pid == 0)", "!prev_pid == 0 || next_prio == 120 && prev_prio == 120",
        "((prev_pid > 0)&&(next_pid > 0))||!!prev_state==1", "common_flags & 0x18", "common_preempt_count >= 0", "prev_comm ~ 'k*:*'",
    ),
    "sched:sched_waking": (
        'comm ~ "k*"', "prio < 120", "target_cpu == 1 && prio == 120", 'comm == "sort" || comm == "find"', "pid > 100", "CPU != 0",
        "target_cpu != 0 && !(pid < 50)", "common_flags & 0x18",
    ),
    "irq:irq_handler_entry": ('name ~ "virtio*"', "irq > 4", 'name ~ "*0"', 'name == "ttyS0"', 'name != "ttyS0"', "irq == 4 || irq == 031"),
    "raw_syscalls:sys_enter": (
        "id == 0 || id == 1", "id >= 0 && id < 5", "id != 0x1", "id & 1", "args == 1", "args != 1", "!(args == 1)", "id > -1",
        "common_pid > 0 && id == 257",
    ),
    "ktrack_test:ktrack_test_s8": (
        "counter_value == -1", "counter_value < 0", "counter_value > 126", "counter_value == 127", "counter_value == 255",
        "counter_value & 0x80", "counter_value >= -128",
    ),
    "ktrack_test:ktrack_test_u8": ("counter_value == 255", "counter_value == 0x1ff", "counter_value > 127", "counter_value < 0400"),
    "ktrack_test:ktrack_test_s16": ("counter_value < 0", "counter_value == 0xffff", "counter_value == -32768"),
    "ktrack_test:ktrack_test_u16": ("counter_value > 32767", "counter_value == 0xffff", "counter_value & 0xff00"),
    "ktrack_test:ktrack_test_s32": ("counter_value < 0", "counter_value == 0xffffffff", "counter_value > 0x7ffffffe"),
    "ktrack_test:ktrack_test_u32": ("counter_value > 2147483647", "counter_value <= 0", "counter_value != 0xffffffff"),
    "ktrack_test:ktrack_test_s64": (
        "counter_value < 0", "counter_value == -9223372036854775808", "counter_value == 0x7fffffffffffffff", "counter_value & 1",
    ),
    "ktrack_test:ktrack_test_u64": (
        "counter_value == 18446744073709551615", "counter_value > 0x7fffffffffffffff", "counter_value == 9007199254740993",
        "counter_value >= 0",
    ),
    "ktrack_test:ktrack_test_fields": (
        'text == "text"', "wide == 18446744073709551615", "narrow == -1", "narrow == -128", 'text == ""', 'text ~ "*x*"',
        "track_event_type == 73", 'slice_name ~ "*least*"', 'slice_name ~ "*bits"', 'slice_name ~ "all*" || narrow > 0',
    ),
}

# Event and a filter that both kernels refuse.
REFUSED = (
    ("sched:sched_switch", "prev_pid"), ("sched:sched_switch", "prev_pid =="), ("sched:sched_switch", "prev_pid = 1"),
    ("sched:sched_switch", "nothing == 1"), ("sched:sched_switch", "prev_pid == 1 &&"), ("sched:sched_switch", "(prev_pid == 1"),
    ("sched:sched_switch", "prev_pid == 1)"), ("sched:sched_switch", "prev_pid == 1 next_pid == 1"), ("sched:sched_switch", "()"),
    ("sched:sched_switch", "prev_pid == 08"), ("sched:sched_switch", "prev_pid == 5x"), ("sched:sched_switch", "prev_pid == '5'"),
    ("sched:sched_switch", "prev_pid ~ 5"), ("sched:sched_switch", "prev_comm == 5"), ("sched:sched_switch", "prev_comm == sort"),
    ("sched:sched_switch", "prev_comm < 'x'"), ("sched:sched_switch", 'prev_comm == "x'), ("sched:sched_switch", "prev_pid & & 1"),
    ("sched:sched_switch", "prev_pid == 1 & next_pid == 1"), ("sched:sched_switch", "COMM == 1"), ("sched:sched_switch", "CPU == 'x'"),
    ("sched:sched_switch", "prev_pid == +1"), ("sched:sched_switch", "prev_state == 9223372036854775808"),
    ("raw_syscalls:sys_enter", "args == 'x'"), ("raw_syscalls:sys_enter", "args == -1"),
    ("ktrack_test:ktrack_test_u8", "counter_value == -1"), ("ktrack_test:ktrack_test_u64", "counter_value == 18446744073709551616"),
)

# What the guest's times of its begin and its end, in hundredths of a second, may be wrong by.
MARGIN_NS = 30_000_000


def cases():
    """Yields (number of the instance, system, event, filter): one filter of each event in an instance."""
    counts = defaultdict(int)
    accepted = [(event, text) for event, texts in ACCEPTED.items() for text in texts]
    for event, text in (*accepted, *REFUSED):
        yield (counts[event], *event.split(":"), text)
        counts[event] += 1


def compile_program(folder):
    """The program that evaluates filters, linked with the library of the unit tests."""
    path, library = Path(folder) / "filter_verdict", machine.PROJECT / "build/san"
    sources = machine.PROJECT / "tests/vm/filter_verdict.c"
    command = ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-fsanitize=address,undefined", f"-I{machine.PROJECT / 'userspace'}"]
    flags = subprocess.run(["pkg-config", "--cflags", "libtracefs"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run([*command, *flags, sources, "-o", path, f"-L{library}", "-lktrack", f"-Wl,-rpath,{library}"], check=True)
    return path


class Records:
    """The records of a file, by event and CPU: [(time, fields, verdicts)]."""

    def __init__(self, program, path, filters=()):
        command = [program, path, *(word for case in filters for word in (f"{case[1]}:{case[2]}", case[3]))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.errors = done.stderr
        self.refused, self.lost, self.lists = set(), 0, defaultdict(list)
        for line in done.stdout.splitlines():
            if line.startswith("refused "):
                self.refused.add(line.removeprefix("refused ").rpartition(": column ")[0])
            elif line.startswith("lost "):
                self.lost += 1
            else:
                event, cpu, time, fields, *verdicts = line.split(" ")
                self.lists[event, int(cpu)].append((int(time), fields, verdicts[0] if verdicts else ""))

    def of(self, event, cpu):
        """The records of an event on a CPU."""
        return self.lists.get((event, cpu), [])


def mismatch(selected, recorded, begin, end):
    """
    Why the records that a filter recorded are not those that were selected of all; None if they are. The instance of all was on for
    longer, so that only records between begin and end must be in both.
    """
    wanted, found = [fields for _, fields, _ in selected], [fields for _, fields, _ in recorded]
    inside = [index for index, (time, *_) in enumerate(selected) if begin <= time <= end]
    last = len(wanted) - len(found)
    if last < 0:
        return f"{len(found)} records, of which {len(wanted)} are expected"
    for start in range(last + 1):
        if wanted[start : start + len(found)] == found and (not inside or start <= inside[0] and inside[-1] < start + len(found)):
            return None
    extra = sorted(set(found) - set(wanted))[:2]
    missing = sorted({wanted[index] for index in inside} - set(found))[:2]
    return f"{len(found)} records for {len(inside)} to {len(wanted)} expected; unexpected {extra}, missing {missing}"


def check_case(tap, what, everything, recorded, case, span):
    """One filter against the kernel's; returns how many records it selected, and of how many."""
    number, system, event, text = case
    name, problems, counts = f"{system}:{event}", [], [0, 0]
    for cpu in range(2):
        records = everything.of(name, cpu)
        selected = [record for record in records if record[2][number] == "1"]
        problem = mismatch(selected, recorded.of(name, cpu), *span)
        if problem:
            problems.append(f"cpu {cpu}: {problem}")
        counts = [counts[0] + len(selected), counts[1] + len(records)]
    tap.nothing(problems, f"{what}: {name}: {text}: {counts[0]} of {counts[1]}")
    return counts


def check_kernel(tap, kernel, program, path):
    """All filters on one kernel."""
    with machine.ran(kernel, "filters.sh", options=("--add", f"{path}:/cases")) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: everything was saved")
        everything = Records(program, result.folder / "all.dat", list(cases()))
        tap.nothing(everything.errors.splitlines(), f"{kernel}: the evaluator ends well")
        files = {case[0]: Records(program, result.folder / f"{case[0]}.dat") for case in cases()}
        tap.ok(everything.lost == 0 == sum(file.lost for file in files.values()), f"{kernel}: nothing was lost")
        refused = {f"{system}:{event} {text}" for _, system, event, text in (line.split(" ", 3) for line in result.text("refused").splitlines())}
        wanted = {f"{event} {text}" for event, text in REFUSED}
        tap.nothing(sorted(refused ^ wanted), f"{kernel}: the kernel refuses the filters that it should")
        tap.nothing(sorted(everything.refused ^ refused), f"{kernel}: the evaluator refuses what the kernel refuses")
        span = int(float(result.text("begin")) * 1e9) + MARGIN_NS, int(float(result.text("end")) * 1e9) - MARGIN_NS
        for case in cases():
            if f"{case[1]}:{case[2]} {case[3]}" in refused:
                continue
            some, many = check_case(tap, kernel, everything, files[case[0]], case, span)
            if case[0] == 0:
                tap.ok(0 < some < many, f"{kernel}: {case[1]}:{case[2]} has records that match and others", some, many)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        program, path = compile_program(folder), Path(folder) / "cases"
        path.write_text("".join(f"{number} {system} {event} {text}\n" for number, system, event, text in cases()))
        for kernel in machine.ONE_6_12:
            check_kernel(tap, kernel, program, path)
