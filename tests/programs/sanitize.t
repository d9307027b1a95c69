#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: sanitizers have nothing to say of a recorded program with threads, coroutines, fork, exec, a daemon, and a library that is opened and closed."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import build, lost, own_socket, stream  # noqa: E402
from tap import tested  # noqa: E402

# Those that a program can have at once, and what each of them calls itself in its reports.
SANITIZERS = {"address,undefined": ("AddressSanitizer", "runtime error"), "thread": ("ThreadSanitizer",)}
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-14", "clang++-14")}
PLANTED = """\
#include <ktrack/user.h>
#include <thread>
KTRACK_SLICE(planted_work, KTRACK_TEXT(text));
static int number;
int main(int argc, char **argv)
{
	char *text = new char[8]();
	std::thread other([] { number++; });
	number += 0x7fffffff * argc;
	other.join();
	delete[] text;
	ktrack_instant(planted_work, "planted", text);
	return number == 1 ? **argv : 0;
}
"""
REPORT = re.compile(r"Sanitizer|runtime error|DEADLYSIGNAL")


def made(folder, name, compiler, kind, source, more=()):
    """Builds with a sanitizer."""
    language = ["-std=gnu++20"] if source.endswith("cpp") else []
    return build(folder, name, compiler=(compiler, *language, "-g1", f"-fsanitize={kind}"), more=more, source=source)


def check(tap, folder, name, kind):
    """One compiler and one sanitizer."""
    c_compiler, cxx_compiler = COMPILERS[name]
    library = made(folder, f"{name}-{kind}.so", c_compiler, kind, "library.c", ["-shared", "-fPIC"])
    program = made(folder, f"{name}-{kind}", cxx_compiler, kind, "sanitize.cpp", ["-ldl"])
    output, events, messages = stream([program, library], check=False)
    begins = sum(event["event"] == "region_enter" for event in events)
    ends = sum(event["event"] == "region_leave" and not event.get("unfinished") for event in events)
    number = int((re.search(r"^begins (\d+)$", output, re.MULTILINE) or [0, 0])[1])
    tap.ok(number > 0 and not REPORT.search(messages + output), f"{name}, {kind}: the sanitizer is silent", output, messages)
    tap.ok(begins == ends == number and lost(events) == (0, False), f"{name}, {kind}: all slices are recorded", begins, ends, number, lost(events), messages)


def check_coroutines(tap, folder, name, kind):
    """Guards of coroutines that take turns, and that end on another thread."""
    program = made(folder, f"{name}-{kind}-coroutine", COMPILERS[name][1], kind, "coroutine.cpp")
    for words in ([program], [program, "turns"]):
        output, events, messages = stream(words, check=False)
        begins = sum(event["event"] == "region_enter" for event in events)
        tap.ok(begins > 150 and not REPORT.search(messages + output), f"{name}, {kind}: coroutines {words[1:]}", begins, messages)


def check_planted(tap, folder, kind):
    """Each sanitizer reports its mistake of a program, which has one of each kind. What ends the program is the last one."""
    (Path(folder) / "planted.cpp").write_text(PLANTED)
    program = made(folder, f"planted-{kind}", "g++", kind, str(Path(folder) / "planted.cpp"), ["-Wno-error"])
    messages = stream([program], check=False)[2]
    for name in SANITIZERS[kind]:
        tap.ok(name in messages, f"{kind}: a mistake is reported: {name}", messages)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        for kind in SANITIZERS:
            check_planted(tap, folder, kind)
            for name in COMPILERS:
                if shutil.which(COMPILERS[name][1]):
                    check(tap, folder, name, kind)
                    check_coroutines(tap, folder, name, kind)
                else:
                    tap.skip(f"{name}, {kind}", "not installed")
