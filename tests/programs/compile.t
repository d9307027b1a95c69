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
from tap import Tap  # noqa: E402

INCLUDE = HERE.parents[1] / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Werror"]
CXX = ["-x", "c++"]
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
    "stripped": (["gcc", "-s"], ["gcc"]),
}


def build(work, compilers, more=()):
    """Builds the two files and links them; returns what the compilers print."""
    output = ""
    for name, compiler in zip(("once", "twice"), compilers, strict=True):
        words = [*compiler, "-O2", *WARNINGS, f"-I{INCLUDE}", *more, "-c", "-o", work / f"{name}.o", HERE / f"{name}.c"]
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
	ktrack_user1_control.on = 1;
	prog_emit_all();
	return argc != 2 || control() == &ktrack_user1_control ? 1 : dlclose(library);
}
"""


def check_mistakes(tap, work):
    """Mistakes do not compile, and strict C without POSIX is explained."""
    for text, wanted in (
        ("ktrack_begin(prog_one, \"x\");", "too few arguments"),
        ("ktrack_end(prog_one, \"x\", 1, 2);", "too many arguments"),
        ("ktrack_begin(prog_level, \"x\");", "ktrack_start_prog_level"),
        ("ktrack_sample(prog_none, 1);", "prog_none"),
    ):
        (work / "wrong.c").write_text(f'#include "events.h"\nint main(void) {{ {text} return 0; }}\n')
        done = subprocess.run(["gcc", "-O2", f"-I{INCLUDE}", f"-I{HERE}", "-o", work / "wrong", work / "wrong.c"], capture_output=True, text=True, check=False)
        tap.ok(done.returncode != 0 and wanted in done.stderr, f"refused: {text}", done.stderr)
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
    for name, block in re.findall(r"^\.\\\" example (mytool\.[ch])\n\.EX\n(.*?)^\.EE$", page, re.MULTILINE | re.DOTALL):
        (work / name).write_text(block.replace("\\-", "-"))
    words = ["gcc", "-O2", *WARNINGS, f"-I{INCLUDE}", "-o", work / "mytool", work / "mytool.c"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0 and subprocess.run([work / "mytool"], check=False).returncode == 0, "the program of ktrack-user(7)", done.stderr)
    shell = re.search(r"^\.EX\n(cc .*?)^\.EE$", page, re.MULTILINE | re.DOTALL)[1].replace("\\-", "-")
    compiler = work / "bin/cc"
    compiler.parent.mkdir()
    compiler.write_text(f'#!/bin/sh\nexec gcc {PATIENCE} "$@"\n')
    compiler.chmod(0o755)
    environment = {**os.environ, "C_INCLUDE_PATH": str(INCLUDE), "PATH": f"{compiler.parent}:{HERE.parents[1] / 'build'}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-ec", shell], cwd=work, env=environment, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0 and "mytool_request" in (work / "page.html").read_text(), "its commands", done.stderr)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        for check in (check_variants, check_shared, check_mistakes, check_disabled, check_page):
            check(tap, Path(folder))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
