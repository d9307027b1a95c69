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

SOURCE = """\
{before}
#define CREATE_TRACE_POINTS
#include "{name}_trace.h"
{after}
"""
PAIR = "KTRACK_SLICE(one, KTRACK_FIELD(u32, a), KTRACK_FIELD(u32, b));"
LEVEL = "KTRACK_COUNTER(level, u32, KTRACK_FIELD(u32, a), KTRACK_FIELD(u32, b));"
PLAIN = "KTRACK_SLICE(plain);"

NUMBERS = ", ".join(f"KTRACK_FIELD(u32, number{index})" for index in range(10))
OVER = "jump skips variable initialization"
PAST = "switch jumps over variable initialization"

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
    "scopes": ("", "KTRACK_SLICE(two, KTRACK_SCOPE(u32, a), KTRACK_SCOPE_CPU);", "has_one_scope_at_most"),
    "pointer": ("", "KTRACK_SLICE(address, KTRACK_FIELD(void *, at));", "invalid operands to binary |"),
    "structure": ("", "KTRACK_SLICE(whole, KTRACK_SCOPE(struct list_head, id));", "static assertion is not an integer"),
    "ten": ("", f"KTRACK_SLICE(ten, {NUMBERS});", ""),
    "eleven": ("", f"KTRACK_SLICE(eleven, {NUMBERS}, KTRACK_TRACK_NAME);", "ten_attributes_at_most"),
    "ten_of_counter": ("", f"KTRACK_COUNTER(ten, u32, {NUMBERS});", ""),
    "jump": ("", PLAIN, OVER),
    "case": ("", PLAIN, PAST),
    "blocks": ("", PLAIN, ""),
    "small_cpu": ("", "KTRACK_SLICE(small, KTRACK_SCOPE(u8, cpu));", "scope_cpu wants 32 bits"),
    "large_cpu": ("", "KTRACK_SLICE(large, KTRACK_SCOPE(u64, cpu));", ""),
    "creator": ("#define KTRACK_DISABLE", PLAIN, "say -DKTRACK_DISABLE in ccflags-y"),
    "whole": ("#define KTRACK_DISABLE 1", PLAIN, ""),
    "borrower": ("#define KTRACK_DISABLE\n#include <ktrack/generic.h>\n#undef KTRACK_DISABLE", PLAIN, ""),
}

# What some of them do with it. The compiler tells of jumps over bound slices where it is asked to.
AFTER = {
    "jump": 'void f(int a) { if (a) goto out; ktrack_guard(plain, ""); barrier(); out: barrier(); }',
    "case": 'void f(int a) { switch (a) { case 0:; ktrack_guard(plain, ""); break; default: barrier(); } }',
    "blocks": """void f(int a) {
	if (a < 0)
		goto out;
	switch (a) {
	case 0: { ktrack_guard(plain, ""); return; }
	default: { ktrack_guard(plain, ""); ktrack_guard(plain, ""); if (a) goto out; }
	}
out:	barrier();
}""",
}
FLAGS = "-I$(src)/include -I$(src) -Werror=jump-misses-init -Wno-missing-prototypes"


def write_cases(folder):
    """A file for each case, and the headers."""
    folder.mkdir()
    build.copy_headers(folder)
    for name, (before, declarations, _) in CASES.items():
        build.write_trace_header(folder, name, declarations)
        (folder / f"{name}.c").write_text(SOURCE.format(name=name, before=before, after=AFTER.get(name, "")))
    objects = " ".join(f"{name}.o" for name in CASES)
    kbuild = f"obj-m += refused.o\nrefused-y := {objects}\nccflags-y += {FLAGS}\n"
    (folder / "Kbuild").write_text(kbuild)


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
