#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what cannot work is refused by the compiler, in words that say why."""

import os
import re
import shlex
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import build  # noqa: E402
import process  # noqa: E402
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
FULL = "KTRACK_SLICE(io, KTRACK_SCOPE(u32, slot), KTRACK_TRACK_NAME, KTRACK_FIELD(s32, result));"
DEPTH = "KTRACK_COUNTER(depth, u32, KTRACK_SCOPE(u32, queue));"

TRACK = "KTRACK_SLICE(named, KTRACK_SCOPE_GLOBAL, KTRACK_TRACK_NAME);"
NOTE = "KTRACK_SLICE(note, KTRACK_TEXT(text));"
RAW = "KTRACK_SLICE(raw, KTRACK_BYTES(mac, 6), KTRACK_TEXT_N(tag, 4), KTRACK_POINTER(at));"
REQUEST = """KTRACK_SLICE(request, KTRACK_SCOPE(u32, queue), KTRACK_ASYNC(id), KTRACK_FLOW(flow), KTRACK_RESULT(result),
	KTRACK_ENUM(u8, op, { 0, "read" }, { 1, "write" }));"""

NUMBERS = ", ".join(f"KTRACK_FIELD(u32, number{index})" for index in range(10))
OVER = "jump skips variable initialization"
PAST = "switch jumps over variable initialization"

# What is before the include, what is declared, and what the compiler says; nothing where it is content.
CASES = {
    "order": (
        "",
        f"{PAIR} KTRACK_SLICE_LIKE(one, other, KTRACK_FIELD(u32, b), KTRACK_FIELD(u32, a));",
        "other: LIKE a tracepoint with another order of attributes: ",
    ),
    "counter_order": (
        "",
        f"{LEVEL} KTRACK_COUNTER_LIKE(level, other, u32, KTRACK_FIELD(u32, b), KTRACK_FIELD(u32, a));",
        "other: LIKE a tracepoint with another order of attributes: ",
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
    "fewer": ("", f"{PAIR} KTRACK_SLICE_LIKE(one, other, KTRACK_FIELD(u32, a));", "other: LIKE a tracepoint with more or fewer"),
    "types": (
        "",
        f"{PAIR} KTRACK_SLICE_LIKE(one, other, KTRACK_FIELD(u32, a), KTRACK_FIELD(s32, b));",
        "other: LIKE a tracepoint with another type of attribute: b",
    ),
    "kinds": (
        "",
        f"{LEVEL} KTRACK_SLICE_LIKE(level, other, KTRACK_FIELD(u32, a), KTRACK_FIELD(u32, b));",
        "other: a slice LIKE a counter, or a counter LIKE a slice: level",
    ),
    "scopes": ("", "KTRACK_SLICE(two, KTRACK_SCOPE(u32, a), KTRACK_SCOPE_CPU, KTRACK_ASYNC(b));", ""),
    "scope_types": (
        "enum state { OFF = -1, ON };",
        "KTRACK_SLICE(words, KTRACK_SCOPE(enum state, a), KTRACK_SCOPE(unsigned int, b), KTRACK_SCOPE(ulong, c), KTRACK_SCOPE(long, d),"
        " KTRACK_SCOPE(bool, e), KTRACK_SCOPE(uint, f)); KTRACK_SLICE(names, KTRACK_SCOPE(sector_t, a), KTRACK_SCOPE(dma_addr_t, b),"
        " KTRACK_SCOPE(phys_addr_t, c), KTRACK_SCOPE(size_t, d), KTRACK_SCOPE(ssize_t, e), KTRACK_SCOPE(loff_t, f), KTRACK_SCOPE(dev_t, g),"
        " KTRACK_SCOPE(umode_t, h), KTRACK_SCOPE(ushort, i), KTRACK_SCOPE(char, j));"
        " KTRACK_SLICE(fixed, KTRACK_SCOPE(uint8_t, a), KTRACK_SCOPE(int16_t, b), KTRACK_SCOPE(uint32_t, c), KTRACK_SCOPE(int64_t, d),"
        " KTRACK_SCOPE(__u32, e), KTRACK_SCOPE(__s8, f), KTRACK_SCOPE(__u16, g), KTRACK_SCOPE(__u64, h));",
        "",
    ),
    "scope_type": (
        "",
        "KTRACK_SLICE(two, KTRACK_SCOPE(unsigned long, a), KTRACK_SCOPE_CPU);",
        "two: several scopes need types of one word, such as u32 and ulong, but scope_a is unsigned long",
    ),
    "two_globals": ("", "KTRACK_SLICE(two, KTRACK_SCOPE_GLOBAL, KTRACK_SCOPE_GLOBAL);", "KTRACK_SCOPE_GLOBAL excludes another scope"),
    "global_scope": (
        "",
        "KTRACK_SLICE(two, KTRACK_SCOPE(u32, a), KTRACK_SCOPE_GLOBAL);",
        "two: KTRACK_SCOPE_GLOBAL excludes another scope: scope_a",
    ),
    "global_async": (
        "",
        "KTRACK_SLICE(two, KTRACK_SCOPE_GLOBAL, KTRACK_ASYNC(b));",
        "two: KTRACK_SCOPE_GLOBAL excludes another scope: async_b",
    ),
    "async_first": (
        "",
        "KTRACK_SLICE(two, KTRACK_ASYNC(b), KTRACK_SCOPE(u32, a));",
        "two: KTRACK_ASYNC() must be the last scope, but before it is scope_a",
    ),
    "two_asyncs": ("", "KTRACK_SLICE(two, KTRACK_ASYNC(b), KTRACK_ASYNC(c));", "two: KTRACK_ASYNC() must be the last scope, but before it is async_c"),
    "async_of_cpu": ("", "KTRACK_SLICE(one, KTRACK_ASYNC(cpu));", "one: KTRACK_ASYNC() with the id of a process or a CPU: async_cpu"),
    "async_counter": ("", "KTRACK_COUNTER(one, u32, KTRACK_ASYNC(b));", "one: a counter has no KTRACK_ASYNC()"),
    "flow_counter": ("", "KTRACK_COUNTER(one, u32, KTRACK_FLOW(b));", "KTRACK_RESULT(): b"),
    "result_counter": ("", "KTRACK_COUNTER(one, u32, KTRACK_RESULT(b));", "KTRACK_RESULT(): b"),
    "no_values": ("", "KTRACK_SLICE(one, KTRACK_ENUM(u8, op));", "one: KTRACK_ENUM() without values: op"),
    "two_results": ("", "KTRACK_SLICE(one, KTRACK_RESULT(a), KTRACK_RESULT(b));", "one: has more than one KTRACK_RESULT()"),
    "many_bytes": ("", "KTRACK_SLICE(one, KTRACK_BYTES(all, 65));", "one: KTRACK_BYTES() has 1 to 64 bytes: all"),
    "empty_array": ("", "KTRACK_SLICE(one, KTRACK_TEXT_N(tag, 0));", "one: KTRACK_TEXT_N() without bytes: tag"),
    "floating": ("", "KTRACK_SLICE(one, KTRACK_FIELD(double, a));", "one: a is not of an integer type: double"),
    "order_of_networks": ("", "KTRACK_SLICE(one, KTRACK_FIELD(__be32, ip));", "one: ip would have the wrong byte order: __be32"),
    "order_of_buses": ("", "KTRACK_SLICE(one, KTRACK_SCOPE(__le16, unit));", "one: scope_unit would have the wrong byte order: __le16"),
    "macro": ("", "KTRACK_SLICE(one, KTRACK_FIELD(u32, current));", "one: the name of a field became get_current(), since it is a macro"),
    "macro_text": ("", "KTRACK_SLICE(one, KTRACK_TEXT(current), KTRACK_RESULT(b));", "one: the name of a field became get_current()"),
    "no_macro": ("", "KTRACK_SLICE(one, KTRACK_SCOPE(u32, current), KTRACK_RESULT(errno));", ""),
    "no_bits": ("", "KTRACK_SLICE(one, KTRACK_FLAGS(u8, bits));", "one: KTRACK_FLAGS() without bits: bits"),
    "like_another_kind": (
        "",
        "KTRACK_SLICE(one, KTRACK_FIELD(u64, a)); KTRACK_SLICE_LIKE(one, other, KTRACK_FLOW(a));",
        "other: LIKE a tracepoint with another kind of attribute: a",
    ),
    "like_result": (
        "",
        "KTRACK_SLICE(one, KTRACK_RESULT(a)); KTRACK_SLICE_LIKE(one, other, KTRACK_FIELD(s64, a));",
        "other: LIKE a tracepoint with another kind of attribute: a",
    ),
    "like_all": ("", f"{REQUEST} {REQUEST.replace('KTRACK_SLICE(request', 'KTRACK_SLICE_LIKE(request, other')}", ""),
    "pointer": ("", "KTRACK_SLICE(address, KTRACK_FIELD(void *, at));", "address: at is not of an integer type: void *"),
    "structure": (
        "",
        "KTRACK_SLICE(one_whole, KTRACK_SCOPE(struct list_head, id));",
        "one_whole: scope_id is not of an integer type: struct list_head",
    ),
    "count": ("", "KTRACK_COUNTER(text, const char *);", "text: the counter is not of an integer type: const char *"),
    "ten": ("", f"KTRACK_SLICE(ten, {NUMBERS});", ""),
    "eleven": ("", f"KTRACK_SLICE(eleven, {NUMBERS}, KTRACK_TRACK_NAME);", "eleven: ten attributes at most"),
    "eleven_of_counter": ("", f"KTRACK_COUNTER(eleven, u32, {NUMBERS}, KTRACK_TRACK_NAME);", "eleven: ten attributes at most"),
    "misspelled": ("", "KTRACK_SLICE(one, KTRACK_FEILD(u32, a), KTRACK_TEXT(b));", "one: no attribute: KTRACK_FEILD(u32, a)"),
    "misspelled_like": ("", f"{PAIR} KTRACK_SLICE_LIKE(one, other, KTRACK_FEILD(u32, a), KTRACK_TEXT(b));", "other: no attribute: KTRACK_FEILD(u32, a)"),
    "thirty": ("", f"KTRACK_SLICE(thirty, {NUMBERS}, {NUMBERS}, {NUMBERS});", "thirty: ten attributes at most"),
    "twice": ("", "KTRACK_SLICE(one, KTRACK_FIELD(u32, a)); KTRACK_SLICE(one);", "one: declared before"),
    "twice_of_counter": ("", f"{DEPTH} {DEPTH}", "depth: declared before"),
    "twice_like": ("", f"{PAIR} KTRACK_SLICE_LIKE(one, one, KTRACK_FIELD(u32, a), KTRACK_FIELD(u32, b));", "one: declared before"),
    "twice_called": ("", "KTRACK_SLICE(one, KTRACK_FIELD(u32, a), KTRACK_TEXT(a));", "one: two attributes are called a"),
    "ten_of_counter": ("", f"KTRACK_COUNTER(ten, u32, {NUMBERS});", ""),
    "jump": ("", PLAIN, OVER),
    "case": ("", PLAIN, PAST),
    "blocks": ("", PLAIN, ""),
    "small_cpu": ("", "KTRACK_SLICE(small, KTRACK_SCOPE(u8, cpu));", "small: scope_cpu needs 32 bits"),
    "large_cpu": ("", "KTRACK_SLICE(large, KTRACK_SCOPE(u64, cpu));", ""),
    "creator": ("#define KTRACK_DISABLE", PLAIN, "say -DKTRACK_DISABLE in ccflags-y"),
    "whole": ("#define KTRACK_DISABLE 1", PLAIN, ""),
    "borrower": ("#define KTRACK_DISABLE\n#include <ktrack/generic.h>\n#undef KTRACK_DISABLE", PLAIN, ""),
}

# Calls, what is declared for them, and what the compiler says.
CALLS = {
    "guard_of_counter": ('ktrack_guard(depth, "wait", 0);', DEPTH, "ktrack_guard(depth): declared by KTRACK_COUNTER()"),
    "begin_of_counter": ('ktrack_begin(depth, "wait", 0);', DEPTH, "ktrack_begin(depth): declared by KTRACK_COUNTER()"),
    "sample_of_slice": ('ktrack_sample(io, 1, 2, "a", 3);', FULL, "ktrack_sample(io): declared by KTRACK_SLICE()"),
    "begin_of_nothing": ('ktrack_begin(none, "wait");', PLAIN, "none_is_no_ktrack_tracepoint"),
    "begin_without_result": ('ktrack_begin(io, "read", 1, "a");', FULL, "io has no value for result"),
    "begin_without_all": ('ktrack_begin(io, "read");', FULL, "io has no value for scope_slot"),
    "end_without_track": ("ktrack_end(io, 1);", FULL, "io has no value for track_name"),
    "instant_without_result": ('ktrack_instant(io, "read", 1, "a");', FULL, "io has no value for result"),
    "sample_without_scope": ("ktrack_sample(depth, 1);", DEPTH, "depth has no value for scope_queue"),
    "printf_without_result": ('ktrack_begin_printf(io, ("read %d", 1), 1, "a");', FULL, "io has no value for result"),
    "guard_without_result": ('ktrack_guard(io, "read", 1, "a");', FULL, "io has no value for result"),
    "named_without_result": ('ktrack_guard_named(g, io, "read", 1, "a");', FULL, "io has no value for result"),
    "formatted_without_result": ('ktrack_guard_printf(io, ("read"), 1, "a");', FULL, "io has no value for result"),
    "begin_with_more": ('ktrack_begin(io, "read", 1, "a", 2, 3);', FULL, "io: more values than attributes"),
    "plain_with_more": ('ktrack_guard(plain, "read", 3);', PLAIN, "plain: more values than attributes"),
    "end_with_name": ('ktrack_end(plain, "read");', PLAIN, "plain: more values than attributes (an end has no name"),
    "swapped_slot": ('ktrack_begin(io, "read", "a", 1, 0);', FULL, "io wants a number as scope_slot"),
    "swapped_track": ('ktrack_begin(io, "read", "a", 1, 0);', FULL, "io wants a string as track_name"),
    "bytes_as_text": ('u8 mac[6] = { 0 }; ktrack_begin(note, "a", mac);', NOTE, "note wants a string as text; KTRACK_BYTES() and KTRACK_TEXT_N() take bytes"),
    "number_as_bytes": ('ktrack_begin(raw, "a", 5, "b", NULL);', RAW, "raw wants a pointer as mac"),
    "number_as_address": ('ktrack_begin(raw, "a", "b", "c", 5);', RAW, "raw wants a pointer as at"),
    "kinds_of_values": ('char tag[4]; ktrack_guard(raw, "a", tag, tag, tag); ktrack_end(raw, NULL, NULL, NULL); ktrack_begin_printf(raw, ("a"), tag, tag, &tag);', RAW, ""),
    "guard_of_any_track": ('const char *text = "a"; ktrack_guard(named, "a", text);', TRACK, "named: the track name of a guard is a literal or KTRACK_STATIC(text)"),
    "printf_of_any_track": ('const char *text = "a"; ktrack_guard_printf(named, ("a"), text);', TRACK, "named: the track name of a guard is a literal"),
    "guard_of_tracks": ('const char *text = "a"; ktrack_guard(named, text, "a"); ktrack_guard(named, "a", KTRACK_STATIC(text)); ktrack_guard_copy(named, text, text);', TRACK, ""),
    "guard_swapped": ('ktrack_guard(io, "read", "a", 1, 0);', FULL, "io wants a number as scope_slot"),
    "number_as_track": ("ktrack_end(io, 1, 2, 0);", FULL, "io wants a string as track_name"),
    "string_as_result": ('ktrack_end(io, 1, "a", "b");', FULL, "io wants a number as result"),
    "number_as_name": ("ktrack_begin(plain, 5);", PLAIN, "plain wants a string as its name"),
    "number_as_guard": ("ktrack_guard(plain, 5);", PLAIN, "plain wants a string as its name"),
    "string_as_value": ('ktrack_sample(depth, "deep", 0);', DEPTH, "depth wants a number as its value"),
    "number_set": (
        'ktrack_guard_named(g, io, "read", 1, "a", 0); ktrack_guard_set(g, track_name, 5);',
        FULL,
        "a number for a string, or a string for a number: track_name",
    ),
    "string_set": (
        'ktrack_guard_named(g, io, "read", 1, "a", 0); ktrack_guard_set(g, result, "b");',
        FULL,
        "a number for a string, or a string for a number: result",
    ),
    "begin_with_result": ('ktrack_begin(request, "read", 1, 2, 3, 4, 5);', REQUEST, "request: more values than attributes (an end has no name"),
    "end_without_result": ("ktrack_end(request, 1, 2, 3);", REQUEST, "request has no value for result"),
    "end_without_op": ("ktrack_end(request, 1, 2, 3, 4);", REQUEST, "request has no value for op"),
    "begin_without_op": ('ktrack_begin(request, "read", 1, 2, 3);', REQUEST, "request has no value for op"),
    "begin_with_global": ('ktrack_begin(named, "read", 0, "track");', TRACK, "named: more values than attributes"),
    "pointer_as_id": ('void *p = NULL; ktrack_end(request, 1, p, 3, 4, 5);', REQUEST, "request wants a number as async_id; ktrack_id() makes one of a pointer"),
    "begin_without_id": ('ktrack_begin(request, "read", 1);', REQUEST, "request has no value for async_id"),
    "formatted_id": ('ktrack_begin(request, "read", 1, ("%d", 1), 3, 4);', REQUEST, "request cannot format async_id"),
    "pointer_as_flow": ('void *p = NULL; ktrack_end(request, 1, 2, p, 4, 5);', REQUEST, "request wants a number as flow; ktrack_id() makes one of a pointer"),
    "string_as_op": ('ktrack_end(request, 1, 2, 3, 4, "read");', REQUEST, "request wants a number as op"),
    "formatted_name": ('ktrack_begin(plain, ("read %d", 1));', PLAIN, "plain needs a printf macro for its name"),
    "formatted_track": ('ktrack_end(named, ("track %d", 1));', TRACK, "named cannot format track_name"),
    "formatted_string": ('ktrack_end(named, ("track %s", "a"));', TRACK, "named cannot format track_name"),
    "formatted_guard": ('ktrack_guard_copy(named, "a", ("track %s", "a"));', TRACK, "named cannot format track_name"),
    "formatted_set": (
        'ktrack_guard_named(g, named, "a", "a"); ktrack_guard_set(g, track_name, ("track %s", "a"));',
        TRACK,
        "ktrack_guard_set(): cannot format track_name",
    ),
    "ids_well": (
        'void *p = NULL; struct { int x; } s; ktrack_begin(request, "read", 1, ktrack_id(p), ktrack_id(&s), 1);'
        ' ktrack_instant(request, "read", 1, ktrack_id(-1), 0, 0); ktrack_end(request, 1, ktrack_id((u8)1), 7ULL, -5, 1);'
        ' ktrack_guard_named_copy(g, request, "read", 1, 2, 3, 4); ktrack_guard_set(g, result, -5);'
        ' ktrack_begin(named, "read", (const char *)p); ktrack_end(named, ("track"));'
        ' ktrack_instant(request, "read", 1, ktrack_id(p), ktrack_flow_new(request), 0);',
        f"{REQUEST} {TRACK}",
        "",
    ),
    "all_well": (
        'char *text = "a"; char bits[4] = { }; bool flag = false; struct { unsigned f:3; } s = { };'
        " ktrack_guard_named_copy(g, io, text, flag, bits, s.f); ktrack_guard_set(g, result, -1);"
        ' ktrack_guard_set(g, track_name, "b"); ktrack_begin(io, NULL, READ_ONCE(flag), NULL, min(1, 2));'
        " ktrack_end(io, (u64)1 << 40, (const void *)text, jiffies); ktrack_instant(plain, (s.f++, text));"
        " ktrack_sample(depth, flag, ({ int f = s.f; f; }));",
        f"{FULL} {PLAIN} {DEPTH}",
        "",
    ),
}
CASES |= {name: ("", declarations, words) for name, (_, declarations, words) in CALLS.items()}

# Some compilers report jumps over guards, if requested.
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
AFTER |= {name: f"void f(void) {{ {call} }}" for name, (call, _, _) in CALLS.items()}
# Calls whose first error is the one that names the mistake, since it stands before the kernel's macros.
FIRST = [name for name, (_, _, words) in CALLS.items() if words and name != "swapped_track"]
FIRST += ["pointer", "count", "fewer", "kinds", "twice", "twice_of_counter", "twice_like", "twice_called"]
# Declarations that nothing follows: their mistakes have one error.
SHORT = ["eleven", "eleven_of_counter", "thirty", "misspelled", "misspelled_like", "macro", "macro_text", "floating", "order_of_networks"]
SHORT_LINES_MAX = 40
# How long the errors of such calls are, with the kernel's warnings about the same values; a guard, and a call that does not exist, have more.
ERRORS_MAX, LINES_MAX = 2, 60
MORE = {"begin_of_nothing": 4, "guard_of_counter": 4, "plain_with_more": 5, "sample_of_slice": 4, "swapped_slot": 4, "guard_swapped": 4}
FLAGS = "-I$(src)/include -I$(src) -Werror=jump-misses-init -Wno-missing-prototypes"


# What all cases include, which takes the compiler four times as long as the rest of a case: it is precompiled.
COMMON = ("linux/module.h", "linux/tracepoint.h", "linux/trace_events.h")


def write_cases(folder):
    """A file for each case, and the headers."""
    folder.mkdir()
    build.copy_headers(folder)
    for name, (before, declarations, _) in CASES.items():
        build.write_trace_header(folder, name, declarations)
        (folder / f"{name}.c").write_text(SOURCE.format(name=name, before=before, after=AFTER.get(name, "")))
    (folder / "Kbuild").write_text(f"obj-m += refused.o\nrefused-y := alike.o\nccflags-y += {FLAGS}\n")


def compiler(tree, folder):
    """The command by which Kbuild compiled one case, as words without its files; what it includes first is precompiled for all."""
    line = re.search(r"^(?:saved)?cmd_\S+ := (.*?) -c -o ", (folder / ".alike.o.cmd").read_text(), re.MULTILINE)[1]
    words = [word for word in shlex.split(line) if not word.startswith("-Wp,")]
    first = [tree / words.pop(index) for index in reversed(range(len(words))) if words[index - 1] == "-include"][::-1]
    command = [build.PROJECT / "scripts/vm-tools", tree, *(word for word in words if word != "-include")]
    common = folder / "common.h"
    common.write_text("".join(f'#include "{name}"\n' for name in (*first, *COMMON)))
    process.run([*command, "-x", "c-header", "-o", f"{common}.gch", common], cwd=tree, check=True)
    return [*command, "-include", common]


def main():
    tap = Tap()
    for kernel in build.ONE_6_12:
        with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
            folder, tree = Path(scratch) / "refused", build.headers(kernel)
            write_cases(folder)
            built = build.make(tree, folder, "alike.o")
            if not tap.ok(built.status == 0, f"{kernel}: Kbuild compiles a case", built.log[-3000:]):
                continue
            command = compiler(tree, folder)

            def compiled(name):
                words = [*command, "-S", "-o", "/dev/null", folder / f"{name}.c"]
                return process.run(words, cwd=tree, capture_output=True, text=True, errors="replace")

            for (name, (_, _, words)), done in zip(CASES.items(), pool.map(compiled, CASES)):
                errors = [line for line in done.stderr.splitlines() if "error:" in line]
                if words:
                    named = errors[:1] if name in FIRST + SHORT else errors
                    is_ok = any(words in line for line in named) and done.returncode != 0
                    tap.ok(is_ok, f"{kernel}: {name}: {words}", *errors)
                    if name in SHORT or (name in CALLS and name in FIRST):
                        most, nr_lines = MORE.get(name, ERRORS_MAX), done.stderr.count("\n")
                        lines_max = LINES_MAX * most / ERRORS_MAX
                        if name in SHORT:
                            most, lines_max = 1, SHORT_LINES_MAX
                        is_short = len(errors) <= most and nr_lines <= lines_max
                        tap.ok(is_short, f"{kernel}: {name}: few lines", nr_lines, *errors)
                else:
                    tap.ok(done.returncode == 0 and not errors, f"{kernel}: {name} compiles", done.stderr)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
