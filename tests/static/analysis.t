#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: sparse, clang-tidy, cppcheck and gcc -fanalyzer have no findings in userspace, and find a deliberate bug each."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests"), str(PROJECT / "tests/static")]

import process  # noqa: E402
from gcc_unfounded import FINDINGS as GCC_UNFOUNDED  # noqa: E402
from tap import tested  # noqa: E402

# sparse keeps the files that it reads open.
FILES_MAX = 40
PACKAGES = ("libtracefs", "libtraceevent", "libxxhash", "zlib", "sqlite3", "ncursesw", "libseccomp", "libcap-ng", "libmd", "libelf", "libzstd", "liblzma")
DEFINES = ["-D_GNU_SOURCE", '-DKTRACK_VERSION="0"', "-Iuserspace", "-Iinclude"]
FINDING = re.compile(r"^\S+:\d+:(\d+:)? (warning|(fatal |internal compiler )?error|performance|portability): ")
# sparse supports neither \u, which C has since 1999, nor this function of compilers; glibc's initializer of a mutex has a plain 0 for a pointer.
UNFOUNDED = re.compile(r"undefined identifier '__builtin_cpu_supports'|unknown escape sequence: '\\u'|trace2/process\.c:.*Using plain integer as NULL pointer")
# gcc's analyzer is wrong about C in ways that differ between its versions; the list is of this one.
GCC = "12"
# A function that each tool has to report.
BUGS = {
    "sparse": "char *bug(void);\nchar *bug(void)\n{\n\treturn 0;\n}\n",
    "clang-tidy": "#include <string.h>\nint bug(const char *a);\nint bug(const char *a)\n{\n\tif (strcmp(a, a) == -1)\n\t\treturn 1;\n\treturn 0;\n}\n",
    "gcc": "#include <stdlib.h>\nint *bug(void);\nint *bug(void)\n{\n\tint *a = malloc(4);\n\n\t*a = 1;\n\treturn a;\n}\n",
    "cppcheck": "int bug(void);\nint bug(void)\n{\n\tint number;\n\treturn number;\n}\n",
}


def flags_of():
    """The compiler's flags for userspace."""
    done = subprocess.run(["pkg-config", "--cflags", *PACKAGES], capture_output=True, text=True, check=True)
    return [*DEFINES, *done.stdout.split()]


def commands_of(flags):
    """Each tool's command: what comes before and after the files."""
    gcc = ["gcc", "-std=gnu11", "-O1", "-fanalyzer", *flags, "-c", "-o", "/dev/null"]
    return {
        "sparse": (["sparse", "-Wno-decl", "-std=gnu11", *flags], []),
        "clang-tidy": (["clang-tidy", "--quiet", f"--config-file={PROJECT / '.clang-tidy'}"], ["--", "-std=gnu11", *flags]),
        "gcc": (["sh", "-c", f'status=0; for file; do {shlex.join(gcc)} "$file" || status=1; done; exit $status', "sh"], []),
        "cppcheck": (["cppcheck", "-q", "--std=c11", "--enable=warning,performance,portability", "--inline-suppr", *DEFINES], []),
    }


def findings(command, files):
    """What a tool reports."""
    before, after = command
    lines = []
    for first in range(0, len(files), FILES_MAX):
        words = [*before, *files[first : first + FILES_MAX], *after]
        environment = {**os.environ, "LC_ALL": "C"}
        done = process.run(words, cwd=PROJECT, env=environment, capture_output=True, text=True, cpu_s=3600)
        found = [line for line in (done.stdout + done.stderr).splitlines() if FINDING.match(line)]
        lines += found
        if done.returncode < 0 or (done.returncode != 0 and not any("error: " in line for line in found)):
            lines.append(f"{before[0]}: exit status {done.returncode}, of {words[len(before)]} and others: {done.stderr[-1000:]}")
    return [line for line in lines if not UNFOUNDED.search(line)]


def without_place(line):
    """A finding of gcc without the number of its line."""
    return re.sub(r":\d+:\d+: warning", "", line)


def gcc_findings(command, files):
    """Those that are not listed as unfounded, and those of the list that gcc does not have any more."""
    listed = {line for line in GCC_UNFOUNDED.splitlines() if line and not line.startswith("#")}
    found = findings(command, files)
    stale = listed - {without_place(line) for line in found}
    return [line for line in found if without_place(line) not in listed] + [f"gcc_unfounded.py: not found: {line}" for line in sorted(stale)]


def check_tool(tap, name, command, folder):
    """The deliberate bug is found, nothing else is."""
    bug = folder / f"{name}.c"
    bug.write_text(BUGS[name])
    tap.ok(findings(command, [bug]), f"{name} finds a deliberate bug")
    files = sorted(path.relative_to(PROJECT) for path in (PROJECT / "userspace").rglob("*.c"))
    find = gcc_findings if name == "gcc" else findings
    tap.nothing(find(command, files), f"{name}: no findings in {len(files)} files")


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        for name, command in commands_of(flags_of()).items():
            if name == "gcc" and subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip().split(".")[0] != GCC:
                tap.skip("gcc -fanalyzer", f"the list of unfounded findings is of gcc {GCC}")
                continue
            check_tool(tap, name, command, Path(folder))
