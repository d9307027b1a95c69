# SPDX-License-Identifier: GPL-2.0-only
"""How much of a module instrumentation takes: bytes of each call and of each tracepoint, compiled for a kernel."""

import shutil
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "kernel")]

import build  # noqa: E402

COUNT = 10
JUMP_ENTRY_BYTES = 16

DECLARATIONS = """\
KTRACK_SLICE(io, KTRACK_SCOPE(u32, slot), KTRACK_FIELD(u32, bytes));
KTRACK_SLICE(async, KTRACK_ASYNC(request), KTRACK_FLOW(flow), KTRACK_RESULT(result));
KTRACK_COUNTER(depth, u32, KTRACK_SCOPE(u32, queue));
{plain}
"""
PLAIN = """\
TRACE_EVENT({name}, TP_PROTO(char type, const char *name, u32 slot, u32 bytes), TP_ARGS(type, name, slot, bytes),
	TP_STRUCT__entry(__field(char, type) __string(name, name) __field(u32, slot) __field(u32, bytes)),
	TP_fast_assign(__entry->type = type; compat_assign_str(name, name); __entry->slot = slot; __entry->bytes = bytes;),
	TP_printk("%c %s slot=%u bytes=%u", __entry->type, __get_str(name), __entry->slot, __entry->bytes));
"""
SLICE = "KTRACK_SLICE({name}, KTRACK_SCOPE(u32, slot), KTRACK_FIELD(u32, bytes));\n"
LIKE = "KTRACK_SLICE_LIKE(io, {name}, KTRACK_SCOPE(u32, slot), KTRACK_FIELD(u32, bytes));\n"
COUNTER = "KTRACK_COUNTER({name}, u32, KTRACK_SCOPE(u32, queue));\n"

# The call of each row, as a driver has it, and its static branches.
CALLS = {
    "TRACE_EVENT": 'trace_plain(\'B\', "read", request->slot, request->bytes);',
    "begin": 'ktrack_begin(io, "read", request->slot, request->bytes);',
    "end": "ktrack_end(io, request->slot, request->bytes);",
    "instant": 'ktrack_instant(io, "read", request->slot, request->bytes);',
    "sample": "ktrack_sample(depth, request->bytes, request->slot);",
    "guard": 'ktrack_guard(io, "read", request->slot, request->bytes);',
    "async begin": 'ktrack_begin(async, "read", ktrack_id(request), request->slot);',
    "async end": "ktrack_end(async, ktrack_id(request), request->slot, -5);",
    "begin_printf": 'ktrack_begin_printf(io, ("read %u", request->slot), request->slot, request->bytes);',
}
# The declaration of each row, and a call that makes the compiler emit all that a user of it needs.
TRACEPOINTS = {
    "TRACE_EVENT": (PLAIN, 'trace_{name}(\'B\', "read", request->slot, request->bytes);', "TRACE_EVENT"),
    "KTRACK_SLICE": (SLICE, 'ktrack_begin({name}, "read", request->slot, request->bytes);', "begin"),
    "KTRACK_SLICE_LIKE": (LIKE, 'ktrack_begin({name}, "read", request->slot, request->bytes);', "begin"),
    "KTRACK_COUNTER": (COUNTER, "ktrack_sample({name}, request->bytes, request->slot);", "sample"),
}

SOURCE = """\
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/types.h>
struct sized_request { u32 slot, bytes; };
void sized_work(const struct sized_request *request);
#include "compat.h"
#define CREATE_TRACE_POINTS
#include "%s_trace.h"
"""
FUNCTION = """\
u32 sized_calls(const struct sized_request *request);
u32 sized_calls(const struct sized_request *request)
{{
{calls}
	return request->slot;
}}
MODULE_LICENSE("GPL");
"""
# Each call stands in a block with other work, all blocks in one function: its alignment is not a call's.
BLOCK = "\t{{ {call} sized_work(request); }}\n"


class Size:
    """Bytes of an object: code, static branches, and all sections that a module loads."""

    def __init__(self, text=0, branches=0, total=0):
        self.text, self.branches, self.total = text, branches, total

    def less(self, other, count):
        """What each of so many has more than another object."""
        return Size(*((getattr(self, name) - getattr(other, name)) / count for name in ("text", "branches", "total")))


def read_size(file):
    """The sizes of an object's sections."""
    done = subprocess.run(["objdump", "-h", "-w", file], check=True, stdout=subprocess.PIPE, text=True)
    size = Size()
    for words in (line.split() for line in done.stdout.splitlines()):
        if len(words) > 6 and words[0].isdigit() and "ALLOC," in words[7:]:
            length = int(words[2], 16)
            size.total += length
            size.text += length if words[1].startswith((".text", ".noinstr.text")) else 0
            size.branches += length / JUMP_ENTRY_BYTES if words[1] == "__jump_table" else 0
    return size


def write_source(folder, name, declarations, calls):
    """A file of a driver: a tracepoint header, and one function for each call."""
    build.write_trace_header(folder, name, DECLARATIONS.format(plain=PLAIN.format(name="plain")) + declarations)
    blocks = "".join(BLOCK.format(call=call) for call in calls)
    (folder / f"{name}.c").write_text(SOURCE % name + FUNCTION.format(calls=blocks))


def measure(folder, kernel):
    """({call: Size}, {tracepoint: Size}) for a kernel."""
    folder = Path(folder)
    build.copy_headers(folder)
    shutil.copy(build.PROJECT / "kmod/compat.h", folder)
    first = list(CALLS.values())
    write_source(folder, "none", "", first + [";"] * COUNT)
    names = {"none": "none"}
    for index, (what, call) in enumerate(CALLS.items()):
        names[what] = f"call{index}"
        write_source(folder, names[what], "", first + [call] * COUNT)
    for index, (what, (declaration, call, _)) in enumerate(TRACEPOINTS.items()):
        names[f"declared {what}"] = f"point{index}"
        more = [f"more{number}" for number in range(COUNT)]
        declarations = "".join(declaration.format(name=name) for name in more)
        write_source(folder, f"point{index}", declarations, first + [call.format(name=name) for name in more])
    modules = " ".join(f"{name}.o" for name in names.values())
    (folder / "Kbuild").write_text(f"obj-m += {modules}\nccflags-y += -I$(src)/include -I$(src)\n")
    built = build.make(build.headers(kernel), folder, "KBUILD_MODPOST_WARN=1", "modules")
    if built.status != 0:
        raise RuntimeError(built.log[-4000:])
    sizes = {what: read_size(folder / f"{name}.ko") for what, name in names.items()}
    calls = {what: sizes[what].less(sizes["none"], COUNT) for what in CALLS}
    points = {
        what: sizes[f"declared {what}"].less(sizes["none"], COUNT).less(calls[call], 1)
        for what, (_, _, call) in TRACEPOINTS.items()
    }
    return calls, points
