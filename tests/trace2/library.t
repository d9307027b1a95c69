#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: libtrace2 as a product: what it exports, what is installed, and a program that is built against that."""

import os
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from tap import tested  # noqa: E402
from driver import clean_environment  # noqa: E402

DECLARED = re.compile(r"\b(trace2_\w+)\(")
INSTALLED = (
    "bin/ktrack", "lib/libtrace2.so", "lib/libtrace2.so.0", "lib/libtrace2.a", "lib/pkgconfig/libtrace2.pc",
    "include/trace2/trace2.h", "include/trace2/event.h", "include/trace2/process.h",
    "share/man/man1/ktrack.1", "share/man/man1/ktrack-stream.1", "share/man/man3/libtrace2.3", "share/man/man5/ktrack-rules.5",
    "share/man/man7/ktrack-instrument.7",
)


def run(*words, **more):
    """Runs a program."""
    return process.run([str(word) for word in words], capture_output=True, text=True, **more)


def declared_names():
    """The functions of the public headers, without macros and comments."""
    names = set()
    for header in ("trace2.h", "process.h"):
        text = (ROOT / "include/trace2" / header).read_text()
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
        names.update(DECLARED.findall(text))
    return names


def defined_names(*words):
    """What nm shows as defined and global."""
    lines = run("nm", "--defined-only", "--extern-only", *words).stdout.splitlines()
    names = {line.split()[2].split("@")[0] for line in lines if len(line.split()) == 3}
    return {name for name in names if not name.startswith("TRACE2_")}


def check_names(tap):
    """Both libraries show the functions of the headers, and nothing else."""
    declared = declared_names()
    for words in (["-D", ROOT / "build/libtrace2.so"], [ROOT / "build/libtrace2.a"]):
        found = defined_names(*words)
        tap.ok(
            found == declared and len(found) > 50, f"{words[-1].name} exports what the headers declare",
            f"too many: {sorted(found - declared)}", f"missing: {sorted(declared - found)}",
        )


def documented_names():
    """The functions and macros that the public headers describe."""
    names = set()
    for header in ("trace2.h", "process.h"):
        for comment in re.findall(r"/\*\*(.*?)\*/", (ROOT / "include/trace2" / header).read_text(), flags=re.DOTALL):
            head = re.split(r" - ", comment)[0]
            names.update(re.findall(r"\btrace2_\w+", head))
    return names


def check_documented(tap):
    """Every function, or the macro in front of it, has a description."""
    documented = documented_names()
    missing = [name for name in declared_names() if name not in documented and name.removesuffix("_at") not in documented]
    tap.nothing(sorted(missing), "the headers describe every function")


def install(folder):
    """Installs all into a folder that stands for the root."""
    environment = {**os.environ, "MAKEFLAGS": ""}
    return run("make", "-s", "install", f"DESTDIR={folder}", "PREFIX=/usr", "LIBDIR=/usr/lib", cwd=ROOT, env=environment)


def check_installed(tap, folder):
    """Every file is where it belongs."""
    done = install(folder)
    missing = [name for name in INSTALLED if not (folder / "usr" / name).exists()]
    tap.ok(done.returncode == 0 and not missing, "make install brings all of it", done, *missing)
    description = (folder / "usr/lib/pkgconfig/libtrace2.pc").read_text()
    tap.ok("\nprefix=/usr\nlibdir=/usr/lib\n" in description, "its description names the prefix", description)


def flags(folder, *words):
    """What pkg-config says of the installed library."""
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder / "usr/lib/pkgconfig")}
    done = run("pkg-config", f"--define-variable=prefix={folder}/usr", f"--define-variable=libdir={folder}/usr/lib",
               f"--define-variable=includedir={folder}/usr/include", *words, "libtrace2", env=environment)
    return done.stdout.split()


def check_example(tap, folder, is_static):
    """The example, built with what was installed and nothing else, reports itself."""
    program = folder / "example"
    libraries = flags(folder, "--libs", *(["--static"] if is_static else []))
    if is_static:
        libraries = [str(folder / "usr/lib/libtrace2.a") if word == "-ltrace2" else word for word in libraries]
    done = run("gcc", "-std=c11", "-Wall", "-Wextra", "-pedantic-errors", "-o", program, ROOT / "include/trace2/example.c",
               *flags(folder, "--cflags"), *libraries, "-lpthread")
    tap.ok(done.returncode == 0 and done.stderr == "", "the example is built " + ("statically" if is_static else "shared"), done)
    environment = clean_environment(EXAMPLE_TRACE2="1", EXAMPLE_TRACE2_BRIEF="1", LD_LIBRARY_PATH=str(folder / "usr/lib"))
    reported = run(program, "one", "and two", env=environment)
    want = (
        rf"version 1\.0\nstart {re.escape(str(program))} one 'and two'\ncmd_name measure \(measure\)\n"
        r"th_timer example/measure intervals:2 total:0\.\d{6} min:0\.\d{6} max:0\.\d{6}\nexit elapsed:0\.\d{6} code:0\n"
        r"timer example/measure intervals:2 .*\ncounter example/bytes value:10\natexit elapsed:0\.\d{6} code:0\n"
    )
    tap.ok(re.fullmatch(want, reported.stderr), "and reports itself", reported)


def check_languages(tap, folder):
    """The headers are understood by C and by C++, whose programs reach the library."""
    program = folder / "c_and_cxx"
    for words in (("gcc", "-std=c11", "-xc"), ("g++", "-std=c++11", "-xc++")):
        done = run(*words, "-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-o", program, HERE / "c_and_cxx.c", "-xnone",
                   *flags(folder, "--cflags"), *flags(folder, "--libs"))
        tap.ok(done.returncode == 0 and done.stderr == "", f"a program is built with {words[0]} {words[1]}", done)
        environment = clean_environment(GIT_TRACE2="1", GIT_TRACE2_BRIEF="1", LD_LIBRARY_PATH=str(folder / "usr/lib"))
        reported = run(program, env=environment)
        tap.ok(
            reported.stderr == "version 1.0\nstart both 'of them'\nchild_start[0] 'of them'\n"
            f"d0 | {'main':24} | cmd_mode     |     | {'':9} | {'':9} | {'':12} | explicit\n",
            "and reports itself, and of another", reported,
        )


def check_kept(tap):
    """Once loaded the library stays: threads that end call into it."""
    done = run("readelf", "--dynamic", ROOT / "build/libtrace2.so")
    tap.ok("NODELETE" in done.stdout and "SONAME" in done.stdout, "the library is not unloaded", done)


def check_page(tap):
    """The man page is well-formed."""
    done = run("man", "--warnings", "-l", ROOT / "userspace/trace2/libtrace2.3", env={**os.environ, "MANWIDTH": "100"})
    tap.ok(done.returncode == 0 and done.stderr == "" and "libtrace2" in done.stdout, "the man page can be read", done)


@tested
def main(tap):
    """All of it."""
    check_names(tap)
    check_documented(tap)
    with tempfile.TemporaryDirectory() as name:
        check_installed(tap, Path(name))
        check_example(tap, Path(name), is_static=False)
        check_example(tap, Path(name), is_static=True)
        check_languages(tap, Path(name))
    check_kept(tap)
    check_page(tap)
