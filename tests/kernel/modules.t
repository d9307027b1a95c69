#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: modules outside of ktrack's tree build with its headers alone, and are traced as they say."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import build  # noqa: E402
import expected  # noqa: E402
import machine  # noqa: E402
from tap import tested  # noqa: E402

RECORD = re.compile(r"^.{16,}\[\d+\] \S+ +[0-9.]+: (.*)$")
FIELD = re.compile(r"\s*field:(.+) (\w+);\s*offset:\d+;\s*size:(\d+);\s*signed:([01]);")
# What the convention has itself, and every record has.
FIRST = {"track_event_type", "slice_name", "counter_value", *(f"common_{name}" for name in ("type", "flags", "preempt_count", "pid"))}
TRACEPOINT = re.compile(r"__tracepoint_|ktrack_emit_|__traceiter_|trace_event|event_class|tp_func|__bpf_trace")
TRACE_SECTIONS = re.compile(r"tracepoints|_ftrace_events|__bpf_raw_tp")
# The stack frames of functions that only formatted names have: the most that each may take.
FORMATTING = {"ktrack_printf_": 256, "ktrack_emit_formatted_": 112}
# More of the compiler's warnings, and sparse.
STRICT = ("W=1", "C=2", "modules")
# The newest kernel's own build tools have no sparse; make check runs sparse with one kernel's headers.
STRICT_OF = {"newest": ("W=1", "modules")} | ({} if machine.IS_FULL else {"6.1": ("W=1", "modules")})


def records_of(text):
    """What each record of a trace says behind its time."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    matches = [RECORD.match(line) for line in lines]
    return [match[1] if match else line for match, line in zip(matches, lines)]


def stack_of(folder, prefix):
    """The stack frames of functions, in bytes, pushes included, from the compiler's own figures."""
    frames = {}
    for file in folder.rglob("*.su"):
        for line in file.read_text().splitlines():
            place, size, _ = line.split("\t")
            name = place.split(":")[-1]
            if name.startswith(prefix):
                frames[name] = int(size)
    return frames


def check_built(tap, what, built):
    """A build without trouble."""
    is_ok = tap.ok(built.status == 0, f"{what} builds", built.log[-3000:])
    tap.nothing(built.remarks(), f"{what} builds without a warning")
    return is_ok


def check_disabled(tap, kernel, folder):
    """What is compiled away leaves nothing behind."""
    objects = [folder / "disabled/outside.ko", folder / "outside/outside_quiet.o"]
    for file in objects:
        what = f"{kernel}: {file.parent.name}/{file.name}"
        found = [name for name in build.symbols(file) if TRACEPOINT.search(name)]
        tap.nothing(found, f"{what} has no symbol of a tracepoint")
        found = [name for name in build.sections(file) if TRACE_SECTIONS.search(name)]
        tap.nothing(found, f"{what} has no section of tracepoints")
    names = build.symbols(folder / "outside/outside.ko")
    tap.ok(
        any(TRACEPOINT.search(name) for name in names),
        f"{kernel}: which the enabled module has",
        *names,
    )


def check_stack(tap, kernel, folder):
    """Formatting a name must be possible where little stack is left, whatever the attributes."""
    for prefix, limit in FORMATTING.items():
        frames = stack_of(folder, prefix)
        # The tracepoint with all attributes that there can be; the compiler may have marked its name.
        most = [name for name in frames if f"{name}.".startswith(f"{prefix}outside_most.")]
        tap.ok(most, f"{kernel}: the compiler reports {prefix}'s stack frames", *frames)
        deep = [f"{name}: {size}" for name, size in frames.items() if size > limit]
        tap.nothing(deep, f"{kernel}: {prefix} takes at most {limit} bytes of stack")


def check_builtin(tap, kernel, tree, folder):
    """The same sources as part of a kernel: no object of theirs is a module's."""
    build.copy_outside(folder, "outside")
    files = [f"{file.stem}.o" for file in sorted(folder.glob("*.c"))]
    built = build.make(tree, folder, "OUTSIDE_BUILTIN=y", *files)
    if check_built(tap, f"{kernel}: the outside driver as a built-in", built):
        names = build.symbols(folder / "outside_main.o")
        tap.ok("__tracepoint_outside_work" in names, f"{kernel}: it has its tracepoints", *names)
        tap.ok("__this_module" not in names, f"{kernel}: it refers to no module", *names)


def build_own(kernel, folder, has_sparse):
    """ktrack's own modules are those that machines load: their build refuses warnings."""
    words = [build.PROJECT / "scripts/vm-modules", *(("--sparse",) if has_sparse else ()), machine.kernel_folder(kernel), folder]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return build.Built(folder, done.returncode, done.stdout)


def build_all(tap, kernel, folder):
    """Builds the modules that the machine loads; None where one does not build."""
    tree = build.headers(kernel)
    strict = STRICT_OF.get(kernel, STRICT)
    project = build_own(kernel, folder / "project", "C=2" in strict)
    outside = build.copy_outside(folder / "outside", "outside")
    disabled = build.copy_outside(folder / "disabled", "outside")
    borrower = build.copy_outside(folder / "borrower", "borrower")
    symvers = f"KBUILD_EXTRA_SYMBOLS={machine.kernel_folder(kernel)}/modules/Module.symvers"
    builds = {
        "ktrack's own modules": project,
        "an outside driver": build.make(tree, outside, "OUTSIDE_FLAGS=-fstack-usage", *strict),
        "one with KTRACK_DISABLE": build.make(
            tree, disabled, "OUTSIDE_FLAGS=-DKTRACK_DISABLE", *strict
        ),
        "one that uses ktrack.ko's tracepoints": build.make(tree, borrower, symvers, *strict),
    }
    seen = [what for what, one in builds.items() if "  CHECK " in one.log]
    if "C=2" in strict:
        tap.ok(seen == list(builds), f"{kernel}: sparse has looked at all of them", *seen)
    if kernel in machine.ONE_6_12:
        check_builtin(tap, kernel, tree, folder / "builtin")
    return all([check_built(tap, f"{kernel}: {what}", one) for what, one in builds.items()])


def formats_of(text):
    """The fields behind the first ones, and the print line, of each event in a guest's listing of format files."""
    fields, prints = {}, {}
    for event, line in re.findall(r"^\S+/(\w+)/format:(.*)$", text, re.MULTILINE):
        match = FIELD.match(line)
        if match and match[2] not in FIRST:
            sign = None if "[" in match[1] else match[4] == "1"
            fields.setdefault(event, []).append((match[1], match[2], int(match[3]), sign))
        elif line.startswith("print fmt: "):
            prints[event] = line
    return fields, prints


def check_formats(tap, kernel, text):
    """The format's types and texts are what ktrack-instrument(7) promises to readers."""
    fields, prints = formats_of(text)
    for event, wanted in expected.FIELDS.items():
        tap.ok(fields.get(event) == wanted, f"{kernel}: {event}'s format marks its attributes", *fields.get(event, []))
    for event, texts in expected.TEXTS.items():
        missing = [text for text in texts if text not in prints.get(event, "")]
        tap.nothing(missing, f"{kernel}: {event}'s format has numbers and their names")


def check_traces(tap, kernel, folder):
    """What the modules do in a running kernel."""
    added = [
        f"{folder}/outside/outside.ko",
        f"{folder}/disabled/outside.ko:/disabled/outside.ko",
        f"{folder}/borrower/borrower.ko",
    ]
    options = [word for file in added for word in ("--add", file)]
    with machine.ran(kernel, "modules.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        tap.ok(
            result.output.splitlines() == expected.OUTPUT,
            f"{kernel}: arguments are evaluated once each, and only while traced",
            result.output,
        )
        check_formats(tap, kernel, result.text("outside.formats"))
        for name, wanted in expected.RECORDS.items():
            found = records_of(result.text(f"{name}.trace"))
            tap.ok(found == wanted, f"{kernel}: {name}'s records", *differences(found, wanted))


def differences(found, wanted):
    """The first records that are others."""
    pairs = [pair for pair in zip(found, wanted) if pair[0] != pair[1]]
    yield f"{len(found)} records, {len(wanted)} wanted"
    for one, other in pairs[:10]:
        yield f"is  {one}\nnot {other}"


@tested
def main(tap):
    for kernel in machine.kernels_with_newest(tap, machine.ONE_6_12):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            if build_all(tap, kernel, folder):
                check_disabled(tap, kernel, folder)
                check_stack(tap, kernel, folder / "outside")
                check_traces(tap, kernel, folder)
