#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: programs find the installed headers and libtrace2 by pkg-config and by CMake."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests"), str(PROJECT / "tests/programs")]

from programs import own_socket  # noqa: E402
from tap import tested  # noqa: E402

PROGRAMS, EXAMPLE = PROJECT / "tests/programs", PROJECT / "include/trace2/example.c"
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR", "PREFIX", "LIBDIR", "BUILD")
LISTS = f"""\
cmake_minimum_required(VERSION 3.13)
project(found C)
find_package(ktrack 0.2 REQUIRED COMPONENTS user trace2)
add_executable(once {PROGRAMS}/once.c {PROGRAMS}/twice.c)
target_link_libraries(once ktrack::user)
foreach(kind trace2 trace2_static)
  add_executable(${{kind}} {EXAMPLE})
  target_link_libraries(${{kind}} ktrack::${{kind}})
endforeach()
"""
# Requests that fail, and why.
REFUSED = {
    "ktrack 0.1 REQUIRED": "compatible with requested version",
    "ktrack 0.3 REQUIRED": "compatible with requested version",
    "ktrack REQUIRED COMPONENTS driver": "ktrack has no component driver",
}


def run(*words, **more):
    """A command's status and output."""
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN} | more
    return subprocess.run(
        [str(word) for word in words], cwd=PROJECT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )


def check_program(tap, name, program):
    """A program runs; those of libtrace2 write their events."""
    done = run(program, EXAMPLE_TRACE2_EVENT="1") if program.exists() else None
    works = done and done.returncode == 0 and (program.name.startswith("once") or '"event":"exit"' in done.stdout)
    tap.ok(works, name, done)


def check_pkg_config(tap, prefix, folder):
    """Flags for a compiler."""
    paths = f"{prefix}/lib/pkgconfig:{prefix}/share/pkgconfig"
    for package, more, sources in (("ktrack", [], [PROGRAMS / "once.c", PROGRAMS / "twice.c"]), ("libtrace2", ["--static"], [EXAMPLE])):
        flags = run("pkg-config", "--cflags", "--libs", *more, package, PKG_CONFIG_PATH=paths)
        program = folder / f"once-{package}" if package == "ktrack" else folder / package
        built = run("gcc", "-o", program, *sources, *flags.stdout.split(), f"-Wl,-rpath,{prefix}/lib")
        tap.ok(flags.returncode == 0 and built.returncode == 0, f"pkg-config {package}", flags.stdout, built.stdout)
        check_program(tap, "the program runs", program)
    vendor = run("pkg-config", "--variable=vendor", "ktrack", PKG_CONFIG_PATH=paths).stdout.strip()
    tap.ok(Path(vendor).is_file() and Path(vendor).is_relative_to(prefix), "it names the script vendor", vendor)


def check_cmake(tap, prefix, folder):
    """Targets of a project."""
    (folder / "CMakeLists.txt").write_text(LISTS)
    made = run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    built = run("cmake", "--build", folder / "build")
    tap.ok(made.returncode == 0 and built.returncode == 0, "find_package(ktrack) has targets", made.stdout, built.stdout)
    for name in ("once", "trace2", "trace2_static"):
        check_program(tap, f"a program with {name}", folder / "build" / name)


def check_refused(tap, prefix, folder):
    """Other versions, and components that do not exist."""
    for request, reason in REFUSED.items():
        (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.13)\nproject(refused C)\nfind_package({request})\n")
        done = run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        tap.ok(done.returncode != 0 and reason in " ".join(done.stdout.split()), f"refused: {request}", done.stdout)


def check_alone(tap, prefix, folder):
    """Without the library's development files there are the headers for programs."""
    (prefix / "lib/cmake/libtrace2/libtrace2-config.cmake").unlink()
    text = "find_package(ktrack REQUIRED)\nif(NOT TARGET ktrack::user OR TARGET ktrack::trace2)\n  message(FATAL_ERROR wrong)\nendif()\n"
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.13)\nproject(alone C)\n{text}")
    done = run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    tap.ok(done.returncode == 0, "without libtrace2 there is ktrack::user alone", done.stdout)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as name:
        own_socket(name)
        folder = Path(name)
        prefix = folder / "prefix"
        done = run("make", "-s", "--no-print-directory", "KDIR=/nonexistent", "install", f"PREFIX={prefix}")
        tap.ok(done.returncode == 0, "make install", done.stdout)
        for check in (check_pkg_config, check_cmake, check_refused, check_alone):
            work = folder / check.__name__
            work.mkdir()
            check(tap, prefix, work)
