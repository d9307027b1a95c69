#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: program and library are built with the protections that compilers and linkers offer, and the caller's flags win."""

import platform
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent)]

from tap import tested  # noqa: E402

PROGRAM, LIBRARY = PROJECT / "build/ktrack", PROJECT / "build/libtrace2.so.0"
# Landing pads of indirect branches: at least one for each of so many functions. Then probes: large frames touch each of their pages.
PADS = {"x86_64": (r"\bendbr64\b", 1000), "aarch64": (r"\b(paciasp|bti)\b", 1000)}
PROBES = {"x86_64": (r"\borq +\$0x0,\(%rsp\)", 5), "aarch64": (r"\bstr\s+xzr, \[sp", 5)}
SOURCE = "build/userspace/base/text.o"


def run(*words):
    """The output of a program."""
    return subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, check=True).stdout


def check_linked(tap, path):
    """What the loader does with it."""
    dynamic, program = run("readelf", "-Wd", path), run("readelf", "-Wl", path)
    tap.ok("BIND_NOW" in dynamic and re.search(r"FLAGS_1.*NOW", dynamic), f"{path.name}: symbols are bound at start", dynamic)
    tap.ok("GNU_RELRO" in program, f"{path.name}: then their table is read-only", program)
    stack = re.search(r"GNU_STACK.*", program)
    tap.ok(stack and "E" not in stack[0].replace("GNU_STACK", "").split()[-2], f"{path.name}: the stack is not executable", stack)
    loads = re.findall(r"LOAD.*", program)
    tap.nothing([line for line in loads if "W" in line and "E" in line.split("0x")[-2]], f"{path.name}: nothing is writable and executable")


def check_compiled(tap, path):
    """What the compiler put into it."""
    names = run("readelf", "-W", "--dyn-syms", path)
    tap.ok("__stack_chk_fail" in names, f"{path.name}: functions check their stack")
    tap.ok(re.search(r"__(memcpy|snprintf|vsnprintf|read|fprintf)_chk", names), f"{path.name}: calls of the C library check sizes")


def check_program(tap):
    """What only the program has."""
    header, dynamic = run("readelf", "-h", PROGRAM), run("readelf", "-Wd", PROGRAM)
    tap.ok("DYN" in header and "PIE" in dynamic, "ktrack: its address is random", header)
    code = run("objdump", "-d", "--no-show-raw-insn", PROGRAM)
    for what, instructions in (("indirect branches end at landing pads", PADS), ("large frames touch their pages", PROBES)):
        words, number = instructions.get(platform.machine(), ("", 0))
        if not number:
            tap.skip(what, f"not known of {platform.machine()}")
            continue
        found = len(re.findall(words, code))
        tap.ok(found >= number, f"ktrack: {what} ({found})")


def compile_words(*settings):
    """The command that compiles a file."""
    return next(line for line in run("make", "-nB", "V=1", SOURCE, *settings).splitlines() if " -c " in line)


def check_settings(tap):
    """The flags of a distribution come last; a level of its own is not overridden; without optimization there is none."""
    words = compile_words("CPPFLAGS=-D_FORTIFY_SOURCE=3", "CFLAGS=-O2 -fno-stack-protector")
    tap.ok(words.count("_FORTIFY_SOURCE") == 1 and "_FORTIFY_SOURCE=3" in words, "another level of _FORTIFY_SOURCE is kept", words)
    is_last = words.rindex("-fno-stack-protector") > words.index("-fstack-protector-strong")
    tap.ok(is_last, "the caller's CFLAGS come behind ktrack's", words)
    tap.ok("_FORTIFY_SOURCE" not in compile_words("CFLAGS=-O0 -g"), "not without optimization, which it needs")
    tap.ok("-fstack-protector" not in compile_words("SAN=1"), "not under the sanitizers")


@tested
def main(tap):
    """All checks."""
    for path in (PROGRAM, LIBRARY):
        check_linked(tap, path)
        check_compiled(tap, path)
    check_program(tap)
    check_settings(tap)
