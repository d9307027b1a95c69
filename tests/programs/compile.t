#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack/user.h compiles without warnings as C11 and C++11, static, shared and stripped, and every program runs."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import PATIENCE, own_socket  # noqa: E402
from tap import tested  # noqa: E402

INCLUDE = HERE.parents[1] / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Werror"]
CXX = ["-x", "c++"]
THIN = ("clang", "-flto=thin", "-fuse-ld=lld", "-Wno-unused-command-line-argument")
BARE = ("clang++", "-nostdlib++", "-fno-exceptions", "-Wno-unused-command-line-argument")
# The compiler of each of the two files.
VARIANTS = {
    "gnu11, gcc": (["gcc", "-std=gnu11"], ["gcc", "-std=gnu11"]),
    "C11, gcc": (["gcc", "-std=c11", "-D_DEFAULT_SOURCE"], ["gcc", "-std=c11", "-D_DEFAULT_SOURCE"]),
    "C11, clang": (["clang", "-std=c11", "-D_GNU_SOURCE"], ["clang", "-std=gnu11"]),
    "C++11, g++": (["g++", "-std=c++11", *CXX], ["g++", "-std=c++11", *CXX]),
    "C++11, clang++": (["clang++", "-std=c++11", *CXX], ["clang++", "-std=c++11", *CXX]),
    "C++17, g++": (["g++", "-std=gnu++17", *CXX], ["g++", "-std=gnu++17", *CXX]),
    "C and C++ in one program": (["gcc", "-std=gnu11"], ["g++", "-std=c++11", *CXX]),
    "unoptimized": (["gcc", "-O0"], ["clang", "-O0"]),
    "link-time optimization": (["gcc", "-flto"], ["gcc", "-flto"]),
    "static": (["gcc", "-static"], ["gcc", "-static"]),
    "static, position independent": (["gcc", "-static-pie", "-fPIE"], ["gcc", "-static-pie", "-fPIE"]),
    "not position independent": (["gcc", "-no-pie", "-fno-pie"], ["gcc", "-no-pie", "-fno-pie"]),
    "sanitizers": (["gcc", "-fsanitize=address,undefined"], ["gcc", "-fsanitize=address,undefined"]),
    "link-time optimization, clang": (["clang", "-flto"], ["clang", "-flto"]),
    "thin link-time optimization, lld": ([*THIN], [*THIN]),
    "neither exceptions nor types at run time": (["g++", "-fno-exceptions", "-fno-rtti", *CXX], ["g++", "-fno-exceptions", "-fno-rtti", *CXX]),
    "without the library of C++": ([*BARE, *CXX], [*BARE, *CXX]),
    "stripped": (["gcc", "-s"], ["gcc"]),
}


def build(work, compilers, more=(), include=INCLUDE):
    """Builds the two files and links them; returns what the compilers print."""
    output = ""
    for name, compiler in zip(("once", "twice"), compilers, strict=True):
        words = [*compiler, "-O2", *WARNINGS, f"-I{include}", *more, "-c", "-o", work / f"{name}.o", HERE / f"{name}.c"]
        output += subprocess.run(words, capture_output=True, text=True, check=False).stderr
    link = [word for word in compilers[0] if word not in CXX and not word.startswith(("-std", "-D"))]
    words = ["g++" if "g++" in compilers[1][0] else link[0], *link[1:], "-o", work / "once", work / "once.o", work / "twice.o", "-pthread"]
    if compilers[1][0].startswith("clang++"):
        words[0] = "clang++"
    return output + subprocess.run(words, capture_output=True, text=True, check=False).stderr


def check_variants(tap, work):
    """Each variant compiles, and its two files share their memory."""
    for name, compilers in VARIANTS.items():
        (work / "once").unlink(missing_ok=True)
        output = build(work, compilers)
        ran = subprocess.run([work / "once"], capture_output=True, text=True, check=False) if (work / "once").exists() else None
        tap.ok(not output and ran and ran.returncode == 0, name, output, ran)


def check_single(tap, work):
    """The headers as one file, alone in a folder."""
    target = work / "single"
    words = ["make", "-s", "--no-print-directory", "KDIR=/nonexistent", f"BUILD={target}", "single-header"]
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    made = subprocess.run(words, cwd=INCLUDE.parent, env=environment, capture_output=True, text=True, check=False)
    (target / "ktrack").mkdir(parents=True)
    (target / "ktrack/user.h").symlink_to(target / "single-header/ktrack-user.h")
    for name in ("C11, gcc", "C11, clang", "C++11, g++", "C and C++ in one program", "link-time optimization"):
        (work / "once").unlink(missing_ok=True)
        output = build(work, VARIANTS[name], include=target)
        is_built = (work / "once").exists()
        tap.ok(not output and is_built and subprocess.run([work / "once"], check=False).returncode == 0, f"one file: {name}", made.stderr, output)
    for name in ("C11, gcc", "C++20, g++"):
        check_strictly(tap, work, f"one file: strict {name}", STRICT_COMPILERS[name], target)
    (work / "wide.c").write_text('#include <ktrack/user.h>\nKTRACK_SLICE(e, KTRACK_FIELD(uint8_t, a));\nvoid f(void) { ktrack_instant(e, "x", 1000); }\n')
    done = subprocess.run(["clang", f"-I{target}", "-fsyntax-only", work / "wide.c"], capture_output=True, text=True, check=False)
    tap.ok("implicit conversion" in done.stderr, "one file: calls have the program's warnings", done.stderr)


STRICT = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wpedantic", "-Wundef", "-Wcast-qual", "-Wcast-align", "-Werror"]
STRICT_CXX = ["-x", "c++", "-Wold-style-cast", "-Wzero-as-null-pointer-constant"]
# The compiler with the options of a program that has more warnings than most.
STRICT_COMPILERS = {
    "C11, gcc": ["gcc", "-std=c11", "-D_DEFAULT_SOURCE"],
    "C11, clang": ["clang", "-std=c11", "-D_DEFAULT_SOURCE"],
    "C23, gcc": ["gcc", "-std=gnu2x"],
    "C++11, g++": ["g++", "-std=c++11", *STRICT_CXX],
    "C++17, clang++": ["clang++", "-std=c++17", *STRICT_CXX],
    "C++20, g++": ["g++", "-std=c++20", "-Wuseless-cast", *STRICT_CXX],
}
CALLS = """\
#define KTRACK_SYSTEM strict
#include <ktrack/user.h>
KTRACK_SLICE(plain);
KTRACK_COUNTER(count, uint64_t);
KTRACK_SLICE_OF(other, library);
KTRACK_COUNTER_OF(other, total, double);
KTRACK_SLICE(work, KTRACK_FIELD(uint8_t, small), KTRACK_ENUM(uint8_t, op, { 0, "a" }), KTRACK_TEXT(note), KTRACK_ASYNC(id), KTRACK_RESULT(rc));
KTRACK_SLICE(track, KTRACK_TRACK_NAME, KTRACK_BYTES(mac, 6), KTRACK_TEXT_N(tag, 2), KTRACK_POINTER(at));
KTRACK_COUNTER(level, uint32_t, KTRACK_SCOPE(uint16_t, queue));
int main(int argc, char **argv)
{
	const unsigned char mac[6] = { 0 };
	ktrack_guard(plain, "x");
	ktrack_guard_printf(plain, ("x"));
	ktrack_begin(plain, "x");
	ktrack_end(plain);
	ktrack_instant(library, "x");
	ktrack_instant_printf(library, ("x"));
	ktrack_sample(count, 1);
	ktrack_sample(total, 0.5);
	ktrack_guard_named(guard, work, "x", 1, 0, argv[0], ktrack_id(argv));
	ktrack_guard_set(guard, rc, -1);
	ktrack_guard_printf(work, ("x %d", argc), 1, 0, argv[0], ktrack_id(argv));
	ktrack_guard(track, "x", KTRACK_STATIC(argv[0]), mac, "ab", argv);
	ktrack_guard_copy(track, argv[0], argv[0], mac, argv[0], mac);
	ktrack_begin(work, "x", 1, 0, "t", 1);
	ktrack_end(work, 1, 0, "t", 1, 0);
	ktrack_instant(work, "x", 1, 0, "t", ktrack_flow_new(work));
	if (ktrack_enabled(level))
		ktrack_sample(level, 1, 2);
	return 0;
}
"""


def check_strictly(tap, work, name, compiler, include):
    """One compiler with its options, and the folder of the headers."""
    (work / "strict.c").write_text(CALLS)
    words = [*compiler, *STRICT, "-O2", f"-I{include}", "-c", "-o", work / "strict.o", work / "strict.c"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0 and not done.stderr, name, done.stderr)


def check_strict(tap, work):
    """Neither the headers nor the calls have warnings that a program may switch on."""
    for name, compiler in STRICT_COMPILERS.items():
        check_strictly(tap, work, f"strict {name}", compiler, INCLUDE)


def check_shared(tap, work):
    """A program and a shared library have a memory each, with hidden symbols."""
    library = work / "libtwice.so"
    build_library = ["gcc", "-O2", "-fPIC", "-shared", *WARNINGS, f"-I{INCLUDE}", "-o", library, HERE / "twice.c"]
    done = subprocess.run(build_library, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0, "a shared library", done.stderr)
    names = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    tap.nothing([line for line in names.splitlines() if "ktrack" in line], "it exports nothing of the macros")
    source = work / "open.c"
    source.write_text(OPENS)
    subprocess.run(["gcc", "-O2", f"-I{INCLUDE}", f"-I{HERE}", "-o", work / "open", source], check=True)
    done = subprocess.run([work / "open", library], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0, "it is opened by a program that has macros of its own", done)


OPENS = """
#include "events.h"
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	const void *(*control)(void) = (const void *(*)(void))dlsym(library, "twice_control");
	ktrack_user3_control.on = 1;
	prog_emit_all();
	return argc != 2 || control() == &ktrack_user3_control ? 1 : dlclose(library);
}
"""


EARLY = """\
#include <ktrack/user.h>
KTRACK_SLICE(early);
static int nr_set_up;
static int count(void) { return nr_set_up += ktrack_user3_process.is_set_up == 1; }
#ifdef __cplusplus
static int first = count();
#else
static __attribute__((constructor(102))) void first(void) { count(); }
#endif
static __attribute__((constructor(102))) void second(void) { count(); }
int main() { return nr_set_up == 2 ? 0 : 1; }
"""
# Before the header's own constructor.
EARLIEST = """\
static __attribute__((constructor(101))) void earliest(void);
#include <ktrack/user.h>
static void earliest(void) { ktrack_user_set_up(); }
static __attribute__((section(".preinit_array"), used)) void (*const entry)(void) = earliest;
KTRACK_SLICE(early);
static int was_set_up;
static __attribute__((constructor(101))) void second(void) { was_set_up = ktrack_user3_process.is_set_up != 0; }
int main(void) { ktrack_user_set_up(); return was_set_up ? 0 : 1; }
"""


def check_early(tap, work):
    """Constructors of the program come behind the set-up, or call it."""
    for name, words, text in (
        ("C", ["gcc"], EARLY), ("C++", ["g++", "-x", "c++"], EARLY), ("C++, clang", ["clang++", "-x", "c++"], EARLY), ("one of them sets up", ["gcc"], EARLIEST),
        ("without calls", ["gcc", "-DKTRACK_DISABLE"], "#include <ktrack/user.h>\nint main(void) { ktrack_user_set_up(); return 0; }\n"),
    ):
        (work / "early.c").write_text(text)
        done = subprocess.run([*words, *WARNINGS, f"-I{INCLUDE}", "-o", work / "early", work / "early.c", "-pthread"], capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 0 and subprocess.run([work / "early"], check=False).returncode == 0, f"constructors: {name}", done.stderr)


def check_posix(tap, work):
    """Strict C without POSIX is explained."""
    done = subprocess.run(["gcc", "-std=c11", f"-I{INCLUDE}", "-c", "-o", work / "x.o", HERE / "twice.c"], capture_output=True, text=True, check=False)
    tap.ok("-D_DEFAULT_SOURCE" in done.stderr, "strict C names the remedy", done.stderr)


def check_disabled(tap, work):
    """KTRACK_DISABLE leaves nothing of the macros."""
    output = build(work, (["gcc"], ["gcc"]), ("-DKTRACK_DISABLE",))
    names = subprocess.run(["nm", work / "twice.o"], capture_output=True, text=True, check=True).stdout
    tap.ok("memfd" not in names and "reserve" not in names and "ktrack_emit" not in names, "KTRACK_DISABLE removes all calls", output, names)


def check_page(tap, work):
    """The program that the manual page shows compiles without warnings and runs."""
    page = (INCLUDE / "ktrack/ktrack-user.7").read_text()
    for name, block in re.findall(r"^\.\\\" example (my\w+\.[ch])\n\.EX\n(.*?)^\.EE$", page, re.MULTILINE | re.DOTALL):
        (work / name).write_text(block.replace("\\-", "-"))
    words = ["gcc", "-O2", *WARNINGS, f"-I{INCLUDE}", "-o", work / "mytool", work / "mytool.c"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0 and subprocess.run([work / "mytool"], check=False).returncode == 0, "the program of ktrack-user(7)", done.stderr)
    for compiler in (["gcc"], ["g++", *CXX]):
        done = subprocess.run([*compiler, *WARNINGS, f"-I{INCLUDE}", "-include", work / "mylib.h", "-fsyntax-only", work / "mytool.c"], capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 0 and not done.stderr, f"the header of a library, before those of the program: {compiler[0]}", done.stderr)
    shell = re.search(r"^\.EX\n(cc .*?)^\.EE$", page, re.MULTILINE | re.DOTALL)[1].replace("\\-", "-")
    compiler = work / "bin/cc"
    compiler.parent.mkdir()
    compiler.write_text(f'#!/bin/sh\nexec gcc {PATIENCE} "$@"\n')
    compiler.chmod(0o755)
    environment = {**os.environ, "C_INCLUDE_PATH": str(INCLUDE), "PATH": f"{compiler.parent}:{HERE.parents[1] / 'build'}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-ec", shell], cwd=work, env=environment, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0 and "mytool_request" in (work / "page.html").read_text(), "its commands", done.stderr)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        for check in (check_variants, check_single, check_strict, check_shared, check_early, check_posix, check_disabled, check_page):
            check(tap, Path(folder))
