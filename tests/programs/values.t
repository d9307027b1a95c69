#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: values of each kind are read within the call that names them, and recorded as they were; no guard keeps a pointer."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import build, own_socket, stream  # noqa: E402
from tap import tested  # noqa: E402

ADDRESS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
# What C++ passes: temporaries, strings with a length, enumerations with a scope, events of a namespace.
SOURCE = r"""
#include <string>
#if __cplusplus >= 201703L
#include <string_view>
#endif

#define KTRACK_SYSTEM vals
#include <ktrack/user.h>

enum class Op { Read, Write };

namespace disk
{
KTRACK_SLICE(vals_open, KTRACK_TEXT(path), KTRACK_ENUM(Op, op, { Op::Read, "read" }, { Op::Write, "write" }));
}
KTRACK_SLICE(vals_track, KTRACK_TRACK_NAME);

static std::string path_of(int number)
{
	return "/a/path/that/is/too/long/for/a/string/on/the/stack/" + std::to_string(number);
}

int main(int argc, char **)
{
	{
		ktrack_guard(disk::vals_open, "guard", path_of(1).c_str(), Op::Write);
		ktrack_guard_printf(disk::vals_open, ("guard %s", path_of(2).c_str()), path_of(3), Op::Read);
		ktrack_guard_copy(vals_track, path_of(4), path_of(5));
	}
	ktrack_instant(disk::vals_open, path_of(6), path_of(7).c_str(), Op::Read);
	ktrack_instant_printf(disk::vals_open, ("%s", path_of(8).c_str()), path_of(9).c_str(), Op::Read);
	ktrack_begin_printf(vals_track, ("argument %d", argc), path_of(10).c_str());
	ktrack_end(vals_track, path_of(10));
#if __cplusplus >= 201703L
	ktrack_instant(disk::vals_open, std::string_view("cut here", 3), std::string_view(path_of(11)), Op::Read);
#endif
	return 0;
}
"""
LONG = "/a/path/that/is/too/long/for/a/string/on/the/stack/"


def slices(events, name):
    """The arguments of the begin and of the end of a slice."""
    return [event.get("args", {}) for event in events if event["event"] in ("region_enter", "region_leave") and event["label"] == name]


def some(values, names):
    """The values that have these names."""
    return {name: values[name] for name in names.split() if name in values}


def check_c(tap, folder):
    """The kinds of C, and guards whose values are gone at their end."""
    program = build(folder, "values", source="values.c", more=ADDRESS)
    _, events, messages = stream([program])
    begin, end = slices(events, "guarded")
    wanted = {"mac": "0242ac110002", "tag": "full", "note": "a note of the begin", "class": 7}
    tap.ok(some(begin, "mac tag note class errno") == wanted, "a guard's begin has all values", begin, messages)
    wanted = {"mac": "0242ac110002", "class": 7, "errno": -5}
    tap.ok(some(end, "mac tag note class errno") == wanted, "its end has numbers and bytes of the begin, no strings, and the result", end)
    tap.ok(begin.get("at") and begin["at"] == end["at"], "an address is recorded, and not read", begin)
    begin, end = slices(events, "plain")
    tap.ok(begin == {"mac": "000000000000", "tag": "ab", "at": 0, "note": "b", "class": 8}, "no bytes are zeros, and a short string ends at its NUL", begin)
    tap.ok(end == {"mac": "000000000000", "tag": "(null)", "at": 0, "note": "e", "class": 9, "errno": -2}, "an end has the strings that it is given", end)
    parts = [event["value"] for event in events if event["event"] == "data_json" and event.get("category") == "vals:vals_part"]
    samples = [event["value"] for event in events if event["event"] == "data" and event["category"] == "vals:vals_load"]
    wanted = [{"ratio": 0.1, "half": 0.5}, {"ratio": "NaN", "half": "-Infinity"}]
    tap.ok((parts, samples) == (wanted, ["-2.25", "1e+300"]), "floating numbers: a field and a counter are doubles", parts, samples)
    names = {event["value"].get("name") for event in events if event["event"] == "data_json" and event.get("category") == "track"}
    tap.ok({"copied", "of the author"} <= names, "tracks have the names of the begin", names)
    tap.ok({event.get("category") for event in events} >= {"vals:vals_kinds", "vals_other:vals_work", "vals_other:vals_level"}, "a library's events have a system of their own")


def check_cxx(tap, folder):
    """Temporaries, std::string, an enum class and a namespace."""
    source = Path(folder) / "values.cc"
    source.write_text(SOURCE)
    for standard in ("c++11", "c++17", "c++20"):
        program = build(folder, "values", ("g++", f"-std={standard}"), ADDRESS, source)
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 0, f"{standard}: runs", done.stderr)
        _, events, messages = stream([program])
        labels = {event["label"]: event["args"] for event in events if event["event"] == "region_enter" and "args" in event}
        labels |= {event["key"]: event["value"] for event in events if event["event"] == "data_json"}
        wanted = {"guard": (f"{LONG}1", "write"), f"guard {LONG}2": (f"{LONG}3", "read")}
        wanted |= {f"{LONG}6": (f"{LONG}7", "read"), f"{LONG}8": (f"{LONG}9", "read")}
        if standard != "c++11":
            wanted["cut"] = (f"{LONG}11", "read")
        found = {label: (values.get("path"), values.get("op")) for label, values in labels.items() if label in wanted}
        tap.ok(found == wanted, f"{standard}: strings are read before temporaries end", found, messages)
        names = {event["value"].get("name") for event in events if event["event"] == "data_json" and event.get("category") == "track"}
        tap.ok({f"{LONG}5", f"{LONG}10"} <= names, f"{standard}: names of tracks", names)


LIBRARY = """\
#include <ktrack/user.h>
KTRACK_SLICE_OF(mylib, lib_work, KTRACK_FIELD(int, number));
KTRACK_COUNTER_OF(mylib, lib_open, int);
"""
SYSTEM, OWN = "#define KTRACK_SYSTEM myapp\n", "#include <ktrack/user.h>\nKTRACK_SLICE(app_work);\n"
ORDERS = {
    "the library first": ('#include "lib.h"\n' + SYSTEM + OWN, "myapp"),
    "the program first": (SYSTEM + OWN + '#include "lib.h"\n', "myapp"),
    "the system first": (SYSTEM + '#include "lib.h"\n' + OWN, "myapp"),
    "a program without a system": ('#include "lib.h"\n' + OWN, "user"),
}
BODY = 'int main(void) { ktrack_instant(app_work, "a"); ktrack_instant(lib_work, "l", 1); ktrack_sample(lib_open, 2); return 0; }\n'


def check_systems(tap, folder):
    """The header of a library and the program have a system each, in any order of the includes."""
    (Path(folder) / "lib.h").write_text(LIBRARY)
    for name, (head, system) in ORDERS.items():
        source = Path(folder) / "system.c"
        source.write_text(head + BODY)
        for compiler in (("gcc",), ("clang++", "-x", "c++")):
            _, events, messages = stream([build(folder, "system", compiler, ["-I", folder], source)])
            tracks = {event["value"]["tracepoint"] for event in events if event["event"] == "data_json" and event.get("category") == "track"}
            tap.ok(tracks == {f"{system}:app_work", "mylib:lib_work", "mylib:lib_open"}, f"{name}, {compiler[0]}: systems", tracks, messages)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        check_c(tap, folder)
        check_cxx(tap, folder)
        check_systems(tap, folder)
