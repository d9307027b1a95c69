#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what cannot work is refused by the compiler, in words that say why."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import build  # noqa: E402
from tap import Tap  # noqa: E402

HEADER = """\
#undef TRACE_SYSTEM
#define TRACE_SYSTEM refused
#if !defined(REFUSED_{name}) || defined(TRACE_HEADER_MULTI_READ)
#define REFUSED_{name}
#include <ktrack/define.h>
{declarations}
#endif
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE {name}_trace
#include <trace/define_trace.h>
"""
SOURCE = """\
{before}
#define CREATE_TRACE_POINTS
#include "{name}_trace.h"
"""
PAIR = "KTRACK_SLICE(one, KTRACK_FIELD(u32, a), KTRACK_FIELD(u32, b));"
LEVEL = "KTRACK_COUNTER(level, u32, KTRACK_FIELD(u32, a), KTRACK_FIELD(u32, b));"
PLAIN = "KTRACK_SLICE(plain);"

# What is before the include, what is declared, and what the compiler says; nothing where it is content.
CASES = {
    "order": (
        "",
        f"{PAIR} KTRACK_SLICE_LIKE(one, other, KTRACK_FIELD(u32, b), KTRACK_FIELD(u32, a));",
        "has its attributes in another order",
    ),
    "counter_order": (
        "",
        f"{LEVEL} KTRACK_COUNTER_LIKE(level, other, u32, KTRACK_FIELD(u32, b), KTRACK_FIELD(u32, a));",
        "has its attributes in another order",
    ),
    "names": (
        "",
        f"{PAIR} KTRACK_SLICE_LIKE(one, other, KTRACK_FIELD(u32, a), KTRACK_FIELD(u32, c));",
        "has no member named",
    ),
    "alike": (
        "",
        f"{PAIR} KTRACK_SLICE_LIKE(one, other, KTRACK_FIELD(u32, a), KTRACK_FIELD(u32, b));",
        "",
    ),
    "small_cpu": ("", "KTRACK_SLICE(small, KTRACK_SCOPE(u8, cpu));", "scope_cpu wants 32 bits"),
    "large_cpu": ("", "KTRACK_SLICE(large, KTRACK_SCOPE(u64, cpu));", ""),
    "creator": ("#define KTRACK_DISABLE", PLAIN, "say -DKTRACK_DISABLE in ccflags-y"),
    "whole": ("#define KTRACK_DISABLE 1", PLAIN, ""),
    "borrower": ("#define KTRACK_DISABLE\n#include <ktrack/generic.h>\n#undef KTRACK_DISABLE", PLAIN, ""),
}


def write_cases(folder):
    """A file for each case, and the headers."""
    folder.mkdir()
    build.copy_headers(folder)
    for name, (before, declarations, _) in CASES.items():
        header = HEADER.format(name=name, declarations=declarations)
        (folder / f"{name}_trace.h").write_text(header)
        (folder / f"{name}.c").write_text(SOURCE.format(name=name, before=before))
    objects = " ".join(f"{name}.o" for name in CASES)
    flags = "ccflags-y += -I$(src)/include -I$(src)"
    (folder / "Kbuild").write_text(f"obj-m += refused.o\nrefused-y := {objects}\n{flags}\n")


def words_of(log):
    """What the compiler says of each file, by its name."""
    parts = log.split("  CC [M]  ")[1:]
    return {Path(part.splitlines()[0]).stem: part for part in parts}


def main():
    tap = Tap()
    for kernel in build.KERNELS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "refused"
            write_cases(folder)
            # Each file's words in one piece, and all files whatever becomes of others.
            built = build.make(build.headers(kernel), folder, "-k", "-Otarget", "modules")
            said = words_of(built.log)
            for name, (_, _, words) in CASES.items():
                errors = [line for line in said.get(name, "").splitlines() if "error:" in line]
                if words:
                    is_ok = any(words in line for line in errors)
                    tap.ok(is_ok, f"{kernel}: {name}: {words}", *errors)
                else:
                    is_ok = not errors and (folder / f"{name}.o").exists()
                    tap.ok(is_ok, f"{kernel}: {name} compiles", *errors)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
